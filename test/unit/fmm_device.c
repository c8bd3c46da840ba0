/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_device.c: tests of the method fmm on a device, FARSUM_TEST_DEVICE
 * (default: opencl:0): results equal the host's up to rounding, with the same
 * boxes and order. */
#include "unit/fmm_device.h"

#include <stdlib.h>
#include <string.h>

#include "device/buf.h"
#include "method/fmm/device/set_points.h"

/* Results for the next points, by one of the two ways to read them. */
static void gather(farsum_plan *plan, int by_reads)
{
    struct fmm *s = plan->state;
    s->gpu->gathers = by_reads ? 1 : -1;
}

static void as_on_the_host(void)
{
    for (int k = 0; k < TRIALS; k++)
        for (int wide = 0; wide < 2; wide++) {
            const struct trial *t = &trials[k];
            farsum_problem p =
                problem_of(t, wide ? FARSUM_F64 : FARSUM_F32);
            farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
            farsum_plan_info info_there = FARSUM_PLAN_INFO_INIT;
            fill(t);
            farsum_plan *one = plan_of(t, &p, 1), *two = plan_of(t, &p, 0);
            run(t, one, &p, &host);
            gather(two, (k + wide) % 2);
            run(t, two, &p, &there);
            same(t->name, t, &p, wide ? 1e-12 : 4e-6);
            CHECK_OK(farsum_plan_get_info(one, &info));
            CHECK_OK(farsum_plan_get_info(two, &info_there));
            CHECK_NEAR(info_there.estimated_error / info.estimated_error, 1,
                       1e-3);
            CHECK_NEAR(info_there.norm / info.norm, 1, 1e-3);
            CHECK_NEAR(info_there.net_strength, info.net_strength, 1e-9);
            farsum_plan_destroy(one);
            farsum_plan_destroy(two);
        }
}

/* Other points, other strengths, the first ones again: bitwise as before. */
static void again(const struct trial *t)
{
    static struct sums first;
    struct trial fewer = *t;
    farsum_problem p = problem_of(t, FARSUM_F64);
    fewer.n = 200;
    fill(t);
    farsum_plan *plan = plan_of(t, &p, 0);
    run(t, plan, &p, &first);
    run(&fewer, plan, &p, &there);
    q[0] += 1;
    run(t, plan, &p, &there);
    CHECK(memcmp(&there, &first, sizeof first) != 0, "a strength changed");
    q[0] -= 1;
    for (int k = 0; k < 3; k++) {
        run(t, plan, &p, &there);
        CHECK(memcmp(&there, &first, sizeof first) == 0, "sum %d differs", k);
    }
    farsum_plan_destroy(plan);
}

static void again_and_again(void)
{
    again(&trials[0]);
    again(&trials[SPARSE]);
}

static void put(struct buf *buf, const void *from, int64_t bytes)
{
    CHECK_OK(buf_alloc(buf, device->device, bytes));
    CHECK_OK(buf_upload(buf, 0, from, bytes));
}

/* If there are graphs, a repeated sum is one; it could not be if a part of it
 * ran on the host. */
static void is_kept(const struct trial *t, const farsum_plan *plan)
{
    const struct fmm *s = plan->state;
    const char *graphs = getenv("FARSUM_GRAPHS");
    if (!device->device->backend->record_begin
        || (graphs && strcmp(graphs, "0") == 0))
        return;
    CHECK(s->gpu->recording.whole && !s->gpu->recording.off,
          "%s: the sum is not kept as a whole", t->name);
}

/* Arrays on the device, and a sum that is repeated three times, so that it
 * becomes a graph if possible. */
static void arrays_of(const struct trial *trial)
{
    struct trial of_one = *trial;
    const struct trial *t = &of_one;
    of_one.rhs = 1;
    farsum_problem p = problem_of(t, FARSUM_F64);
    struct buf on[6] = {0};
    farsum_result r = FARSUM_RESULT_INIT;
    fill(t);
    farsum_plan *one = plan_of(t, &p, 1);
    run(t, one, &p, &host);
    p.memory = FARSUM_DEVICE;
    farsum_plan *two = plan_of(t, &p, 0);
    gather(two, t->leaf == 0);
    memset(&there, 0, sizeof there);
    put(&on[0], x, 24 * t->n);
    put(&on[1], q, 8 * t->n);
    put(&on[2], there.potential, 8 * t->n);
    put(&on[3], there.field, 24 * t->n);
    put(&on[4], there.energy, 8);
    put(&on[5], there.virial, 72);
    r.potential = on[2].handle;
    r.field = on[3].handle;
    r.energy = on[4].handle;
    r.virial = on[5].handle;
    CHECK_OK(farsum_plan_set_points(two, t->n, on[0].handle, 0, NULL));
    for (int k = 0; k < 3; k++)
        CHECK_OK(farsum_plan_execute(two, 1, on[1].handle, &r));
    CHECK_OK(farsum_plan_finish(two));
    is_kept(t, two);
    CHECK_OK(buf_download(&on[2], 0, there.potential, 8 * t->n));
    CHECK_OK(buf_download(&on[3], 0, there.field, 24 * t->n));
    CHECK_OK(buf_download(&on[4], 0, there.energy, 8));
    CHECK_OK(buf_download(&on[5], 0, there.virial, 72));
    same("arrays there", t, &p, 1e-12);
    q[7] = NAN;
    CHECK_OK(buf_upload(&on[1], 0, q, 8 * t->n));
    CHECK_OK(farsum_plan_execute(two, 1, on[1].handle, &r));
    CHECK_FAILS(farsum_plan_finish(two), FARSUM_ERR_STRENGTH);
    CHECK_SAYS("strength 7");
    farsum_plan_destroy(one);
    farsum_plan_destroy(two);
    for (int k = 0; k < 6; k++)
        buf_clear(&on[k]);
}

