/* SPDX-License-Identifier: Apache-2.0 */
/* api_device_queues.c: tests of a whole sum on a device: near pairs
 * concurrently with the mesh in a second queue, skipped parts that a result
 * does not require, repeatable sums. */
#include "api_device.h"

#include "method/spectral/device.h"

/* Results of one right-hand side, one after another. */
enum { PACKED = 4 * N + 10 };
static const unsigned potentials =
    FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;

static void packed(farsum_plan *plan, unsigned outputs, const double *q,
                   double out[PACKED])
{
    farsum_result r = FARSUM_RESULT_INIT;
    memset(out, 0, PACKED * sizeof *out);
    r.potential = outputs & FARSUM_POTENTIAL ? out : NULL;
    r.field = outputs & FARSUM_FIELD ? out + N : NULL;
    r.energy = outputs & FARSUM_ENERGY ? out + 4 * N : NULL;
    r.virial = outputs & FARSUM_VIRIAL ? out + 4 * N + 1 : NULL;
    r.velocity = outputs & FARSUM_VELOCITY ? out : NULL;
    CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
    CHECK_OK(farsum_plan_finish(plan));
}

/* Strengths of any kernel. */
static void strengths(double *q, uint64_t seed)
{
    for (int i = 0; i < 6 * N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        q[i] = (double)(seed >> 40) * 0x1p-24 - 0.5;
    }
}

static farsum_plan *plan_for(struct box *b, const char *kernel,
                             const farsum_options *options)
{
    int flow = kernel && strcmp(kernel, "laplace") != 0;
    b->problem.kernel = kernel;
    b->problem.outputs = flow ? FARSUM_VELOCITY : potentials;
    b->problem.sample_x = b->problem.sample_q = NULL;
    farsum_plan *plan = plan_of(&b->problem, options);
    CHECK_OK(farsum_plan_set_points(plan, N, b->x, 0, NULL));
    return plan;
}

static double apart(const double *a, const double *b, int n)
{
    double most = 0, scale = 0;
    for (int i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        most = d <= most ? most : d;
        scale = fmax(scale, fabs(b[i]));
    }
    return most / scale;
}

static farsum_plan_info info_of(const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    return info;
}

/* Options that name a plan's choices: plans with two queues and with one choose
 * different cutoffs. */
static void chosen_by(const farsum_plan *plan, farsum_options *options)
{
    const farsum_plan_info info = info_of(plan);
    parameters(&info, options);
    for (int s = 0; s < info.n_stages; s++)
        if (strcmp(info.stages[s].stage, "near") == 0)
            options->spectral.near = info.stages[s].variant;
}

/* Two queues agree with one, repeatedly: the first execute enqueues each step,
 * later ones may replay a graph. */
static void agree(const char *kernel, farsum_precision precision)
{
    static double q[6 * N], one[PACKED], two[PACKED];
    struct box b;
    farsum_options options = on(device);
    box_set(&b);
    b.problem.precision = precision;
    b.problem.arrays = FARSUM_F64;
    farsum_plan *beside = plan_for(&b, kernel, &options);
    chosen_by(beside, &options);
    options.device.queues = 1;
    farsum_plan *alone = plan_for(&b, kernel, &options);
    unsigned outputs = b.problem.outputs;
    int n = outputs & FARSUM_VELOCITY ? 3 * N : PACKED;
    CHECK(info_of(alone).queues == 1 && info_of(beside).queues == 2,
          "%d and %d queues", info_of(alone).queues, info_of(beside).queues);
    for (int k = 0; k < 6; k++) {
        strengths(q, (uint64_t)(k / 4));
        packed(alone, outputs, q, one);
        packed(beside, outputs, q, two);
        double off = apart(two, one, n);
        CHECK(off <= (precision == FARSUM_F32 ? 1e-5 : 1e-12),
              "%s, execute %d: off by %g", kernel, k, off);
    }
    farsum_plan_info info = info_of(beside);
    double longest = 0;
    for (int s = 0; s < info.n_stages; s++)
        longest = fmax(longest, info.stages[s].seconds);
    CHECK(longest > 0 && info.seconds_stages >= longest,
          "all take %g s, one of them %g s", info.seconds_stages, longest);
    farsum_plan_destroy(alone);
    farsum_plan_destroy(beside);
}

