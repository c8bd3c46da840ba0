/* SPDX-License-Identifier: Apache-2.0 */
/* chosen_options.c: options that name the choices of a plan. */
#include <string.h>

#include "base/args.h"
#include "base/fpenv.h"
#include "plan/options.h"
#include "plan/plan.h"

static void choice_variants(const farsum_plan_info *info, farsum_options *to)
{
    for (int s = 0; s < info->n_stages; s++) {
        const struct option_row *row = option_of_stage(info->stages[s].stage);
        if (row)
            memcpy((char *)to + row->at, &info->stages[s].variant, row->size);
    }
}

farsum_status farsum_plan_get_options(const farsum_plan *plan,
                                      farsum_options *options)
{
    FP_GUARD;
    if (!plan || !options)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "options" : "plan");
    farsum_options o = FARSUM_OPTIONS_INIT;
    const farsum_options *asked = &plan->task.options;
    farsum_plan_info info = plan->report.info;
    plan_units_info(plan, &info);
    o.method = info.method;
    if (plan->method->options & METHOD_CUTOFF)
        o.cutoff = info.cutoff;
    if (plan->method->options & METHOD_MESH) {
        o.split = info.split;
        o.window = info.window;
        o.bandwidth = info.bandwidth;
        memcpy(o.mesh, info.mesh, sizeof o.mesh);
        o.support = info.support;
        o.shape = info.shape;
        o.near_cells = asked->near_cells;
        memcpy(o.near_team, asked->near_team, sizeof o.near_team);
    }
    choice_variants(&info, &o);
    if (plan->method->choice)
        plan->method->choice(plan->state, &o);
    o.strict = asked->strict;
    o.deterministic = asked->deterministic;
    o.verify = asked->verify;
    o.on_excess = asked->on_excess;
    o.repeats = asked->repeats;
    o.skin = asked->skin;
    o.queues = info.queues;
    return struct_give(options, options->size, &o, sizeof o,
                       "FARSUM_OPTIONS_INIT");
}
