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
        const farsum_spectral_options *given = &asked->spectral;
        farsum_spectral_options *to = &o.spectral;
        to->split = info.split;
        to->window = info.window;
        to->bandwidth = info.bandwidth;
        memcpy(to->mesh, info.mesh, sizeof to->mesh);
        to->support = info.support;
        to->shape = info.shape;
        to->near_cells = given->near_cells;
        memcpy(to->near_team, given->near_team, sizeof to->near_team);
    }
    choice_variants(&info, &o);
    if (plan->method->choice)
        plan->method->choice(plan->state, &o);
    o.strict = asked->strict;
    o.deterministic = asked->deterministic;
    o.verify = asked->verify;
    o.on_excess = asked->on_excess;
    o.repeats = asked->repeats;
    o.spectral.skin = plan->task.given_skin;
    o.device.queues = info.queues;
    return struct_give(options, options->size, &o, sizeof o,
                       "FARSUM_OPTIONS_INIT");
}
