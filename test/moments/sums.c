/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c: systems of charges with dipoles, and their sums by a method. */
#include "sums.h"

#include <string.h>

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

void sums_random(struct sums_case *c, int n, double edge, int net)
{
    uint64_t state = 11;
    double sum = 0;
    c->n = n;
    for (int i = 0; i < n; i++) {
        double s[3] = {draw(&state), draw(&state), draw(&state)};
        for (int d = 0; d < 3; d++) {
            const double *a = c->problem.cell;
            c->x[3 * i + d] =
                c->problem.periodic[0]
                    ? s[0] * a[d] + s[1] * a[3 + d] + s[2] * a[6 + d]
                    : edge * s[d];
            c->q[4 * i + 1 + d] = draw(&state) - 0.5;
        }
        c->q[4 * i] = 2 * draw(&state) - 1;
        sum += c->q[4 * i];
    }
    for (int i = 0; i < n; i++)
        c->q[4 * i] += (net - sum) / n;
}

void sums_apart(struct sums_case *c, int seed)
{
    uint64_t state = (uint64_t)seed;
    sums_random(c, 64, 0, seed % 2);
    for (int i = 0; i < 64; i++) {
        const double *a = c->problem.cell;
        double s[3];
        for (int d = 0; d < 3; d++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            double u = (double)(state >> 11) * 0x1p-53;
            s[d] = ((i >> 2 * d & 3) + 0.5 + 0.5 * (u - 0.5)) / 4;
        }
        for (int d = 0; d < 3; d++)
            c->x[3 * i + d] = s[0] * a[d] + s[1] * a[3 + d] + s[2] * a[6 + d];
    }
}

void sums_tilted(struct sums_case *c)
{
    static const double cell[9] = {2, 0.1, 0.2, -0.3, 1.7, 0.15, 0.2, 0.4, 1.9};
    c->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    memcpy(c->problem.cell, cell, sizeof cell);
    for (int d = 0; d < 3; d++)
        c->problem.periodic[d] = 1;
    c->problem.tolerance = 1e-13;
    c->method = "ewald";
}

double sums_volume(const struct sums_case *c)
{
    const double *a = c->problem.cell, *b = a + 3, *e = a + 6;
    return fabs(a[0] * (b[1] * e[2] - b[2] * e[1])
                + a[1] * (b[2] * e[0] - b[0] * e[2])
                + a[2] * (b[0] * e[1] - b[1] * e[0]));
}

static farsum_status sums_run(const struct sums_case *c, const char *kernel,
                              const double *q, unsigned outputs,
                              struct sums_answer *a)
{
    farsum_problem p = c->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    p.kernel = kernel;
    p.n_sources = c->n;
    p.n_targets = c->m;
    p.outputs = outputs;
    o.method = c->method;
    o.cutoff = c->cutoff;
    o.fmm = c->fmm;
    o.threads = 1;
    r.potential = outputs & FARSUM_POTENTIAL ? a->potential : NULL;
    r.field = outputs & FARSUM_FIELD ? a->field : NULL;
    r.gradient = outputs & FARSUM_GRADIENT ? a->gradient : NULL;
    r.energy = outputs & FARSUM_ENERGY && !c->m ? &a->energy : NULL;
    r.virial = outputs & FARSUM_VIRIAL && !c->m ? a->virial : NULL;
    farsum_status status = farsum_plan_create(&p, &o, &plan);
    if (status == FARSUM_OK)
        status =
            farsum_plan_set_points(plan, c->n, c->x, c->m, c->m ? c->y : NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, q, &r);
    farsum_plan_destroy(plan);
    return status;
}

enum {
    CHARGES = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL
};

/* With kappa, the screened kernels. */
static const char *sums_kernel(const struct sums_case *c)
{
    return c->problem.kappa > 0 ? "yukawa_dipole" : "charge_dipole";
}

farsum_status sums_try(const struct sums_case *c, struct sums_answer *a)
{
    return sums_run(c, sums_kernel(c), c->q, CHARGES | FARSUM_GRADIENT, a);
}

void sums_get(const struct sums_case *c, struct sums_answer *a)
{
    memset(a, 0, sizeof *a);
    CHECK_OK(sums_try(c, a));
}

void sums_charges(const struct sums_case *c, const double *charges,
                  struct sums_answer *a)
{
    memset(a, 0, sizeof *a);
    CHECK_OK(sums_run(c, c->problem.kappa > 0 ? "yukawa" : "laplace", charges,
                      CHARGES, a));
}