/* Moves nearly all points into a small part of their extent. */
static void clustering(const struct trial *t)
{
    for (int i = 0; i < 3 * (t->n - 10); i++)
        x[i] *= 0.04;
}

/* For clustered points a plan selects a sparse tree by itself, and a dense one
 * again for others; also with a variant that requires a sparse one. */
static void clustered_points(void)
{
    struct trial t = trials[3];
    for (int wide = 0; wide < 2; wide++) {
        farsum_options o = FARSUM_OPTIONS_INIT;
        farsum_problem p = problem_of(&t, wide ? FARSUM_F64 : FARSUM_F32);
        farsum_plan *plan[2];
        p.arrays = wide ? FARSUM_F64 : FARSUM_F32;
        p.sample_x = NULL;
        p.sample_q = NULL;
        o.method = "fmm";
        o.threads = 2;
        o.fmm.order = 6;
        o.repeats = 1e3; /* else the host's tree would not pay */
        for (int k = 0; k < 2; k++) {
            o.device.handle = k ? device : NULL;
            CHECK_OK(farsum_plan_create(&p, &o, &plan[k]));
        }
        for (int turn = 0; turn < 3; turn++) {
            static float x32[3 * MOST], q32[MOST], out[3 * MOST];
            farsum_plan_info info[2];
            fill(&t);
            if (turn == 1)
                clustering(&t);
            for (int i = 0; i < 3 * MOST; i++)
                x32[i] = (float)x[i];
            for (int i = 0; i < MOST; i++)
                q32[i] = (float)q[i];
            gather(plan[1], (turn + wide) % 2);
            for (int k = 0; k < 2; k++) {
                struct sums *to = k ? &there : &host;
                farsum_result r = result_of(&p, to);
                if (!wide) {
                    r = (farsum_result)FARSUM_RESULT_INIT;
                    r.field = out;
                }
                CHECK_OK(farsum_plan_set_points(
                    plan[k], t.n, wide ? (void *)x : x32, 0, NULL));
                CHECK_OK(farsum_plan_execute(plan[k], 1, wide ? (void *)q : q32,
                                             &r));
                for (int i = 0; !wide && i < 3 * t.n; i++)
                    to->field[i] = out[i];
                info[k] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
                CHECK_OK(farsum_plan_get_info(plan[k], &info[k]));
                CHECK(strcmp(info[k].tree, turn == 1 ? "sparse" : "dense") == 0,
                      "turn %d, %s tree", turn, info[k].tree);
            }
            /* other leaves, other errors */
            double e = off(3 * t.n, there.field, host.field);
            CHECK(e < 1e-3, "turn %d: fields are off by %.3g", turn, e);
        }
        farsum_plan_destroy(plan[0]);
        farsum_plan_destroy(plan[1]);
    }
    fill(&t);
    clustering(&t);
    farsum_problem p = problem_of(&t, FARSUM_F64);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    o.method = "fmm";
    o.fmm.order = 4;
    o.fmm.m2l = "gpu_symmetric";
    o.device.handle = device;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, t.n, x, 0, NULL));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.tree, "dense") == 0, "a %s tree", info.tree);
    farsum_plan_destroy(plan);
}

static void arrays_there(void)
{
    arrays_of(&trials[3]);
    arrays_of(&trials[SPARSE]);
}

static void refusals_say_why(void)
{
    const struct trial *t = &trials[0];
    farsum_problem p = problem_of(t, FARSUM_F64);
    fill(t);
    farsum_plan *plan = plan_of(t, &p, 0), *none = NULL;
    x[3 * 41] = x[0];
    x[3 * 41 + 1] = x[1];
    x[3 * 41 + 2] = x[2];
    CHECK_FAILS(farsum_plan_set_points(plan, t->n, x, 0, NULL),
                FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 0 and 41");
    x[3 * 41] = INFINITY;
    CHECK_FAILS(farsum_plan_set_points(plan, t->n, x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("source 41");
    fill(t);
    farsum_plan_destroy(plan);
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = "fmm";
    o.device.handle = device;
    o.fmm.tree = "sparse";
    o.fmm.m2l = "gpu_symmetric";
    p = problem_of(&trials[3], FARSUM_F64);
    CHECK_FAILS(farsum_plan_create(&p, &o, &none), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("dense trees");
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    CHECK_OK(farsum_device_open(name ? name : "opencl:0", &device));
    RUN(as_on_the_host);
    RUN(again_and_again);
    RUN(arrays_there);
    RUN(clustered_points);
    RUN(refusals_say_why);
    farsum_device_close(device);
    return check_end();
}
