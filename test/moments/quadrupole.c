/* SPDX-License-Identifier: Apache-2.0 */
/* quadrupole.c: tests of charges with dipoles and quadrupoles, by `direct` in
 * open space and by `ewald` with one to three periodic axes. */
#include "quadrupoles.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define STEP 5e-4 /* of five-point differences */

enum { POINTS = 4 };
static const double step_at[POINTS] = {-2, -1, 1, 2};
static const double step_weight[POINTS] = {1, -8, 8, -1};
static const int six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/* ---- against other kernels */

/* Without quadrupoles: the sums of charge_dipole, whose formulas are others. */
static void test_dipoles(void)
{
    for (int axes = 0; axes < 4; axes++)
        for (int vacuum = 0; vacuum <= (axes == 3); vacuum++) {
            struct system s = random_system(axes, 24, 1);
            double q[4 * MOST];
            s.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
            for (int i = 0; i < s.n; i++) {
                memcpy(q + 4 * i, s.q + WIDTH * i, 4 * sizeof *q);
                memset(s.q + WIDTH * i + 4, 0, 6 * sizeof *s.q);
            }
            struct answer a = get(&s, OUTPUTS), b = {.energy = 0};
            s.kernel = "charge_dipole";
            CHECK_OK(try(&s, q, OUTPUTS & ~(unsigned)FARSUM_THIRD, &b));
            memcpy(b.third, a.third, sizeof b.third);
            same(&s, &a, &b, 4e-14, "no quadrupoles");
        }
}

/* Adds charges at x +- h e_a +- h e_b, whose moments to the second are those of
 * the source, except for its charge. */
static int cluster(const double *x, const double *q, double h, double *at,
                   double *charge)
{
    int n = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b <= 3; b++)
            for (int w = 0; w < 4; w++) {
                if (b == 3 && w > 1)
                    continue;
                double s = w & 1 ? -1 : 1, t = w & 2 ? -1 : 1;
                for (int d = 0; d < 3; d++)
                    at[3 * n + d] = x[d] + s * h * (d == a)
                                    + (b < 3 ? t * h * (d == b) : 0);
                charge[n++] = b == 3 ? s * q[1 + a] / (2 * h)
                                     : s * t * q[4 + six[a][b]] / (8 * h * h);
            }
    return n;
}

/* Potentials and fields are those of clusters of charges, to O(h^2). */
static void test_clusters(void)
{
    enum { N = 5, ALL = 43 };
    for (int axes = 0; axes < 4; axes++)
        for (int vacuum = 0; vacuum <= (axes == 3); vacuum++) {
            struct system s = random_system(axes, N, 1);
            double x[3 * N * ALL], q[N * ALL], off[2];
            s.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
            between(&s);
            const struct answer a = get(&s, FARSUM_POTENTIAL | FARSUM_FIELD);
            for (int w = 0; w < 2; w++) {
                double phi[LOOKED], field[3 * LOOKED];
                double h = w ? 0.002 : 0.004;
                farsum_problem p = s.problem;
                farsum_options o = FARSUM_OPTIONS_INIT;
                farsum_result r = FARSUM_RESULT_INIT;
                farsum_plan *plan = NULL;
                int n = 0;
                for (int i = 0; i < N; i++) {
                    memcpy(x + 3 * n, s.x + 3 * i, 3 * sizeof *x);
                    q[n++] = s.q[WIDTH * i];
                    n += cluster(s.x + 3 * i, s.q + WIDTH * i, h, x + 3 * n,
                                 q + n);
                }
                p.n_sources = n;
                p.n_targets = LOOKED;
                p.exclude_coincident = 1; /* parts of a cluster */
                o.method = axes ? "ewald" : "direct";
                r.potential = phi;
                r.field = field;
                CHECK_OK(farsum_plan_create(&p, &o, &plan));
                CHECK_OK(farsum_plan_set_points(plan, n, x, LOOKED, s.y));
                CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
                farsum_plan_destroy(plan);
                off[w] = 0;
                for (int k = 0; k < LOOKED; k++)
                    off[w] = fmax(off[w], fabs(phi[k] - a.potential[k]));
                for (int k = 0; k < 3 * LOOKED; k++)
                    off[w] = fmax(off[w], fabs(field[k] - a.field[k]));
            }
            CHECK(off[1] < 2e-2 && fabs(off[0] / off[1] - 4) < 0.1,
                  "%d axes: clusters differ by %g and %g", axes, off[0],
                  off[1]);
        }
}

/* ---- derivatives */

