/* SPDX-License-Identifier: Apache-2.0 */
/* ewald.c: tests of charges with dipoles in periodic cells, by the reference
 * `ewald`. */
#include "sums.h"

#include <string.h>

#define PI 3.14159265358979323846

/* Any cutoff and any basis give the same sums. */
static void test_split(void)
{
    static const double cutoffs[] = {0, 0.7, 1.1, 1.9, 2.6, 0};
    struct sums_answer a, b;
    for (int vacuum = 0; vacuum < 2; vacuum++)
        for (int k = 0; k < 6; k++) {
            struct sums_case c = {.m = 0};
            sums_tilted(&c);
            sums_random(&c, 24, 0, 1);
            c.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
            c.cutoff = cutoffs[k];
            for (int d = 0; d < 3 && k == 5; d++)
                c.problem.cell[3 + d] += 2 * c.problem.cell[d];
            sums_get(&c, k ? &a : &b);
            if (k)
                sums_same(&c, &a, &b, 4e-14, "other split or basis");
        }
}

/* Coarser tolerances are kept, by fields and gradients. */
static void test_tolerances(void)
{
    struct sums_case c = {.m = 0};
    struct sums_answer a, b;
    sums_tilted(&c);
    sums_random(&c, 60, 0, 0);
    sums_get(&c, &b);
    for (double tolerance = 1e-3; tolerance > 1e-12; tolerance /= 100) {
        c.problem.tolerance = tolerance;
        sums_get(&c, &a);
        sums_same(&c, &a, &b, tolerance, "a coarser tolerance");
    }
}

/* Without dipoles: the sums of laplace. */
static void test_charges(void)
{
    struct sums_case c = {.m = 0};
    struct sums_answer a, b;
    double charges[SUMS_MOST];
    sums_tilted(&c);
    sums_random(&c, 30, 0, 1);
    for (int i = 0; i < c.n; i++) {
        charges[i] = c.q[4 * i];
        memset(c.q + 4 * i + 1, 0, 3 * sizeof(double));
    }
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        c.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
        sums_get(&c, &a);
        sums_charges(&c, charges, &b);
        memcpy(b.gradient, a.gradient, sizeof b.gradient);
        sums_same(&c, &a, &b, 2e-14, "charges only");
    }
}

/* Each dipole as charges +-p/2h at x +- h e: the difference is O(h^2). */
static void test_pairs(void)
{
    struct sums_case c = {.m = 0}, pairs;
    struct sums_answer a, b;
    double charges[SUMS_MOST], off[2] = {0, 0};
    sums_tilted(&c);
    sums_random(&c, 12, 0, 1);
    c.m = 4;
    for (int k = 0; k < 12; k++)
        c.y[k] = 0.5 * (c.x[k] + c.x[3 + (k + 5) % 30]);
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        c.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
        sums_get(&c, &a);
        for (int w = 0; w < 2; w++) {
            double h = w ? 0.002 : 0.004;
            pairs = c;
            pairs.n = 0;
            for (int i = 0; i < c.n; i++) {
                const double *p = c.q + 4 * i + 1;
                double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                for (int k = -1; k <= 1; k++, pairs.n++) {
                    charges[pairs.n] = k ? k * size / (2 * h) : c.q[4 * i];
                    for (int d = 0; d < 3; d++)
                        pairs.x[3 * pairs.n + d] =
                            c.x[3 * i + d] + k * h * p[d] / size;
                }
            }
            sums_charges(&pairs, charges, &b);
            off[w] = 0;
            for (int k = 0; k < 4; k++)
                off[w] = fmax(off[w], fabs(a.potential[k] - b.potential[k]));
            for (int k = 0; k < 12; k++)
                off[w] = fmax(off[w], fabs(a.field[k] - b.field[k]));
        }
        CHECK(off[1] < 1e-2 && fabs(off[0] / off[1] - 4) < 0.05,
              "pairs of charges differ by %g and %g", off[0], off[1]);
    }
}

static void test_derivatives(void)
{
    struct sums_case c = {.m = 0};
    sums_tilted(&c);
    sums_random(&c, 10, 0, 1);
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        c.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
        check_forces(&c, 1e-7);
        check_torques(&c, 1e-7);
        check_virial(&c, 1e-7);
        check_gradient(&c, 2e-8);
    }
}

/* The background's density is -Q/V everywhere between the charges. */
static void test_trace(void)
{
    struct sums_case c = {.m = 0};
    struct sums_answer a;
    sums_tilted(&c);
    for (int net = 0; net < 2; net++)
        for (int m = 0; m <= 12; m += 12) {
            sums_random(&c, 20, 0, net);
            c.m = m;
            for (int k = 0; k < 3 * m; k++)
                c.y[k] = 0.17 * (k % 19);
            sums_get(&c, &a);
            for (int i = 0; i < (m ? m : c.n); i++) {
                const double *g = a.gradient + 6 * i;
                double trace = g[0] + g[3] + g[5];
                double size = 1 + fabs(g[0]) + fabs(g[3]) + fabs(g[5]);
                CHECK_NEAR(trace, 4 * PI * net / sums_volume(&c), 3e-13 * size);
            }
        }
}

