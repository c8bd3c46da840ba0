/* SPDX-License-Identifier: Apache-2.0 */
/* locale_device.c: tests that plans on a device give the same sums in every
 * locale.  A kernel whose text had other numbers would not be found in the
 * kernel cache, and would be compiled and give other sums. */
#include <stdlib.h>

#include "base/random.h"
#include "farsum/device.h"
#include "unit/locales.h"

enum { N = 60 };

static const char *device = "opencl:0";

struct sums {
    double potential[N], field[3 * N], energy;
};

/* Returns 1 if it summed. */
static int sum(const char *method, farsum_precision precision, int n,
               const double *x, const double *q, double edge, struct sums *out)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = edge;
        p.periodic[d] = 1;
    }
    p.n_sources = n;
    p.sample_x = x;
    p.sample_q = q;
    p.tolerance = precision == FARSUM_F32 ? 1e-4 : 1e-8;
    p.precision = precision;
    p.arrays = FARSUM_F64;
    o.device.name = device;
    o.method = method;
    o.deterministic = 1;
    r.potential = out->potential;
    r.field = out->field;
    r.energy = &out->energy;
    int good = CHECK_OK(farsum_plan_create(&p, &o, &plan))
               && CHECK_OK(farsum_plan_set_points(plan, n, x, 0, NULL))
               && CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
    farsum_plan_destroy(plan);
    return good;
}

/* Two opposite charges in a cube of edge 10. */
static void two_charges(void)
{
    const double x[6] = {1, 2, 3, 4, 5, 6}, q[2] = {1, -1};
    for (int k = 0; k < LOCALES; k++) {
        struct sums s = {0};
        const char *where = enter(k);
        int good = sum("spectral", FARSUM_F64, 2, x, q, 10, &s);
        leave();
        CHECK(good && fabs(s.potential[0] + 0.2362032964) < 1e-8
                  && fabs(s.potential[1] - 0.2362032964) < 1e-8,
              "%s: %.12g %.12g", where, s.potential[0], s.potential[1]);
    }
}

static void sums_repeat(const char *method, farsum_precision precision)
{
    double x[3 * N], q[N];
    uint64_t seed = 5;
    static struct sums plain, found;
    for (int i = 0; i < N; i++) {
        q[i] = i % 2 ? 1 : -1;
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 0x1p-61 * (double)random_next(&seed);
    }
    for (int k = 0; k < LOCALES; k++) {
        const char *where = enter(k);
        int good = sum(method, precision, N, x, q, 8, k ? &found : &plain);
        leave();
        CHECK(good && (k == 0 || memcmp(&found, &plain, sizeof plain) == 0),
              "%s, %s: energy %.17g, in C %.17g", method, where, found.energy,
              plain.energy);
    }
}

static void spectral_f64(void)
{
    sums_repeat("spectral", FARSUM_F64);
}

static void spectral_f32(void)
{
    sums_repeat("spectral", FARSUM_F32);
}

static void fmm_f64(void)
{
    sums_repeat("fmm", FARSUM_F64);
}

static void fmm_f32(void)
{
    sums_repeat("fmm", FARSUM_F32);
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    farsum_device *there = NULL;
    if (name)
        device = name;
    if (farsum_device_open(device, &there) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    farsum_device_close(there);
    RUN(two_charges);
    RUN(spectral_f64);
    RUN(spectral_f32);
    RUN(fmm_f64);
    RUN(fmm_f32);
    return check_end();
}
