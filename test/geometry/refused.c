/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c: every method sums each geometry and kernel as `ewald` or `direct`
 * do, or refuses it by name: on the host, on a device, over ranks. */
#include <stdio.h>
#include <string.h>

#include "plan/ranks.h"
#include "moments/sums.h"
#include "ranks/comm_threads.h"

enum { POINTS = 24, WIDEST = 6 };
static const char *const methods[] = {"direct", "ewald", "spectral", "fmm"};
static const char *const kernels[] = {"laplace",   "yukawa", "r6",
                                      "stokeslet", "rotlet", "stresslet",
                                      "charge_dipole"};
enum { METHODS = 4, KERNELS = 7 };

struct walk {
    struct sums_case c;
    double q[WIDEST * POINTS];
    farsum_problem problem;
    const char *method;
    int axes;
};

static void walk_make(struct walk *w, int bits, const char *kernel,
                      const char *method)
{
    memset(w, 0, sizeof *w);
    sums_tilted(&w->c);
    for (int d = 0; d < 3; d++) /* right angles, for fmm */
        for (int e = 0; e < 3; e++)
            w->c.problem.cell[3 * d + e] = d == e ? 2 + 0.3 * d : 0;
    sums_random(&w->c, POINTS, 0, 1);
    for (int k = 0; k < WIDEST * POINTS; k++)
        w->q[k] = 0.1 + w->c.q[k % (4 * POINTS)] * (k < 4 * POINTS ? 1 : 0.7);
    w->problem = w->c.problem;
    w->problem.kernel = kernel;
    w->problem.kappa = strcmp(kernel, "yukawa") == 0 ? 0.7 : 0;
    w->problem.tolerance = 1e-6;
    w->problem.precision = FARSUM_F64;
    w->problem.n_sources = POINTS;
    for (int d = 0; d < 3; d++) {
        w->problem.periodic[d] = bits >> d & 1;
        w->axes += w->problem.periodic[d];
    }
    w->method = method;
}

static int is_flow(const struct walk *w)
{
    const char *k = w->problem.kernel;
    return strcmp(k, "stokeslet") == 0 || strcmp(k, "rotlet") == 0
           || strcmp(k, "stresslet") == 0;
}

static farsum_status walk_create(const struct walk *w, const char *device,
                                 farsum_plan **plan)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = w->method;
    o.threads = 1;
    o.device.name = device;
    return farsum_plan_create(&w->problem, &o, plan);
}

/* Sums potentials or velocities.  Returns the status; *count values. */
static farsum_status walk_sum(const struct walk *w, double *values, int *count)
{
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    *count = is_flow(w) ? 3 * POINTS : POINTS;
    *(is_flow(w) ? &r.velocity : &r.potential) = values;
    farsum_status status = walk_create(w, NULL, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, POINTS, w->c.x, 0, NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, w->q, &r);
    farsum_plan_destroy(plan);
    return status;
}

/* A refusal names the method. */
static void refused(const struct walk *w, farsum_status status)
{
    char name[32];
    snprintf(name, sizeof name, "method %s", w->method);
    CHECK(status == FARSUM_ERR_UNSUPPORTED, "%s, %s, %d axes: status %d",
          w->method, w->problem.kernel, w->axes, (int)status);
    CHECK_SAYS(name);
}

static void host(void)
{
    int summed = 0;
    for (int bits = 0; bits < 8; bits++)
        for (int k = 0; k < KERNELS; k++)
            for (int m = 0; m < METHODS; m++) {
                struct walk w, exact;
                double a[3 * POINTS] = {0}, b[3 * POINTS] = {0};
                int count;
                walk_make(&w, bits, kernels[k], methods[m]);
                farsum_status status = walk_sum(&w, a, &count);
                if (status != FARSUM_OK) {
                    refused(&w, status);
                    continue;
                }
                walk_make(&exact, bits, kernels[k], bits ? "ewald" : "direct");
                exact.problem.tolerance = 1e-12;
                CHECK_OK(walk_sum(&exact, b, &count));
                sums_equal(a, b, count, 1e-5, methods[m]);
                summed += w.axes == 1 || w.axes == 2;
            }
    /* ewald sums all, spectral those of laplace and yukawa, and slabs of
     * flows, fmm those of laplace */
    CHECK(summed == 6 * KERNELS + 12 + 9 + 6, "%d sums of slabs and wires",
          summed);
}

static void device(void)
{
    for (int bits = 1; bits < 7; bits++)
        for (int k = 0; k < KERNELS; k++)
            for (int m = 0; m < METHODS; m++) {
                struct walk w;
                farsum_plan *plan = NULL;
                walk_make(&w, bits, kernels[k], methods[m]);
                farsum_status status = walk_create(&w, "opencl:0", &plan);
                int sums = w.axes == 2 && m == 2 && k < 2; /* spectral */
                if (sums)
                    CHECK(status == FARSUM_OK || status == FARSUM_ERR_DEVICE,
                          "%s: status %d", kernels[k], (int)status);
                else if (status != FARSUM_ERR_DEVICE) /* else there is none */
                    refused(&w, status);
                farsum_plan_destroy(plan);
            }
}

static farsum_status one_rank(struct comm *comm, void *data)
{
    const struct walk *w = data;
    farsum_problem p = w->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = w->method;
    o.threads = 1;
    p.sample_x = w->c.x;
    p.sample_q = w->q;
    if (w->axes == 2 && (!w->method || strcmp(w->method, "spectral") == 0)) {
        CHECK_OK(plan_over_ranks(comm, &p, &o, &plan));
    } else {
        CHECK_FAILS(plan_over_ranks(comm, &p, &o, &plan),
                    FARSUM_ERR_UNSUPPORTED);
        CHECK(!plan, "a plan of %s over ranks", w->method);
    }
    farsum_plan_destroy(plan);
    return FARSUM_OK;
}

static void over_ranks(void)
{
    for (int bits = 1; bits < 7; bits++)
        for (int m = 0; m <= METHODS; m++) {
            struct walk w;
            walk_make(&w, bits, "laplace", m < METHODS ? methods[m] : NULL);
            CHECK(ranks_run(2, NULL, one_rank, &w) == 0, "a rank failed");
        }
}

int main(void)
{
    RUN(host);
    RUN(device);
    RUN(over_ranks);
    return check_end();
}
