/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_costs.c: seconds of `fmm` over ranks, per layer of root boxes, point
 * and pair, by the tuner's costs. */
#include <math.h>

#include "method/fmm/ranks.h"
#include "method/staging/ranks_balance.h"
#include "task/ranks_model.h"

/* What costs are of. */
struct costed {
    const struct task *task;
    const struct choice *choice;
};

/* Seconds of a stage for these args. */
static double cost_of(const struct costed *c, int r, const void *args)
{
    const struct variant_row *row = c->choice[r].row;
    if (!row) /* one level has no shifts */
        return 0;
    return row->variant->cost(args) * c->task->machine.factor[MACHINE_FMM + r];
}

/* Seconds of a rank that owns so many layers, without points. */
static double cost_empty(const struct costed *c, const struct boxes_args *whole,
                         int64_t layers)
{
    static const int stages[] = {FMM_P2M, FMM_M2M, FMM_M2L, FMM_L2L, FMM_L2P};
    struct boxes_args own = *whole;
    double sum = 0;
    own.n_sources = own.n_targets = 1;
    fmm_ranks_slab(layers, &own, NULL);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        sum += cost_of(c, stages[i], &own);
    return sum;
}

struct load_costs fmm_ranks_costs(const struct task *task,
                                  const struct fmm_shape *shape,
                                  const struct boxes_args *whole,
                                  const struct p2p_args *pairs,
                                  const struct choice choice[FMM_STAGES])
{
    const struct costed c = {task, choice};
    struct boxes_args none = *whole;
    none.n_sources = none.n_targets = 1;
    double n = (double)whole->n_sources, m = (double)whole->n_targets;
    double one = cost_empty(&c, whole, 1);
    double layer = cost_empty(&c, whole, 2) - one;
    double roots = (double)whole->root[0];
    double source = cost_of(&c, FMM_P2M, whole) - cost_of(&c, FMM_P2M, &none);
    double target = cost_of(&c, FMM_L2P, whole) - cost_of(&c, FMM_L2P, &none);
    double all = fmax(pairs->neighbours, 1) * p2p_targets(pairs);
    double ghosts = shape->depth > 0 ? 2 * shape->ws / roots : 0;
    return (struct load_costs){.plane = layer + fmm_ranks_modes(choice) / roots,
                               .slab = fmax(one - layer + ghosts * source, 0),
                               .source = fmax(source, 0) / n
                                         + ranks_model_ends(task, n) / n,
                               .target = fmax(target, 0) / m,
                               .pair = cost_of(&c, FMM_P2P, pairs) / all};
}
