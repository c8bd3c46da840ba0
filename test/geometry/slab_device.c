/* SPDX-License-Identifier: Apache-2.0 */
/* slab_device.c: slabs on a device (FARSUM_TEST_DEVICE, default: opencl:0)
 * against the host, with the same parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "farsum/device.h"
#include "geometry/slab_case.h"
#include "plan/plan.h"

enum { N = SLAB_POINTS, M = SLAB_TARGETS, RHS = 2, ALL = RHS * N };

struct values {
    double potential[ALL], field[3 * ALL], energy[RHS], virial[9 * RHS];
};

static farsum_device *device;

static farsum_result to(struct values *v, int apart)
{
    farsum_result r = FARSUM_RESULT_INIT;
    memset(v, 0, sizeof *v);
    r.potential = v->potential;
    r.field = v->field;
    r.energy = apart ? NULL : v->energy;
    r.virial = apart ? NULL : v->virial;
    return r;
}

/* The second right-hand side has another net charge. */
static void charges(const struct slab *s, double q[ALL])
{
    for (int k = 0; k < ALL; k++)
        q[k] = s->q[k % N] + (k < N ? 0 : sin(k) + 0.1);
}

static farsum_plan *plan_of(const struct slab *s)
{
    farsum_plan *plan = NULL;
    farsum_problem p = s->problem;
    p.n_targets = s->m;
    CHECK_OK(farsum_plan_create(&p, &s->options, &plan));
    return plan;
}

static void sum(farsum_plan *plan, const struct slab *s, struct values *v)
{
    double q[ALL];
    farsum_result r = to(v, s->m > 0);
    charges(s, q);
    CHECK_OK(farsum_plan_set_points(plan, N, s->x, s->m, s->m ? s->y : NULL));
    CHECK_OK(farsum_plan_execute(plan, RHS, q, &r));
}

/* Fixes the parameters to those of a plan. */
static void fix(struct slab *s, const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    s->options.cutoff = info.cutoff;
    s->options.spectral.bandwidth = info.bandwidth;
    s->options.spectral.support = info.support;
    s->options.spectral.shape = info.shape;
    memcpy(s->options.spectral.mesh, info.mesh, sizeof info.mesh);
    s->problem.tolerance *= 100; /* a device may estimate more */
}

static void near(const double *a, const double *b, int n, double most,
                 const char *what)
{
    double size = 0, off = 0;
    for (int k = 0; k < n; k++) {
        size = fmax(size, fabs(b[k]));
        off = fmax(off, a[k] == a[k] ? fabs(a[k] - b[k]) : INFINITY);
    }
    CHECK(off <= most * size, "%s: off by %g of %g", what, off, size);
}

static void same(const struct values *a, const struct values *b, double most,
                 const char *what)
{
    int count = 0;
    const char *const names[] = {"potential", "field", "energy", "virial"};
    const double *const of[][2] = {{a->potential, b->potential},
                                   {a->field, b->field},
                                   {a->energy, b->energy},
                                   {a->virial, b->virial}};
    const int sizes[] = {ALL, 3 * ALL, RHS, 9 * RHS};
    for (int k = 0; k < 4; k++, count++) {
        char name[80];
        snprintf(name, sizeof name, "%s, %s", what, names[k]);
        near(of[k][0], of[k][1], sizes[k], most, name);
    }
}

/* Sums on the host and on the device, which keeps its plan. */
static farsum_plan *compare(struct slab *s, int queues, double most,
                            struct values *host, const char *what)
{
    struct values there;
    farsum_plan *plan = plan_of(s);
    fix(s, plan);
    farsum_plan_destroy(plan);
    plan = plan_of(s);
    sum(plan, s, host);
    farsum_plan_destroy(plan);
    s->options.device.handle = device;
    s->options.device.queues = queues;
    plan = plan_of(s);
    sum(plan, s, &there);
    same(&there, host, most, what);
    sum(plan, s, &there);
    same(&there, host, most, what);
    return plan;
}

static void slab_of(struct slab *s, int open, double net, double kappa)
{
    slab_make(s, open, 4, net, 1e-12);
    if (kappa > 0)
        s->problem.kernel = "yukawa";
    s->problem.kappa = kappa;
    s->options.verify = FARSUM_VERIFY_OFF;
}

static void kernels(void)
{
    static const double kappas[] = {0, 1e-4};
    for (int k = 0; k < 2; k++) {
        struct slab s;
        struct values host;
        slab_of(&s, k, 3, kappas[k]);
        s.problem.coulomb = k ? 1.7 : -2; /* masses */
        farsum_plan_destroy(compare(&s, 1 + k, 1e-12, &host, "f64"));
    }
}

static void precisions(void)
{
    for (int k = 0; k < 2; k++) {
        struct slab s;
        struct values host;
        slab_of(&s, 2, 0, k ? 0.2 : 0);
        s.problem.tolerance = 2e-5;
        s.problem.precision = k ? FARSUM_MIXED : FARSUM_F32;
        s.problem.arrays = FARSUM_F64;
        farsum_plan_destroy(compare(&s, 1, 3e-6, &host, k ? "mixed" : "f32"));
    }
}

static void targets(void)
{
    struct slab s;
    struct values host;
    slab_of(&s, 1, 2, 0);
    s.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    s.m = M;
    farsum_plan_destroy(compare(&s, 2, 1e-12, &host, "targets"));
}

