/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_costs.c: what a sum of `spectral` costs, by the tuner's costs. */
#include "method/spectral/ranks_costs.h"

#include <math.h>

static double cost_of(const struct task *task, const struct parameters *t,
                      int stage, const void *args)
{
    return t->choice[stage].row->variant->cost(args)
           * task->machine.factor[stage];
}

/* Seconds of the whole sum: all, of which `mesh` remain without points. */
struct both {
    double all, mesh;
};

/* Costs of points, planes and pairs, as parts of those of the whole sum.  Two
 * thirds of a transform are in the planes. */
static struct load_costs costs_of(const struct task *task,
                                  const struct parameters *t, int64_t halo)
{
    union stage_args args[STAGE_COUNT];
    const struct pair *pair = &task->pair;
    struct both spread, interp;
    parameters_args(t, task, args);
    struct near_args *near = &args[STAGE_NEAR].near;
    double sources = (double)args[STAGE_SPREAD].spread.n;
    double targets = (double)args[STAGE_INTERP].interp.n;
    double pairs = fmax(near->neighbours, 1) * fmax(targets, 1);
    double near_all = cost_of(task, t, STAGE_NEAR, near);
    double fft = cost_of(task, t, STAGE_FFT, &args[STAGE_FFT])
                 * (pair->channels + pair->values) * 2 / 3;
    spread.all = cost_of(task, t, STAGE_SPREAD, &args[STAGE_SPREAD]);
    interp.all = cost_of(task, t, STAGE_INTERP, &args[STAGE_INTERP]);
    args[STAGE_SPREAD].spread.n = args[STAGE_INTERP].interp.n = 1;
    spread.mesh = cost_of(task, t, STAGE_SPREAD, &args[STAGE_SPREAD]);
    interp.mesh = cost_of(task, t, STAGE_INTERP, &args[STAGE_INTERP]);
    double plane = (spread.mesh + interp.mesh) / (double)t->mesh[0];
    return (struct load_costs){
        .plane = plane + fft / (double)t->mesh[0],
        .slab = 2 * (double)halo * plane,
        .source = fmax(spread.all - spread.mesh, 0) / fmax(sources, 1),
        .target = fmax(interp.all - interp.mesh, 0) / fmax(targets, 1),
        .pair = near_all / pairs};
}

farsum_status spectral_ranks_balance(struct ranks_balance *balance,
                                     const struct task *task,
                                     const struct parameters *t,
                                     const struct ranks_cut *cut,
                                     struct comm *comm)
{
    const struct domain *domain = &cut->domain;
    balance->costs = costs_of(task, t, domain->halo);
    return ranks_balance_create(balance, domain, comm,
                                load_create(&balance->load, domain, &t->cell,
                                            t->mesh,
                                            task->problem.n_targets > 0));
}
