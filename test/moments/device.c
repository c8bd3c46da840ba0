/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: charges with dipoles by the method spectral on a device
 * (FARSUM_TEST_DEVICE; default: opencl:0), against the host with the same
 * parameters and against ewald. */
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "device/buf.h"
#include "farsum/device.h"
#include "farsum/expert.h"
#include "plan/plan.h"

#define KAPPA 1.3

enum { RHS = 2, ALL = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT };
enum { SUMS = FARSUM_ENERGY | FARSUM_VIRIAL };

static farsum_device *device;

/* Sums of several right-hand sides. */
struct answers {
    double potential[RHS * SUMS_MOST], field[3 * RHS * SUMS_MOST];
    double gradient[6 * RHS * SUMS_MOST], energy[RHS], virial[9 * RHS];
    double estimate; /* of the error */
};

static farsum_result result_of(struct answers *a, unsigned outputs)
{
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = outputs & FARSUM_POTENTIAL ? a->potential : NULL;
    r.field = outputs & FARSUM_FIELD ? a->field : NULL;
    r.gradient = outputs & FARSUM_GRADIENT ? a->gradient : NULL;
    r.energy = outputs & FARSUM_ENERGY ? a->energy : NULL;
    r.virial = outputs & FARSUM_VIRIAL ? a->virial : NULL;
    return r;
}

static farsum_problem problem_of(const struct sums_case *c, unsigned outputs)
{
    farsum_problem p = c->problem;
    p.kernel = p.kappa > 0 ? "yukawa_dipole" : "charge_dipole";
    p.n_sources = c->n;
    p.n_targets = c->m;
    p.outputs = outputs;
    return p;
}

/* Strengths of both right-hand sides. */
static void strengths_of(const struct sums_case *c, double *q)
{
    memcpy(q, c->q, 4 * (size_t)c->n * sizeof *q);
    for (int i = 0; i < 4 * c->n; i++)
        q[4 * c->n + i] = 3 * c->q[4 * c->n - 1 - i];
}

/* Makes a plan with its points. */
static farsum_plan *plan_of(const struct sums_case *c, const farsum_options *o,
                            unsigned outputs)
{
    farsum_problem p = problem_of(c, outputs);
    farsum_plan *plan = NULL;
    if (CHECK_OK(farsum_plan_create(&p, o, &plan)))
        CHECK_OK(
            farsum_plan_set_points(plan, c->n, c->x, c->m, c->m ? c->y : NULL));
    return plan;
}

static void sum(const struct sums_case *c, const farsum_options *o, int rhs,
                unsigned outputs, unsigned wanted, struct answers *a)
{
    double q[4 * RHS * SUMS_MOST];
    farsum_result r = result_of(a, wanted);
    farsum_plan *plan = plan_of(c, o, outputs);
    memset(a, 0, sizeof *a);
    strengths_of(c, q);
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    if (plan) {
        CHECK_OK(farsum_plan_execute(plan, rhs, q, &r));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        a->estimate = info.estimated_error;
    }
    farsum_plan_destroy(plan);
}

static farsum_options options_of(const char *method)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = method;
    o.threads = 1;
    return o;
}

