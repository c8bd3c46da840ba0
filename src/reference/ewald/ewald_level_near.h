/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_level_near.h: the near sum in one precision.  ewald_level_table.h lists
 * the macros to define. */

struct target {
    real sum[10], low[10]; /* phi, E (3), sum q d d f (6) */
};

#include "reference/ewald/ewald_level_soft.h"

/* Adds source j at the distance d, r2 = d.d < rc^2. */
static inline __attribute__((always_inline)) void
pair(const struct ewald_job *job, struct target *t, const real d[3], real r2,
     int64_t j)
{
    real q = job->q[j], xi = job->xi;
    real self = 2 * xi / LEVEL_SQRT((real)EWALD_PI);
    if (r2 <= (real)job->coincide * job->coincide) {
        /* erf(xi r)/r at r = 0, which the far sum includes */
        add(&t->sum[0], &t->low[0], -q * self);
        return;
    }
    real r = LEVEL_SQRT(r2), u = xi * r, p, f;
    if (r2 < (real)job->soft * job->soft) {
        soft_near(job, xi, r, &p, &f);
    } else {
        p = LEVEL_ERFC(u) / r;
        f = (p + self * LEVEL_EXP(-u * u)) / r2;
    }
    add(&t->sum[0], &t->low[0], q * p);
    real e[3] = {q * f * d[0], q * f * d[1], q * f * d[2]};
    for (int i = 0; i < 3; i++)
        add(&t->sum[1 + i], &t->low[1 + i], e[i]);
    if (!job->want_virial)
        return;
    real w[6] = {e[0] * d[0], e[1] * d[1], e[2] * d[2],
                 e[0] * d[1], e[0] * d[2], e[1] * d[2]};
    for (int i = 0; i < 6; i++)
        add(&t->sum[4 + i], &t->low[4 + i], w[i]);
}

#include "reference/ewald/ewald_level_walk.h"

static void near(const struct ewald_job *job, int64_t i0, int64_t i1,
                 struct ewald_block *block)
{
    for (int64_t i = i0; i < i1; i++) {
        struct target t = {{0}, {0}};
        near_target(job, i, &t);
        long double value[10];
        for (int a = 0; a < 10; a++)
            value[a] = (long double)t.sum[a] + t.low[a];
        block->potential[i - i0] = value[0];
        for (int d = 0; d < 3; d++)
            block->field[i - i0][d] = value[1 + d];
        for (int a = 0; a < 6; a++)
            block->virial[i - i0][a] = value[4 + a];
    }
}
