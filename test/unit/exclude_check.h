/* SPDX-License-Identifier: Apache-2.0 */
/* exclude_check.h: common code of the tests of exclusions: small systems of
 * every kernel, and the excluded parts of pairs, by the kernel itself. */
#ifndef FARSUM_TEST_EXCLUDE_CHECK_H
#define FARSUM_TEST_EXCLUDE_CHECK_H

#include "flow_check.h"

enum { N = 48, PAIRS = 30, MOST = 6, RHS = 2 };

static const struct {
    const char *name;
    double kappa;
    int strengths, flow;
} kernels[] = {{"laplace", 0, 1, 0}, {"yukawa", 3, 1, 0},
               {"r6", 0, 1, 0},      {"stokeslet", 0, 3, 1},
               {"rotlet", 0, 3, 1},  {"stresslet", 0, 6, 1}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const double skewed[9] = {1.3, 0, 0, 0.6, 1.1, 0, -0.5, 0.4, 1.2};

/* One right-hand side's results; of a flow the velocity in vector. */
struct sums {
    double potential[RHS][N], vector[RHS][N][3], energy[RHS], virial[RHS][9];
};

struct list {
    int64_t count, pair[PAIRS][2];
    double factor[PAIRS];
};

/* A chain in no order, and next neighbours where n is small. */
static inline struct list make_list(int64_t n)
{
    struct list l = {.count = PAIRS};
    for (int k = 0; k < PAIRS; k++) {
        l.pair[k][0] = 7 * k % n; /* n is no multiple of 7 */
        l.pair[k][1] = (l.pair[k][0] + 1 + k / n) % n;
        l.factor[k] = k % 4 == 0 ? 0 : k % 4 == 1 ? 0.5 : 0.83 - 0.02 * k;
    }
    return l;
}

static inline farsum_problem make_problem(int k, int periodic, int64_t m)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = kernels[k].name;
    p.kappa = kernels[k].kappa;
    p.n_sources = N;
    p.n_targets = m;
    p.tolerance = 1e-9;
    p.outputs = kernels[k].flow ? FARSUM_VELOCITY
                : m > 0         ? FARSUM_POTENTIAL | FARSUM_FIELD
                        : FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                              | FARSUM_VIRIAL;
    p.coulomb = 1.7;
    memcpy(p.cell, skewed, sizeof p.cell);
    for (int d = 0; d < 3; d++)
        p.periodic[d] = periodic;
    return p;
}

static inline farsum_plan *make_plan(const farsum_problem *p,
                                     const char *method)
{
    farsum_plan *plan = NULL;
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = method;
    o.threads = 2;
    assert_int_equal(farsum_plan_create(p, &o, &plan), FARSUM_OK);
    return plan;
}

static inline void run(farsum_plan *plan, int k, int m, const double *q,
                       struct sums *s)
{
    farsum_result out = FARSUM_RESULT_INIT;
    memset(s, 0, sizeof *s);
    double potential[RHS * N], vector[RHS * N * 3];
    int n = m > 0 ? m : N;
    if (kernels[k].flow) {
        out.velocity = vector;
    } else {
        out.potential = potential;
        out.field = vector;
        out.energy = m > 0 ? NULL : s->energy;
        out.virial = m > 0 ? NULL : s->virial[0];
    }
    assert_int_equal(farsum_plan_execute(plan, RHS, q, &out), FARSUM_OK);
    for (int r = 0; r < RHS; r++)
        for (int i = 0; i < n; i++) {
            s->potential[r][i] = out.potential ? potential[r * n + i] : 0;
            memcpy(s->vector[r][i], vector + 3 * (r * n + i), 24);
        }
}

/* The nearest image by looking at many. */
static inline long double nearest(const double *y, const double *x,
                                  int periodic, long double d[3])
{
    enum { R = 4, SIDE = 2 * R + 1 };
    long double least = INFINITY;
    for (int c = 0; c < (periodic ? SIDE * SIDE * SIDE : 1); c++) {
        const int at[3] = {c / SIDE / SIDE - R, c / SIDE % SIDE - R,
                           c % SIDE - R};
        long double e[3], r2 = 0;
        for (int a = 0; a < 3; a++) {
            e[a] = (long double)y[a] - x[a];
            for (int b = 0; periodic && b < 3; b++)
                e[a] += at[b] * (long double)skewed[3 * b + a];
            r2 += e[a] * e[a];
        }
        if (r2 < least) {
            least = r2;
            memcpy(d, e, sizeof e);
        }
    }
    return sqrtl(least);
}

/* What a target loses of strengths q of a source at -d from it, dist apart; own
 * strength p. */
