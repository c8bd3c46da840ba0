/* SPDX-License-Identifier: Apache-2.0 */
/* expert.c: initial structs, stages of a plan, a plan as text. */
#include "farsum/expert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/fpenv.h"
#include "plan/plan.h"

/* A struct of size bytes whose first member is its size. */
static farsum_status struct_init(void *to, size_t size, size_t known,
                                 const char *name)
{
    if (!to)
        FAIL(ERR_ARGUMENT, "%s is NULL", name);
    if (size < sizeof(size_t) || size > known)
        FAIL(ERR_ARGUMENT, "size of %s is %zu, not %zu, that of this version",
             name, size, known);
    memset(to, 0, size);
    memcpy(to, &size, sizeof size);
    return FARSUM_OK;
}

farsum_status farsum_problem_init(farsum_problem *problem, size_t size)
{
    return struct_init(problem, size, sizeof *problem, "problem");
}

farsum_status farsum_options_init(farsum_options *options, size_t size)
{
    return struct_init(options, size, sizeof *options, "options");
}

farsum_status farsum_result_init(farsum_result *result, size_t size)
{
    return struct_init(result, size, sizeof *result, "result");
}

farsum_status farsum_plan_info_init(farsum_plan_info *info, size_t size)
{
    return struct_init(info, size, sizeof *info, "info");
}

farsum_status farsum_plan_stage(const farsum_plan *plan, int index,
                                farsum_stage_info *stage)
{
    FP_GUARD;
    if (!plan || !stage)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "stage" : "plan");
    farsum_plan_info all = plan->report.info;
    plan_beside_info(plan, &all);
    if (index < 0 || index >= all.n_stages)
        FAIL(ERR_ARGUMENT, "stage %d is not in 0 .. %d", index,
             all.n_stages - 1);
    *stage = all.stages[index];
    return FARSUM_OK;
}

size_t farsum_plan_print_text(const farsum_plan *plan, char *text, size_t size)
{
    char *whole = NULL;
    size_t length = 0;
    FILE *out = plan ? open_memstream(&whole, &length) : NULL;
    if (size > 0)
        *text = 0;
    if (!out)
        return 0;
    farsum_plan_print(plan, out);
    if (fclose(out) != 0)
        length = 0;
    else if (size > 0)
        snprintf(text, size, "%s", whole);
    free(whole);
    return length;
}
