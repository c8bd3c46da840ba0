/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_device.h: common code of the tests of the method fmm on a device: small
 * systems of all kinds, and their sums on host and device. */
#ifndef FARSUM_TEST_UNIT_FMM_DEVICE_H
#define FARSUM_TEST_UNIT_FMM_DEVICE_H

#include <string.h>

#include "check.h"
#include "farsum/device.h"
#include "method/fmm/fmm.h"
#include "plan/plan.h"

enum { MOST = 700, RHS = 2 };

static farsum_device *device;
static uint64_t seed;

static inline double uniform(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

struct sums {
    double potential[RHS * MOST], field[3 * RHS * MOST], energy[RHS];
    double virial[9 * RHS];
};

static struct sums host, there;
static double x[3 * MOST], y[3 * MOST], q[RHS * MOST];

struct trial {
    const char *name;
    int n, m, rhs;
    double edge[3]; /* edges of a periodic cell; 0: open */
    int clustered, vacuum;
    int order, levels, boxes[3];
    int leaf; /* a sparse tree's; 0: a dense one */
};

static const struct trial trials[] = {
    {"cube", 500, 0, 1, {5, 5, 5}, 0, 0, 4, 2, {2, 2, 2}, 0},
    {"charged brick in vacuum", 300, 0, 2, {4, 6, 9}, 0, 1, 4, 1, {3, 4, 6}, 0},
    {"one box and its images", 60, 0, 1, {2, 2, 2}, 0, 0, 4, 1, {1, 1, 1}, 0},
    {"open", 600, 0, 1, {0}, 0, 0, 4, 3, {1, 1, 1}, 0},
    {"open, clustered, targets", 400, 90, 2, {0}, 1, 0, 4, 3, {1, 1, 1}, 0},
    {"targets in a brick", 300, 70, 2, {4, 6, 9}, 0, 0, 4, 2, {2, 3, 4}, 0},
    {"sparse", 700, 0, 2, {0}, 1, 0, 4, 0, {1, 1, 1}, 6},
    {"sparse, targets", 500, 150, 1, {0}, 1, 0, 3, 16, {2, 1, 3}, 4},
    {"sparse, not deep", 300, 0, 1, {0}, 1, 0, 4, 2, {3, 3, 2}, 5},
    {"sparse cell", 600, 0, 2, {5, 5, 5}, 1, 0, 4, 0, {1, 1, 1}, 6},
    {"sparse bricks, targets", 400, 90, 1, {4, 6, 5}, 1, 1, 3, 0, {2, 3, 2}, 5},
    {"two", 2, 0, 1, {0}, 0, 0, 4, 1, {1, 1, 1}, 0},
};
enum { TRIALS = sizeof trials / sizeof *trials, SPARSE = 6 };

static inline void fill(const struct trial *t)
{
    seed = 21;
    for (int i = 0; i < 3 * MOST; i++) {
        double u = uniform(), v = uniform();
        double edge = t->edge[0] > 0 ? t->edge[i % 3] : 3;
        if (t->clustered)
            u = u * u * u * u;
        x[i] = edge * (u - 0.25);
        y[i] = edge * (v - 0.25);
    }
    for (int i = 0; i < RHS * MOST; i++)
        q[i] = i % 3 - 0.75;
}

static inline farsum_problem problem_of(const struct trial *t,
                                        farsum_precision precision)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3 && t->edge[0] > 0; d++) {
        p.cell[4 * d] = t->edge[d];
        p.periodic[d] = 1;
    }
    p.n_sources = t->n;
    p.n_targets = t->m;
    p.sample_x = x;
    p.sample_q = q;
    p.tolerance = 1e-2;
    p.coulomb = 7;
    p.precision = precision;
    p.arrays = FARSUM_F64;
    p.surface = t->vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    if (t->m == 0)
        p.outputs |= FARSUM_ENERGY | (t->edge[0] > 0 ? 0 : FARSUM_VIRIAL);
    return p;
}

static inline farsum_plan *plan_queues(const struct trial *t,
                                       const farsum_problem *p, int here,
                                       int queues)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = "fmm";
    o.verify = FARSUM_VERIFY_OFF; /* unit/verify.c tests this */
    o.threads = 2;
    o.fmm.order = t->order;
    o.fmm.levels = t->levels;
    o.fmm.tree = t->leaf > 0 ? "sparse" : "dense";
    o.fmm.leaf = t->leaf;
    /* the same kind of variant on both sides: plane waves have their own
     * error */
    o.fmm.m2l = here ? "host_dense" : "gpu_dense";
    for (int d = 0; d < 3; d++)
        o.fmm.boxes[d] = t->boxes[d];
    if (!here) {
        o.device.handle = device;
        o.device.queues = queues;
    }
    CHECK_OK(farsum_plan_create(p, &o, &plan));
    return plan;
}

static inline farsum_plan *plan_of(const struct trial *t,
                                   const farsum_problem *p, int here)
{
    return plan_queues(t, p, here, 0);
}

static inline farsum_result result_of(const farsum_problem *p, struct sums *s)
{
    farsum_result r = FARSUM_RESULT_INIT;
    memset(s, 0, sizeof *s);
    r.potential = s->potential;
    r.field = s->field;
    r.energy = p->outputs & FARSUM_ENERGY ? s->energy : NULL;
    r.virial = p->outputs & FARSUM_VIRIAL ? s->virial : NULL;
    return r;
}

static inline void run(const struct trial *t, farsum_plan *plan,
                       const farsum_problem *p, struct sums *to)
{
    farsum_result r = result_of(p, to);
    CHECK_OK(farsum_plan_set_points(plan, t->n, x, t->m, t->m ? y : NULL));
    CHECK_OK(farsum_plan_execute(plan, t->rhs, q, &r));
}

static inline double off(int n, const double *a, const double *b)
{
    double error = 0, size = 0;
    for (int i = 0; i < n; i++) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return size > 0 ? sqrt(error / size) : sqrt(error);
}

static inline void same(const char *name, const struct trial *t,
                        const farsum_problem *p, double bound)
{
    int out = t->rhs * (t->m ? t->m : t->n);
    double phi = off(out, there.potential, host.potential);
    double e = off(3 * out, there.field, host.field);
    /* near and far parts of a total strength cancel */
    CHECK(phi < 12 * bound, "%s: potentials are off by %.3g", name, phi);
    CHECK(e < bound, "%s: fields are off by %.3g", name, e);
    if (p->outputs & FARSUM_ENERGY)
        for (int r = 0; r < t->rhs; r++)
            CHECK_NEAR(there.energy[r] / host.energy[r], 1, 20 * bound);
    if (p->outputs & FARSUM_VIRIAL) {
        double w = off(9 * t->rhs, there.virial, host.virial);
        CHECK(w < 20 * bound, "%s: the virial is off by %.3g", name, w);
    }
}
#endif
