/* SPDX-License-Identifier: Apache-2.0 */
/* verify_late.c: plans that create cannot check, without a sample or with
 * separate targets.  Their first sum is compared with a second sum.  Errors are
 * measured against the reference methods, at all targets.  On the host and, as
 *
 *     test_unit_verify_late device
 *
 * on FARSUM_TEST_DEVICE (default: opencl:0), with arrays on host and device. */
#include "device/buf.h"
#include "farsum/device.h"
#include "base/mem.h"
#include "plan/plan.h"
#include "verify_check.h"

static const char *device; /* NULL: the host */
static struct system s;
static int targets;        /* 0: the sources */
static double y[3 * MOST], v[3 * MOST], right[3 * MOST];

static void scatter(int m)
{
    uint64_t random = 29;
    targets = m;
    for (int i = 0; i < 3 * m; i++)
        y[i] = uniform(&random);
}

static farsum_problem late_problem(void)
{
    farsum_problem p = problem_of(&s);
    p.n_targets = targets;
    p.sample_x = p.sample_q = NULL;
    return p;
}

static farsum_result result_of(double *to)
{
    farsum_result r = FARSUM_RESULT_INIT;
    int potential = s.problem.error == FARSUM_ERROR_POTENTIAL;
    r.potential = potential ? to : NULL;
    r.field = !potential && s.strengths == 1 ? to : NULL;
    r.velocity = s.strengths > 1 ? to : NULL;
    return r;
}

static farsum_status points(farsum_plan *plan)
{
    return farsum_plan_set_points(plan, s.n, s.x, targets,
                                  targets ? y : NULL);
}

static farsum_status sum(farsum_plan *plan, double *to)
{
    farsum_result r = result_of(to);
    return farsum_plan_execute(plan, 1, s.q, &r);
}

static farsum_plan *make(farsum_options o)
{
    farsum_problem p = late_problem();
    farsum_plan *plan = NULL;
    o.method = o.method ? o.method : s.method;
    o.device.name = device;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(points(plan));
    return plan;
}

static farsum_plan_info info_of(const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    return info;
}

/* How far v is from a reference, over the norm or as it is; forces at the
 * sources, of targets apart by the RMS strength. */
static double measure(const farsum_plan *plan)
{
    farsum_problem p = late_problem();
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *other = NULL;
    int width = p.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
    int m = targets ? targets : s.n, force = s.strengths == 1 && width == 3;
    double square = 0, strength = rms(s.strengths * s.n, s.q, NULL);
    o.method = s.open ? "direct" : "ewald";
    p.precision = FARSUM_F64;
    p.tolerance = 1e-12;
    p.error = p.error == FARSUM_ERROR_ABSOLUTE ? 0 : p.error;
    CHECK_OK(farsum_plan_create(&p, &o, &other));
    CHECK_OK(points(other));
    CHECK_OK(sum(other, right));
    farsum_plan_destroy(other);
    for (int i = 0; i < width * m; i++)
        square += pow((v[i] - right[i])
                          * (!force ? 1 : targets ? strength : s.q[i / 3]),
                      2);
    double error = sqrt(square / m);
    return p.error != s.problem.error ? error : error / info_of(plan).norm;
}

static int unseen, seen; /* above the tolerance: estimates that were below it
                            unaided; sums that were announced */

/* The estimate is what is measured, and the sum is as it was. */
static void tells(const char *what)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    double plain[3 * MOST], tolerance = s.problem.tolerance;
    int numbers = (targets ? targets : s.n)
                  * (s.problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3);
    o.verify = FARSUM_VERIFY_OFF;
    farsum_plan *plan = make(o);
    CHECK_OK(sum(plan, plain));
    farsum_plan_info unaided = info_of(plan);
    CHECK(unaided.checked_error < 0 && unaided.checked_targets == 0
              && unaided.seconds_verify == 0,
          "%s: checked against its will", what);
    farsum_plan_destroy(plan);
    o.verify = 0;
    plan = make(o);
    CHECK(info_of(plan).checked_error < 0, "%s: checked before it summed",
          what);
    CHECK_OK(sum(plan, v));
    farsum_plan_info info = info_of(plan);
    CHECK(memcmp(v, plain, (size_t)numbers * sizeof *v) == 0,
          "%s: other results", what);
    double error = measure(plan), estimate = info.estimated_error;
    CHECK(info.checked_targets > 0 && info.seconds_verify > 0
              && fabs(info.checked_error - estimate) < 1e-12 * estimate,
          "%s: not checked: %g, estimated %g", what, info.checked_error,
          estimate);
    CHECK(error < 1e-13 || (error > estimate / 2 && error < estimate * 2),
          "%s: measured %.3g, estimated %.3g", what, error, estimate);
    CHECK(error <= tolerance || estimate > tolerance,
          "%s: %.3g, estimated %.3g, tolerance %g", what, error, estimate,
          tolerance);
    unseen += error > tolerance && unaided.estimated_error <= tolerance;
    seen += error > tolerance && estimate > tolerance;
    CHECK_OK(sum(plan, v)); /* once a plan */
    CHECK(info_of(plan).seconds_verify == info.seconds_verify
              && memcmp(v, plain, (size_t)numbers * sizeof *v) == 0,
          "%s: checked twice", what);
    farsum_plan_destroy(plan);
}

