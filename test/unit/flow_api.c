/* SPDX-License-Identifier: Apache-2.0 */
/* flow_api.c: tests of flows through the public interface, by the references:
 * types of arrays, right-hand sides, targets, units, refusals. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { N = 30, M = 11, RHS = 3, KERNELS = 3 };

struct flow {
    const char *kernel, *method;
    int strengths;
    double x[N][3], y[M][3], q[RHS * N * 6];
    farsum_problem problem; /* its samples point into this struct */
    farsum_options options;
};

static const struct {
    const char *name;
    int strengths;
} kernels[KERNELS] = {{"stokeslet", 3}, {"rotlet", 3}, {"stresslet", 6}};

/* Multiples of 2^-20, which are exact in f32. */
static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 44) * 0x1p-20;
}

static void flow_set(struct flow *f, int k, const char *method)
{
    static const double cell[9] = {1.5, 0, 0, 0.25, 1.25, 0, -0.25, 0.5, 1.75};
    uint64_t state = 20 + (uint64_t)k;
    memset(f, 0, sizeof *f);
    f->kernel = kernels[k].name;
    f->strengths = kernels[k].strengths;
    for (int i = 0; i < N + M; i++)
        for (int d = 0; d < 3; d++)
            (i < N ? f->x[i] : f->y[i - N])[d] = next(&state);
    for (int i = 0; i < RHS * N * 6; i++)
        f->q[i] = 2 * next(&state) - 1;
    f->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    f->options = (farsum_options)FARSUM_OPTIONS_INIT;
    f->problem.kernel = f->kernel;
    memcpy(f->problem.cell, cell, sizeof cell);
    for (int d = 0; d < 3; d++)
        f->problem.periodic[d] = strcmp(method, "direct") != 0;
    f->problem.tolerance = 1e-12;
    f->problem.n_sources = N;
    f->problem.sample_x = f->x;
    f->problem.sample_q = f->q;
    f->options.method = f->method = method;
    f->options.threads = 2;
}

static farsum_status flow_create(const struct flow *f)
{
    farsum_plan *plan = NULL;
    farsum_status status = farsum_plan_create(&f->problem, &f->options, &plan);
    farsum_plan_destroy(plan);
    return status;
}

static farsum_plan *flow_plan(const struct flow *f)
{
    farsum_plan *plan = NULL;
    if (farsum_plan_create(&f->problem, &f->options, &plan) != FARSUM_OK)
        check_stop("%s by %s: %s", f->kernel, f->method, farsum_message());
    return plan;
}

/* From create to destroy; targets if the problem has some. */
static void flow_sum(const struct flow *f, int rhs, const void *x,
                     const void *y, const void *q, void *velocity,
                     farsum_plan_info *info)
{
    farsum_plan *plan = flow_plan(f);
    farsum_result out = FARSUM_RESULT_INIT;
    out.velocity = velocity;
    CHECK_OK(farsum_plan_set_points(plan, N, x, f->problem.n_targets,
                                    f->problem.n_targets > 0 ? y : NULL));
    CHECK_OK(farsum_plan_execute(plan, rhs, q, &out));
    if (info)
        CHECK_OK(farsum_plan_get_info(plan, info));
    farsum_plan_destroy(plan);
}

static double differ(const double *a, const double *b, int n)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return isfinite(most) && size > 0 ? most / size : INFINITY;
}

#define EACH_FLOW(f)                                                           \
    for (int flow_i = 0; flow_i < 2 * KERNELS; flow_i++)                       \
        if (flow_set(f, flow_i / 2, flow_i % 2 ? "direct" : "ewald"), 1)

/* Several right-hand sides equal single ones; the constant multiplies them; f32
 * arrays; info. */