static double energy(const struct system *s)
{
    return get(s, FARSUM_ENERGY).energy;
}

/* The slope of the energy by five-point differences of a change. */
static double slope(const struct system *s,
                    void (*change)(struct system *, int, double), int k)
{
    double sum = 0;
    for (int p = 0; p < POINTS; p++) {
        struct system changed = *s;
        change(&changed, k, step_at[p] * STEP);
        sum += step_weight[p] * energy(&changed);
    }
    return sum / (12 * STEP);
}

static void change_place(struct system *s, int k, double by)
{
    s->x[k] += by;
}

static void change_strain(struct system *s, int k, double by)
{
    for (int i = 0; i < s->n; i++)
        s->x[3 * i + k / 3] += by * s->x[3 * i + k % 3];
    for (int i = 0; i < 3; i++)
        s->problem.cell[3 * i + k / 3] += by * s->problem.cell[3 * i + k % 3];
}

/* Turns dipole and quadrupole of particle k/3 about axis k % 3. */
static void change_turn(struct system *s, int k, double by)
{
    int b = (k % 3 + 1) % 3, c = (k % 3 + 2) % 3;
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double *q = s->q + WIDTH * (k / 3), from[WIDTH];
    memcpy(from, q, sizeof from);
    r[b][b] = r[c][c] = cos(by);
    r[b][c] = -sin(by);
    r[c][b] = sin(by);
    for (int i = 0; i < 3; i++) {
        q[1 + i] = 0;
        for (int j = 0; j < 3; j++)
            q[1 + i] += r[i][j] * from[1 + j];
        for (int e = i; e < 3; e++) {
            double sum = 0;
            for (int j = 0; j < 9; j++)
                sum += r[i][j / 3] * r[e][j % 3] * from[4 + six[j / 3][j % 3]];
            q[4 + six[i][e]] = sum;
        }
    }
}

/* Number a, b, c of the third derivatives. */
static double third_of(const double *third, int a, int b, int c)
{
    int row = (a > 0) + (b > 0) + (c > 0), z = (a > 1) + (b > 1) + (c > 1);
    return third[row * (row + 1) / 2 + z];
}

static void force_of(const struct answer *a, const double *q, int i, int d,
                     double *force)
{
    *force = q[0] * a->field[3 * i + d];
    for (int b = 0; b < 3; b++) {
        *force -= q[1 + b] * a->gradient[6 * i + six[d][b]];
        for (int c = 0; c < 3; c++)
            *force -=
                0.5 * q[4 + six[b][c]] * third_of(a->third + 10 * i, d, b, c);
    }
}

static void torque_of(const struct answer *a, const double *q, int i, int d,
                      double *torque)
{
    int b = (d + 1) % 3, c = (d + 2) % 3;
    const double *e = a->field + 3 * i, *g = a->gradient + 6 * i;
    *torque = q[1 + b] * e[c] - q[1 + c] * e[b];
    for (int k = 0; k < 3; k++)
        *torque -=
            q[4 + six[b][k]] * g[six[k][c]] - q[4 + six[c][k]] * g[six[k][b]];
}

/* Forces, torques and virial are derivatives of the energy. */
static void check_energy(const struct system *s)
{
    const struct answer a = get(s, OUTPUTS);
    double force[3 * LOOKED], torque[3 * LOOKED], wanted[2][3 * LOOKED], w[9];
    for (int k = 0; k < 3 * LOOKED; k++) {
        const double *q = s->q + WIDTH * (k / 3);
        force_of(&a, q, k / 3, k % 3, &force[k]);
        torque_of(&a, q, k / 3, k % 3, &torque[k]);
        wanted[0][k] = -slope(s, change_place, k);
        wanted[1][k] = -slope(s, change_turn, k);
    }
    for (int k = 0; k < 9; k++)
        w[k] = -slope(s, change_strain, k);
    equal(force, wanted[0], 3 * LOOKED, 1e-7, "force");
    equal(torque, wanted[1], 3 * LOOKED, 1e-7, "torque");
    equal(a.virial, w, 9, 1e-7, "virial");
}