/* Equal dipoles on a simple cubic lattice: the field at a site is 4 pi p/3V in
 * conducting surroundings (Lorentz), and 0 in vacuum.  Potential and gradient
 * vanish there, except for the potential of vacuum. */
static void test_lattice(void)
{
    struct sums_case c = {.problem = FARSUM_PROBLEM_INIT, .method = "ewald"};
    struct sums_answer a;
    static const double p[3] = {0.3, -0.7, 1.1};
    double spacing = 1.3;
    c.problem.tolerance = 1e-13;
    for (int d = 0; d < 3; d++) {
        c.problem.cell[4 * d] = 2 * spacing;
        c.problem.periodic[d] = 1;
    }
    for (c.n = 0; c.n < 8; c.n++)
        for (int d = 0; d < 3; d++) {
            c.x[3 * c.n + d] = spacing * (c.n >> d & 1);
            c.q[4 * c.n + 1 + d] = p[d];
        }
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        c.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
        sums_get(&c, &a);
        double front = 4 * PI / (3 * spacing * spacing * spacing);
        for (int k = 0; k < 24; k++)
            CHECK_NEAR(a.field[k], vacuum ? 0 : front * p[k % 3], 2e-14);
        for (int i = 0; i < 8; i++) {
            double along = 0;
            for (int d = 0; d < 3; d++)
                along += p[d] * c.x[3 * i + d];
            CHECK_NEAR(a.potential[i], vacuum ? front * along : 0, 2e-14);
        }
        for (int k = 0; k < 48; k++)
            CHECK_NEAR(a.gradient[k], 0, 1e-13);
    }
}

/* A system of 8 cells has the same sums; excluded pairs are those of the
 * nearest images. */
static void test_exclusions(void)
{
    static const int64_t pairs[4] = {0, 7, 9, 4};
    static const double factors[2] = {0.5, 0};
    struct sums_case c = {.m = 0}, two;
    struct sums_answer a, b, one;
    sums_tilted(&c);
    sums_random(&c, 14, 0, 1);
    for (int d = 0; d < 3; d++) /* near each other through a face */
        c.x[21 + d] = c.x[d] + 0.2 * (d + 1) - c.problem.cell[d];
    sums_get(&c, &b);
    for (int k = 0; k < 2; k++) {
        double nearest = INFINITY;
        two = (struct sums_case){
            .problem = FARSUM_PROBLEM_INIT, .n = 2, .method = "direct"};
        for (int i = 0; i < 2; i++) {
            int64_t from = pairs[2 * k + i];
            memcpy(two.x + 3 * i, c.x + 3 * from, 3 * sizeof *c.x);
            memcpy(two.q + 4 * i, c.q + 4 * from, 4 * sizeof *c.q);
        }
        for (int n = 0; n < 125; n++) {
            double at[3], r2 = 0;
            for (int d = 0; d < 3; d++) {
                const double *e = c.problem.cell + d;
                at[d] = c.x[3 * pairs[2 * k + 1] + d] + (n / 25 - 2) * e[0]
                        + (n / 5 % 5 - 2) * e[3] + (n % 5 - 2) * e[6];
                r2 += (at[d] - two.x[d]) * (at[d] - two.x[d]);
            }
            if (r2 < nearest) {
                nearest = r2;
                memcpy(two.x + 3, at, sizeof at);
            }
        }
        sums_get(&two, &one);
        sums_less(&b, &one, pairs + 2 * k, 1 - factors[k]);
    }
    c.problem.n_exclusions = 2;
    c.problem.exclusions = pairs;
    c.problem.exclusion_factors = factors;
    sums_get(&c, &a);
    sums_same(&c, &a, &b, 1e-13, "exclusions");
    check_virial(&c, 1e-7);
}

/* Coincident sources skip each other, but not their images. */
static void test_coincident(void)
{
    struct sums_case c = {.m = 0}, t;
    struct sums_answer a, b;
    sums_tilted(&c);
    sums_random(&c, 15, 0, 1);
    sums_get(&c, &b);
    t = c;
    t.m = t.n;
    memcpy(t.y, t.x, sizeof t.y);
    for (int d = 0; d < 3; d++)
        t.y[d] += 3 * c.problem.cell[6 + d]; /* the same place, wrapped */
    sums_get(&t, &a);
    sums_same(&t, &a, &b, 1e-14, "targets on sources");
    memcpy(c.x + 3, c.x, 3 * sizeof *c.x);
    CHECK_FAILS(sums_try(&c, &a), FARSUM_ERR_COINCIDENT);
    c.problem.exclude_coincident = 1;
    sums_get(&c, &a);
    check_torques(&c, 1e-7);
}