/* One large strength among a few. */
static void few(int seed, const char *kernel, double tolerance)
{
    uint64_t random = (uint64_t)seed;
    begin(&s, kernel, 24, 3, tolerance);
    s.problem.kernel = kernel;
    for (int i = 0; i < 3 * s.n; i++)
        s.x[i] = uniform(&random);
    for (int i = 0; i < 3 * s.n; i++)
        s.q[i] = normal(&random) * (i / 3 == 7 ? 100 : 1);
}

static void no_sample(void)
{
    targets = 0;
    for (int k = 3; k < 7; k++) {
        colloid(&s, pow(10, -k));
        tells("colloid");
    }
    colloid(&s, 1e-5);
    s.method = "fmm";
    tells("fmm");
    s.open = 1;
    tells("fmm in open space");
    colloid(&s, 1e-5);
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    tells("potential");
    colloid(&s, 0.05);
    s.problem.error = FARSUM_ERROR_ABSOLUTE;
    tells("absolute");
    huge(&s, 1e-6);
    tells("huge");
    few(1, "rotlet", 1e-5);
    tells("rotlet");
}

static void apart(void)
{
    unseen = seen = 0;
    for (int seed = 1; seed <= 5; seed++) {
        scatter(50);
        few(seed, "stokeslet", 2.4e-7);
        tells("stokeslet");
        few(seed, "rotlet", 2.4e-5);
        tells("rotlet");
    }
    CHECK(unseen > 0 && seen >= unseen,
          "%d sums were above and not announced unaided, now %d are", unseen,
          seen);
    colloid(&s, 1e-5);
    scatter(MOST); /* which are not all taken */
    tells("colloid");
    for (int d = 0; d < 3; d++) { /* one is all but on a source */
        y[3 * 400 + d] = s.x[d] + 1e-7;
        y[3 * 401 + d] = s.x[3 + d]; /* which is no pair */
    }
    tells("a target near a source");
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    tells("potential");
    s.problem.error = FARSUM_ERROR_ABSOLUTE;
    s.problem.tolerance = 0.05;
    tells("absolute");
    colloid(&s, 1e-5);
    s.method = "fmm";
    tells("fmm");
    s.open = 1;
    tells("fmm in open space");
}

static void f32(void)
{
    static float x[3 * MOST], q[MOST], at[3 * MOST], e[3 * MOST];
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    colloid(&s, 1e-4);
    scatter(200);
    for (int i = 0; i < 3 * MOST; i++) {
        x[i] = (float)s.x[i];
        at[i] = (float)y[i];
        q[i % MOST] = (float)s.q[i % MOST];
    }
    farsum_problem p = late_problem();
    p.arrays = p.precision = FARSUM_F32;
    r.field = e;
    o.device.name = device;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, s.n, x, targets, at));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
    farsum_plan_info info = info_of(plan);
    CHECK(info.checked_error > 1e-7 && info.checked_error < 1e-2,
          "f32: %g was measured", info.checked_error);
    farsum_plan_destroy(plan);
}

/* Exclusions, of sources and of targets apart; the errors are those of the
 * pairs that are left. */