static void sums(void)
{
    struct flow f;
    static double one[RHS * 3 * N], all[RHS * 3 * N], as_double[RHS * 3 * N];
    static float x[3 * N], q[RHS * N * 6], single[RHS * 3 * N];
    EACH_FLOW(&f) {
        int each = N * f.strengths;
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        for (int r = 0; r < RHS; r++)
            flow_sum(&f, 1, f.x, NULL, f.q + r * each,
                     one + 3 * r * N, &info);
        long double net[3] = {0}, wanted = 0;
        for (int i = 0; i < each; i++) {
            double v = f.q[(RHS - 1) * each + i];
            if (f.strengths == 6)
                wanted += i % 6 < 3 ? v * f.q[(RHS - 1) * each + i + 3] : 0;
            else
                net[i % 3] += v;
        }
        if (f.strengths == 3)
            wanted = sqrtl(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]);
        CHECK_NEAR(info.net_strength, (double)wanted, 1e-12);
        CHECK(strcmp(info.kernel, f.kernel) == 0, "kernel %s", info.kernel);
        CHECK(info.estimated_error > 0 && info.estimated_error <= 1e-12,
              "%s: estimate %g", f.kernel, info.estimated_error);
        f.problem.coulomb = 4;
        flow_sum(&f, RHS, f.x, NULL, f.q, all, NULL);
        for (int i = 0; i < RHS * 3 * N; i++)
            CHECK(all[i] == 4 * one[i], "%s by %s: %d of several: %g, %g",
                  f.kernel, f.method, i, all[i], 4 * one[i]);
        for (int i = 0; i < 3 * N; i++)
            x[i] = (float)f.x[i / 3][i % 3];
        for (int i = 0; i < RHS * each; i++)
            q[i] = (float)f.q[i];
        f.problem.tolerance = 6e-8; /* f32 arrays are accurate to this */
        f.problem.arrays = FARSUM_F32;
        f.problem.sample_x = x;
        f.problem.sample_q = q;
        flow_sum(&f, RHS, x, NULL, q, single, NULL);
        for (int i = 0; i < RHS * 3 * N; i++)
            as_double[i] = single[i];
        CHECK(differ(as_double, all, RHS * 3 * N) < 1e-7, "%s by %s: f32 off "
              "by %g", f.kernel, f.method, differ(as_double, all, RHS * 3 * N));
    }
}

/* Separate targets; targets at sources; exclusions; one source. */
static void targets(void)
{
    struct flow f;
    static double self[3 * N], apart[3 * M], twice[3 * M];
    EACH_FLOW(&f) {
        flow_sum(&f, 1, f.x, NULL, f.q, self, NULL);
        f.problem.n_targets = M;
        memcpy(f.y, f.x[3], sizeof f.y);
        flow_sum(&f, 1, f.x, f.y, f.q, apart, NULL);
        CHECK(differ(apart, self + 9, 3 * M) < 1e-14, "%s by %s: targets on "
              "sources off by %g", f.kernel, f.method,
              differ(apart, self + 9, 3 * M));
        /* two sources at one position, and one with the sum of their
         * strengths */
        memcpy(f.x[1], f.x[0], sizeof f.x[0]);
        f.problem.exclude_coincident = 1;
        f.y[0][0] += 0.125;
        flow_sum(&f, 1, f.x, f.y, f.q, apart, NULL);
        if (f.strengths == 6)
            continue;
        for (int a = 0; a < f.strengths; a++) {
            f.q[a] += f.q[f.strengths + a];
            f.q[f.strengths + a] = 0;
        }
        flow_sum(&f, 1, f.x, f.y, f.q, twice, NULL);
        CHECK(differ(twice, apart, 3 * M) < 1e-14, "%s by %s: coincident "
              "sources off by %g", f.kernel, f.method,
              differ(twice, apart, 3 * M));
    }
}

/* A new cell for an existing plan, and points again. */
static void cells(void)
{
    struct flow f;
    static double v[3 * N], w[3 * N];
    for (int k = 0; k < KERNELS; k++) {
        flow_set(&f, k, "ewald");
        farsum_plan *plan = flow_plan(&f);
        farsum_result out = FARSUM_RESULT_INIT;
        out.velocity = v;
        CHECK_OK(farsum_plan_set_points(plan, N, f.x, 0, NULL));
        f.problem.cell[0] = 1.625;
        CHECK_OK(farsum_plan_set_cell(plan, f.problem.cell));
        CHECK_FAILS(farsum_plan_execute(plan, 1, f.q, &out), FARSUM_ERR_STATE);
        CHECK_OK(farsum_plan_set_points(plan, N, f.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, f.q, &out));
        flow_sum(&f, 1, f.x, NULL, f.q, w, NULL);
        CHECK(differ(v, w, 3 * N) == 0, "%s: another cell: off by %g",
              f.kernel, differ(v, w, 3 * N));
        farsum_plan_destroy(plan);
    }
}

