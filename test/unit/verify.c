/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c: tests of plans that are checked by a second sum: strengths that are
 * ordered in space, near pairs, one large strength.  Errors are measured
 * against the reference methods, at all particles.  On the host and, as
 *
 *     test_unit_verify device
 *
 * on FARSUM_TEST_DEVICE (default: opencl:0). */
#include "verify_check.h"

static const char *device; /* NULL: the host */
static int above; /* sums that without the check are above their tolerance */

/* A near pair among others. */
static void pair(struct system *s, double distance, int strengths,
                 double tolerance)
{
    uint64_t random = 5;
    begin(s, "pair", 64, strengths, tolerance);
    for (int i = 0; i < 3 * s->n; i++)
        s->x[i] = uniform(&random);
    for (int d = 0; d < 3; d++)
        s->x[3 + d] = s->x[d] + (d == 0 ? distance : 0);
    for (int i = 0; i < strengths * s->n; i++)
        s->q[i] = normal(&random);
}

/* Vectors on a lattice, a little off. */
static void jitter(struct system *s, const char *kernel, double tolerance)
{
    uint64_t random = 3;
    begin(s, kernel, 125, 3, tolerance);
    s->problem.kernel = kernel;
    for (int i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++) {
            int place = d == 0 ? i % 5 : d == 1 ? i / 5 % 5 : i / 25;
            s->x[3 * i + d] = (place + 0.3 * uniform(&random)) / 5;
            s->q[3 * i + d] = normal(&random) + 2;
        }
}

/* One sign, and screening longer than the cell. */
static void yukawa(struct system *s, double tolerance)
{
    uint64_t random = 13;
    begin(s, "yukawa", 200, 1, tolerance);
    s->problem.kernel = "yukawa";
    s->problem.kappa = 0.05;
    for (int i = 0; i < 3 * s->n; i++)
        s->x[i] = uniform(&random);
    for (int i = 0; i < s->n; i++)
        s->q[i] = uniform(&random);
}

/* What the tolerance is of: potentials, forces or velocities. */
static farsum_status sum(const struct system *s, farsum_plan *plan, double *v)
{
    int potential = s->problem.error == FARSUM_ERROR_POTENTIAL;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_status status = farsum_plan_set_points(plan, s->n, s->x, 0, NULL);
    r.potential = potential ? v : NULL;
    r.field = !potential && s->strengths == 1 ? v : NULL;
    r.velocity = s->strengths > 1 ? v : NULL;
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, s->q, &r);
    for (int i = 0; r.field && i < 3 * s->n; i++)
        v[i] *= s->q[i / 3];
    return status;
}