/* Sets the parameters that the host chooses. */
static void host_parameters(const struct sums_case *c, unsigned outputs,
                            farsum_options *o)
{
    farsum_problem p = problem_of(c, outputs);
    farsum_options host = options_of("spectral");
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    CHECK_OK(farsum_plan_create(&p, &host, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    o->cutoff = info.cutoff;
    o->spectral.bandwidth = info.bandwidth;
    o->spectral.upsampling = fmax(info.upsampling, 1); /* rounded */
    o->spectral.shape = info.shape;
    o->spectral.support = info.support;
    memcpy(o->spectral.mesh, info.mesh, sizeof info.mesh);
    farsum_plan_destroy(plan);
}

static void same(const struct sums_case *c, int rhs, unsigned outputs,
                 const struct answers *a, const struct answers *b, double most,
                 const char *what)
{
    int m = rhs * (c->m ? c->m : c->n);
    if (outputs & FARSUM_POTENTIAL)
        sums_equal(a->potential, b->potential, m, most, what);
    if (outputs & FARSUM_FIELD)
        sums_equal(a->field, b->field, 3 * m, most, what);
    if (outputs & FARSUM_GRADIENT)
        sums_equal(a->gradient, b->gradient, 6 * m, most, what);
    if (outputs & FARSUM_ENERGY)
        sums_equal(a->energy, b->energy, rhs, most, what);
    if (outputs & FARSUM_VIRIAL)
        sums_equal(a->virial, b->virial, 9 * rhs, most, what);
}

/* The case on host and device, with the same parameters. */
static void compare(const struct sums_case *c, const farsum_options *more,
                    unsigned outputs, const char *what)
{
    static struct answers here, there;
    farsum_options host = options_of("spectral"), o = *more;
    host_parameters(c, outputs, &host);
    host.spectral.near = "plain"; /* others may compute 1/r to 1e-10 only */
    sum(c, &host, RHS, outputs, outputs, &here);
    o.cutoff = host.cutoff;
    const char *near = o.spectral.near, *spread = o.spectral.spread,
               *interp = o.spectral.interp;
    o.spectral = host.spectral;
    o.spectral.near = near;
    o.spectral.spread = spread;
    o.spectral.interp = interp;
    o.device.handle = device;
    sum(c, &o, RHS, outputs, outputs, &there);
    same(c, RHS, outputs, &there, &here, 1e-12, what);
}

/* Each variant, screened too, with tin foil and vacuum, net charge, targets,
 * both queues. */
static void test_host(void)
{
    static const char *const near[] = {"gpu_cells", "gpu_lanes", "gpu_verlet",
                                       "gpu_clusters", "gpu_pairs"};
    static const char *const spread[] = {"gpu_particle", "gpu_particle_warp",
                                         "gpu_tile"};
    static const char *const interp[] = {"gpu_particle", "gpu_particle_sorted",
                                         "gpu_cell", "gpu_tile"};
    for (int k = 0; k < 8; k++) {
        struct sums_case c = {.m = 0};
        farsum_options o = options_of("spectral");
        sums_tilted(&c);
        sums_apart(&c, 4 + k); /* odd: a net charge */
        c.problem.kappa = k < 5 ? 0 : KAPPA;
        c.problem.tolerance = k & 1 ? 1e-8 : 1e-5;
        if (k < 5 && k & 2)
            c.problem.surface = FARSUM_VACUUM;
        c.m = k & 4 ? 12 : 0;
        for (int i = 0; i < 3 * c.m; i++)
            c.y[i] = 0.17 * (i % 19);
        o.device.queues = 1 + k % 2;
        o.spectral.near = near[k % 5];
        o.spectral.spread = spread[k % 3];
        o.spectral.interp = interp[k % 4];
        compare(&c, &o, c.m ? ALL : ALL | SUMS, near[k % 5]);
    }
}

/* One output: the others that it needs are computed too. */
static void test_outputs(void)
{
    static const unsigned outputs[] = {FARSUM_POTENTIAL,
                                       FARSUM_FIELD,
                                       FARSUM_GRADIENT,
                                       FARSUM_ENERGY,
                                       FARSUM_VIRIAL,
                                       SUMS,
                                       FARSUM_FIELD | FARSUM_VIRIAL};
    for (int k = 0; k < 7; k++) {
        struct sums_case c = {.m = 0};
        farsum_options o = options_of("spectral");
        sums_tilted(&c);
        sums_apart(&c, 3);
        c.problem.tolerance = 1e-5;
        c.problem.surface = k & 1 ? FARSUM_VACUUM : FARSUM_TINFOIL;
        compare(&c, &o, outputs[k], "one output");
    }
}

static void test_exclusions(void)
{
    static const int64_t pairs[6] = {0, 7, 9, 4, 1, 2};
    static const double factors[3] = {0.5, 0, 0.25};
    struct sums_case c = {.m = 0};
    farsum_options o = options_of("spectral");
    sums_tilted(&c);
    sums_apart(&c, 5);
    for (int d = 0; d < 3; d++) /* near each other through a face */
        c.x[21 + d] = c.x[d] + 0.1 * (d + 1) - c.problem.cell[d];
    c.problem.tolerance = 1e-6;
    c.problem.n_exclusions = 3;
    c.problem.exclusions = pairs;
    c.problem.exclusion_factors = factors;
    compare(&c, &o, ALL | SUMS, "exclusions");
    compare(&c, &o, FARSUM_VIRIAL, "exclusions, virial");
    c.problem.kappa = KAPPA;
    compare(&c, &o, ALL | SUMS, "screened, exclusions");
    c.problem.kappa = 0;
    c.problem.n_exclusions = 0;
    memcpy(c.x + 3, c.x, 3 * sizeof *c.x);
    c.problem.exclude_coincident = 1;
    compare(&c, &o, ALL | SUMS, "coincident sources");
}

/* The error of the forces against ewald is within the tolerance. */
static void ladder(farsum_precision type, double kappa, double from, double to,
                   int seed)
{
    for (double t = from; t > to; t /= 10) {
        static struct answers a;
        struct sums_case c = {.m = 0};
        struct sums_answer got, wanted;
        farsum_options o = options_of("spectral");
        sums_tilted(&c);
        sums_apart(&c, seed);
        c.problem.kappa = kappa;
        sums_get(&c, &wanted);
        if (seed % 2) { /* the plan checks itself with its sample */
            c.problem.sample_x = c.x;
            c.problem.sample_q = c.q;
        }
        o.device.handle = device;
        c.problem.precision = type;
        c.problem.arrays = FARSUM_F64;
        c.problem.tolerance = t;
        sum(&c, &o, 1, ALL | SUMS, ALL | SUMS, &a);
        memcpy(got.potential, a.potential, sizeof got.potential);
        memcpy(got.field, a.field, sizeof got.field);
        memcpy(got.gradient, a.gradient, sizeof got.gradient);
        memcpy(got.virial, a.virial, sizeof got.virial);
        got.energy = a.energy[0];
        double error =
            sums_forces(&c, &got, &wanted) / sums_forces(&c, &wanted, NULL);
        CHECK(error <= t, "tolerance %g: the error is %g", t, error);
        sums_within(&c, &got, &wanted, t, "ladder");
    }
}

static void test_tolerances(void)
{
    ladder(FARSUM_F64, 0, 1e-2, 3e-11, 8);
    ladder(FARSUM_F64, 0, 1e-6, 3e-7, 9); /* a net charge */
    ladder(FARSUM_F64, KAPPA, 1e-6, 3e-7, 9);
}

static void test_narrow(void)
{
    ladder(FARSUM_F32, 0, 1e-2, 9e-6, 8);
    ladder(FARSUM_MIXED, 0, 1e-2, 9e-7, 8);
    ladder(FARSUM_MIXED, KAPPA, 1e-6, 9e-7, 8);
}

/* Other units of length and strength. */
static void test_units(void)
{
    for (int k = 0; k < 2; k++) {
        static struct answers a, b;
        struct sums_case c = {.m = 0}, other;
        farsum_options o = options_of("spectral");
        double length = k ? 0x1p70 : 0x1p-60, charge = k ? 0x1p-80 : 0x1p50;
        sums_tilted(&c);
        sums_apart(&c, 7);
        c.problem.tolerance = 1e-6;
        other = c;
        o.device.handle = device;
        for (int i = 0; i < 9; i++)
            other.problem.cell[i] *= length;
        for (int i = 0; i < 3 * c.n; i++)
            other.x[i] *= length;
        for (int i = 0; i < 4 * c.n; i++)
            other.q[i] *= i % 4 ? charge * length : charge;
        sum(&c, &o, 1, ALL | SUMS, ALL | SUMS, &a);
        sum(&other, &o, 1, ALL | SUMS, ALL | SUMS, &b);
        double unit = charge / length;
        for (int i = 0; i < c.n; i++)
            a.potential[i] *= unit;
        for (int i = 0; i < 3 * c.n; i++)
            a.field[i] *= unit / length;
        for (int i = 0; i < 6 * c.n; i++)
            a.gradient[i] *= unit / length / length;
        a.energy[0] *= unit * charge;
        for (int i = 0; i < 9; i++)
            a.virial[i] *= unit * charge;
        same(&c, 1, ALL | SUMS, &b, &a, 1e-12, "units");
        CHECK_NEAR(b.estimate, a.estimate, 1e-9 * a.estimate);
    }
}

/* Arrays on the device, executed again and again, in another cell and with
 * kept lists. */
static void test_device_arrays(void)
{
    static struct answers here, got;
    struct sums_case c = {.m = 0};
    double q[4 * RHS * SUMS_MOST];
    farsum_options o = options_of("spectral");
    farsum_result out = FARSUM_RESULT_INIT;
    struct buf x = {0}, strengths = {0}, results = {0};
    struct buf *all[] = {&x, &strengths, &results};
    struct buf part[5] = {{0}};
    const int64_t n = 64;
    const int64_t size[5] = {RHS * n, 3 * RHS * n, 6 * RHS * n, RHS, 9 * RHS};
    double *const host[5] = {got.potential, got.field, got.gradient, got.energy,
                             got.virial};
    sums_tilted(&c);
    sums_apart(&c, 6);
    strengths_of(&c, q);
    c.problem.tolerance = 1e-6;
    o.spectral.near = "gpu_verlet";
    o.spectral.skin = 0.1;
    o.device.handle = device;
    CHECK_OK(buf_alloc(&x, device->device, 24 * n));
    CHECK_OK(buf_alloc(&strengths, device->device, 32 * RHS * n));
    CHECK_OK(buf_upload(&strengths, 0, q, 32 * RHS * n));
    for (int k = 0; k < 5; k++)
        CHECK_OK(buf_alloc(&part[k], device->device, 8 * size[k]));
    out.potential = part[0].handle;
    out.field = part[1].handle;
    out.gradient = part[2].handle;
    out.energy = part[3].handle;
    out.virial = part[4].handle;
    farsum_problem p = problem_of(&c, ALL | SUMS);
    farsum_plan *plan = NULL;
    p.memory = FARSUM_DEVICE;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    for (int step = 0; step < 4; step++) {
        if (step == 2) {
            for (int k = 0; k < 9; k++)
                c.problem.cell[k] *= 1.003;
            CHECK_OK(farsum_plan_set_cell(plan, c.problem.cell));
        }
        CHECK_OK(buf_upload(&x, 0, c.x, 24 * n));
        CHECK_OK(farsum_plan_set_points(plan, n, x.handle, 0, NULL));
        for (int again = 0; again < 3; again++)
            CHECK_OK(farsum_plan_execute(plan, RHS, strengths.handle, &out));
        CHECK_OK(farsum_plan_finish(plan));
        for (int k = 0; k < 5; k++)
            CHECK_OK(buf_download(&part[k], 0, host[k], 8 * size[k]));
        /* parameters are not those of the host */
        farsum_options exact = options_of("ewald");
        struct sums_case best = c;
        best.problem.tolerance = 1e-13;
        sum(&best, &exact, RHS, ALL | SUMS, ALL | SUMS, &here);
        same(&c, RHS, ALL, &got, &here, 1e-5, "arrays on the device");
        same(&c, RHS, SUMS, &got, &here, 1e-4, "sums on the device");
        for (int i = 0; i < 3 * c.n; i++)
            c.x[i] += 0.004 * (i % 5 - 2);
    }
    farsum_plan_destroy(plan);
    for (int k = 0; k < 5; k++)
        buf_clear(&part[k]);
    for (int k = 0; k < 3; k++)
        buf_clear(all[k]);
}

/* The product of the Hessian with a vector. */
static void test_hvp(void)
{
    struct sums_case c = {.m = 0};
    double q[SUMS_MOST], v[3 * SUMS_MOST], got[3 * SUMS_MOST],
        wanted[3 * SUMS_MOST];
    sums_tilted(&c);
    sums_apart(&c, 5);
    for (int k = 0; k < 3 * c.n; k++)
        v[k] = 0.1 * ((k * 7) % 11 - 5);
    for (int i = 0; i < c.n; i++)
        q[i] = c.q[4 * i];
    for (int there = 0; there < 2; there++) {
        farsum_options o = options_of(there ? "spectral" : "ewald");
        o.device.handle = there ? device : NULL;
        c.problem.tolerance = there ? 1e-9 : 1e-13;
        farsum_plan *plan = plan_of(&c, &o, FARSUM_FIELD | FARSUM_GRADIENT);
        CHECK_OK(farsum_plan_hvp(plan, q, v, there ? got : wanted));
        farsum_plan_destroy(plan);
    }
    sums_equal(got, wanted, 3 * c.n, 1e-7, "Hessian");
}

static void test_bad(void)
{
    for (int k = 0; k < 3; k++) {
        static struct answers a;
        struct sums_case c = {.m = 0};
        farsum_options o = options_of("spectral");
        farsum_result r = result_of(&a, ALL);
        farsum_plan *plan = NULL;
        sums_tilted(&c);
        sums_apart(&c, 2);
        c.problem.tolerance = 1e-4;
        o.device.handle = device;
        farsum_problem p = problem_of(&c, ALL);
        if (k == 0)
            c.q[4 * 11 + 2] = NAN;
        if (k == 1)
            c.q[4 * 9 + 3] = INFINITY;
        if (k == 2)
            memcpy(c.x + 3, c.x, 3 * sizeof *c.x);
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        farsum_status status = farsum_plan_set_points(plan, c.n, c.x, 0, NULL);
        if (status == FARSUM_OK)
            status = farsum_plan_execute(plan, 1, c.q, &r);
        CHECK(status == (k < 2 ? FARSUM_ERR_STRENGTH : FARSUM_ERR_COINCIDENT),
              "case %d: status %d", k, (int)status);
        CHECK_SAYS(k == 0 ? "strength 11" : k == 1 ? "strength 9" : "coincide");
        farsum_plan_destroy(plan);
    }
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (farsum_device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return 77;
    }
    RUN(test_host);
    RUN(test_outputs);
    RUN(test_exclusions);
    RUN(test_tolerances);
    RUN(test_narrow);
    RUN(test_units);
    RUN(test_device_arrays);
    RUN(test_hvp);
    RUN(test_bad);
    farsum_device_close(device);
    return check_end();
}