static void excluded(void)
{
    static int64_t pairs[2 * MOST];
    static double factors[MOST];
    for (int m = 0; m <= 300; m += 300) {
        colloid(&s, 1e-5);
        scatter(m);
        for (int k = 0; k < 300; k++) {
            pairs[2 * k] = k;
            pairs[2 * k + 1] = m ? (7 * k) % s.n : 300 + k;
            factors[k] = k % 2 ? 0 : 0.5;
        }
        farsum_options o = FARSUM_OPTIONS_INIT;
        farsum_plan *plan = make(o);
        CHECK_OK(farsum_plan_set_exclusions(plan, 300, pairs, factors));
        CHECK_OK(sum(plan, v));
        double error = info_of(plan).checked_error;
        CHECK(error > 0 && error < 1e-3, "%d targets, excluded: %g", m, error);
        farsum_plan_destroy(plan);
    }
}

/* Nothing is summed, or not what the tolerance is of: the next sum is looked
 * at; of several right-hand sides the last, which info tells of. */
static void later(void)
{
    double energy, none[MOST] = {0}, both[2 * MOST];
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    static double two[6 * MOST];
    targets = 0;
    colloid(&s, 1e-5);
    s.problem.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    farsum_problem p = late_problem();
    p.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    farsum_plan *plan = NULL;
    o.device.name = device;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(points(plan));
    r.energy = &energy;
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &r));
    CHECK(info_of(plan).checked_error < 0, "an energy was checked");
    r.energy = NULL;
    r.field = v;
    CHECK_OK(farsum_plan_execute(plan, 1, none, &r));
    CHECK(info_of(plan).checked_error < 0, "nothing was checked");
    for (int i = 0; i < s.n; i++) {
        both[i] = 0;
        both[s.n + i] = s.q[i];
    }
    r.field = two;
    CHECK_OK(farsum_plan_execute(plan, 2, both, &r));
    farsum_plan_info info = info_of(plan);
    CHECK(info.checked_error > 0 && info.checked_error < 1e-2,
          "of two right-hand sides %g", info.checked_error);
    memcpy(v, two + 3 * s.n, (size_t)(3 * s.n) * sizeof *v);
    double error = measure(plan);
    CHECK(error > info.checked_error / 2 && error < info.checked_error * 2,
          "measured %.3g, checked %.3g", error, info.checked_error);
    farsum_plan_destroy(plan);
}

static int warnings, skips;
static void log_line(const char *line, void *data)
{
    (void)data;
    warnings += strstr(line, "WARNING: the estimated error") != NULL;
    skips += strstr(line, "not checked by a second sum") != NULL;
}

/* A sum that the check finds above the tolerance is announced, or fails with
 * its results. */
static void excess(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.log = log_line;
    scatter(50);
    for (int seed = 1; seed <= 5; seed++) {
        few(seed, "stokeslet", 2.4e-7);
        o.on_excess = FARSUM_EXCESS_SAY;
        warnings = 0;
        plan = make(o);
        CHECK_OK(sum(plan, v));
        int is = info_of(plan).checked_error > s.problem.tolerance;
        CHECK(warnings == is, "%d warnings", warnings);
        farsum_plan_destroy(plan);
        if (!is)
            continue;
        o.on_excess = FARSUM_EXCESS_FAIL;
        memset(v, 0, sizeof v);
        plan = make(o);
        CHECK_FAILS(sum(plan, v), FARSUM_ERR_TOLERANCE);
        CHECK(v[0] != 0, "the results are missing");
        farsum_plan_destroy(plan);
        return;
    }
    CHECK(0, "no sum is above its tolerance");
}

static int stop;
static int hear(int64_t done, int64_t all, const char *what, void *data)
{
    (void)done;
    (void)all;
    (void)data;
    return stop && strstr(what, "wald") != NULL; /* the second sum */
}

/* A caller who stops the check stops the sum: outputs stay, and the plan may
 * be used.  Of so many particles the check is long enough to be heard. */
