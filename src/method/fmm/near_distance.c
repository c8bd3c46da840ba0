/* SPDX-License-Identifier: Apache-2.0 */
/* near_distance.c: distances of the nearest pairs of a plan's points, which
 * determine the effect of rounded positions. */
#include <math.h>

#include "base/par.h"
#include "method/fmm/fmm.h"

/* Pairs nearer than this part of the mean distance count. */
#define MUCH 0.25
enum { MANY = 200000 }; /* points; of more, some leaves are sampled */

/* A leaf's points, as stored in the tree. */
struct leaf {
    const void *x[3];
    const uint32_t *low;
    int f32;
};

static double leaf_at(const struct leaf *leaf, int d, int64_t i)
{
    if (!leaf->f32)
        return ((const double *)leaf->x[d])[i];
    return (double)((const float *)leaf->x[d])[i]
           + (double)tree_low_part(leaf->low[i], d);
}

/* The sum of 1/r^4 over the pairs of sources begin to end that are nearer than
 * `much` and do not coincide. */
static double leaf_near(const struct leaf *leaf, int64_t begin, int64_t end,
                        double much)
{
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        double x = leaf_at(leaf, 0, i), y = leaf_at(leaf, 1, i);
        double z = leaf_at(leaf, 2, i);
        for (int64_t j = begin; j < i; j++) {
            double dx = x - leaf_at(leaf, 0, j), dy = y - leaf_at(leaf, 1, j);
            double dz = z - leaf_at(leaf, 2, j);
            double r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < much * much && r2 > 0)
                sum += 1 / (r2 * r2);
        }
    }
    return sum;
}

int64_t fmm_near_step(const struct task *task, const struct fmm *s,
                      int separate)
{
    return s->sampled || task->sample.n_targets > 0 || separate
                   || s->input.kernel != FMM_LAPLACE
               ? 0
               : 1 + s->all_n / MANY;
}

double fmm_near_much(const struct fmm *s)
{
    return MUCH * cbrt(s->input.volume / (double)s->all_n);
}

void fmm_near_set(struct fmm *s, double sum, int64_t step)
{
    s->input.near =
        s->input.q2 * sqrt(2 * sum * (double)step / (double)s->all_n);
}

void fmm_near(const struct task *task, struct fmm *s, const struct tree *tree)
{
    const struct tree_points *p = &tree->source;
    const struct leaf leaf = {{p->x[0], p->x[1], p->x[2]},
                              p->low,
                              tree->precision == FARSUM_F32};
    double much = fmm_near_much(s), sum = 0;
    const int64_t step = fmm_near_step(task, s, tree->separate);
    s->input.near = 0;
    if (step == 0)
        return;
    PAR_FOR(task->threads, schedule(dynamic, 64) reduction(+ : sum))
    for (int64_t k = 0; k < tree->n_leaves; k += step) {
        double h = tree_h(tree, tree_level(tree, tree_leaf_box(tree, k)));
        sum += leaf_near(&leaf, p->begin[k], p->begin[k + 1], much / h)
               / (h * h * h * h);
    }
    (void)task_sum(task, &sum, 1);
    fmm_near_set(s, sum, step);
}
