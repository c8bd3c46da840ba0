/* SPDX-License-Identifier: Apache-2.0 */
/* quadrupoles.c: systems of charges with dipoles and quadrupoles. */
#include "quadrupoles.h"

#include <string.h>

double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

struct system random_system(int axes, int n, double net)
{
    static const double tilted[9] = {2,    0.1, 0.2, -0.3, 1.7,
                                     0.15, 0.2, 0.4, 1.9};
    struct system s = {
        .problem = FARSUM_PROBLEM_INIT, .kernel = "charge_quadrupole", .n = n};
    uint64_t state = 5;
    double sum = 0;
    for (int d = 0; d < 9; d++)
        s.problem.cell[d] = d / 3 >= axes               ? 0
                            : axes == 3 || d % 3 < axes ? tilted[d]
                                                        : 0;
    for (int d = 0; d < axes; d++)
        s.problem.periodic[d] = 1;
    s.problem.tolerance = axes ? 1e-13 : 1e-14;
    for (int i = 0; i < n; i++) {
        const double u[3] = {draw(&state), draw(&state), draw(&state)};
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] =
                u[0] * tilted[d] + u[1] * tilted[3 + d] + u[2] * tilted[6 + d];
        for (int k = 0; k < WIDTH; k++)
            s.q[WIDTH * i + k] = (draw(&state) - 0.5)
                                 * (k == 0  ? 2
                                    : k < 4 ? 1
                                            : 0.4);
        sum += s.q[WIDTH * i];
    }
    for (int i = 0; i < n; i++)
        s.q[WIDTH * i] += (net - sum) / n;
    return s;
}

int axes_of(const struct system *s)
{
    return s->problem.periodic[0] + s->problem.periodic[1]
           + s->problem.periodic[2];
}

double volume_of(const struct system *s)
{
    const double *c = s->problem.cell;
    return c[0] * (c[4] * c[8] - c[5] * c[7])
           + c[1] * (c[5] * c[6] - c[3] * c[8])
           + c[2] * (c[3] * c[7] - c[4] * c[6]);
}

farsum_status try(const struct system *s, const double *q, unsigned outputs,
                  struct answer *a)
{
    farsum_problem p = s->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    p.kernel = s->kernel;
    p.n_sources = s->n;
    p.n_targets = s->m;
    p.outputs = outputs;
    p.sample_x = s->sampled ? s->x : NULL;
    p.sample_q = s->sampled ? s->q : NULL;
    o.method = s->method ? s->method : axes_of(s) ? "ewald" : "direct";
    o.cutoff = s->cutoff;
    o.threads = 1;
    r.potential = outputs & FARSUM_POTENTIAL ? a->potential : NULL;
    r.field = outputs & FARSUM_FIELD ? a->field : NULL;
    r.gradient = outputs & FARSUM_GRADIENT ? a->gradient : NULL;
    r.third = outputs & FARSUM_THIRD ? a->third : NULL;
    r.energy = outputs & FARSUM_ENERGY && !s->m ? &a->energy : NULL;
    r.virial = outputs & FARSUM_VIRIAL && !s->m ? a->virial : NULL;
    farsum_status status = farsum_plan_create(&p, &o, &plan);
    if (status == FARSUM_OK)
        status =
            farsum_plan_set_points(plan, s->n, s->x, s->m, s->m ? s->y : NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, q, &r);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, &info);
    a->estimated = status == FARSUM_OK ? info.estimated_error : 0;
    farsum_plan_destroy(plan);
    return status;
}

struct answer get(const struct system *s, unsigned outputs)
{
    struct answer a;
    memset(&a, 0, sizeof a);
    CHECK_OK(try(s, s->q, outputs, &a));
    return a;
}

void equal(const double *a, const double *b, int n, double most,
           const char *what)
{
    double size = 0, off = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        off = isnan(a[i]) ? INFINITY : fmax(off, fabs(a[i] - b[i]));
    }
    CHECK(off <= most * size, "%s: off by %.3g of %.3g, %.3g allowed", what,
          off, size, most * size);
}

void same(const struct system *s, const struct answer *a,
          const struct answer *b, double most, const char *what)
{
    int targets = s->m ? s->m : s->n;
    equal(a->potential, b->potential, targets, most, what);
    equal(a->field, b->field, 3 * targets, most, what);
    equal(a->gradient, b->gradient, 6 * targets, most, what);
    equal(a->third, b->third, 10 * targets, most, what);
    if (s->m)
        return;
    equal(&a->energy, &b->energy, 1, most, what);
    equal(a->virial, b->virial, 9, most, what);
}

void between(struct system *s)
{
    s->m = LOOKED;
    for (int k = 0; k < 3 * s->m; k++)
        s->y[k] = 0.5 * (s->x[k] + s->x[3 * (s->n - LOOKED) + k]);
}

double forces(const struct system *s, const struct answer *a,
              const struct answer *b)
{
    static const int two[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    static const int three[6][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5},
                                    {3, 6, 7}, {4, 7, 8}, {5, 8, 9}};
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++) {
            const double *q = s->q + WIDTH * i;
            double f =
                q[0] * (a->field[3 * i + d] - (b ? b->field[3 * i + d] : 0));
            for (int k = 0; k < 3; k++)
                f -= q[1 + k]
                     * (a->gradient[6 * i + two[d][k]]
                        - (b ? b->gradient[6 * i + two[d][k]] : 0));
            for (int k = 0; k < 6; k++)
                f -= (k == 0 || k == 3 || k == 5 ? 0.5 : 1) * q[4 + k]
                     * (a->third[10 * i + three[k][d]]
                        - (b ? b->third[10 * i + three[k][d]] : 0));
            sum += f * f;
        }
    return sqrt(sum / s->n);
}
