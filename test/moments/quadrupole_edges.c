/* SPDX-License-Identifier: Apache-2.0 */
/* quadrupole_edges.c: exclusions, coincident points, units, f32 arrays, new
 * cells and refusals of charges with dipoles and quadrupoles. */
#include "quadrupoles.h"

#include <string.h>

#include "farsum/expert.h"

/* A pair with a factor counts so much: without it less the share of a sum of
 * these two alone, which are nearest images of each other. */
static void test_exclusions(void)
{
    static const int64_t pairs[4] = {0, 3, 5, 2};
    static const double factors[2] = {0, 0.25};
    for (int axes = 0; axes < 4; axes++) {
        struct system s = random_system(axes, 16, 1);
        for (int k = 0; k < 4; k += 2)
            for (int d = 0; d < 3; d++)
                s.x[3 * pairs[k + 1] + d] =
                    s.x[3 * pairs[k] + d] + 0.1 * (d + 1 + k);
        struct answer b = get(&s, OUTPUTS);
        for (int k = 0; k < 2; k++) {
            struct system two = random_system(0, 2, 0);
            for (int i = 0; i < 2; i++) {
                int64_t from = pairs[2 * k + i];
                memcpy(two.x + 3 * i, s.x + 3 * from, 3 * sizeof *s.x);
                memcpy(two.q + WIDTH * i, s.q + WIDTH * from,
                       WIDTH * sizeof *s.q);
            }
            const struct answer one = get(&two, OUTPUTS);
            double lost = 1 - factors[k];
            for (int i = 0; i < 2; i++) {
                int64_t to = pairs[2 * k + i];
                b.potential[to] -= lost * one.potential[i];
                for (int d = 0; d < 3; d++)
                    b.field[3 * to + d] -= lost * one.field[3 * i + d];
                for (int d = 0; d < 6; d++)
                    b.gradient[6 * to + d] -= lost * one.gradient[6 * i + d];
                for (int d = 0; d < 10; d++)
                    b.third[10 * to + d] -= lost * one.third[10 * i + d];
            }
            b.energy -= lost * one.energy;
            for (int d = 0; d < 9; d++)
                b.virial[d] -= lost * one.virial[d];
        }
        s.problem.n_exclusions = 2;
        s.problem.exclusions = pairs;
        s.problem.exclusion_factors = factors;
        const struct answer a = get(&s, OUTPUTS);
        same(&s, &a, &b, 1e-12, "exclusions");
    }
}

/* Coincident sources are an error, or skip each other; a target on a source
 * skips it. */
static void test_coincident(void)
{
    for (int axes = 0; axes < 4; axes += 3) {
        struct system s = random_system(axes, 15, 1), t = s;
        struct answer a, b = get(&s, OUTPUTS);
        t.m = t.n;
        memcpy(t.y, t.x, sizeof t.y);
        a = get(&t, OUTPUTS);
        same(&t, &a, &b, axes ? 1e-14 : 0, "targets on sources");
        memcpy(s.x + 3, s.x, 3 * sizeof *s.x);
        CHECK_FAILS(try(&s, s.q, OUTPUTS, &a), FARSUM_ERR_COINCIDENT);
        s.problem.exclude_coincident = 1;
        a = get(&s, OUTPUTS);
        if (axes)
            continue;
        memset(s.q + WIDTH, 0, WIDTH * sizeof *s.q);
        b = get(&s, OUTPUTS);
        CHECK_NEAR(a.potential[0], b.potential[0],
                   1e-13 * fabs(b.potential[0]));
        equal(a.third, b.third, 10, 1e-13, "third at coincident");
    }
}

/* The unit of lengths scales all outputs by powers, also far from 1;
 * quadrupoles scale as charge times length^2. */
static void test_units(void)
{
    static const int lengths[] = {1, -40, 150, -150};
    static const int charges[] = {3, 70, 100, -100};
    const struct system s = random_system(0, 20, 1);
    const struct answer b = get(&s, OUTPUTS);
    for (int k = 0; k < 4; k++) {
        struct system other = s;
        int l = lengths[k], q = charges[k];
        for (int i = 0; i < 3 * s.n; i++)
            other.x[i] = ldexp(s.x[i], l);
        for (int i = 0; i < WIDTH * s.n; i++) {
            int part = i % WIDTH;
            other.q[i] = ldexp(s.q[i], q + l * ((part > 0) + (part > 3)));
        }
        struct answer a = get(&other, OUTPUTS);
        for (int i = 0; i < s.n; i++)
            a.potential[i] = ldexp(a.potential[i], l - q);
        for (int i = 0; i < 3 * s.n; i++)
            a.field[i] = ldexp(a.field[i], 2 * l - q);
        for (int i = 0; i < 6 * s.n; i++)
            a.gradient[i] = ldexp(a.gradient[i], 3 * l - q);
        for (int i = 0; i < 10 * s.n; i++)
            a.third[i] = ldexp(a.third[i], 4 * l - q);
        a.energy = ldexp(a.energy, l - 2 * q);
        for (int i = 0; i < 9; i++)
            a.virial[i] = ldexp(a.virial[i], l - 2 * q);
        same(&s, &a, &b, 0, "other units");
    }
}