/* Field, gradient and third derivatives, by differences of the one before. */
static void check_targets(const struct system *of)
{
    struct system s = *of;
    between(&s);
    const struct answer a = get(&s, OUTPUTS);
    double found[3][30 * LOOKED], wanted[3][30 * LOOKED] = {{0}};
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < POINTS; p++) {
            struct system moved = s;
            double by = step_weight[p] / (12 * STEP);
            for (int i = 0; i < LOOKED; i++)
                moved.y[3 * i + d] += step_at[p] * STEP;
            const struct answer b = get(&moved, OUTPUTS);
            for (int i = 0; i < LOOKED; i++)
                for (int k = 0; k < 9; k++) {
                    int at = 27 * i + 9 * d + k, e = k / 3, f = k % 3;
                    wanted[0][at] -= by * b.potential[i];
                    wanted[1][at] -= by * b.field[3 * i + e];
                    wanted[2][at] += by * b.gradient[6 * i + six[e][f]];
                    found[0][at] = a.field[3 * i + d];
                    found[1][at] = a.gradient[6 * i + six[d][e]];
                    found[2][at] = third_of(a.third + 10 * i, d, e, f);
                }
        }
    equal(found[0], wanted[0], 27 * LOOKED, 1e-7, "field");
    equal(found[1], wanted[1], 27 * LOOKED, 1e-7, "gradient");
    equal(found[2], wanted[2], 27 * LOOKED, 1e-7, "third derivatives");
}

static void test_derivatives(void)
{
    static const int64_t pairs[4] = {0, 5, 1, 2};
    static const double factors[2] = {0.3, 0};
    for (int axes = 0; axes < 4; axes++)
        for (int k = 0; k < (axes % 3 ? 1 : 2); k++) { /* slow by ewald */
            struct system s = random_system(axes, 8, 1);
            if (k == 1 && axes == 3)
                s.problem.surface = FARSUM_VACUUM;
            if (k == 1 && axes == 0)
                s.problem.softening = 0.3;
            check_targets(&s);
            if (k == 1) {
                s.problem.n_exclusions = 2;
                s.problem.exclusions = pairs;
                s.problem.exclusion_factors = factors;
            }
            check_energy(&s);
        }
}

/* ---- invariants */

/* Any cutoff gives the same sums; three axes: any basis, too. */
static void test_split(void)
{
    static const double cutoffs[] = {0, 0.7, 1.1, 1.9, 2.6, 0};
    for (int axes = 1; axes < 4; axes++) {
        struct answer first = {.energy = 0};
        for (int k = 0; k < (axes == 3 ? 6 : 3); k++) {
            struct system s = random_system(axes, 20, 1);
            s.cutoff = cutoffs[k];
            for (int d = 0; d < 3 && k == 5; d++)
                s.problem.cell[3 + d] += 2 * s.problem.cell[d];
            const struct answer a = get(&s, OUTPUTS);
            if (k)
                same(&s, &a, &first, 1e-13, "another split or basis");
            else
                first = a;
        }
    }
}

static void test_tolerances(void)
{
    struct system s = random_system(3, 40, 0);
    const struct answer b = get(&s, OUTPUTS);
    for (double tolerance = 1e-3; tolerance > 1e-12; tolerance /= 100) {
        s.problem.tolerance = tolerance;
        const struct answer a = get(&s, OUTPUTS);
        same(&s, &a, &b, tolerance, "a coarser tolerance");
    }
}

/* Between charges the density is 0, or that of the background. */
static void test_trace(void)
{
    for (int axes = 0; axes < 4; axes++) {
        struct system s = random_system(axes, 30, 1);
        double density = axes == 3 ? 4 * PI / volume_of(&s) : 0;
        const struct answer a = get(&s, OUTPUTS);
        for (int i = 0; i < s.n; i++) {
            const double *g = a.gradient + 6 * i, *t = a.third + 10 * i;
            double size = 1 + fabs(g[0]) + fabs(g[3]) + fabs(g[5]);
            double most = 1;
            CHECK_NEAR(g[0] + g[3] + g[5], density, 1e-12 * size);
            for (int k = 0; k < 10; k++)
                most = fmax(most, fabs(t[k]));
            for (int d = 0; d < 3; d++)
                CHECK_NEAR(third_of(t, d, 0, 0) + third_of(t, d, 1, 1)
                               + third_of(t, d, 2, 2),
                           0, 1e-12 * most);
        }
    }
}

/* A trace of a quadrupole changes nothing in open space, and the potential by
 * 2 pi/3V of it in a cell. */
static void test_quadrupole_trace(void)
{
    for (int axes = 0; axes < 4; axes += 3) {
        struct system s = random_system(axes, 12, 0), more = s;
        more.q[4] += 0.5, more.q[7] += 0.5, more.q[9] += 0.5;
        struct answer a = get(&s, OUTPUTS), b = get(&more, OUTPUTS);
        for (int i = 0; i < s.n && axes; i++)
            a.potential[i] += 2 * PI / (3 * volume_of(&s)) * 1.5;
        same(&s, &b, &a, 1e-13, "a trace");
    }
}

