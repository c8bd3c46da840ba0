/* SPDX-License-Identifier: Apache-2.0 */
/* units.c: tests of units of length and strength: with every length times 2^k
 * and every strength times 2^m, a plan's results have the same bits except for
 * their exponents; results outside the range of an output's type are
 * refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "farsum/device.h"
#include "plan/plan.h"

enum { MANY = 96, RHS = 2, VALUES = 5 };

static const struct units_kernel {
    const char *name;
    int strengths, power, degree, flow;
} kernels[] = {
    {"laplace", 1, 1, 1, 0},
    {"yukawa", 1, 1, 1, 0},
    {"r6", 1, 6, 1, 0},
    {"stokeslet", 3, 1, 1, 1},
    {"rotlet", 3, 2, 1, 1},
    {"stresslet", 6, 2, 2, 1},
    {"charge_dipole", 4, 1, 1, 0},
    {"yukawa_dipole", 4, 1, 1, 0},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* One problem; `k`, `m`: exponents of its units. */
struct world {
    const struct units_kernel *kernel;
    const char *method, *device;
    farsum_precision precision, arrays;
    int periodic; /* the number of its axes */
    int absolute, targets, exclude, softened, vacuum;
    double tolerance;
    int k, m;
};

/* Results of RHS right-hand sides, as in memory. */
struct sums {
    double potential[RHS][MANY], field[RHS][MANY][3], velocity[RHS][MANY][3];
    double energy[RHS], virial[RHS][9];
    double cutoff, norm, estimate;
};

static uint64_t state;
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) * 0x1p-24;
}

static void put(void *to, int f32, int i, double v)
{
    if (f32)
        ((float *)to)[i] = (float)v;
    else
        ((double *)to)[i] = v;
}

static double get(const void *from, int f32, int i)
{
    return f32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static void narrow(void *v, int f32, int n)
{
    static double wide[RHS * MANY * 6];
    for (int i = 0; i < n; i++)
        wide[i] = get(v, f32, i);
    memcpy(v, wide, (size_t)n * sizeof *wide);
}

/* Positions that are exact in either type, times 2^k. */
static void world_numbers(const struct world *w, void *x, void *y, void *q,
                          double cell[9])
{
    static const double edges[9] = {5.5, 0, 0, 0, 6.25, 0, 0, 0, 7};
    int f32 = w->arrays == FARSUM_F32, width = w->kernel->strengths;
    state = 2026;
    for (int i = 0; i < 9; i++)
        cell[i] = ldexp(edges[i], w->k);
    for (int i = 0; i < 3 * MANY; i++) {
        put(x, f32, i, ldexp(7 * uniform() - 1, w->k));
        put(y, f32, i, ldexp(7 * uniform() - 1, w->k));
    }
    for (int i = 0; i < RHS * MANY * width; i++)
        put(q, f32, i,
            ldexp(uniform() - 0.375, w->m + (width == 4 && i % 4 ? w->k : 0)));
}

static farsum_status world_sum(const struct world *w, struct sums *s)
{
    static double x[MANY][3], y[MANY][3], q[RHS * MANY * 6];
    static const int64_t pairs[3][2] = {{0, 1}, {2, 50}, {7, 9}};
    static const double factors[3] = {0, 0.5, 0.25};
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    farsum_status status;
    const struct units_kernel *kernel = w->kernel;
    int f32 = w->arrays == FARSUM_F32;
    memset(s, 0, sizeof *s);
    world_numbers(w, x, y, q, problem.cell);
    problem.kernel = kernel->name;
    if (strncmp(kernel->name, "yukawa", 6) == 0)
        problem.kappa = ldexp(0.75, -w->k);
    for (int d = 0; d < 3; d++)
        problem.periodic[d] = d < w->periodic;
    problem.coulomb = 332.0625;
    problem.softening = w->softened ? ldexp(0.01, w->k) : 0;
    problem.surface = w->vacuum ? FARSUM_VACUUM : 0;
    problem.precision = w->precision;
    problem.arrays = w->arrays;
    problem.tolerance = w->tolerance;
    if (w->absolute) {
        problem.error = FARSUM_ERROR_ABSOLUTE;
        problem.tolerance = ldexp(
            (kernel->power == 6 ? 1e7 : 100) * w->tolerance,
            (kernel->flow ? kernel->degree : 2) * w->m
                - (kernel->power + !kernel->flow) * w->k);
    }
    problem.outputs = kernel->flow
                          ? FARSUM_VELOCITY
                          : FARSUM_POTENTIAL | FARSUM_FIELD
                                | (w->targets ? 0
                                              : FARSUM_ENERGY | FARSUM_VIRIAL);
    problem.n_sources = MANY;
    problem.n_targets = w->targets ? MANY : 0;
    problem.sample_x = x;
    problem.sample_q = q;
    if (w->exclude) {
        problem.n_exclusions = 3;
        problem.exclusions = pairs[0];
        problem.exclusion_factors = factors;
    }
    options.method = w->method;
    options.device.name = w->device;
    options.deterministic = 1;
    options.threads = 1;
    if (strcmp(w->method, "spectral") == 0) {
        options.spectral.split = "gaussian";
        options.cutoff = ldexp(2.5, w->k);
        if (!w->device)
            options.spectral.near =
                kernel == &kernels[7] ? "plain" : "host_cluster";
    }
    status = farsum_plan_create(&problem, &options, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, MANY, x, w->targets ? MANY : 0,
                                        w->targets ? y : NULL);
    if (problem.outputs & FARSUM_POTENTIAL)
        out.potential = s->potential;
    if (problem.outputs & FARSUM_FIELD)
        out.field = s->field;
    if (problem.outputs & FARSUM_VELOCITY)
        out.velocity = s->velocity;
    if (problem.outputs & FARSUM_ENERGY)
        out.energy = s->energy;
    if (problem.outputs & FARSUM_VIRIAL)
        out.virial = s->virial[0];
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, RHS, q, &out);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, &info);
    s->cutoff = info.cutoff;
    s->norm = info.norm;
    s->estimate = info.estimated_error;
    farsum_plan_destroy(plan);
    if (f32 && status == FARSUM_OK) {
        narrow(s->potential, 1, RHS * MANY);
        narrow(s->field, 1, RHS * MANY * 3);
        narrow(s->velocity, 1, RHS * MANY * 3);
    }
    return status;
}

