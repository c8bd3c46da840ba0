/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c: the virial of each particle.  The shares add up to the virial, they
 * are those of the pairs in open space, they do not depend on the split, and
 * spectral has those of ewald. */
#include "parts/parts.h"

#include <string.h>

#include "farsum/batch.h"

enum { N = PARTS_N };

static const char *const kernels[] = {"laplace", "yukawa", "r6",
                                      "charge_dipole"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

struct shares {
    double each[9 * N], virial[9];
};

static void system_of(struct parts_case *c, const char *kernel)
{
    parts_system(c, kernel, 7);
    c->problem.outputs = FARSUM_VIRIAL | FARSUM_PARTICLE_VIRIAL;
    c->problem.tolerance = 1e-7;
}

static void sum(const struct parts_case *c, struct shares *s)
{
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_problem p = c->problem;
    if (p.n_exclusions > 0) {
        p.exclusions = c->pair;
        p.exclusion_factors = c->factor;
    }
    memset(s, 0, sizeof *s);
    out.virial = s->virial;
    out.particle_virial = s->each;
    CHECK_OK(farsum_plan_create(&p, &c->options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, N, c->x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, c->q, &out));
    farsum_plan_destroy(plan);
}

/* The root of the mean square of the differences, over that of a. */
static double off(const double *a, const double *b, int n)
{
    double up = 0, down = 0;
    for (int i = 0; i < n; i++) {
        up += (a[i] - b[i]) * (a[i] - b[i]);
        down += a[i] * a[i];
    }
    return sqrt(up / down);
}

static void adds_up(const struct shares *s, double most, const char *what)
{
    double all[9] = {0}, size = 0;
    for (int i = 0; i < 9 * N; i++) {
        all[i % 9] += s->each[i];
        size += fabs(s->each[i]) / 9;
    }
    for (int a = 0; a < 9; a++)
        CHECK(fabs(all[a] - s->virial[a]) <= most * size,
              "%s: virial[%d] is %.15g, its shares add up to %.15g", what, a,
              s->virial[a], all[a]);
}

/* ewald with its own cutoff and with another, and spectral. */
static void periodic(struct parts_case *c)
{
    static struct shares s, other;
    const char *name = c->problem.kernel;
    c->options.method = "ewald";
    sum(c, &s);
    adds_up(&s, 1e-13, name);
    c->options.cutoff = 0.8;
    sum(c, &other);
    CHECK(off(s.each, other.each, 9 * N) < 1e-6, "%s: another split: %.2g",
          name, off(s.each, other.each, 9 * N));
    c->options.cutoff = 0;
    c->options.method = "spectral";
    sum(c, &other);
    adds_up(&other, 1e-7, name);
    CHECK(off(s.each, other.each, 9 * N) < 1e-6, "%s: spectral: %.2g", name,
          off(s.each, other.each, 9 * N));
}

static void test_cell(void)
{
    static struct parts_case c;
    for (int k = 0; k < KERNELS; k++) {
        system_of(&c, kernels[k]);
        if (k % 3 == 0) /* charged */
            c.problem.surface = FARSUM_VACUUM;
        periodic(&c);
    }
}

static void test_excluded(void)
{
    static struct parts_case c;
    for (int k = 0; k < KERNELS; k += 3) {
        system_of(&c, kernels[k]);
        parts_exclude(&c);
        periodic(&c);
    }
}

/* Precisions, and a cell that the plan learns later. */
static void test_plans(void)
{
    static struct parts_case c;
    static struct shares s, other;
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    system_of(&c, "laplace");
    c.problem.tolerance = 1e-4;
    sum(&c, &s);
    c.problem.precision = FARSUM_F32;
    c.problem.arrays = FARSUM_F64;
    sum(&c, &other);
    CHECK(off(s.each, other.each, 9 * N) < 1e-3, "f32: %.2g",
          off(s.each, other.each, 9 * N));
    c.problem.precision = FARSUM_MIXED;
    sum(&c, &other);
    CHECK(off(s.each, other.each, 9 * N) < 1e-3, "mixed: %.2g",
          off(s.each, other.each, 9 * N));
    c.problem.precision = FARSUM_F64;
    CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
    for (int a = 0; a < 9; a++)
        c.problem.cell[a] *= 1.01;
    CHECK_OK(farsum_plan_set_cell(plan, c.problem.cell));
    out.particle_virial = other.each;
    CHECK_OK(farsum_plan_set_points(plan, N, c.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, c.q, &out));
    farsum_plan_destroy(plan);
    sum(&c, &s);
    CHECK(off(s.each, other.each, 9 * N) < 1e-3, "another cell: %.2g",
          off(s.each, other.each, 9 * N));
}

/* Half of d (x) force of each pair of softened charges. */
static void pairs(const struct parts_case *c, double *each)
{
    double soft = c->problem.softening;
    memset(each, 0, 9 * N * sizeof *each);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double d[3], r2 = soft * soft;
            for (int a = 0; a < 3; a++) {
                d[a] = c->x[3 * i + a] - c->x[3 * j + a];
                r2 += d[a] * d[a];
            }
            double f =
                0.5 * c->problem.coulomb * c->q[i] * c->q[j] / (r2 * sqrt(r2));
            for (int a = 0; a < 9 && i != j; a++)
                each[9 * i + a] += f * d[a / 3] * d[a % 3];
        }
}