double sums_energy(const struct sums_case *c)
{
    struct sums_answer a = {.energy = 0};
    CHECK_OK(sums_run(c, sums_kernel(c), c->q, FARSUM_ENERGY, &a));
    return a.energy;
}

void sums_equal(const double *a, const double *b, int n, double most,
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

double sums_forces(const struct sums_case *c, const struct sums_answer *a,
                   const struct sums_answer *b)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double sum = 0;
    for (int i = 0; i < c->n; i++)
        for (int d = 0; d < 3; d++) {
            double f = c->q[4 * i]
                       * (a->field[3 * i + d] - (b ? b->field[3 * i + d] : 0));
            for (int e = 0; e < 3; e++)
                f -= c->q[4 * i + 1 + e]
                     * (a->gradient[6 * i + at[d][e]]
                        - (b ? b->gradient[6 * i + at[d][e]] : 0));
            sum += f * f;
        }
    return sqrt(sum / c->n);
}

void sums_same(const struct sums_case *c, const struct sums_answer *a,
               const struct sums_answer *b, double most, const char *what)
{
    int targets = c->m ? c->m : c->n;
    sums_equal(a->potential, b->potential, targets, most, what);
    sums_equal(a->field, b->field, 3 * targets, most, what);
    sums_equal(a->gradient, b->gradient, 6 * targets, most, what);
    if (c->m)
        return;
    sums_equal(&a->energy, &b->energy, 1, most, what);
    sums_equal(a->virial, b->virial, 9, most, what);
}

/* The largest distance in the cell is below the sum of its edges. */
void sums_within(const struct sums_case *c, const struct sums_answer *a,
                 const struct sums_answer *b, double tolerance,
                 const char *what)
{
    int targets = c->m ? c->m : c->n;
    sums_equal(a->potential, b->potential, targets, tolerance, what);
    sums_equal(a->field, b->field, 3 * targets, tolerance, what);
    sums_equal(a->gradient, b->gradient, 6 * targets, tolerance, what);
    if (c->m)
        return;
    double work = 0;
    for (int k = 0; k < 3; k++) {
        const double *edge = c->problem.cell + 3 * k;
        work += sqrt(edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2]);
    }
    work *= c->n * sums_forces(c, b, NULL);
    CHECK_NEAR(a->energy, b->energy, tolerance * work);
    for (int k = 0; k < 9; k++)
        CHECK_NEAR(a->virial[k], b->virial[k], tolerance * work);
}

void sums_less(struct sums_answer *a, const struct sums_answer *alone,
               const int64_t pair[2], double part)
{
    for (int i = 0; i < 2; i++) {
        int64_t to = pair[i];
        a->potential[to] -= part * alone->potential[i];
        for (int d = 0; d < 3; d++)
            a->field[3 * to + d] -= part * alone->field[3 * i + d];
        for (int d = 0; d < 6; d++)
            a->gradient[6 * to + d] -= part * alone->gradient[6 * i + d];
    }
    a->energy -= part * alone->energy;
    for (int d = 0; d < 9; d++)
        a->virial[d] -= part * alone->virial[d];
}

double sums_pairs_differ(const struct sums_case *c, double h)
{
    struct sums_case pairs = *c;
    struct sums_answer a, b;
    double charges[SUMS_MOST], most = 0;
    pairs.n = 0;
    for (int i = 0; i < c->n; i++) {
        const double *p = c->q + 4 * i + 1;
        double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int k = -1; k <= 1; k++, pairs.n++) {
            charges[pairs.n] = k ? k * size / (2 * h) : c->q[4 * i];
            for (int d = 0; d < 3; d++)
                pairs.x[3 * pairs.n + d] =
                    c->x[3 * i + d] + k * h * p[d] / size;
        }
    }
    sums_charges(&pairs, charges, &b);
    sums_get(c, &a);
    for (int k = 0; k < c->m; k++)
        most = fmax(most, fabs(a.potential[k] - b.potential[k]));
    for (int k = 0; k < 3 * c->m; k++)
        most = fmax(most, fabs(a.field[k] - b.field[k]));
    return most;
}

void sums_charges_only(struct sums_case *c, double tolerance)
{
    struct sums_answer a, b;
    double charges[SUMS_MOST];
    for (int i = 0; i < c->n; i++) {
        charges[i] = c->q[4 * i];
        memset(c->q + 4 * i + 1, 0, 3 * sizeof(double));
    }
    sums_get(c, &a);
    sums_charges(c, charges, &b);
    memcpy(b.gradient, a.gradient, sizeof b.gradient);
    sums_same(c, &a, &b, tolerance, "charges only");
}