/* A plan with a new cell sums as one made for it. */
static void test_cell(void)
{
    struct sums_case c = {.m = 0}, other;
    struct sums_answer a = {.energy = 0}, b;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    sums_tilted(&c);
    sums_random(&c, 18, 0, 1);
    c.problem.surface = FARSUM_VACUUM;
    other = c;
    for (int k = 0; k < 9; k++)
        other.problem.cell[k] *= 1.03 + 0.001 * k;
    sums_get(&other, &b);
    c.problem.kernel = "charge_dipole";
    c.problem.n_sources = c.n;
    c.problem.sample_x = c.x;
    c.problem.sample_q = c.q;
    c.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT
                        | FARSUM_ENERGY | FARSUM_VIRIAL;
    o.method = "ewald";
    r.potential = a.potential;
    r.field = a.field;
    r.gradient = a.gradient;
    r.energy = &a.energy;
    r.virial = a.virial;
    CHECK_OK(farsum_plan_create(&c.problem, &o, &plan));
    CHECK_OK(farsum_plan_set_cell(plan, other.problem.cell));
    CHECK_OK(farsum_plan_set_points(plan, c.n, c.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, c.q, &r));
    farsum_plan_destroy(plan);
    sums_same(&c, &a, &b, 4e-14, "a new cell");
}

static void refused(const farsum_problem *p, const char *method,
                    const char *says)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = method;
    CHECK_FAILS(farsum_plan_create(p, &o, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS(says);
    farsum_plan_destroy(plan);
}

static void test_refused(void)
{
    struct sums_case c = {.m = 0};
    sums_tilted(&c);
    c.problem.kernel = "charge_dipole";
    c.problem.n_sources = 20;
    refused(&c.problem, "fmm", "right angles");
    c.problem.softening = 0.1;
    refused(&c.problem, NULL, "requires open space");
}

/* A dipole's potential at its own place vanishes by symmetry, and its terms are
 * rounded.  The estimate knows so: it is relative to the potential of a charge
 * of 1e-11, -2.8373/L by Madelung's constant of a cube. */
static void test_rounding(void)
{
    const double x[3] = {0.3, 0.4, 0.5}, q[4] = {1e-11, 0.7, 0.2, -0.5};
    const double exact = -2.837297479480620 * q[0];
    double phi = 0;
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    p.kernel = "charge_dipole";
    for (int d = 0; d < 3; d++)
        p.cell[4 * d] = p.periodic[d] = 1;
    p.precision = FARSUM_F64;
    p.error = FARSUM_ERROR_POTENTIAL;
    p.outputs = FARSUM_POTENTIAL;
    p.tolerance = 1e-8;
    p.n_sources = 1;
    o.method = "ewald";
    r.potential = &phi;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, 1, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    double error = fabs(phi / exact - 1);
    CHECK(error <= 5 * info.estimated_error && info.estimated_error > 1e-8,
          "the error is %g, the estimate %g", error, info.estimated_error);
    farsum_plan_destroy(plan);
}

/* The estimate for charges of 1e-9 next to two quadrupoles that are first or
 * last in the list; *phi: the potentials, shift: of all positions. */
static double quadrupoles_estimate(int last, double shift, double phi[5])
{
    static const double at[5][3] = {
        {0, 2.1, 3.3}, {5, 1.2, 7.7}, {2.9, 0, 1.4}, {0, 0, 0}, {5, 5, 5}};
    static const double charge[5] = {1e-9, 1e-9, -2e-9, 0, 0};
    double x[5][3], q[5][10] = {{0}};
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int i = 0; i < 5; i++) {
        int to = last ? i : (i + 2) % 5;
        for (int d = 0; d < 3; d++)
            x[to][d] = at[i][d] + shift * (d + 1);
        q[to][0] = charge[i];
        q[to][5] = i > 2; /* xy */
    }
    p.kernel = "charge_quadrupole";
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 10;
        p.periodic[d] = 1;
    }
    p.error = FARSUM_ERROR_POTENTIAL;
    p.outputs = FARSUM_POTENTIAL;
    p.tolerance = 1e-9;
    p.n_sources = 5;
    o.method = "ewald";
    r.potential = phi;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, 5, x[0], 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q[0], &r));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    farsum_plan_destroy(plan);
    return info.estimated_error;
}

static void test_rounding_of_quadrupoles(void)
{
    double phi[2][5], off = 0, all = 0;
    double first = quadrupoles_estimate(0, 0, phi[0]);
    double last = quadrupoles_estimate(1, 0, phi[0]);
    CHECK(fabs(first / last - 1) < 1e-3, "estimates by order: %g, %g", first,
          last);
    (void)quadrupoles_estimate(1, 0.37, phi[1]);
    for (int i = 0; i < 5; i++) {
        off += pow(phi[0][i] - phi[1][i], 2);
        all += phi[0][i] * phi[0][i];
    }
    CHECK(sqrt(off / all) < 5 * last, "the error is %g, the estimate %g",
          sqrt(off / all), last);
}

int main(void)
{
    RUN(test_split);
    RUN(test_tolerances);
    RUN(test_charges);
    RUN(test_pairs);
    RUN(test_derivatives);
    RUN(test_trace);
    RUN(test_lattice);
    RUN(test_exclusions);
    RUN(test_coincident);
    RUN(test_cell);
    RUN(test_refused);
    RUN(test_rounding);
    RUN(test_rounding_of_quadrupoles);
    return check_end();
}
