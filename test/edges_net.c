/* SPDX-License-Identifier: Apache-2.0 */
/* edges_net.c: tests of periodic sums with a total charge, force, torque or
 * flux.  Their treatment is known in closed form for one particle in a cube,
 * and the plan reports it. */
#include <stdlib.h>
#include <string.h>

#include "edges.h"

/* Potential of one charge in a cube of edge 1 with its neutralising background
 * (Madelung's constant of the simple cubic lattice). */
static const double madelung = -2.837297479480620;

/* Text in the k-th kernel's plan. */
static const char *const words[EDGE_KERNELS] = {
    "neutralised by a uniform background",
    "counted, the sum converges",
    "counted, the sum converges",
    "balanced by a mean pressure gradient",
    "net torque",
    "vanishes outside closed surfaces",
};

static void nets_are_summed(void)
{
    static const double tilted[9] = {1, 0, 0, 0.4, 1.1, 0, -0.3, 0.2, 0.9};
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int f = 0; f < 2; f++) {
            struct edge e;
            edge_make(&e, k, 40, tilted, 70 + (uint64_t)k);
            e.problem.precision = f ? FARSUM_F32 : FARSUM_F64;
            e.problem.tolerance = f ? 1e-4 : 1e-7;
            e.options.spectral.split = f == k % 2 ? "gaussian" : "prolate";
            edge_right(f ? "a net, f32" : "a net, f64", &e, 1);
            edge_free(&e);
        }
}

/* One particle: the effect of its images and of the background. */
static void one_alone(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int method = 0; method < 2; method++) {
            struct edge e;
            struct edge_sum a;
            edge_make(&e, k, 1, NULL, 5);
            for (int i = 0; i < e.width; i++)
                e.q[i] = i + 1;
            e.problem.tolerance = 1e-6;
            if (!e.flow)
                e.problem.error = FARSUM_ERROR_POTENTIAL;
            e.options.method = method ? "ewald" : "spectral";
            e.options.spectral.split = NULL;
            if (!CHECK_OK(edge_run(&e, &a)))
                continue;
            edge_finite("one alone", &e, &a);
            for (int d = 0; d < 3 && e.flow; d++) {
                /* a point force moves its images along; a torque and a dyad
                 * have no effect at the centre of their own symmetry, except
                 * that the mean of (9.8) depends on the origin */
                double want = k == 3 ? 4 / 3.0 * madelung * e.q[d] : 0;
                if (k < 5)
                    CHECK_NEAR(a.v[d], want, 2e-5);
            }
            if (k == 0) {
                CHECK_NEAR(a.v[0], madelung, 1e-5);
                CHECK_NEAR(a.energy, madelung / 2, 1e-5);
            }
            edge_sum_free(&a);
            edge_free(&e);
        }
}

/* Shifting a stresslet's cell together with its particles changes nothing: the
 * mean flow depends on differences of positions. */
static void origin_is_free(void)
{
    struct edge e;
    struct edge_sum a, b;
    edge_make(&e, 5, 30, NULL, 9);
    e.problem.tolerance = 1e-9;
    CHECK_OK(edge_run(&e, &a));
    for (int64_t i = 0; i < 3 * e.n; i++)
        e.x[i] += 0.37 * (double)(1 + i % 3);
    CHECK_OK(edge_run(&e, &b));
    double gap = edge_gap(&e, &a, &b);
    CHECK(gap < 3e-9, "a stresslet's origin changes the flow by %g", gap);
    edge_sum_free(&a);
    edge_sum_free(&b);
    edge_free(&e);
}

static void said(const char *method, int neutral)
{
    for (int k = 0; k < EDGE_KERNELS; k++) {
        struct edge e;
        struct edge_sum a;
        edge_make(&e, k, 30, NULL, 90 + (uint64_t)k);
        for (int64_t i = 0; i < e.n * e.width / 2 && neutral; i++)
            e.q[e.n * e.width / 2 + i] = (i % 6 < 3 || k != 5 ? -1 : 1)
                                         * e.q[i];
        e.options.method = method;
        CHECK_OK(edge_run(&e, &a));
        CHECK(strstr(a.said, words[k]) != NULL, "%s by %s does not say \"%s\":"
              "\n%s", e.kernel, method, words[k], a.said);
        CHECK(!strstr(a.said, " (none)") == !neutral, "%s by %s, net %g:\n%s",
              e.kernel, method, a.info.net_strength, a.said);
        edge_sum_free(&a);
        edge_free(&e);
    }
}

static void plans_say_it(void)
{
    for (int neutral = 0; neutral < 2; neutral++) {
        said("spectral", neutral);
        said("ewald", neutral);
    }
}

static void open_space_has_none(void)
{
    struct edge e;
    struct edge_sum a;
    edge_make(&e, 0, 10, NULL, 3);
    memset(e.problem.periodic, 0, sizeof e.problem.periodic);
    e.options.method = "direct";
    CHECK_OK(edge_run(&e, &a));
    CHECK(!strstr(a.said, "zero mode"), "open space has a zero mode:\n%s",
          a.said);
    edge_sum_free(&a);
    edge_free(&e);
}

void edges_net(void)
{
    RUN(nets_are_summed);
    RUN(one_alone);
    RUN(origin_is_free);
    RUN(plans_say_it);
    RUN(open_space_has_none);
}