/* The plan's error by a reference, at all particles; relative to RMS. */
static double measure(const struct system *s, farsum_plan *plan)
{
    static double v[3 * MOST], right[3 * MOST];
    farsum_problem p = problem_of(s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *reference = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    int width = s->problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
    p.precision = FARSUM_F64;
    p.tolerance = 1e-12;
    p.error = p.error == FARSUM_ERROR_ABSOLUTE ? 0 : p.error;
    o.method = s->open ? "direct" : "ewald";
    CHECK_OK(sum(s, plan, v));
    CHECK_OK(farsum_plan_create(&p, &o, &reference));
    CHECK_OK(sum(s, reference, right));
    farsum_plan_destroy(reference);
    CHECK_OK(farsum_plan_get_info(plan, &info));
    double error = rms(width * s->n, v, right) * sqrt(width);
    if (s->problem.error == FARSUM_ERROR_ABSOLUTE)
        return error;
    CHECK(info.norm > 0, "%s: norm %g", s->name, info.norm);
    return error / info.norm;
}

static farsum_status make(const struct system *s, int verify,
                          farsum_plan **plan)
{
    farsum_problem p = problem_of(s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    *plan = NULL;
    o.method = s->method;
    o.device.name = device;
    o.verify = verify;
    return farsum_plan_create(&p, &o, plan);
}

/* With the check the tolerance is kept, and the estimate is true. */
static void keeps(const struct system *s)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan;
    double tolerance = s->problem.tolerance, error;
    if (s->hard && !device) {
        CHECK_OK(make(s, FARSUM_VERIFY_OFF, &plan));
        error = measure(s, plan);
        above += error > tolerance;
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK(info.checked_error < 0, "%s: not checked, yet %g", s->name,
              info.checked_error);
        farsum_plan_destroy(plan);
    }
    CHECK_OK(make(s, 0, &plan));
    error = measure(s, plan);
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(error <= tolerance, "%s: %.3g, tolerance %g", s->name, error,
          tolerance);
    CHECK(info.checked_targets > 0 && info.checked_error >= 0,
          "%s: not checked", s->name);
    double low = info.estimated_error / 2, high = info.estimated_error * 2;
    CHECK(error < 1e-14 || (error > low && error < high),
          "%s: measured %.3g, estimated %.3g", s->name, error,
          info.estimated_error);
    farsum_plan_destroy(plan);
}

static struct system s;

static void clusters(void)
{
    for (int k = 3; k < 7; k++) {
        colloid(&s, pow(10, -k));
        keeps(&s);
    }
    CHECK(device || above > 0, "the estimate alone does for all of them");
    colloid(&s, 1e-4);
    s.method = "fmm";
    keeps(&s);
}

static void lattices(void)
{
    jitter(&s, "rotlet", 1e-6);
    keeps(&s);
}

static void strong(void)
{
    huge(&s, 1e-6);
    s.hard = 0;
    keeps(&s);
}

static void screened(void)
{
    yukawa(&s, 1e-5);
    s.hard = 0; /* without the check too, where the estimate knows k = 0 */
    keeps(&s);
}

/* Near pairs go to f64 where that was left open. */
static void near_pairs(void)
{
    pair(&s, 1e-5, 3, 1e-4);
    s.problem.kernel = "stokeslet";
    s.problem.precision = FARSUM_AUTO;
    s.hard = 0; /* auto may be f64 without the check */
    keeps(&s);
    pair(&s, 1e-5, 1, 1e-5);
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    s.problem.precision = FARSUM_AUTO;
    s.hard = 0;
    keeps(&s);
}

/* f32 by name is refused, with what it reaches. */
static void narrow(void)
{
    farsum_plan *plan;
    pair(&s, 1e-5, 1, 1e-5);
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    s.problem.precision = FARSUM_F32;
    CHECK_FAILS(make(&s, 1, &plan), FARSUM_ERR_TOLERANCE);
    CHECK(plan == NULL, "a plan that was refused is there");
    CHECK_SAYS("use precision f64");
}

/* All norms, f32 arrays, exclusions, open space. */
static void norms(void)
{
    colloid(&s, 1e-4);
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    s.hard = 0;
    keeps(&s);
    colloid(&s, 0.05);
    s.problem.error = FARSUM_ERROR_ABSOLUTE;
    s.hard = 0;
    keeps(&s);
    colloid(&s, 1e-4);
    s.open = 1;
    s.method = "fmm";
    s.hard = 0;
    keeps(&s);
}

/* The colloid's error, as create measures it. */
static void measures(const farsum_problem *p, const char *what)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.device.name = device;
    CHECK_OK(farsum_plan_create(p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.checked_error > 1e-7 && info.checked_error <= 1e-4,
          "%s %g was measured", what, info.checked_error);
    farsum_plan_destroy(plan);
}

static void excluded(void)
{
    static int64_t pairs[2 * MOST];
    colloid(&s, 1e-4);
    farsum_problem p = problem_of(&s);
    for (int k = 0; k < s.n; k++)
        pairs[k] = k;
    p.n_exclusions = s.n / 2;
    p.exclusions = pairs;
    measures(&p, "with exclusions");
}

static void floats(void)
{
    static float x[3 * MOST], q[MOST];
    colloid(&s, 1e-4);
    farsum_problem p = problem_of(&s);
    for (int i = 0; i < 3 * s.n; i++)
        x[i] = (float)s.x[i];
    for (int i = 0; i < s.n; i++)
        q[i] = (float)s.q[i];
    p.arrays = p.precision = FARSUM_F32;
    p.sample_x = x;
    p.sample_q = q;
    measures(&p, "in f32");
}

/* What cannot be checked: by itself it is not, asked for it is refused. */
static void unable(void)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    farsum_options o = FARSUM_OPTIONS_INIT;
    colloid(&s, 1e-4);
    farsum_problem p = problem_of(&s);
    o.device.name = device;
    o.method = "ewald";
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.checked_error < 0 && info.checked_targets == 0,
          "a reference was checked");
    farsum_plan_destroy(plan);
    o.verify = 1;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("a reference itself");
    o.method = NULL;
    p.outputs = FARSUM_ENERGY;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("not among the outputs");
    p.outputs = 0;
    o.verify = 2;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_ARGUMENT);
    o.verify = 0;
    o.on_excess = (farsum_excess)3;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_ARGUMENT);
}

