/* SPDX-License-Identifier: Apache-2.0 */
/* skin_check.h: moving particles of skin.c, and plans for them. */
#ifndef FARSUM_TEST_SKIN_CHECK_H
#define FARSUM_TEST_SKIN_CHECK_H

#include <string.h>

#include "check.h"

static const char *device; /* NULL: the host */
/* On a device, pairs for which f32 suffices are summed in f32.  This is the
 * difference of two f64 sums there, for a tolerance of 1e-4. */
#define SAME(rounding) (device ? 1e-5 : (rounding))

enum { N = 480, M = 70, STEPS = 8 };

static const double cube[9] = {7.2, 0, 0, 0, 7.2, 0, 0, 0, 7.2};
static const double tilted[9] = {7.2, 0, 0, 1.6, 7.4, 0, -2.8, 1.9, 7.1};
static const double thin[9] = {14, 0, 0, 0, 14, 0, 1, 0.3, 1.9};

struct system {
    const double *cell;
    double x[N][3], y[M][3], q[6 * N];
    farsum_problem problem;
    farsum_options options;
    const char *what;
    int64_t m;
};

/* Sums of one right-hand side; for a flow, field holds the velocity. */
struct sums {
    double potential[N], field[N][3], energy, virial[9];
};

static inline double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* A jittered grid: no pair is close. */
static inline void system_set(struct system *s, const double cell[9],
                       const char *kernel)
{
    uint64_t seed = 3;
    memset(s, 0, sizeof *s);
    s->cell = cell;
    for (int i = 0; i < N + M; i++) {
        double *to = i < N ? s->x[i] : s->y[i - N], f[3];
        int k = i < N ? i : (i - N) * 6 + 2;
        f[0] = (k % 10 + 0.3 * draw(&seed)) / 10;
        f[1] = (k / 10 % 8 + 0.3 * draw(&seed)) / 8;
        f[2] = (k / 80 + 0.3 * draw(&seed)) / 6;
        for (int j = 0; j < 3; j++)
            to[j] = f[0] * cell[j] + f[1] * cell[3 + j] + f[2] * cell[6 + j]
                    + (i < N ? 0 : 0.11);
    }
    for (int i = 0; i < 6 * N; i++)
        s->q[i] = kernel  ? draw(&seed) - 0.5
                  : i % 2 ? -s->q[i - 1]
                          : (draw(&seed) < 0.5 ? -1 : 1);
    s->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    s->options = (farsum_options)FARSUM_OPTIONS_INIT;
    s->options.verify = FARSUM_VERIFY_OFF; /* points are set by the test */
    s->problem.kernel = kernel;
    memcpy(s->problem.cell, cell, sizeof s->problem.cell);
    for (int d = 0; d < 3; d++)
        s->problem.periodic[d] = 1;
    s->problem.tolerance = 1e-4;
    s->problem.arrays = FARSUM_F64;
    s->problem.n_sources = N;
    s->problem.sample_x = s->x;
    s->problem.sample_q = s->q;
    s->problem.outputs = kernel ? FARSUM_VELOCITY
                                : FARSUM_POTENTIAL | FARSUM_FIELD
                                      | FARSUM_ENERGY | FARSUM_VIRIAL;
    s->options.method = "spectral";
    s->options.threads = 2;
    s->options.spectral.skin = 0.5;
    s->options.device.name = device;
    s->options.spectral.near = device ? "gpu_verlet" : NULL;
}

static inline farsum_plan *plan_of(const struct system *s)
{
    farsum_plan *plan = NULL;
    if (farsum_plan_create(&s->problem, &s->options, &plan) != FARSUM_OK)
        check_stop("no plan: %s", farsum_message());
    return plan;
}

static inline farsum_plan_info info_of(const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    return info;
}

/* A plan with the same choices and no skin. */
static inline farsum_plan *plan_without(const struct system *s,
                                 const farsum_plan *like)
{
    struct system t = *s;
    farsum_plan_info info = info_of(like);
    t.problem.sample_x = t.x;
    t.problem.sample_q = t.q;
    t.options.spectral.skin = 0;
    t.options.cutoff = info.cutoff;
    t.options.spectral.bandwidth = info.bandwidth;
    memcpy(t.options.spectral.mesh, info.mesh, sizeof info.mesh);
    t.options.spectral.support = info.support;
    t.options.spectral.shape = info.shape;
    t.options.spectral.split = info.split;
    t.options.spectral.window = info.window;
    return plan_of(&t);
}

static inline farsum_plan *plan_exact(const struct system *s)
{
    struct system t = *s;
    t.problem.sample_x = t.x;
    t.problem.sample_q = t.q;
    t.problem.precision = FARSUM_F64;
    t.problem.tolerance = fmin(1e-7, 0.1 * s->problem.tolerance);
    t.options = (farsum_options)FARSUM_OPTIONS_INIT;
    t.options.method = "ewald";
    t.options.threads = 2;
    return plan_of(&t);
}
#endif