/* A neutral cell whose density is odd about its middle has no moments of even
 * order; without a dipole, the sum over a cube of images converges as the
 * inverse square of the cube's edge; two sums give the limit. */
static void test_images(void)
{
    enum { HALF = 4, N = 2 * HALF, TIMES = 2 };
    static const int reach[TIMES] = {6, 12};
    struct system s = random_system(3, N, 0);
    double found[TIMES][LOOKED][20], moment[3] = {0}, wanted[LOOKED][20];
    for (int i = 0; i < HALF; i++) {
        double *x = s.x + 3 * i, *q = s.q + WIDTH * i;
        for (int d = 0; d < 3; d++) {
            x[3 * HALF + d] = -x[d];
            moment[d] += 2 * (q[0] * x[d] + q[1 + d]);
        }
        for (int k = 0; k < WIDTH; k++)
            q[WIDTH * HALF + k] = k > 0 && k < 4 ? q[k] : -q[k];
    }
    for (int d = 0; d < 3; d++) {
        s.q[1 + d] -= moment[d] / 2;
        s.q[WIDTH * HALF + 1 + d] -= moment[d] / 2;
    }
    between(&s);
    const struct answer a = get(&s, OUTPUTS);
    for (int t = 0; t < TIMES; t++) {
        int side = 2 * reach[t] + 1, images = side * side * side;
        double *x = malloc(sizeof *x * 3 * (size_t)(images * N));
        double *q = malloc(sizeof *q * WIDTH * (size_t)(images * N));
        farsum_problem p = FARSUM_PROBLEM_INIT;
        farsum_result r = FARSUM_RESULT_INIT;
        farsum_plan *plan = NULL;
        struct answer b = {.energy = 0};
        for (int m = 0; m < images; m++)
            for (int k = 0; k < 3 * N; k++) {
                const double *c = s.problem.cell + k % 3;
                x[3 * N * m + k] = s.x[k] + (m / side / side - reach[t]) * c[0]
                                   + (m / side % side - reach[t]) * c[3]
                                   + (m % side - reach[t]) * c[6];
            }
        for (int m = 0; m < images; m++)
            memcpy(q + WIDTH * N * m, s.q, WIDTH * N * sizeof *q);
        p.kernel = s.kernel;
        p.n_sources = images * N;
        p.n_targets = LOOKED;
        p.outputs = OUTPUTS & ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL);
        r.potential = b.potential, r.field = b.field;
        r.gradient = b.gradient, r.third = b.third;
        CHECK_OK(farsum_plan_create(&p, NULL, &plan));
        CHECK_OK(farsum_plan_set_points(plan, images * N, x, LOOKED, s.y));
        CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
        farsum_plan_destroy(plan);
        free(x);
        free(q);
        for (int i = 0; i < LOOKED; i++) {
            found[t][i][0] = b.potential[i];
            memcpy(found[t][i] + 1, b.field + 3 * i, 3 * sizeof *b.field);
            memcpy(found[t][i] + 4, b.gradient + 6 * i, 6 * sizeof *b.field);
            memcpy(found[t][i] + 10, b.third + 10 * i, 10 * sizeof *b.field);
        }
    }
    for (int i = 0; i < LOOKED; i++) {
        wanted[i][0] = a.potential[i];
        memcpy(wanted[i] + 1, a.field + 3 * i, 3 * sizeof *a.field);
        memcpy(wanted[i] + 4, a.gradient + 6 * i, 6 * sizeof *a.field);
        memcpy(wanted[i] + 10, a.third + 10 * i, 10 * sizeof *a.field);
    }
    double power = pow((2 * reach[1] + 1) / (2.0 * reach[0] + 1), 2);
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < LOOKED; i++) {
            double want = wanted[i][k], size = 1 + fabs(want);
            double far = found[1][i][k], near = found[0][i][k];
            CHECK_NEAR(far, want, 1e-2 * size);
            CHECK_NEAR((power * far - near) / (power - 1), want, 1e-4 * size);
        }
}

int main(void)
{
    RUN(test_dipoles);
    RUN(test_clusters);
    RUN(test_derivatives);
    RUN(test_split);
    RUN(test_tolerances);
    RUN(test_trace);
    RUN(test_quadrupole_trace);
    RUN(test_images);
    return check_end();
}
