/* SPDX-License-Identifier: Apache-2.0 */
/* The second sum of slabs and wires by pairs with all their images, against
 * method `ewald`, which shares no formula with it. */
#define VERIFY_MOST 900
#include "verify_check.h"

#include "plan/verify/verify.h"

enum { PAIRS = 3 };

/* n charges of mean `net`.  rows: the cell; bit d of open: axis d is open.
 * thick: extents along the rows, in their units. */
struct sum {
    const char *what;
    int n, open;
    double rows[9], thick[3], net;
    farsum_error_kind error;
    double tolerance, coulomb;
    int f32;
};

static const struct sum sums[] = {
    {"a wire",
     700,
     6,
     {1, 0, 0, 0, 1, 0, 0, 0, 1},
     {1, 1, 1},
     0.3,
     0,
     1e-9,
     1,
     0},
    {"potentials of a wire",
     300,
     3,
     {1, 0, 0, 0, 1, 0, 0, 0, 0.4},
     {1, 2, 1},
     1,
     FARSUM_ERROR_POTENTIAL,
     1e-9,
     -1.7,
     0},
    {"a ribbon",
     500,
     5,
     {30, 0, 0, 0, 1, 0, 2, 0, 1},
     {1, 1, 1},
     0,
     FARSUM_ERROR_FORCE,
     1e-6,
     1,
     0},
    {"a thread",
     400,
     6,
     {50, 0, 0, 0, 1, 0, 0, 0, 1},
     {1, 0.1, 0.1},
     0.1,
     FARSUM_ERROR_FORCE,
     1e-8,
     1,
     0},
    {"a wire in f32",
     400,
     6,
     {1, 0, 0, 0, 1, 0, 0, 0, 1},
     {1, 1, 1},
     0,
     0,
     1e-4,
     2,
     1},
    {"a tall slab",
     600,
     4,
     {1, 0, 0, 0, 1, 0, 0, 0, 8},
     {1, 1, 1},
     0.2,
     0,
     1e-9,
     1,
     0},
    {"potentials of an oblique slab",
     500,
     1,
     {9, 0, 0, 0, 1, 0, 0, -1.4, 1.1},
     {1, 1, 1},
     0.7,
     FARSUM_ERROR_POTENTIAL,
     1e-9,
     1,
     0},
    {"an oblique slab",
     700,
     2,
     {1, 0.2, 0, 0, 5, 0, 0.45, 0, 1.3},
     {1, 1, 1},
     0,
     0,
     1e-8,
     1,
     0},
    {"a thin, long slab",
     400,
     4,
     {12, 0, 0, 0.4, 1, 0, 0, 0, 1},
     {1, 1, 1e-3},
     0,
     0,
     1e-9,
     1,
     0},
};

static double x[3 * MOST], q[MOST];
static float x32[3 * MOST], q32[MOST];
static const int64_t pair[2 * PAIRS] = {2, 3, 4, 200, 5, 201};
static const double factor[PAIRS] = {0, 0.5, 0};

/* Some charges lie outside the cell, two are near each other across a face, two
 * at one place, and two on one line. */
static void fill(const struct sum *s)
{
    uint64_t random = 17;
    for (int i = 0; i < s->n; i++) {
        double f[3];
        for (int d = 0; d < 3; d++) {
            f[d] = uniform(&random) * s->thick[d];
            f[d] += s->open >> d & 1 ? 0 : i % 5 == d ? 2 : 0;
        }
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = f[0] * s->rows[d] + f[1] * s->rows[3 + d]
                           + f[2] * s->rows[6 + d];
        q[i] = normal(&random) + s->net;
    }
    int along = s->open & 1 ? s->open & 2 ? 2 : 1 : 0;
    for (int d = 0; d < 3; d++) {
        double period = s->rows[3 * along + d];
        x[3 + d] = x[d] + period + (d == 1 ? 1e-4 : 0);
        x[9 + d] = x[6 + d];
        x[18 + d] = x[15 + d] + 0.3 * period;
    }
    for (int i = 0; i < 3 * s->n; i++)
        x32[i] = (float)x[i];
    for (int i = 0; i < s->n; i++)
        q32[i] = (float)q[i];
    for (int i = 0; i < 3 * s->n && s->f32; i++)
        x[i] = x32[i];
    for (int i = 0; i < s->n && s->f32; i++)
        q[i] = q32[i];
}