/* How many of n numbers are not 2^e times the others, if these are normal;
 * *normal: whether the largest is. */
static int differ(const double *found, const double *base, int n, int e,
                  int f32, int *normal)
{
    int bad = 0;
    double most = 0, largest = 0, least = f32 ? 0x1p-126 : 0x1p-1022;
    for (int i = 0; i < n; i++) {
        double wanted = ldexp(base[i], e);
        most = fmax(most, fabs(wanted));
        largest = fmax(largest, fabs(base[i]));
        if (fabs(wanted) >= least)
            bad += found[i] != wanted;
    }
    *normal &= largest == 0
               || (most >= least && most <= (f32 ? 0x1.fffffep127 : 0x1p1023));
    return bad;
}

static void law(const struct world *base)
{
    static const int steps[][2] = {{1, 0},      {0, 1},     {7, -5},
                                   {-40, 31},   {80, -60},  {-300, 200},
                                   {300, -300}, {290, 290}, {-333, -333}};
    static struct sums zero, other, none;
    static size_t turn;
    turn++;
    struct world w = *base;
    farsum_status status = world_sum(&w, &zero);
    const struct units_kernel *k = w.kernel;
    char name[160];
    snprintf(name, sizeof name, "%s %s %s p%d a%d per%d abs%d tgt%d exc%d "
             "soft%d vac%d", k->name, w.method, w.device ? w.device : "host",
             (int)w.precision, (int)w.arrays, w.periodic, w.absolute, w.targets,
             w.exclude, w.softened, w.vacuum);
    CHECK(status == FARSUM_OK, "%s: %s", name, farsum_message());
    if (status != FARSUM_OK)
        return;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        w.k = steps[i][0];
        w.m = steps[i][1];
        int f32 = w.arrays == FARSUM_F32;
        if (strcmp(w.method, "spectral") == 0 && i % 3 != turn % 3)
            continue;
        int absolute = (k->flow ? k->degree : 2) * w.m
                       - (k->power + !k->flow) * w.k;
        if (w.absolute && abs(absolute) > 900)
            continue; /* there is no such tolerance */
        if (f32 && (abs(w.k) > 110 || abs(w.m) > 110))
            continue;
        status = world_sum(&w, &other);
        int value = k->degree * w.m - k->power * w.k, ok = 1, bad = 0;
        bad += differ(other.potential[0], zero.potential[0], RHS * MANY, value,
                      f32, &ok);
        bad += differ(other.velocity[0][0], zero.velocity[0][0],
                      RHS * MANY * 3, value, f32, &ok);
        bad += differ(other.field[0][0], zero.field[0][0], RHS * MANY * 3,
                      value - w.k, f32, &ok);
        bad += differ(other.energy, zero.energy, RHS, value + w.m, 0, &ok);
        bad += differ(other.virial[0], zero.virial[0], RHS * 9, value + w.m, 0,
                      &ok);
        if (!ok) {
            CHECK(status != FARSUM_OK, "%s: k %d, m %d: out of range", name,
                  w.k, w.m);
            CHECK(strlen(farsum_message()) > 20, "%s: no words", name);
            CHECK(memcmp(&other, &none, offsetof(struct sums, cutoff)) == 0,
                  "%s: k %d, m %d: output was touched", name, w.k, w.m);
            continue;
        }
        CHECK(status == FARSUM_OK, "%s: k %d, m %d: %s", name, w.k, w.m,
              farsum_message());
        CHECK(status != FARSUM_OK || bad == 0,
              "%s: k %d, m %d: %d numbers are not the same", name, w.k, w.m,
              bad);
        CHECK(status != FARSUM_OK
                  || other.cutoff == ldexp(zero.cutoff, w.k),
              "%s: k %d, m %d: cutoff %g, %g before", name, w.k, w.m,
              other.cutoff, zero.cutoff);
        int of = base->absolute ? (k->flow ? value : value + w.m - w.k) : 0;
        if (status == FARSUM_OK && abs(of) < 900)
            CHECK(other.estimate == ldexp(zero.estimate, of),
                  "%s: k %d, m %d: estimate %g, %g before", name, w.k, w.m,
                  other.estimate, zero.estimate);
    }
}

