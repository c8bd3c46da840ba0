/* SPDX-License-Identifier: Apache-2.0 */
/* quadrupole_spectral.c: charges with dipoles and quadrupoles by the method
 * spectral, against ewald. */
#include "quadrupoles.h"

#include <string.h>

#define PI 3.14159265358979323846

/* Sources on a jittered grid, so that no pair is much nearer than others. */
static struct system apart(int n, int side, int seed, double net)
{
    struct system s = random_system(3, n, net);
    uint64_t state = (uint64_t)seed;
    for (int i = 0; i < n; i++) {
        const int at[3] = {i / side / side, i / side % side, i % side};
        double u[3];
        for (int d = 0; d < 3; d++)
            u[d] = (at[d] + 0.4 * draw(&state)) / side;
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] = u[0] * s.problem.cell[d]
                             + u[1] * s.problem.cell[3 + d]
                             + u[2] * s.problem.cell[6 + d];
        for (int k = 4; k < WIDTH; k++)
            s.q[WIDTH * i + k] *= 0.5;
    }
    return s;
}

static struct system spectral(struct system s, double tolerance)
{
    s.method = "spectral";
    s.problem.tolerance = tolerance;
    return s;
}

static void test_tolerances(void)
{
    for (int seed = 1; seed <= 3; seed++)
        for (int sampled = 0; sampled < 2; sampled++) {
            struct system s = apart(64, 4, seed, 0);
            const struct answer b = get(&s, OUTPUTS);
            double norm = forces(&s, &b, NULL);
            s.sampled = sampled;
            for (double t = 1e-2; t > 5e-9; t /= 10) {
                const struct system fast = spectral(s, t);
                const struct answer a = get(&fast, OUTPUTS);
                double error = forces(&s, &a, &b) / norm;
                CHECK(error <= t, "tolerance %g: the error is %g", t, error);
                CHECK(a.estimated < 5 * error && a.estimated > error / 5,
                      "tolerance %g: the estimate is %g, the error %g", t,
                      a.estimated, error);
            }
        }
}

/* The sums of ewald: without and with vacuum, net charge, targets. */
static void test_sums(void)
{
    for (int k = 0; k < 8; k++) {
        struct system s = apart(60, 4, 4 + k, k & 1);
        s.problem.surface = k & 2 ? FARSUM_VACUUM : FARSUM_TINFOIL;
        s.m = k & 4 ? 12 : 0;
        for (int i = 0; i < 3 * s.m; i++)
            s.y[i] = 0.17 * (i % 19);
        const struct answer b = get(&s, OUTPUTS);
        const struct system fast = spectral(s, 3e-9);
        const struct answer a = get(&fast, OUTPUTS);
        same(&s, &a, &b, 1e-8, "spectral");
    }
}

/* The background's density is -Q/V everywhere between the charges. */
static void test_trace(void)
{
    for (int net = 0; net < 2; net++) {
        const struct system s = spectral(apart(60, 4, 6 + net, net), 3e-9);
        const struct answer a = get(&s, OUTPUTS);
        double most = 0;
        for (int i = 0; i < 6 * s.n; i++)
            most = fmax(most, fabs(a.gradient[i]));
        for (int i = 0; i < s.n; i++) {
            const double *g = a.gradient + 6 * i;
            CHECK_NEAR(g[0] + g[3] + g[5], 4 * PI * net / volume_of(&s),
                       1e-8 * most);
        }
    }
}

/* Excluded pairs with factors, and coincident sources. */
static void test_exclusions(void)
{
    static const int64_t pairs[6] = {0, 7, 9, 4, 1, 2};
    static const double factors[3] = {0.5, 0, 0.25};
    struct system s = apart(60, 4, 5, 0), fast;
    struct answer a, b;
    for (int d = 0; d < 3; d++) /* near each other through a face */
        s.x[21 + d] = s.x[d] + 0.1 * (d + 1) - s.problem.cell[d];
    s.problem.n_exclusions = 3;
    s.problem.exclusions = pairs;
    s.problem.exclusion_factors = factors;
    b = get(&s, OUTPUTS);
    fast = spectral(s, 3e-9);
    a = get(&fast, OUTPUTS);
    same(&s, &a, &b, 1e-8, "exclusions");
    s.problem.n_exclusions = 0;
    memcpy(s.x + 3, s.x, 3 * sizeof *s.x);
    fast = spectral(s, 3e-9);
    CHECK_FAILS(try(&fast, s.q, OUTPUTS, &a), FARSUM_ERR_COINCIDENT);
    fast.problem.exclude_coincident = s.problem.exclude_coincident = 1;
    a = get(&fast, OUTPUTS);
    b = get(&s, OUTPUTS);
    same(&s, &a, &b, 1e-8, "coincident sources");
}

/* Energies at a coordinate moved by -2h to 2h: the derivative. */
static double slope(struct system *s, double *at, double h)
{
    static const double weight[5] = {1, -8, 0, 8, -1};
    double sum = 0, was = *at;
    for (int k = 0; k < 5; k++) {
        *at = was + (k - 2) * h;
        if (k != 2)
            sum += weight[k] * get(s, OUTPUTS).energy;
    }
    *at = was;
    return sum / (12 * h);
}

