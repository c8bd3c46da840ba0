/* SPDX-License-Identifier: Apache-2.0 */
/* mixed.c: tests of precision mixed, on the host and on FARSUM_TEST_DEVICE
 * (default: opencl:0): near pairs are f32, everything else is f64. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "farsum/farsum.h"

enum { N = 400 };
static const char *const kernels[] = {"laplace", "r6", "stokeslet",
                                      "stresslet"};
enum { KERNELS = sizeof kernels / sizeof *kernels, FLOWS = 2 };
static double x[3 * N], q[6 * N];

struct sums {
    double vector[3 * N], potential[N], energy, virial[9];
};

static void fill(void)
{
    uint64_t seed = 11;
    for (int i = 0; i < 9 * N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double v = (double)(seed >> 11) * 0x1p-53;
        if (i < 3 * N) /* a jittered grid: no pair is close */
            x[i] = ((i % 3 == 0 ? i / 3 % 8 : i % 3 == 1 ? i / 24 % 8 : i / 192)
                    + 0.7 * v) * 0.9;
        else
            q[i - 3 * N] = v - 0.5;
    }
}

static farsum_problem problem_of(const char *kernel, farsum_precision precision)
{
    static const double cell[9] = {7.2, 0, 0, 1.1, 7.4, 0, -0.8, 0.6, 7.1};
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = kernel;
    memcpy(p.cell, cell, sizeof cell);
    p.periodic[0] = p.periodic[1] = p.periodic[2] = 1;
    p.precision = precision;
    p.tolerance = 1e-5;
    p.n_sources = N;
    p.sample_x = x;
    p.sample_q = q;
    return p;
}

static farsum_status sum(const farsum_problem *p, const farsum_options *o,
                         struct sums *s, farsum_plan_info *info)
{
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    *info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    memset(s, 0, sizeof *s);
    if (p->outputs & FARSUM_VELOCITY)
        r.velocity = s->vector;
    else
        r.field = s->vector;
    if (p->outputs & FARSUM_ENERGY) {
        r.potential = s->potential;
        r.energy = &s->energy;
        r.virial = s->virial;
    }
    farsum_status status = farsum_plan_create(p, o, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, N, x, 0, NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, q, &r);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, info);
    farsum_plan_destroy(plan);
    return status;
}

static double distance(const double *a, const double *b, int n)
{
    double d = 0, all = 0;
    for (int i = 0; i < n; i++) {
        d += (a[i] - b[i]) * (a[i] - b[i]);
        all += b[i] * b[i];
    }
    return sqrt(d / all);
}

/* Every kernel in mixed, f64 and f32 with the same parameters.  mixed differs
 * from f64 and is at least as accurate as f32; near_wide tests how much
 * better. */
static void between(const char *device)
{
    static struct sums exact, got[4];
    for (int k = 0; k < KERNELS; k++) {
        int flow = k >= KERNELS - FLOWS;
        farsum_options o = FARSUM_OPTIONS_INIT;
        o.verify = FARSUM_VERIFY_OFF; /* estimates not corrected by a check */
        farsum_plan_info info;
        farsum_problem p = problem_of(kernels[k], FARSUM_F64);
        p.outputs = flow ? FARSUM_VELOCITY
                         : FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                               | FARSUM_VIRIAL;
        p.arrays = FARSUM_F64;
        o.method = "spectral";
        o.device.name = device;
        p.tolerance = 1e-11;
        assert_int_equal(sum(&p, &o, &exact, &info), FARSUM_OK);
        p.tolerance = 1e-3;
        o.cutoff = info.cutoff;
        o.spectral.bandwidth = info.bandwidth;
        o.spectral.support = info.support;
        memcpy(o.spectral.mesh, info.mesh, sizeof o.spectral.mesh);
        if (strcmp(device, "host") != 0) /* one thread sums all of a target */
            o.spectral.near = "gpu_cells";
        for (int f = FARSUM_F64; f <= FARSUM_MIXED; f++) {
            p.precision = (farsum_precision)f;
            assert_int_equal(sum(&p, &o, &got[f], &info), FARSUM_OK);
            assert_int_equal(info.precision, f);
        }
        double error[4];
        for (int f = FARSUM_F64; f <= FARSUM_MIXED; f++)
            error[f] = distance(got[f].vector, exact.vector, 3 * N);
        print_message("%s %s: f64 %.2g, f32 %.2g, mixed %.2g (expected %.2g)\n",
                      device, kernels[k], error[FARSUM_F64], error[FARSUM_F32],
                      error[FARSUM_MIXED], info.estimated_error);
        assert_true(error[FARSUM_MIXED] > 30 * error[FARSUM_F64]);
        /* near pairs, equal in both, dominate the error of r6 */
        assert_true(error[FARSUM_MIXED] < 1.1 * error[FARSUM_F32]);
        assert_true(error[FARSUM_MIXED] < 5 * info.estimated_error);
        if (flow)
            continue;
        assert_true(distance(got[FARSUM_MIXED].potential, exact.potential, N)
                    < 1e-5);
        assert_true(distance(&got[FARSUM_MIXED].energy, &exact.energy, 1)
                    < 1e-5);
        assert_true(distance(got[FARSUM_MIXED].virial, exact.virial, 9)
                    < 1e-4);
    }
}

