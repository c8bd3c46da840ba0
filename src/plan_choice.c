/* SPDX-License-Identifier: Apache-2.0 */
/* plan_choice.c: the options that name what a plan chose. */
#include <stddef.h>
#include <string.h>

#include "base/args.h"
#include "base/fpenv.h"
#include "method/method.h"
#include "plan.h"

/* Options that name a stage's variant. */
static const struct {
    const char *stage;
    size_t at;
} named[] = {
#define NAMED(stage)                                                           \
    {                                                                          \
#stage, offsetof(farsum_options, stage)                                \
    }
    NAMED(near),   NAMED(spread),  NAMED(fft), NAMED(scale),
    NAMED(interp), NAMED(p2p),     NAMED(p2m), NAMED(m2m),
    NAMED(m2l),    NAMED(lattice), NAMED(l2l), NAMED(l2p),
#undef NAMED
};

static void choice_variants(const farsum_plan_info *info, farsum_options *to)
{
    for (int s = 0; s < info->n_stages; s++)
        for (size_t k = 0; k < sizeof named / sizeof *named; k++)
            if (strcmp(info->stages[s].stage, named[k].stage) == 0)
                *(const char **)(void *)((char *)to + named[k].at) =
                    info->stages[s].variant;
}

farsum_status farsum_plan_get_options(const farsum_plan *plan,
                                      farsum_options *options)
{
    FP_GUARD;
    if (!plan || !options)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "options" : "plan");
    farsum_options o = FARSUM_OPTIONS_INIT;
    const farsum_options *asked = &plan->options;
    farsum_plan_info info = plan->info;
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
        plan->method->choice(plan, &o);
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
