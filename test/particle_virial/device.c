/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: the virial of each particle on a device (FARSUM_TEST_DEVICE,
 * default: opencl:0) against the host, with the same parameters: kernels,
 * queues, exclusions, the far part, precisions, another cell, device arrays. */
#include "parts/parts.h"

#include <stdlib.h>
#include <string.h>

#include "device/buf.h"
#include "farsum/device.h"
#include "plan/plan.h"
#include "ranks/sums.h"

enum { N = PARTS_N, RHS = 2, EACH = 9 * N };

static const char *device;

struct shares {
    double each[RHS * EACH], virial[9 * RHS];
};

/* Fixes the parameters to those that a plan finds. */
static void fix(struct parts_case *c)
{
    farsum_plan *plan = parts_plan(c, c->problem.part, NULL);
    parts_fix(c, plan);
    farsum_plan_destroy(plan);
}

/* Two right-hand sides in one call, twice; then in another cell, unless
 * stretch is 0. */
static void sum(const struct parts_case *c, double stretch, int virial,
                struct shares *s)
{
    farsum_plan *plan = parts_plan(c, c->problem.part, NULL);
    farsum_result out = FARSUM_RESULT_INIT;
    double cell[9];
    int width = strcmp(c->problem.kernel, "charge_dipole") == 0 ? 4 : 1;
    double *q = check_memory((size_t)(RHS * width * N), sizeof *q);
    for (int r = 0; r < RHS; r++)
        memcpy(q + r * width * N, c->q + width * r,
               (size_t)(width * N) * sizeof *q);
    memset(s, 0, sizeof *s);
    out.particle_virial = s->each;
    out.virial = virial ? s->virial : NULL;
    CHECK_OK(farsum_plan_set_points(plan, N, c->x, 0, NULL));
    for (int k = 0; k < 2; k++)
        CHECK_OK(farsum_plan_execute(plan, RHS, q, &out));
    if (stretch > 0) {
        for (int k = 0; k < 9; k++)
            cell[k] = stretch * c->problem.cell[k];
        CHECK_OK(farsum_plan_set_cell(plan, cell));
        CHECK_OK(farsum_plan_set_points(plan, N, c->x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, RHS, q, &out));
    }
    farsum_plan_destroy(plan);
    free(q);
}

/* most: allowed difference from the host. */
static void compare(struct parts_case *c, double stretch, double most,
                    const char *what)
{
    static struct shares host, here;
    c->problem.outputs = FARSUM_VIRIAL | FARSUM_PARTICLE_VIRIAL;
    fix(c);
    sum(c, stretch, 1, &host);
    c->options.device.name = device;
    c->options.spectral.near = "gpu_cells"; /* without pairs in f32 */
    for (int queues = 1; queues <= 2; queues++)
        for (int virial = 0; virial < 2; virial++) {
            double all[9 * RHS] = {0};
            c->options.device.queues = queues;
            sum(c, stretch, virial, &here);
            double off = sums_apart(here.each, host.each, RHS * EACH);
            CHECK(off <= most, "%s, %d queues: %g", what, queues, off);
            for (int i = 0; i < RHS * EACH; i++)
                all[9 * (i / EACH) + i % 9] += here.each[i];
            double sums = virial ? sums_apart(all, here.virial, 9 * RHS) : 0;
            printf("  %s, %d queues: %.1e, sums %.1e\n", what, queues, off,
                   sums);
            CHECK(sums <= 50 * most,
                  "%s: shares add up to the virial within %g", what, sums);
        }
}

static void test_kernels(void)
{
    static const char *const kernels[] = {"laplace", "yukawa", "r6",
                                          "charge_dipole"};
    static struct parts_case c;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        parts_system(&c, kernels[k], 7);
        if (k % 3 == 0)
            c.problem.surface = FARSUM_VACUUM;
        compare(&c, 0, 1e-12, kernels[k]);
    }
}

static void test_excluded(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 7);
    parts_exclude(&c);
    compare(&c, 0, 1e-12, "exclusions");
    parts_system(&c, "charge_dipole", 7);
    parts_exclude(&c);
    compare(&c, 0, 1e-12, "exclusions of dipoles");
}

static void test_far(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 7);
    c.problem.part = FARSUM_FAR;
    compare(&c, 0, 1e-12, "far");
}

static void test_soft(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 7);
    c.problem.softening = 0.3;
    compare(&c, 0, 1e-12, "softening");
}

static void test_cell(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 7);
    c.problem.tolerance = 1e-4;
    compare(&c, 1.01, 1e-12, "another cell");
}

static void test_precisions(void)
{
    static struct parts_case c;
    for (int k = 0; k < 2; k++) {
        parts_system(&c, "laplace", 7);
        c.problem.tolerance = 1e-4;
        c.problem.arrays = FARSUM_F64;
        c.problem.precision = k == 0 ? FARSUM_MIXED : FARSUM_F32;
        compare(&c, 0, k == 0 ? 1e-6 : 1e-5, k == 0 ? "mixed" : "f32");
    }
}

/* Positions, strengths and shares on the device. */
static void test_device_arrays(void)
{
    static struct parts_case c;
    static struct shares host, here;
    farsum_device *on = NULL;
    struct buf x = {0}, q = {0}, each = {0};
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    CHECK_OK(farsum_device_open(device, &on));
    parts_system(&c, "laplace", 7);
    c.problem.outputs = FARSUM_PARTICLE_VIRIAL | FARSUM_VIRIAL;
    fix(&c);
    sum(&c, 0, 1, &host);
    c.options.device.handle = on;
    c.problem.memory = FARSUM_DEVICE;
    CHECK_OK(buf_alloc(&x, on->device, 24 * N));
    CHECK_OK(buf_alloc(&q, on->device, 8 * RHS * N));
    CHECK_OK(buf_alloc(&each, on->device, 8 * RHS * EACH));
    CHECK_OK(buf_upload(&x, 0, c.x, 24 * N));
    for (int r = 0; r < RHS; r++)
        CHECK_OK(buf_upload(&q, 8 * r * N, c.q + r, 8 * N));
    out.particle_virial = each.handle;
    c.problem.sample_x = c.x;
    c.problem.sample_q = c.q;
    CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, N, x.handle, 0, NULL));
    for (int k = 0; k < 3; k++)
        CHECK_OK(farsum_plan_execute(plan, RHS, q.handle, &out));
    CHECK_OK(farsum_plan_finish(plan));
    CHECK_OK(buf_download(&each, 0, here.each, sizeof here.each));
    double off = sums_apart(here.each, host.each, RHS * EACH);
    CHECK(off <= 1e-12, "device arrays: %g", off);
    farsum_plan_destroy(plan);
    buf_clear(&x);
    buf_clear(&q);
    buf_clear(&each);
    farsum_device_close(on);
}

int main(void)
{
    farsum_device *on = NULL;
    const char *name = getenv("FARSUM_TEST_DEVICE");
    device = name ? name : "opencl:0";
    if (farsum_device_open(device, &on) != FARSUM_OK) {
        printf("SKIP: %s\n", farsum_message());
        return 77;
    }
    farsum_device_close(on);
    RUN(test_kernels);
    RUN(test_excluded);
    RUN(test_far);
    RUN(test_soft);
    RUN(test_cell);
    RUN(test_precisions);
    RUN(test_device_arrays);
    return check_end();
}