static void on_the_host(void **state)
{
    (void)state;
    between("host");
}

static void on_a_device(void **state)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.verify = FARSUM_VERIFY_OFF; /* estimates not corrected by a check */
    farsum_problem p = problem_of("laplace", FARSUM_F64);
    farsum_plan *plan = NULL;
    (void)state;
    o.device.name = name ? name : "opencl:0";
    if (farsum_plan_create(&p, &o, &plan) != FARSUM_OK) {
        print_message("no device: %s\n", farsum_message());
        skip();
    }
    farsum_plan_destroy(plan);
    between(o.device.name);
}

/* Tolerances that pairs in f32 cannot reach are refused; arrays are f64 by
 * default. */
static void reached(void **state)
{
    static struct sums s;
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.verify = FARSUM_VERIFY_OFF; /* estimates not corrected by a check */
    farsum_plan_info info;
    farsum_problem p = problem_of("laplace", FARSUM_MIXED);
    (void)state;
    o.method = "spectral";
    p.outputs = FARSUM_FIELD;
    assert_int_equal(sum(&p, &o, &s, &info), FARSUM_OK);
    assert_int_equal(info.precision, FARSUM_MIXED);
    assert_true(info.estimated_error < 1e-5);
    p.tolerance = 1e-9;
    assert_int_equal(sum(&p, &o, &s, &info), FARSUM_ERR_TOLERANCE);
    assert_non_null(strstr(farsum_message(), "mixed"));
    p.precision = (farsum_precision)5; /* no such precision */
    assert_int_equal(sum(&p, &o, &s, &info), FARSUM_ERR_ARGUMENT);
}

/* Methods without near pairs next to a mesh sum in f64, and report it. */
static void elsewhere(void **state)
{
    static struct sums got[2];
    static const char *const methods[] = {"fmm", "direct"};
    farsum_plan_info info;
    (void)state;
    for (int k = 0; k < 4; k++) {
        farsum_options o = FARSUM_OPTIONS_INIT;
        o.verify = FARSUM_VERIFY_OFF; /* estimates not corrected by a check */
        farsum_problem p =
            problem_of("laplace", k % 2 ? FARSUM_MIXED : FARSUM_F64);
        memset(p.periodic, 0, sizeof p.periodic);
        p.outputs = FARSUM_FIELD;
        o.method = methods[k / 2];
        o.threads = 1;
        assert_int_equal(sum(&p, &o, &got[k % 2], &info), FARSUM_OK);
        assert_int_equal(info.precision, FARSUM_F64);
        if (k % 2)
            assert_memory_equal(got[0].vector, got[1].vector,
                                sizeof got[0].vector);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_host),
        cmocka_unit_test(on_a_device),
        cmocka_unit_test(reached),
        cmocka_unit_test(elsewhere),
    };
    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