static inline void lose_image(int k, const long double d[3], long double dist,
                              const double *q, double part, double p, int r,
                              int i, struct sums *s)
{
    long double v[3] = {0}, c = 1.7L * part, phi, f;
    if (kernels[k].flow) {
        flow_bare(k - 3, d, q, v);
        for (int a = 0; a < 3; a++)
            s->vector[r][i][a] -= (double)(c * v[a]);
        return;
    }
    phi = k == 0   ? q[0] / dist
          : k == 1 ? q[0] * expl(-kernels[k].kappa * dist) / dist
                   : q[0] / powl(dist, 6);
    f = k == 0   ? phi / dist
        : k == 1 ? phi * (kernels[k].kappa + 1 / dist)
                 : 6 * phi / dist;
    s->potential[r][i] -= (double)(c * phi);
    s->energy[r] -= (double)(c * phi * p) / 2;
    for (int a = 0; a < 3; a++) {
        s->vector[r][i][a] -= (double)(c * f * d[a] / dist);
        for (int b = 0; b < 3; b++)
            s->virial[r][3 * a + b] -=
                (double)(c * f * p * d[a] * d[b] / dist) / 2;
    }
}

/* The same of the nearest image of a source at x, target at y. */
static inline void lose(int k, const double *y, const double *x,
                        const double *q, int periodic, double part, double p,
                        int r, int i, struct sums *s)
{
    long double d[3] = {0};
    long double dist = nearest(y, x, periodic, d);
    lose_image(k, d, dist, q, part, p, r, i, s);
}

static inline void lose_all(int k, int periodic, const struct list *l,
                            int64_t m, const double *x, const double *y,
                            const double *q, struct sums *s)
{
    int w = kernels[k].strengths;
    for (int r = 0; r < RHS; r++)
        for (int64_t e = 0; e < l->count; e++) {
            int64_t i = l->pair[e][0], j = l->pair[e][1];
            const double *qr = q + r * N * w;
            double part = 1 - l->factor[e];
            lose(k, (m > 0 ? y : x) + 3 * i, x + 3 * j, qr + j * w, periodic,
                 part, m > 0 ? 0 : qr[i * w], r, (int)i, s);
            if (m == 0)
                lose(k, x + 3 * j, x + 3 * i, qr + i * w, periodic, part,
                     qr[j * w], r, (int)j, s);
        }
}

static inline void compare(const struct sums *a, const struct sums *b,
                           const struct sums *size, double within)
{
    const double *x = (const double *)a, *y = (const double *)b;
    const double *z = (const double *)size;
    size_t parts[] = {sizeof a->potential, sizeof a->vector, sizeof a->energy,
                      sizeof a->virial};
    for (size_t p = 0, at = 0; p < 4; at += parts[p++] / 8) {
        double most = 0;
        for (size_t i = at; i < at + parts[p] / 8; i++)
            most = fmax(most, fmax(fabs(y[i]), fabs(z[i])));
        for (size_t i = at; i < at + parts[p] / 8; i++)
            if (!(fabs(x[i] - y[i]) <= within * most))
                fail_msg("part %zu, %zu: %.17g for %.17g, largest %g", p,
                         i - at, x[i], y[i], most);
    }
}

/* Without, with, with others, after a move, without again; ends the plan. */
static inline void sequence(int k, farsum_plan *plan, int periodic, int64_t m,
                            double within)
{
    static double x[3 * N], y[3 * N], q[RHS * N * MOST];
    static struct sums whole, want, got;
    struct list l = make_list(m > 0 ? m : N);
    for (int turn = 0; turn < 4; turn++) {
        flow_points(skewed, N, RHS * MOST, 3 + (uint64_t)turn / 2, x, q);
        flow_points(skewed, N, 0, 40 + (uint64_t)turn / 2, y, NULL);
        for (int i = 0; i < 3 * N; i++) /* far images */
            x[i] += i % 11 == 0 ? 2 * skewed[i % 3] : 0;
        if (turn % 2 == 0)
            assert_int_equal(
                farsum_plan_set_points(plan, N, x, m, m > 0 ? y : NULL),
                FARSUM_OK);
        assert_int_equal(farsum_plan_set_exclusions(plan, 0, NULL, NULL),
                         FARSUM_OK);
        run(plan, k, (int)m, q, &whole);
        l.count = turn % 2 ? PAIRS : PAIRS / 2;
        assert_int_equal(
            farsum_plan_set_exclusions(plan, l.count, l.pair[0], l.factor),
            FARSUM_OK);
        if (turn == 2) /* rows for the points that come */
            assert_int_equal(
                farsum_plan_set_points(plan, N, x, m, m > 0 ? y : NULL),
                FARSUM_OK);
        run(plan, k, (int)m, q, &got);
        want = whole;
        lose_all(k, periodic, &l, m, x, y, q, &want);
        compare(&got, &want, &whole, within);
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        assert_int_equal(farsum_plan_get_info(plan, &info), FARSUM_OK);
        assert_int_equal(info.n_exclusions, l.count);
    }
    farsum_plan_destroy(plan);
}
#endif
