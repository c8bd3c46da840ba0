/* The method fmm on a device, FARSUM_TEST_DEVICE ("opencl:0" if it is not set):
 * as on the host to rounding, boxes and order the same. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "farsum/device.h"
#include "method/fmm.h"
#include "plan.h"

enum { MOST = 700, RHS = 2 };

static farsum_device *device;
static uint64_t seed;

static double uniform(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

struct sums {
    double potential[RHS * MOST], field[3 * RHS * MOST], energy[RHS];
    double virial[9 * RHS];
};

static struct sums host, there;
static double x[3 * MOST], y[3 * MOST], q[RHS * MOST];

struct trial {
    const char *name;
    int n, m, rhs;
    double edge[3];  /* of a periodic cell; 0: open */
    int clustered, vacuum;
    int order, levels, boxes[3];
    int leaf; /* of a sparse tree; 0: a dense one */
};

static const struct trial trials[] = {
    {"cube", 500, 0, 1, {5, 5, 5}, 0, 0, 4, 2, {2, 2, 2}, 0},
    {"charged brick in vacuum", 300, 0, 2, {4, 6, 9}, 0, 1, 4, 1, {3, 4, 6}, 0},
    {"one box and its images", 60, 0, 1, {2, 2, 2}, 0, 0, 4, 1, {1, 1, 1}, 0},
    {"open", 600, 0, 1, {0}, 0, 0, 4, 3, {1, 1, 1}, 0},
    {"open, clustered, targets", 400, 90, 2, {0}, 1, 0, 4, 3, {1, 1, 1}, 0},
    {"targets in a brick", 300, 70, 2, {4, 6, 9}, 0, 0, 4, 2, {2, 3, 4}, 0},
    {"sparse", 700, 0, 2, {0}, 1, 0, 4, 0, {1, 1, 1}, 6},
    {"sparse, targets", 500, 150, 1, {0}, 1, 0, 3, 16, {2, 1, 3}, 4},
    {"sparse, not deep", 300, 0, 1, {0}, 1, 0, 4, 2, {3, 3, 2}, 5},
    {"two", 2, 0, 1, {0}, 0, 0, 4, 1, {1, 1, 1}, 0},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static void fill(const struct trial *t)
{
    seed = 21;
    for (int i = 0; i < 3 * MOST; i++) {
        double u = uniform(), v = uniform();
        double edge = t->edge[0] > 0 ? t->edge[i % 3] : 3;
        if (t->clustered)
            u = u * u * u * u;
        x[i] = edge * (u - 0.25);
        y[i] = edge * (v - 0.25);
    }
    for (int i = 0; i < RHS * MOST; i++)
        q[i] = i % 3 - 0.75;
}

static farsum_problem problem_of(const struct trial *t,
                                 farsum_precision precision)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3 && t->edge[0] > 0; d++) {
        p.cell[4 * d] = t->edge[d];
        p.periodic[d] = 1;
    }
    p.n_sources = t->n;
    p.n_targets = t->m;
    p.sample_x = x;
    p.sample_q = q;
    p.tolerance = 1e-2;
    p.coulomb = 7;
    p.precision = precision;
    p.arrays = FARSUM_F64;
    p.surface = t->vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    if (t->m == 0)
        p.outputs |= FARSUM_ENERGY | (t->edge[0] > 0 ? 0 : FARSUM_VIRIAL);
    return p;
}

static farsum_plan *plan_queues(const struct trial *t, const farsum_problem *p,
                                int here, int queues)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = "fmm";
    o.threads = 2;
    o.order = t->order;
    o.levels = t->levels;
    o.tree = t->leaf > 0 ? "sparse" : "dense";
    o.leaf = t->leaf;
    /* of one row's kind on both sides: plane waves leave an error of theirs */
    o.m2l = here ? "host_dense" : "gpu_dense";
    for (int d = 0; d < 3; d++)
        o.boxes[d] = t->boxes[d];
    if (!here) {
        o.on_device = device;
        o.queues = queues;
    }
    CHECK_OK(farsum_plan_create(p, &o, &plan));
    return plan;
}

static farsum_plan *plan_of(const struct trial *t, const farsum_problem *p,
                            int here)
{
    return plan_queues(t, p, here, 0);
}

static farsum_result result_of(const farsum_problem *p, struct sums *s)
{
    farsum_result r = FARSUM_RESULT_INIT;
    memset(s, 0, sizeof *s);
    r.potential = s->potential;
    r.field = s->field;
    r.energy = p->outputs & FARSUM_ENERGY ? s->energy : NULL;
    r.virial = p->outputs & FARSUM_VIRIAL ? s->virial : NULL;
    return r;
}