void two_queues(void)
{
    struct box b;
    farsum_plan *plan = NULL;
    agree("laplace", FARSUM_F64);
    agree("laplace", FARSUM_F32);
    agree("stokeslet", FARSUM_F64);
    agree("stresslet", FARSUM_F64);
    box_set(&b);
    farsum_options options = on(NULL);
    options.device.queues = 2;
    CHECK_FAILS(farsum_plan_tune(&b.problem, &options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("queues = 2");
    options.device.queues = 3;
    CHECK_FAILS(farsum_plan_tune(&b.problem, &options, &plan),
                FARSUM_ERR_ARGUMENT);
}

/* An energy or a virial by itself equals that with all outputs, and needs no
 * inverse transform and no interpolation; host and device. */
static void left_out(farsum_device *where)
{
    static double q[6 * N], all[PACKED], some[PACKED];
    static const unsigned parts[] = {FARSUM_ENERGY, FARSUM_VIRIAL,
                                     FARSUM_ENERGY | FARSUM_VIRIAL};
    struct box b;
    farsum_options options = on(where);
    options.deterministic = 1;
    box_set(&b);
    strengths(q, 5);
    farsum_plan *plan = plan_for(&b, "laplace", &options);
    const struct spectral *s = plan->state;
    packed(plan, potentials, q, all);
    CHECK(info_of(plan).stages[STAGE_INTERP].seconds > 0, "no interpolation");
    CHECK(!where || s->gpu->ran_back, "no transform back");
    for (int k = 0; k < 3; k++)
        for (int times = 0; times < 3; times++) {
            packed(plan, parts[k], q, some);
            CHECK(info_of(plan).stages[STAGE_INTERP].seconds == 0,
                  "interpolation took %g s",
                  info_of(plan).stages[STAGE_INTERP].seconds);
            CHECK(!where || !s->gpu->ran_back, "a transform back");
            for (int i = 0; i < 10; i++) {
                int wanted = parts[k]
                             & (i ? FARSUM_VIRIAL : FARSUM_ENERGY);
                double v = wanted ? all[4 * N + i] : 0;
                CHECK(fabs(some[4 * N + i] - v) <= 1e-13 * fabs(all[4 * N]),
                      "part %d, number %d: %.17g, not %.17g", k, i,
                      some[4 * N + i], v);
            }
        }
    /* the virial's trace is the energy: 1/r is homogeneous of degree -1 */
    double trace = all[4 * N + 1] + all[4 * N + 5] + all[4 * N + 9];
    CHECK(fabs(trace - all[4 * N]) <= 1e-3 * fabs(all[4 * N]),
          "trace %.10g, energy %.10g", trace, all[4 * N]);
    farsum_plan_destroy(plan);
}

void parts_alone(void)
{
    left_out(NULL);
    left_out(device);
}

/* One plan for moving points keeps its memory, kernels and tables, and agrees
 * with a new plan.  If there are graphs, a repeated sum is one; it could not be
 * if a part of it ran on the host. */
void points_that_move(void)
{
    static double q[6 * N], found[PACKED], wanted[PACKED];
    struct box b;
    farsum_options options = on(device);
    box_set(&b);
    farsum_plan *plan = plan_for(&b, "laplace", &options);
    const struct spectral *s = plan->state;
    int64_t held = device->device->bytes, kernels = device->device->unloaded;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3 * N; i++)
            b.x[i / 3][i % 3] += 0.05 * sin(1.0 + i * (k + 1));
        CHECK_OK(farsum_plan_set_points(plan, N, b.x, 0, NULL));
        for (int again = 0; again < 3; again++) {
            strengths(q, (uint64_t)(3 * k + again));
            packed(plan, potentials, q, found);
        }
        CHECK(device->device->bytes == held
                  && device->device->unloaded == kernels,
              "step %d: %lld bytes, %lld before", k,
              (long long)device->device->bytes, (long long)held);
        farsum_plan *fresh = plan_for(&b, "laplace", &options);
        packed(fresh, potentials, q, wanted);
        farsum_plan_destroy(fresh);
        kernels = device->device->unloaded; /* the other plan's were unloaded */
        double off = apart(found, wanted, PACKED);
        CHECK(off <= 1e-12, "step %d: off by %g", k, off);
    }
    const char *graphs = getenv("FARSUM_GRAPHS");
    if (device->device->backend->record_begin
        && !(graphs && strcmp(graphs, "0") == 0))
        CHECK(s->gpu->recording.whole && !s->gpu->recording.off,
              "the sum is not kept as a whole");
    farsum_plan_destroy(plan);
}

/* With `deterministic`, whole executes repeat bitwise: immediately, after other
 * strengths, and after set_points. */
static void repeats(const char *kernel, farsum_device *where, int queues,
                    farsum_precision precision)
{
    static double q[6 * N], other[6 * N], first[PACKED], again[PACKED];
    struct box b;
    farsum_options options = on(where);
    options.deterministic = 1;
    options.device.queues = queues;
    box_set(&b);
    b.problem.precision = precision;
    b.problem.arrays = FARSUM_F64;
    strengths(q, 11);
    strengths(other, 12);
    farsum_plan *plan = plan_for(&b, kernel, &options);
    unsigned outputs = b.problem.outputs;
    farsum_plan_info info = info_of(plan);
    for (int s = 0; s < info.n_stages; s++)
        CHECK(info.stages[s].deterministic, "%s %s", info.stages[s].stage,
              info.stages[s].variant);
    packed(plan, outputs, q, first);
    for (int k = 0; k < 6; k++) {
        if (k == 3)
            packed(plan, outputs, other, again);
        if (k == 4)
            CHECK_OK(farsum_plan_set_points(plan, N, b.x, 0, NULL));
        packed(plan, outputs, q, again);
        CHECK(memcmp(first, again, sizeof first) == 0,
              "%s on %s, %d queues: execute %d is off by %g", kernel,
              where ? name : "the host", queues, k,
              apart(again, first, PACKED));
    }
    farsum_plan_destroy(plan);
}

void repeats_bitwise(void)
{
    static const char *const kernels[] = {"laplace", "stokeslet", "stresslet"};
    struct box b;
    farsum_plan *plan = NULL;
    for (int k = 0; k < 3; k++)
        for (int f32 = 0; f32 < 2; f32++) {
            farsum_precision p = f32 ? FARSUM_F32 : FARSUM_F64;
            repeats(kernels[k], NULL, 0, p);
            repeats(kernels[k], device, 2, p);
        }
    repeats("laplace", device, 1, FARSUM_F64);
    /* a variant whose sums do not repeat is refused */
    farsum_options options = on(device);
    options.deterministic = 1;
    options.spectral.spread = "gpu_particle";
    box_set(&b);
    CHECK_FAILS(farsum_plan_tune(&b.problem, &options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("gpu_particle: its sums do not repeat bitwise");
}