static int warnings;
static void log_line(const char *line, void *data)
{
    (void)data;
    warnings += strstr(line, "estimated error") != NULL;
}

/* The estimate of a checked plan follows the strengths. */
static void followed(farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    double error = measure(&s, plan);
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.estimated_error < 2 * error && error < 2 * info.estimated_error,
          "an error of %g is estimated as %g", error, info.estimated_error);
}

/* Strengths that are larger than the sample's, by an absolute tolerance. */
static void excess(void)
{
    static double v[3 * MOST];
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    for (int fail = 0; fail < 2; fail++) {
        colloid(&s, 0.05);
        s.problem.error = FARSUM_ERROR_ABSOLUTE;
        farsum_problem p = problem_of(&s);
        o.device.name = device;
        o.method = "spectral"; /* a reference's error does not follow */
        o.log = log_line;
        o.on_excess = fail ? FARSUM_EXCESS_FAIL : FARSUM_EXCESS_SAY;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        warnings = 0;
        CHECK_OK(sum(&s, plan, v));
        CHECK(warnings == 0, "a warning of the sample's own sum");
        for (int i = 0; i < s.n; i++)
            s.q[i] *= 1e6;
        if (fail) {
            memset(v, 0, sizeof v);
            CHECK_FAILS(sum(&s, plan, v), FARSUM_ERR_TOLERANCE);
            CHECK(v[0] != 0, "the results are missing");
        } else {
            CHECK_OK(sum(&s, plan, v));
            CHECK_OK(sum(&s, plan, v));
            CHECK(warnings == 1, "%d warnings of two sums", warnings);
            followed(plan);
        }
        farsum_plan_destroy(plan);
    }
}

/* More particles than targets: near pairs and the strongest are among them. */
static void picked(void)
{
    pair(&s, 1e-5, 1, 1e-5);
    uint64_t random = 17;
    for (int i = 64; i < MOST; i++) {
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] = uniform(&random);
        s.q[i] = normal(&random);
    }
    s.n = MOST;
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    s.problem.precision = FARSUM_AUTO;
    s.hard = 0;
    keeps(&s);
    huge(&s, 1e-6);
    for (int i = 150; i < MOST; i++) {
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] = uniform(&random);
        s.q[i] = normal(&random);
    }
    s.n = MOST;
    s.hard = 0;
    keeps(&s);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        device = getenv("FARSUM_TEST_DEVICE");
        device = device ? device : "opencl:0";
    }
    if (!device)
        RUN(clusters);
    RUN(excluded);
    RUN(floats);
    if (device)
        return check_end();
    RUN(lattices);
    RUN(strong);
    RUN(screened);
    RUN(near_pairs);
    RUN(narrow);
    RUN(norms);
    RUN(unable);
    RUN(excess);
    RUN(picked);
    return check_end();
}