/* Every kernel with every method, in every precision. */
static void laws(void)
{
    static const char *const names[] = {"direct", "ewald", "spectral", "fmm"};
    for (int k = 0; k < KERNELS; k++)
        for (int method = 0; method < (k > 0 ? 3 : 4); method++)
            for (int p = FARSUM_F64; p <= FARSUM_AUTO; p++)
                for (int kind = 0; kind < 6; kind++) {
                    int fmm = method == 3;
                    struct world w = {
                        .kernel = &kernels[k],
                        .method = names[method],
                        .precision = (farsum_precision)p,
                        .arrays = kind % 2 ? FARSUM_F32 : FARSUM_F64,
                        .periodic =
                            method == 1 || method == 2 || (fmm && kind % 3 == 1)
                                ? 3
                                : 0,
                        .targets = kind == 2,
                        .exclude = kind >= 1,
                        .absolute = kind == 4 && method != 1,
                        .tolerance = 1e-3,
                    };
                    w.softened = (fmm && kind % 3 == 2)
                                 || (method == 0 && k == 0 && kind == 3);
                    w.vacuum = w.periodic && k == 0 && kind == 1;
                    /* plans that need a search take long */
                    if ((method < 2 && p == FARSUM_MIXED)
                        || (method == 2 && kind != (k + p) % 6))
                        continue;
                    law(&w);
                }
}

/* Slabs, wires, and open space by modes. */
static void laws_axes(void)
{
    static const struct world few[] = {
        {&kernels[0], "spectral", .precision = FARSUM_F64, .periodic = 2,
         .arrays = FARSUM_F64, .exclude = 1},
        {&kernels[1], "spectral", .precision = FARSUM_F32, .periodic = 2,
         .arrays = FARSUM_F32, .absolute = 1},
        {&kernels[1], "spectral", .precision = FARSUM_F64, .periodic = 1,
         .arrays = FARSUM_F64},
        {&kernels[0], "spectral", .precision = FARSUM_F64, .periodic = 0,
         .arrays = FARSUM_F64},
        {&kernels[6], "ewald", .precision = FARSUM_F64, .periodic = 2,
         .arrays = FARSUM_F64, .exclude = 1},
        {&kernels[3], "ewald", .precision = FARSUM_F64, .periodic = 2,
         .arrays = FARSUM_F32},
    };
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        struct world w = few[i];
        w.tolerance = 1e-3;
        law(&w);
    }
}

static const char *device;