/* Quadrupoles only: their unit follows from the quadrupoles. */
static void test_only_quadrupoles(void)
{
    struct system s = random_system(0, 20, 1);
    for (int i = 0; i < s.n; i++)
        memset(s.q + WIDTH * i, 0, 4 * sizeof *s.q);
    const struct answer b = get(&s, OUTPUTS);
    for (int i = 0; i < WIDTH * s.n; i++)
        s.q[i] = ldexp(s.q[i], 600);
    struct answer a =
        get(&s, OUTPUTS & ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL));
    for (int i = 0; i < 10 * s.n; i++)
        a.third[i] = ldexp(a.third[i], -600);
    equal(a.third, b.third, 10 * s.n, 0, "quadrupoles only");
}

/* f32 arrays, with two right-hand sides in one call. */
static void test_arrays(void)
{
    enum { N = 10, R = 2 };
    struct system s = random_system(0, N, 1);
    float x[3 * N], q[R][WIDTH * N], t[R * 10 * N];
    double energy[R];
    farsum_problem p = s.problem;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int i = 0; i < 3 * N; i++) { /* numbers that f32 has */
        s.x[i] = floor(1024 * s.x[i]) / 1024;
        x[i] = (float)s.x[i];
    }
    for (int i = 0; i < WIDTH * N; i++) {
        s.q[i] = floor(1024 * s.q[i]) / 1024;
        q[1][i] = (float)s.q[i];
        q[0][i] = -2 * q[1][i];
    }
    p.kernel = s.kernel;
    p.arrays = FARSUM_F32;
    p.tolerance = 1e-5;
    p.n_sources = N;
    p.outputs = FARSUM_THIRD | FARSUM_ENERGY;
    r.third = t;
    r.energy = energy;
    CHECK_OK(farsum_plan_create(&p, NULL, &plan));
    CHECK_OK(farsum_plan_set_points(plan, N, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, R, q, &r));
    farsum_plan_destroy(plan);
    const struct answer want = get(&s, OUTPUTS);
    for (int k = 0; k < R; k++) {
        double by = k ? 1 : -2;
        CHECK_NEAR(energy[k], by * by * want.energy, 1e-12 * fabs(want.energy));
        for (int i = 0; i < 10 * N; i++)
            CHECK_NEAR(t[10 * k * N + i], by * want.third[i],
                       1e-6 * fabs(want.third[i]) + 1e-5);
    }
}

static void refused(const farsum_problem *p, const char *method,
                    const char *device, farsum_status wanted, const char *says)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = method;
    o.device.name = device;
    farsum_status status = farsum_plan_create(p, &o, &plan);
    farsum_plan_destroy(plan);
    if (device && status == FARSUM_ERR_DEVICE) {
        printf("no device: %s\n", farsum_message());
        return;
    }
    CHECK(status == wanted, "status %d: %s", (int)status, farsum_message());
    CHECK_SAYS(says);
}

/* Methods that do not sum the kernel name the one that does. */
static void test_refused(void)
{
    for (int axes = 0; axes < 4; axes++) {
        struct system s = random_system(axes, 20, 0);
        farsum_problem *p = &s.problem;
        const char *sums = axes ? "ewald does" : "direct does";
        p->kernel = s.kernel;
        p->n_sources = 20;
        p->tolerance = 1e-5;
        p->precision = axes < 3 ? FARSUM_F64 : FARSUM_F32;
        refused(p, "spectral", NULL, FARSUM_ERR_UNSUPPORTED, sums);
        p->precision = FARSUM_F64;
        refused(p, "fmm", NULL, FARSUM_ERR_UNSUPPORTED, sums);
        refused(p, NULL, "opencl:0", FARSUM_ERR_UNSUPPORTED, sums);
        p->outputs = FARSUM_VELOCITY;
        refused(p, NULL, NULL, FARSUM_ERR_ARGUMENT, "no velocity");
        p->kernel = "charge_dipole";
        p->outputs = FARSUM_THIRD;
        refused(p, NULL, NULL, FARSUM_ERR_ARGUMENT,
                "charge_quadrupole has these");
    }
}

/* Without a method named, `auto` takes spectral in a whole cell, which is
 * faster even here, else the reference; the Hessian's product is for dipoles.
 */
static void test_auto(void)
{
    for (int axes = 0; axes < 4; axes++) {
        struct system s = random_system(axes, 20, 0);
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        farsum_plan *plan = NULL;
        double product[3];
        s.problem.kernel = s.kernel;
        s.problem.n_sources = 20;
        s.problem.tolerance = 1e-5;
        s.problem.outputs = FARSUM_FIELD | FARSUM_GRADIENT;
        CHECK_OK(farsum_plan_create(&s.problem, NULL, &plan));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        const char *taken = axes == 3 ? "spectral" : axes ? "ewald" : "direct";
        CHECK(strcmp(info.method, taken) == 0, "%d axes by %s", axes,
              info.method);
        CHECK_OK(farsum_plan_set_points(plan, 20, s.x, 0, NULL));
        CHECK_FAILS(farsum_plan_hvp(plan, s.q, s.x, product),
                    FARSUM_ERR_UNSUPPORTED);
        farsum_plan_destroy(plan);
    }
}

int main(void)
{
    RUN(test_exclusions);
    RUN(test_coincident);
    RUN(test_units);
    RUN(test_only_quadrupoles);
    RUN(test_arrays);
    RUN(test_refused);
    RUN(test_auto);
    return check_end();
}
