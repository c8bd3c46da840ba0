/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/slab_case.h"

#include "geometry/sums.h"

void slab_make(struct slab *s, int open, double thick, double net,
               double tolerance)
{
    uint64_t state = 5;
    int a = (open + 1) % 3, b = (open + 2) % 3;
    double sum = 0;
    *s = (struct slab){.problem = FARSUM_PROBLEM_INIT,
                       .options = FARSUM_OPTIONS_INIT};
    double *cell = s->problem.cell;
    cell[4 * a] = 9;
    cell[4 * b] = 7.5;
    cell[3 * b + a] = 3.1; /* oblique; row c means nothing */
    cell[3 * open + a] = 1.3;
    cell[4 * open] = thick;
    for (int i = 0; i < SLAB_POINTS + SLAB_TARGETS; i++) {
        double *x =
            i < SLAB_POINTS ? s->x + 3 * i : s->y + 3 * (i - SLAB_POINTS);
        double u = geometry_draw(&state), v = geometry_draw(&state),
               w = geometry_draw(&state);
        for (int d = 0; d < 3; d++)
            x[d] = u * cell[3 * a + d] + v * cell[3 * b + d];
        x[open] = 7 + thick * w;
        if (i < SLAB_POINTS) {
            s->q[i] = 2 * geometry_draw(&state) - 1;
            sum += s->q[i];
        }
    }
    for (int i = 0; i < SLAB_POINTS; i++)
        s->q[i] += (net - sum) / SLAB_POINTS;
    s->problem.periodic[a] = s->problem.periodic[b] = 1;
    s->problem.tolerance = tolerance;
    s->problem.precision = FARSUM_F64;
    s->problem.n_sources = SLAB_POINTS;
    s->problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    s->options.threads = 1;
    s->options.method = "spectral";
}