static void run(const struct trial *t, farsum_plan *plan,
                const farsum_problem *p, struct sums *to)
{
    farsum_result r = result_of(p, to);
    CHECK_OK(farsum_plan_set_points(plan, t->n, x, t->m, t->m ? y : NULL));
    CHECK_OK(farsum_plan_execute(plan, t->rhs, q, &r));
}

/* On a device the estimate is of boxes that are filled evenly; here again by
 * that. */
static void estimate_even(const struct trial *t, farsum_plan *plan,
                          const farsum_problem *p, struct sums *to)
{
    struct fmm *s = plan->state;
    farsum_result r = result_of(p, to);
    s->crowd.listed = 0;
    CHECK_OK(farsum_plan_execute(plan, t->rhs, q, &r));
}

static double off(int n, const double *a, const double *b)
{
    double error = 0, size = 0;
    for (int i = 0; i < n; i++) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return size > 0 ? sqrt(error / size) : sqrt(error);
}

static void same(const char *name, const struct trial *t,
                 const farsum_problem *p, double bound)
{
    int out = t->rhs * (t->m ? t->m : t->n);
    double phi = off(out, there.potential, host.potential);
    double e = off(3 * out, there.field, host.field);
    /* near and far parts of a net strength cancel */
    CHECK(phi < 12 * bound, "%s: potentials are off by %.3g", name, phi);
    CHECK(e < bound, "%s: fields are off by %.3g", name, e);
    if (p->outputs & FARSUM_ENERGY)
        for (int r = 0; r < t->rhs; r++)
            CHECK_NEAR(there.energy[r] / host.energy[r], 1, 20 * bound);
    if (p->outputs & FARSUM_VIRIAL) {
        double w = off(9 * t->rhs, there.virial, host.virial);
        CHECK(w < 20 * bound, "%s: the virial is off by %.3g", name, w);
    }
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
            run(t, two, &p, &there);
            same(t->name, t, &p, wide ? 1e-12 : 4e-6);
            estimate_even(t, one, &p, &host);
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

/* Other points, other strengths, the first ones again: bit by bit what they
 * were. */
static void again_and_again(void)
{
    static struct sums first;
    const struct trial *t = &trials[0];
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

static void put(struct buf *buf, const void *from, int64_t bytes)
{
    CHECK_OK(buf_alloc(buf, device->device, bytes));
    CHECK_OK(buf_upload(buf, 0, from, bytes));
}

/* Arrays on the device, and a sum that is asked for three times, so that it is
 * kept where sums can be. */
static void arrays_there(void)
{
    const struct trial *t = &trials[3];
    farsum_problem p = problem_of(t, FARSUM_F64);
    struct buf on[6] = {0};
    farsum_result r = FARSUM_RESULT_INIT;
    fill(t);
    farsum_plan *one = plan_of(t, &p, 1);
    run(t, one, &p, &host);
    p.memory = FARSUM_DEVICE;
    farsum_plan *two = plan_of(t, &p, 0);
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

/* Nearly all in a small part of what they fill. */
static void crowd(const struct trial *t)
{
    for (int i = 0; i < 3 * (t->n - 10); i++)
        x[i] *= 0.04;
}

/* A sparse tree where the points are crowded, though none is named, and a dense
 * one again where they are not; one on a row that needs it. */
static void crowded_points(void)
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
        o.order = 6;
        o.repeats = 1e3; /* few points: the host's tree else does not pay */
        for (int k = 0; k < 2; k++) {
            o.on_device = k ? device : NULL;
            CHECK_OK(farsum_plan_create(&p, &o, &plan[k]));
        }
        for (int turn = 0; turn < 3; turn++) {
            static float x32[3 * MOST], q32[MOST], out[3 * MOST];
            farsum_plan_info info[2];
            fill(&t);
            if (turn == 1)
                crowd(&t);
            for (int i = 0; i < 3 * MOST; i++)
                x32[i] = (float)x[i];
            for (int i = 0; i < MOST; i++)
                q32[i] = (float)q[i];
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
    crowd(&t);
    farsum_problem p = problem_of(&t, FARSUM_F64);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    o.method = "fmm";
    o.order = 4;
    o.m2l = "gpu_symmetric";
    o.on_device = device;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, t.n, x, 0, NULL));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.tree, "dense") == 0, "a %s tree", info.tree);
    farsum_plan_destroy(plan);
}

enum { PAIRS = 40 };