static void stopped(void)
{
    enum { MANY = 200000 };
    uint64_t random = 31;
    double *x = check_memory(4 * MANY, sizeof *x), *q = x + 3 * MANY;
    double *phi = check_memory(MANY, sizeof *phi);
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = 1;
    }
    for (int i = 0; i < 4 * MANY; i++)
        x[i] = uniform(&random);
    memset(phi, 0, MANY * sizeof *phi);
    p.n_sources = MANY;
    p.tolerance = 1e-4;
    p.outputs = FARSUM_POTENTIAL;
    p.error = FARSUM_ERROR_POTENTIAL;
    r.potential = phi;
    o.progress = hear;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, MANY, x, 0, NULL));
    stop = 1;
    CHECK_FAILS(farsum_plan_execute(plan, 1, q, &r), FARSUM_ERR_STATE);
    CHECK_SAYS("stopped");
    CHECK(phi[0] == 0 && phi[MANY - 1] == 0, "outputs were touched");
    stop = 0;
    CHECK_OK(farsum_plan_set_points(plan, MANY, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
    CHECK(phi[0] != 0 && info_of(plan).checked_error > 0, "not checked");
    farsum_plan_destroy(plan);
    free(x);
    free(phi);
}

/* A check that finds no memory is left out with a word. */
static void no_memory(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    targets = 0;
    colloid(&s, 1e-5);
    o.log = log_line;
    farsum_plan *plan = make(o);
    skips = 0;
    mem_fail_at(1);
    CHECK_OK(sum(plan, v));
    mem_fail_at(0);
    CHECK(skips == 1 && info_of(plan).checked_error < 0, "%d words", skips);
    CHECK_OK(sum(plan, v));
    CHECK(info_of(plan).checked_error < 0, "checked after all");
    farsum_plan_destroy(plan);
    o.verify = 1;
    plan = make(o);
    mem_fail_at(1);
    CHECK_FAILS(sum(plan, v), FARSUM_ERR_MEMORY);
    mem_fail_at(0);
    CHECK_OK(sum(plan, v));
    CHECK(info_of(plan).checked_error > 0, "not checked");
    farsum_plan_destroy(plan);
}

/* The caller's array on the device. */
static void there(struct buf *buf, struct device *on, const void *from,
                  int numbers)
{
    CHECK_OK(buf_alloc(buf, on, numbers * 8));
    CHECK_OK(buf_upload(buf, 0, from, numbers * 8));
}

/* Arrays on the device: finish checks what the last execute has summed, and
 * does so when the arrays have changed since. */
static void arrays_there(void)
{
    static const double nothing[6 * MOST];
    farsum_device *opened = NULL;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    struct buf x = {0}, at = {0}, q = {0}, e = {0};
    CHECK_OK(farsum_device_open(device, &opened));
    for (int m = 0; m <= 200; m += 200) {
        colloid(&s, 1e-5);
        scatter(m);
        farsum_problem p = late_problem();
        farsum_result r = FARSUM_RESULT_INIT;
        int results = 3 * (m ? m : s.n);
        p.memory = FARSUM_DEVICE;
        p.outputs = FARSUM_FIELD;
        o.device.handle = opened;
        there(&x, opened->device, s.x, 3 * s.n);
        there(&at, opened->device, y, 3 * MOST);
        there(&q, opened->device, s.q, s.n);
        there(&e, opened->device, nothing, results);
        r.field = e.handle;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        CHECK_OK(farsum_plan_set_points(plan, s.n, x.handle, m,
                                        m ? at.handle : NULL));
        CHECK_OK(buf_fill(&x, 0xff)); /* which is no number */
        CHECK_OK(farsum_plan_execute(plan, 1, q.handle, &r));
        CHECK_OK(buf_download(&e, 0, v, results * 8));
        CHECK_OK(buf_fill(&q, 0xff));
        CHECK_OK(buf_fill(&e, 0xff));
        CHECK_OK(farsum_plan_finish(plan));
        farsum_plan_info info = info_of(plan);
        device = NULL; /* of the reference */
        double error = measure(plan);
        CHECK(fabs(info.checked_error - info.estimated_error) < 1e-12 * error
                  && error > info.checked_error / 2
                  && error < info.checked_error * 2,
              "%d targets: measured %.3g, checked %.3g, estimated %.3g", m,
              error, info.checked_error, info.estimated_error);
        device = opened->device->name;
        farsum_plan_destroy(plan);
    }
    buf_clear(&x);
    buf_clear(&at);
    buf_clear(&q);
    buf_clear(&e);
    farsum_device_close(opened);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        device = getenv("FARSUM_TEST_DEVICE");
        device = device ? device : "opencl:0";
        RUN(f32);
        RUN(excluded);
        RUN(arrays_there);
        return check_end();
    }
    RUN(no_sample);
    RUN(apart);
    RUN(f32);
    RUN(excluded);
    RUN(later);
    RUN(excess);
    RUN(stopped);
    RUN(no_memory);
    return check_end();
}