static farsum_problem problem_for(const struct sum *s)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int i = 0; i < 9; i++)
        p.cell[i] = s->rows[i];
    for (int d = 0; d < 3; d++)
        p.periodic[d] = !(s->open >> d & 1);
    p.tolerance = s->tolerance;
    p.error = s->error;
    p.coulomb = s->coulomb;
    p.n_sources = s->n;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    return p;
}

/* Sums at the targets of `sum` by method ewald. */
static farsum_status by_ewald(const struct sum *s, const struct verify_sum *sum,
                              double *phi, double *field)
{
    static double y[3 * MOST];
    static int64_t rows[2 * MOST];
    const struct exclusions *e = &sum->excluded;
    farsum_status status = FARSUM_OK;
    farsum_problem p = problem_for(s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    p.tolerance = 1e-13;
    p.error = FARSUM_ERROR_FORCE;
    p.n_targets = sum->targets.count;
    p.exclude_coincident = 1;
    o.method = "ewald";
    o.verify = FARSUM_VERIFY_OFF;
    result.potential = phi;
    result.field = field;
    for (int64_t k = 0; k < 3 * p.n_targets; k++)
        y[k] = x[3 * sum->targets.index[k / 3] + k % 3];
    for (int64_t k = 0; k < 2 * e->count; k++)
        rows[k] = e->pair[k];
    GO(farsum_plan_create(&p, &o, &plan));
    GO(farsum_plan_set_exclusions(plan, e->count, rows, e->factor));
    GO(farsum_plan_set_points(plan, s->n, x, p.n_targets, y));
    GO(farsum_plan_execute(plan, 1, q, &result));
done:
    farsum_plan_destroy(plan);
    return status;
}

static int larger(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Each value differs by less than a part of its size and of that of most, which
 * near pairs do not raise. */
static void equal(const struct sum *s, int64_t m, int width, const double *got,
                  const double *right, double part)
{
    double size[MOST], most = 0;
    for (int64_t k = 0; k < m; k++)
        size[k] = rms(width, right + k * width, NULL);
    qsort(size, (size_t)m, sizeof *size, larger);
    double middle = size[m / 2];
    CHECK(middle > 0, "%s: nothing is compared", s->what);
    for (int64_t k = 0; k < m; k++) {
        const double *v = right + k * width;
        most = fmax(most, rms(width, got + k * width, v)
                              / (rms(width, v, NULL) + middle));
    }
    CHECK(most <= part, "%s, %d numbers: %.3g apart, beyond %g", s->what, width,
          most, part);
}

static void compare(const struct sum *s)
{
    static double phi[MOST], field[3 * MOST];
    farsum_plan *plan = NULL;
    farsum_options o = FARSUM_OPTIONS_INIT;
    struct verify_sum sum = {.n = s->n,
                             .given_x = s->f32 ? (void *)x32 : x,
                             .given_q = s->f32 ? (void *)q32 : q};
    fill(s);
    farsum_problem p = problem_for(s);
    p.arrays = s->f32 ? FARSUM_F32 : FARSUM_F64;
    p.precision = FARSUM_F64;
    p.sample_x = sum.given_x;
    p.sample_q = sum.given_q;
    p.exclusions = pair;
    p.exclusion_factors = factor;
    p.n_exclusions = PAIRS;
    o.method = "spectral";
    o.threads = 2;
    o.verify = FARSUM_VERIFY_OFF;
    CHECK_OK(plan_make(&p, &o, PLAN_DRY, &plan));
    CHECK_OK(plan_exclude_rows(plan, s->n, 0));
    CHECK_OK(verify_sum(plan, &sum));
    CHECK(verify_images(plan, &sum), "%s: not by images", s->what);
    CHECK_OK(by_ewald(s, &sum, phi, field));
    double part = fmax(2e-11, sum.tolerance / 10);
    if (sum.width == 1)
        equal(s, sum.targets.count, 1, sum.wanted, phi, part);
    else
        equal(s, sum.targets.count, 3, sum.wanted, field, part);
    if (sum.potential)
        equal(s, sum.targets.count, 1, sum.potential, phi, part);
    verify_clear(&sum);
    farsum_plan_destroy(plan);
}

int main(void)
{
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        compare(&sums[k]);
    return check_end();
}