static void test_open(void)
{
    static struct parts_case c;
    static struct shares s;
    static double wanted[9 * N];
    for (int k = 0; k < 2 * KERNELS; k++) {
        system_of(&c, kernels[k / 2]);
        memset(c.problem.periodic, 0, sizeof c.problem.periodic);
        c.options.method = "direct";
        c.problem.softening = k % 2 && k / 2 % 3 == 0 ? 0.1 : 0;
        sum(&c, &s);
        adds_up(&s, 1e-13, kernels[k / 2]);
        pairs(&c, wanted);
        CHECK(k / 2 > 0 || off(wanted, s.each, 9 * N) < 1e-13,
              "softening %g: %.2g", c.problem.softening,
              off(wanted, s.each, 9 * N));
    }
}

/* In a cell softening changes only the pairs within its radius, (3.11). */
static void test_soft(void)
{
    static struct parts_case c;
    static struct shares soft, hard;
    static double wanted[9 * N];
    double h = 0.45;
    system_of(&c, "laplace");
    sum(&c, &hard);
    c.problem.softening = h;
    sum(&c, &soft);
    adds_up(&soft, 1e-7, "softening");
    memcpy(wanted, hard.each, sizeof wanted);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 27 * N; k++) {
            const int step[3] = {k / N % 3 - 1, k / N / 3 % 3 - 1,
                                 k / N / 9 - 1};
            int j = k % N;
            double d[3], r2 = 0;
            for (int a = 0; a < 3; a++) {
                d[a] = c.x[3 * i + a] - c.x[3 * j + a];
                for (int b = 0; b < 3; b++)
                    d[a] += step[b] * c.problem.cell[3 * b + a];
                r2 += d[a] * d[a];
            }
            if (r2 == 0 || r2 > h * h)
                continue;
            double w = r2 / (h * h);
            double f = (35 - 42 * w + 15 * w * w) / (8 * h * h * h)
                       - 1 / (r2 * sqrt(r2));
            f *= 0.5 * c.problem.coulomb * c.q[i] * c.q[j];
            for (int a = 0; a < 9; a++)
                wanted[9 * i + a] += f * d[a / 3] * d[a % 3];
        }
    CHECK(off(hard.each, soft.each, 9 * N) > 1e-2, "nothing was softened");
    CHECK(off(wanted, soft.each, 9 * N) < 1e-6, "softening: %.2g",
          off(wanted, soft.each, 9 * N));
}

/* One or two periodic axes. */
static void test_axes(void)
{
    static struct parts_case c;
    static struct shares s;
    for (int open = 1; open < 3; open++) {
        system_of(&c, "laplace");
        for (int d = 0; d < 3; d++)
            for (int a = 0; a < 3; a++)
                c.problem.cell[3 * d + a] = d == a ? 2 : 0;
        c.options.method = "ewald";
        c.problem.periodic[2] = 0;
        c.problem.periodic[1] = open < 2;
        sum(&c, &s);
        adds_up(&s, 1e-12, "slab or wire");
    }
}

/* The near and the far part add up to the whole. */
static void test_parts(void)
{
    static struct parts_case c;
    static struct shares s[3];
    for (int k = 0; k < KERNELS; k++) {
        system_of(&c, kernels[k]);
        parts_exclude(&c);
        c.options.method = "spectral";
        c.options.cutoff = 0.8;
        for (int part = 0; part < 3; part++) {
            c.problem.part = part == 0   ? FARSUM_WHOLE
                             : part == 1 ? FARSUM_NEAR
                                         : FARSUM_FAR;
            sum(&c, &s[part]);
            adds_up(&s[part], 1e-7, kernels[k]);
        }
        for (int i = 0; i < 9 * N; i++)
            s[1].each[i] += s[2].each[i];
        CHECK(off(s[2].each, s[0].each, 9 * N) > 1e-3, "no near part");
        CHECK(off(s[1].each, s[0].each, 9 * N) < 1e-12,
              "%s: parts add up to the whole within %.2g", kernels[k],
              off(s[1].each, s[0].each, 9 * N));
    }
}

static void refuses(const struct parts_case *c, const char *says)
{
    farsum_plan *plan = NULL;
    CHECK_FAILS(farsum_plan_create(&c->problem, &c->options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS(says);
    farsum_plan_destroy(plan);
}

static void test_refused(void)
{
    static struct parts_case c;
    farsum_batch *batch = NULL;
    system_of(&c, "laplace");
    c.options.method = "fmm";
    refuses(&c, "virial of each particle");
    CHECK_FAILS(farsum_batch_create(&c.problem, NULL, &batch),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("particle_virial");
    c.options.method = "ewald";
    c.problem.softening = 0.1;
    refuses(&c, "virial of each particle");
    c.problem.softening = 0;
    c.problem.kernel = "stokeslet";
    farsum_plan *plan = NULL;
    CHECK_FAILS(farsum_plan_create(&c.problem, &c.options, &plan),
                FARSUM_ERR_ARGUMENT);
}

int main(void)
{
    RUN(test_cell);
    RUN(test_excluded);
    RUN(test_plans);
    RUN(test_open);
    RUN(test_soft);
    RUN(test_axes);
    RUN(test_parts);
    RUN(test_refused);
    return check_end();
}