/* Forces, torques and virial are derivatives of the energy. */
static void test_derivatives(void)
{
    static const int two[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    struct system s = spectral(apart(20, 3, 8, 1), 3e-9);
    const struct answer a = get(&s, OUTPUTS);
    struct system one = s;
    double size = forces(&s, &a, NULL);
    for (int d = 0; d < 3; d++) {
        const double *q = s.q, *g = a.gradient;
        static const int three[3][6] = {
            {0, 1, 2, 3, 4, 5}, {1, 3, 4, 6, 7, 8}, {2, 4, 5, 7, 8, 9}};
        double force = q[0] * a.field[d];
        for (int k = 0; k < 3; k++)
            force -= q[1 + k] * g[two[d][k]];
        for (int k = 0; k < 6; k++)
            force -= (k == 0 || k == 3 || k == 5 ? 0.5 : 1) * q[4 + k]
                     * a.third[three[d][k]];
        CHECK_NEAR(force, -slope(&one, one.x + d, 5e-4), 1e-7 * size);
    }
    /* dU/dp = -E, dU/dQ = H/2: all torques follow */
    double e = fabs(a.field[0]) + fabs(a.field[1]) + fabs(a.field[2]), g = 0;
    for (int k = 0; k < 6; k++)
        g += fabs(a.gradient[k]);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(slope(&one, one.q + 1 + k, 1e-3), -a.field[k], 1e-7 * e);
    for (int k = 0; k < 6; k++)
        CHECK_NEAR(slope(&one, one.q + 4 + k, 1e-3),
                   (k == 0 || k == 3 || k == 5 ? 0.5 : 1) * a.gradient[k],
                   1e-7 * g);
    /* W_ab = -dU/d(strain ab), with fixed moments */
    double all = 0;
    for (int k = 0; k < 9; k++)
        all = fmax(all, fabs(a.virial[k]));
    for (int k = 0; k < 9; k++) {
        static const double weight[5] = {1, -8, 0, 8, -1};
        double sum = 0, h = 5e-4;
        for (int j = 0; j < 5; j++) {
            struct system t = s;
            for (int i = 0; i < s.n; i++)
                t.x[3 * i + k / 3] += (j - 2) * h * s.x[3 * i + k % 3];
            for (int i = 0; i < 3; i++)
                t.problem.cell[3 * i + k / 3] +=
                    (j - 2) * h * s.problem.cell[3 * i + k % 3];
            sum += j == 2 ? 0 : weight[j] * get(&t, OUTPUTS).energy;
        }
        CHECK_NEAR(-sum / (12 * h), a.virial[k], 1e-7 * all);
    }
}

/* Two sets of strengths in one call, in another cell. */
static void test_strengths(void)
{
    enum { N = 30 };
    struct system s = apart(N, 4, 9, 0), other = s;
    static double q[2 * WIDTH * N], third[20 * N], energy[2], virial[18];
    farsum_problem p = s.problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int k = 0; k < 9; k++)
        other.problem.cell[k] *= 1.005;
    memcpy(q, s.q, WIDTH * N * sizeof *q);
    for (int i = 0; i < WIDTH * N; i++)
        q[WIDTH * N + i] = 3 * s.q[WIDTH * (N - 1 - i / WIDTH) + i % WIDTH];
    p.kernel = "charge_quadrupole";
    p.tolerance = 3e-9;
    p.n_sources = N;
    p.sample_x = s.x;
    p.sample_q = s.q;
    p.outputs = OUTPUTS;
    o.method = "spectral";
    r.third = third;
    r.energy = energy;
    r.virial = virial;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_cell(plan, other.problem.cell));
    CHECK_OK(farsum_plan_set_points(plan, N, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 2, q, &r));
    farsum_plan_destroy(plan);
    for (int k = 0; k < 2; k++) {
        memcpy(other.q, q + WIDTH * N * k, WIDTH * N * sizeof *q);
        const struct answer b = get(&other, OUTPUTS);
        equal(third + 10 * N * k, b.third, 10 * N, 1e-8, "third derivatives");
        equal(energy + k, &b.energy, 1, 1e-8, "energy");
        equal(virial + 9 * k, b.virial, 9, 1e-8, "virial");
    }
}

/* What spectral does not sum, it refuses and says what does. */
static void test_refused(void)
{
    for (int k = 0; k < 6; k++) {
        struct system s = spectral(apart(30, 4, 1, 0), 1e-5);
        struct answer a;
        unsigned outputs = OUTPUTS;
        if (k == 0)
            s.problem.precision = FARSUM_F32;
        if (k == 1)
            s.problem.precision = FARSUM_MIXED;
        if (k == 2)
            s.problem.part = FARSUM_FAR;
        if (k == 3)
            outputs |= FARSUM_PARTICLE_VIRIAL;
        for (int d = 0; d < 3 && k == 4; d++)
            s.problem.cell[6 + d] = s.problem.periodic[2] = 0;
        if (k == 5)
            s.method = "fmm";
        CHECK_FAILS(try(&s, s.q, outputs, &a), FARSUM_ERR_UNSUPPORTED);
        CHECK_SAYS("ewald does");
    }
}

/* Above some number of particles `auto` takes spectral. */
static void test_auto(void)
{
    const struct system s = random_system(3, 40, 0);
    farsum_problem p = s.problem;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    p.kernel = "charge_quadrupole";
    p.tolerance = 1e-5;
    p.n_sources = 20000;
    CHECK_OK(farsum_plan_create(&p, NULL, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.method, "spectral") == 0, "method %s", info.method);
    farsum_plan_destroy(plan);
}

int main(void)
{
    RUN(test_tolerances);
    RUN(test_sums);
    RUN(test_trace);
    RUN(test_exclusions);
    RUN(test_derivatives);
    RUN(test_strengths);
    RUN(test_refused);
    RUN(test_auto);
    return check_end();
}