/* Other points, cells and outputs of one plan. */
static void one_plan(void)
{
    struct slab s, t;
    struct values host, there;
    double q[ALL], virial[9 * RHS];
    farsum_result r = FARSUM_RESULT_INIT;
    slab_of(&s, 2, 1, 0);
    farsum_plan *plan = compare(&s, 2, 1e-12, &host, "first points");
    t = s;
    t.options.device.handle = NULL;
    t.options.device.queues = 0;
    charges(&s, q);
    r.virial = virial;
    CHECK_OK(farsum_plan_execute(plan, RHS, q, &r));
    near(virial, host.virial, 9 * RHS, 1e-12, "only the virial");
    farsum_plan *on_host = plan_of(&t);
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < N; i++)
            s.x[3 * i + 2] = 0.8 * s.x[3 * i + 2] + sin(i);
        s.problem.cell[0] *= 1.001;
        s.problem.cell[8] *= 2;
        CHECK_OK(farsum_plan_set_cell(plan, s.problem.cell));
        CHECK_OK(farsum_plan_set_cell(on_host, s.problem.cell));
        sum(on_host, &s, &host);
        sum(plan, &s, &there);
        same(&there, &host, 1e-12, "another cell");
    }
    s.x[2] += 90;
    CHECK_FAILS(farsum_plan_set_points(plan, N, s.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("open axis");
    s.x[2] = NAN;
    CHECK_FAILS(farsum_plan_set_points(plan, N, s.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("not finite");
    s.x[2] = 7;
    sum(on_host, &s, &host);
    sum(plan, &s, &there);
    same(&there, &host, 1e-12, "after a failure");
    farsum_plan_destroy(on_host);
    farsum_plan_destroy(plan);
}

static void exclusions(void)
{
    static const int64_t pairs[] = {0, 1, 5, 200, 7, 8};
    static const double factors[] = {0, 0.5, 0};
    struct slab s;
    struct values host, there;
    slab_of(&s, 0, 1, 0);
    s.problem.n_exclusions = 3;
    s.problem.exclusions = pairs;
    s.problem.exclusion_factors = factors;
    farsum_plan_destroy(compare(&s, 2, 1e-12, &host, "exclusions"));
    slab_make(&s, 2, 60, 0, 1e-5); /* a gap without room */
    s.problem.cell[8] = 66;
    s.options.verify = FARSUM_VERIFY_OFF;
    s.options.device.handle = device;
    farsum_result r = to(&there, 0);
    farsum_plan *plan = plan_of(&s);
    CHECK_OK(farsum_plan_set_points(plan, N, s.x, 0, NULL));
    CHECK_OK(farsum_plan_set_exclusions(plan, 1, pairs, NULL));
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &r), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("exclusions with two periodic axes");
    farsum_plan_destroy(plan);
}

static void to_device(struct buf *buf, const void *from, size_t bytes)
{
    CHECK_OK(buf_alloc(buf, device->device, (int64_t)bytes));
    CHECK_OK(buf_upload(buf, 0, from, (int64_t)bytes));
}

/* The caller's arrays are on the device; the plan is checked by a second
 * sum. */
static void arrays_there(void)
{
    struct slab s;
    struct values host, there;
    struct buf x = {0}, q = {0}, potential = {0}, field = {0}, energy = {0},
               virial = {0};
    double strengths[ALL];
    farsum_result r = FARSUM_RESULT_INIT;
    slab_of(&s, 2, 0, 0);
    farsum_plan_destroy(compare(&s, 2, 1e-12, &host, "arrays on the host"));
    charges(&s, strengths);
    memset(&there, 0, sizeof there);
    s.problem.memory = FARSUM_DEVICE;
    s.options.verify = 1;
    farsum_plan *plan = plan_of(&s);
    to_device(&x, s.x, sizeof s.x);
    to_device(&q, strengths, sizeof strengths);
    to_device(&potential, there.potential, sizeof there.potential);
    to_device(&field, there.field, sizeof there.field);
    to_device(&energy, there.energy, sizeof there.energy);
    to_device(&virial, there.virial, sizeof there.virial);
    r.potential = potential.handle;
    r.field = field.handle;
    r.energy = energy.handle;
    r.virial = virial.handle;
    CHECK_OK(farsum_plan_set_points(plan, N, x.handle, 0, NULL));
    for (int k = 0; k < 3; k++) /* the last one is a graph */
        CHECK_OK(farsum_plan_execute(plan, RHS, q.handle, &r));
    CHECK_OK(farsum_plan_finish(plan));
    CHECK_OK(
        buf_download(&potential, 0, there.potential, sizeof there.potential));
    CHECK_OK(buf_download(&field, 0, there.field, sizeof there.field));
    CHECK_OK(buf_download(&energy, 0, there.energy, sizeof there.energy));
    CHECK_OK(buf_download(&virial, 0, there.virial, sizeof there.virial));
    same(&there, &host, 1e-12, "arrays on the device");
    farsum_plan_destroy(plan);
    struct buf *const all[] = {&x, &q, &potential, &field, &energy, &virial};
    for (int k = 0; k < 6; k++)
        buf_clear(all[k]);
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (farsum_device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return 77;
    }
    RUN(kernels);
    RUN(precisions);
    RUN(targets);
    RUN(one_plan);
    RUN(exclusions);
    RUN(arrays_there);
    farsum_device_close(device);
    return check_end();
}
