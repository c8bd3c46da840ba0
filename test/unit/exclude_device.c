/* SPDX-License-Identifier: Apache-2.0 */
/* exclude_device.c: tests of exclusions of plans on a device,
 * FARSUM_TEST_DEVICE (default: opencl:0). */
#include "exclude_check.h"

#include "device/buf.h"
#include "farsum/device.h"
#include "plan/plan.h"

static farsum_device *device;

static farsum_plan *there(const farsum_problem *p)
{
    farsum_plan *plan = NULL;
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = "spectral";
    o.device.handle = device;
    assert_int_equal(farsum_plan_create(p, &o, &plan), FARSUM_OK);
    return plan;
}

static void every_kernel(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k++)
        for (int f = FARSUM_F64; f <= FARSUM_MIXED; f++) {
            farsum_problem p = make_problem(k, 1, 0);
            p.tolerance = f == FARSUM_F64 ? 1e-6 : 1e-3;
            p.precision = (farsum_precision)f;
            p.arrays = FARSUM_F64;
            sequence(k, there(&p), 1, 0, f == FARSUM_F64 ? 1e-12 : 5e-7);
        }
}

static void targets_apart(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k += 3) {
        farsum_problem p = make_problem(k, 1, 20);
        p.tolerance = 1e-6;
        sequence(k, there(&p), 1, 20, 1e-12);
    }
}

struct arrays {
    struct buf x, q, potential, field, energy, virial;
};

static void put(struct buf *buf, const void *from, int64_t bytes)
{
    assert_int_equal(buf_alloc(buf, device->device, bytes), FARSUM_OK);
    assert_int_equal(buf_upload(buf, 0, from, bytes), FARSUM_OK);
}

static void get(const struct arrays *a, struct sums *s)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(buf_download(&a->potential, 0, s->potential, RHS * N * 8),
                     FARSUM_OK);
    assert_int_equal(buf_download(&a->field, 0, s->vector, RHS * N * 24),
                     FARSUM_OK);
    assert_int_equal(buf_download(&a->energy, 0, s->energy, RHS * 8),
                     FARSUM_OK);
    assert_int_equal(buf_download(&a->virial, 0, s->virial, RHS * 72),
                     FARSUM_OK);
}

/* Arrays on the device; the same call again and again, which is kept as a
 * graph where there are any, with other lists in between. */
static void arrays_there(void **state)
{
    (void)state;
    static double x[3 * N], q[RHS * N], none[RHS * N * 3];
    static struct sums whole, want, got, again;
    struct list l = make_list(N);
    struct arrays a = {0};
    farsum_problem p = make_problem(0, 1, 0);
    farsum_result out = FARSUM_RESULT_INIT;
    p.memory = FARSUM_DEVICE;
    p.tolerance = 1e-6;
    farsum_plan *plan = there(&p);
    flow_points(skewed, N, RHS, 3, x, q);
    put(&a.x, x, sizeof x);
    put(&a.q, q, sizeof q);
    put(&a.potential, none, RHS * N * 8);
    put(&a.field, none, RHS * N * 24);
    put(&a.energy, none, RHS * 8);
    put(&a.virial, none, RHS * 72);
    out.potential = a.potential.handle;
    out.field = a.field.handle;
    out.energy = a.energy.handle;
    out.virial = a.virial.handle;
    assert_int_equal(farsum_plan_set_points(plan, N, a.x.handle, 0, NULL),
                     FARSUM_OK);
    for (int turn = 0; turn < 9; turn++) {
        if (turn == 3)
            assert_int_equal(
                farsum_plan_set_exclusions(plan, PAIRS / 2, l.pair[0], NULL),
                FARSUM_OK);
        if (turn == 6) { /* more, with factors: none is waited for */
            assert_int_equal(
                farsum_plan_set_exclusions(plan, PAIRS, l.pair[0], l.factor),
                FARSUM_OK);
        }
        int64_t held = device->device->bytes;
        assert_int_equal(farsum_plan_execute(plan, RHS, a.q.handle, &out),
                         FARSUM_OK);
        assert_int_equal(held, device->device->bytes);
        assert_int_equal(farsum_plan_finish(plan), FARSUM_OK);
        get(&a, turn % 3 ? &again : &got);
        if (turn % 3) /* sums of the mesh repeat to rounding */
            compare(&again, &got, &whole, 1e-12);
        if (turn == 0)
            whole = got;
        if (turn == 3 || turn == 6) {
            struct list used = l;
            used.count = turn == 3 ? PAIRS / 2 : PAIRS;
            for (int k = 0; k < PAIRS && turn == 3; k++)
                used.factor[k] = 0;
            want = whole;
            lose_all(0, 1, &used, 0, x, NULL, q, &want);
            compare(&got, &want, &whole, 1e-12);
        }
    }
    farsum_plan_destroy(plan);
    struct buf *all[] = {&a.x,     &a.q,      &a.potential,
                         &a.field, &a.energy, &a.virial};
    for (int k = 0; k < 6; k++)
        buf_clear(all[k]);
}

/* Energy and virial alone: nothing is transformed back. */
static void totals_alone(void **state)
{
    (void)state;
    static double x[3 * N], q[RHS * N];
    static struct sums all, few;
    struct list l = make_list(N);
    farsum_problem p = make_problem(0, 1, 0);
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = there(&p);
    flow_points(skewed, N, RHS, 3, x, q);
    assert_int_equal(
        farsum_plan_set_exclusions(plan, PAIRS, l.pair[0], l.factor),
        FARSUM_OK);
    assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL), FARSUM_OK);
    run(plan, 0, 0, q, &all);
    out.energy = few.energy;
    assert_int_equal(farsum_plan_execute(plan, RHS, q, &out), FARSUM_OK);
    out.energy = NULL;
    out.virial = few.virial[0];
    assert_int_equal(farsum_plan_execute(plan, RHS, q, &out), FARSUM_OK);
    for (int r = 0; r < RHS; r++) {
        assert_true(fabs(few.energy[r] - all.energy[r])
                    <= 1e-12 * fabs(all.energy[r]));
        for (int k = 0; k < 9; k++)
            assert_true(fabs(few.virial[r][k] - all.virial[r][k])
                        <= 1e-12 * fabs(all.virial[r][0]));
    }
    farsum_plan_destroy(plan);
}

/* The fast multipole method in open space, targets apart or not. */
static void by_multipoles(void **state)
{
    (void)state;
    for (int m = 0; m <= 20; m += 20)
        for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
            farsum_problem p = make_problem(0, 0, m);
            farsum_options o = FARSUM_OPTIONS_INIT;
            farsum_plan *plan = NULL;
            p.tolerance = f == FARSUM_F64 ? 1e-6 : 1e-3;
            p.precision = (farsum_precision)f;
            p.arrays = FARSUM_F64;
            o.method = "fmm";
            o.device.handle = device;
            assert_int_equal(farsum_plan_create(&p, &o, &plan), FARSUM_OK);
            sequence(0, plan, 0, m, f == FARSUM_F64 ? 1e-12 : 1e-6);
        }
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (farsum_device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel),  cmocka_unit_test(targets_apart),
        cmocka_unit_test(arrays_there),  cmocka_unit_test(totals_alone),
        cmocka_unit_test(by_multipoles),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    farsum_device_close(device);
    return failed;
}