#define REFUSED(k, method, change, status, text)                               \
    do {                                                                       \
        struct flow f;                                                         \
        flow_set(&f, k, method);                                               \
        change;                                                                \
        CHECK_FAILS(flow_create(&f), FARSUM_##status);                         \
        CHECK_SAYS(text);                                                      \
    } while (0)

static void refused(void)
{
    for (int k = 0; k < KERNELS; k++) {
        REFUSED(k, "ewald", f.problem.outputs = FARSUM_POTENTIAL, ERR_ARGUMENT,
                "a velocity, no potential");
        REFUSED(k, "ewald", f.problem.outputs = FARSUM_VELOCITY | FARSUM_ENERGY,
                ERR_ARGUMENT, kernels[k].name);
        REFUSED(k, "ewald", f.problem.error = FARSUM_ERROR_FORCE, ERR_ARGUMENT,
                "forces");
        REFUSED(k, "ewald", f.problem.error = FARSUM_ERROR_ABSOLUTE,
                ERR_UNSUPPORTED, "relative tolerance");
        REFUSED(k, "ewald", f.problem.tolerance = 1e-15, ERR_TOLERANCE,
                "1e-14");
        REFUSED(k, "ewald", f.problem.surface = FARSUM_VACUUM, ERR_ARGUMENT,
                "requires kernel laplace");
        REFUSED(k, "ewald", memset(f.problem.periodic, 0, 3 * sizeof(int)),
                ERR_UNSUPPORTED, "three periodic axes");
        REFUSED(k, "direct", f.problem.tolerance = 1e-16, ERR_TOLERANCE,
                "1e-15");
        REFUSED(k, "direct",
                for (int d = 0; d < 3; d++) f.problem.periodic[d] = 1,
                ERR_UNSUPPORTED, "open boundaries");
    }
    REFUSED(0, "ewald", (f.problem.kernel = "laplace",
                         f.problem.outputs = FARSUM_VELOCITY), ERR_ARGUMENT,
            "no velocity");
    REFUSED(0, "ewald", f.problem.kernel = "stokes", ERR_UNKNOWN, "stokeslet");
}

static void refused_later(void)
{
    struct flow f;
    double v[3 * N], before[3 * N], energy = 7;
    EACH_FLOW(&f) {
        farsum_plan *plan = flow_plan(&f);
        farsum_result out = FARSUM_RESULT_INIT;
        memset(v, 0x5a, sizeof v);
        memcpy(before, v, sizeof v);
        out.velocity = v;
        out.energy = &energy;
        CHECK_OK(farsum_plan_set_points(plan, N, f.x, 0, NULL));
        CHECK_FAILS(farsum_plan_execute(plan, 1, f.q, &out),
                    FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("energy is not among");
        out.energy = NULL;
        out.potential = v;
        CHECK_FAILS(farsum_plan_execute(plan, 1, f.q, &out),
                    FARSUM_ERR_ARGUMENT);
        out.potential = NULL;
        f.q[7 * f.strengths + 1] = NAN;
        CHECK_FAILS(farsum_plan_execute(plan, 1, f.q, &out),
                    FARSUM_ERR_STRENGTH);
        CHECK_SAYS("strength 7 of right-hand side 0");
        CHECK(memcmp(v, before, sizeof v) == 0 && energy == 7,
              "a failed execute wrote its outputs");
        memcpy(f.x[4], f.x[9], sizeof f.x[4]);
        CHECK_FAILS(farsum_plan_set_points(plan, N, f.x, 0, NULL),
                    FARSUM_ERR_COINCIDENT);
        f.x[4][1] = INFINITY;
        CHECK_FAILS(farsum_plan_set_points(plan, N, f.x, 0, NULL),
                    FARSUM_ERR_POSITION);
        farsum_plan_destroy(plan);
    }
}

int main(void)
{
    RUN(sums);
    RUN(targets);
    RUN(cells);
    RUN(refused);
    RUN(refused_later);
    return check_end();
}