/* A few of these on a device: kernels are compiled for each. */
static void laws_there(void)
{
    static const struct world few[] = {
        {&kernels[0], "spectral", .precision = FARSUM_F64, .arrays = FARSUM_F32,
         .periodic = 3, .vacuum = 1, .exclude = 1},
        {&kernels[0], "spectral", .precision = FARSUM_F32, .arrays = FARSUM_F64,
         .periodic = 3, .targets = 1},
        {&kernels[2], "spectral", .precision = FARSUM_F64, .arrays = FARSUM_F64,
         .periodic = 3},
        {&kernels[5], "spectral", .precision = FARSUM_MIXED,
         .arrays = FARSUM_F64, .periodic = 3},
        {&kernels[0], "fmm", .precision = FARSUM_F32, .arrays = FARSUM_F32,
         .softened = 1, .exclude = 1},
        {&kernels[0], "fmm", .precision = FARSUM_F64, .arrays = FARSUM_F64,
         .periodic = 3, .vacuum = 1},
        {&kernels[0], "fmm", .precision = FARSUM_F64, .arrays = FARSUM_F64,
         .targets = 1},
    };
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        struct world w = few[i];
        w.tolerance = 1e-3;
        w.device = device;
        law(&w);
    }
}

/* Arrays on the device: finish reports values out of range. */
static void finish(const char *method, double far, int k)
{
    farsum_device *where = NULL;
    double x[2][3] = {{0.25, 0.5, 0.75}, {1.5, 0.5, 1}}, q[2] = {1, -1};
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    struct buf at = {0}, strengths = {0}, phi = {0};
    if (farsum_device_open(device, &where) != FARSUM_OK)
        check_stop("no device: %s", farsum_message());
    for (int d = 0; d < 3; d++) {
        problem.periodic[d] = strcmp(method, "spectral") == 0;
        problem.cell[4 * d] = ldexp(3, k);
    }
    for (int i = 0; i < 6; i++)
        x[i / 3][i % 3] = ldexp(x[i / 3][i % 3], k);
    problem.n_sources = 2;
    problem.memory = FARSUM_DEVICE;
    problem.outputs = FARSUM_POTENTIAL;
    problem.tolerance = 1e-3;
    options.method = method;
    options.device.handle = where;
    CHECK_OK(farsum_plan_create(&problem, &options, &plan));
    CHECK_OK(buf_alloc(&at, where->device, sizeof x));
    CHECK_OK(buf_alloc(&strengths, where->device, sizeof q));
    CHECK_OK(buf_alloc(&phi, where->device, sizeof q));
    CHECK_OK(buf_upload(&at, 0, x, sizeof x));
    CHECK_OK(buf_upload(&strengths, 0, q, sizeof q));
    out.potential = phi.handle;
    CHECK_OK(farsum_plan_set_points(plan, 2, at.handle, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, strengths.handle, &out));
    CHECK_OK(farsum_plan_finish(plan));
    for (int i = 0; i < 2; i++)
        q[i] *= far;
    CHECK_OK(buf_upload(&strengths, 0, q, sizeof q));
    CHECK_OK(farsum_plan_execute(plan, 1, strengths.handle, &out));
    CHECK_FAILS(farsum_plan_finish(plan), FARSUM_ERR_STRENGTH);
    CHECK_SAYS("right-hand side 0");
    /* a failure followed by a good sum is not forgotten */
    CHECK_OK(farsum_plan_execute(plan, 1, strengths.handle, &out));
    for (int i = 0; i < 2; i++)
        q[i] = i ? -1 : 1;
    CHECK_OK(farsum_plan_finish(plan) == FARSUM_ERR_STRENGTH
                 ? FARSUM_OK
                 : FARSUM_ERR_INTERNAL);
    CHECK_OK(buf_upload(&strengths, 0, q, sizeof q));
    CHECK_OK(farsum_plan_execute(plan, 1, strengths.handle, &out));
    CHECK_OK(farsum_plan_finish(plan));
    buf_clear(&phi);
    buf_clear(&strengths);
    buf_clear(&at);
    farsum_plan_destroy(plan);
    farsum_device_close(where);
}

static void finishes(void)
{
    finish("spectral", 1e300, -100);
    finish("spectral", 1e-300, 100);
    finish("fmm", 1e300, -100);
    finish("fmm", 1e-300, 100);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        const char *name = getenv("FARSUM_TEST_DEVICE");
        device = name ? name : "opencl:0";
        RUN(laws_there);
        RUN(finishes);
    } else {
        RUN(laws);
        RUN(laws_axes);
    }
    return check_end();
}