/* Points are in no order: pairs at all distances; factors of all kinds. */
static void pairs_of(const struct trial *t, int64_t pair[PAIRS][2],
                     double factor[PAIRS])
{
    for (int k = 0; k < PAIRS; k++) {
        pair[k][0] = t->m ? k % t->m : k;
        pair[k][1] = k % 2 ? k + 1 : k + 3;
        factor[k] = k % 3 ? 0.2 * (k % 5) : 0;
    }
}

/* As on the host: before the points, after them, others, none again. */
static void exclusions(void)
{
    static struct sums whole;
    int64_t pair[PAIRS][2];
    double factor[PAIRS];
    for (int k = 0; k + 1 < TRIALS; k++)
        for (int queues = 1 + k % 2; queues <= 2; queues += 1 + (k > 0)) {
            const struct trial *t = &trials[k];
            farsum_problem p = problem_of(t, FARSUM_F64);
            fill(t);
            pairs_of(t, pair, factor);
            farsum_plan *one = plan_of(t, &p, 1);
            run(t, one, &p, &whole);
            p.n_exclusions = PAIRS / 2;
            p.exclusions = pair[0];
            p.exclusion_factors = factor;
            farsum_plan *two = plan_queues(t, &p, 0, queues);
            CHECK_OK(
                farsum_plan_set_exclusions(one, PAIRS / 2, pair[0], factor));
            for (int turn = 0; turn < 3; turn++) {
                const double *f = turn == 1 ? NULL : factor;
                if (turn == 1)
                    x[3] += 0.01; /* the rows stay, the order may not */
                if (turn == 2) {
                    CHECK_OK(
                        farsum_plan_set_exclusions(one, PAIRS, pair[0], f));
                    CHECK_OK(
                        farsum_plan_set_exclusions(two, PAIRS, pair[0], f));
                }
                run(t, one, &p, &host);
                run(t, two, &p, &there);
                same(t->name, t, &p, 1e-12);
            }
            x[3] -= 0.01;
            CHECK(off(t->n, host.potential, whole.potential) > 1e-3,
                  "%s: exclusions do nothing", t->name);
            CHECK_OK(farsum_plan_set_exclusions(two, 0, NULL, NULL));
            run(t, two, &p, &there);
            host = whole;
            same(t->name, t, &p, 1e-12);
            farsum_plan_destroy(one);
            farsum_plan_destroy(two);
        }
}

/* Pairs a thousandth of their neighbours' distance apart, f32: what is left has
 * an error of the pair's last bits, not of its distance's. */
static void excluded_close_pairs(void)
{
    enum { CLOSE = 20 };
    const double apart = 1e-3;
    int64_t pair[CLOSE][2];
    for (int k = 0; k < TRIALS - 1; k++) {
        struct trial even = trials[k];
        const struct trial *t = &even;
        even.clustered = 0; /* else other pairs are as close */
        if (t->m > 0)
            continue;
        farsum_problem p = problem_of(t, FARSUM_F64);
        fill(t);
        for (int i = 0; i < CLOSE; i++) {
            pair[i][0] = i;
            pair[i][1] = t->n - 1 - i;
            for (int d = 0; d < 3; d++)
                x[3 * pair[i][1] + d] = x[3 * i + d] + (d == i % 3) * apart;
        }
        farsum_plan *one = plan_of(t, &p, 1);
        CHECK_OK(farsum_plan_set_exclusions(one, CLOSE, pair[0], NULL));
        run(t, one, &p, &host);
        p = problem_of(t, FARSUM_F32);
        farsum_plan *two = plan_of(t, &p, 0);
        CHECK_OK(farsum_plan_set_exclusions(two, CLOSE, pair[0], NULL));
        run(t, two, &p, &there);
        double last = 7 * 6e-8 / (apart * apart), off_most = 0, most = 0;
        for (int i = 0; i < 3 * t->n; i++) {
            off_most = fmax(off_most, fabs(there.field[i] - host.field[i]));
            most = fmax(most, fabs(host.field[i]));
        }
        CHECK(off_most < 30 * last + 1e-5 * most,
              "%s: the field is off by %g, a pair's last bit is %g", t->name,
              off_most, last);
        farsum_plan_destroy(one);
        farsum_plan_destroy(two);
    }
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
    o.on_device = device;
    o.tree = "sparse";
    o.m2l = "gpu_symmetric";
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
    RUN(crowded_points);
    RUN(exclusions);
    RUN(excluded_close_pairs);
    RUN(refusals_say_why);
    farsum_device_close(device);
    return check_end();
}
