/* SPDX-License-Identifier: Apache-2.0 */
/* flow_check.h: common code of the tests of the flow references: random
 * sources, and the kernels as defined in include/farsum/farsum.h. */
#ifndef FARSUM_TEST_FLOW_CHECK_H
#define FARSUM_TEST_FLOW_CHECK_H

#include "ewald_check.h"
#include "reference/ewald/ewald_any.h"

static const char *const flow_names[3] = {"stokeslet", "rotlet", "stresslet"};
static const double flow_tilted[9] = {1.1, 0.1,  -0.2, 0.4, 0.9,
                                      0.3, -0.3, 0.2,  1.3};
static const double flow_cube[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static inline const struct reference_kind *flow_kind(int k)
{
    const struct reference_kind *kind = reference_kind_find(flow_names[k]);
    assert_non_null(kind);
    return kind;
}

/* Points in the cell; strengths [n][strengths] in -1..1, with nonzero
 * totals. */
static inline void flow_points(const double *cell, int64_t n, int strengths,
                               uint64_t seed, double *x, double *q)
{
    double unused;
    for (int64_t i = 0; i < n; i++)
        check_points(cell, 1, 0, seed + 1000 * (uint64_t)i, x + 3 * i,
                     &unused);
    seed += 77;
    for (int64_t i = 0; i < strengths * n; i++)
        q[i] = 2 * check_uniform(&seed) - 1;
}

/* Adds one source's velocity at d = target - source to v; k as in
 * flow_names. */
static inline void flow_bare(int k, const long double d[3], const double *q,
                             long double v[3])
{
    long double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrtl(r2);
    long double qd = q[0] * d[0] + q[1] * d[1] + q[2] * d[2];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        if (k == 0)
            v[a] += q[a] / r + qd * d[a] / (r * r2);
        else if (k == 1)
            v[a] += (q[b] * d[c] - q[c] * d[b]) / (r * r2);
        else
            v[a] -= 6 * qd * (q[3] * d[0] + q[4] * d[1] + q[5] * d[2]) * d[a] /
                    (r * r2 * r2);
    }
}

/* g.(S f) = f.(S g), n numbers each. */
static inline void flow_adjoint(int n, const double *f, const double *sf,
                                const double *g, const double *sg)
{
    double left = 0, right = 0, size = 0;
    for (int i = 0; i < n; i++) {
        left += g[i] * sf[i];
        right += f[i] * sg[i];
        size += fabs(g[i] * sf[i]);
    }
    assert_true(fabs(left) > 1e-3 * size);
    assert_true(fabs(left - right) < 1e-14 * size);
}

/* One periodic sum, from create to destroy; y NULL: the sources. */
static inline void flow_run(int k, const struct ewald_setup *setup, int64_t n,
                            const double *x, int64_t m, const double *y,
                            const double *q, double *v)
{
    struct ewald_any *e = NULL;
    assert_int_equal(ewald_any_create(flow_kind(k), 0, setup, &e), FARSUM_OK);
    assert_int_equal(ewald_any_set_points(e, n, x, m, y), FARSUM_OK);
    assert_int_equal(ewald_any_run(e, q, 3, v), FARSUM_OK);
    ewald_any_destroy(e);
}

static inline struct ewald_setup flow_setup(const double *cell, int64_t n,
                                            int64_t m)
{
    struct ewald_setup s = {.accuracy = EWALD_BEST, .n = n, .m = m,
                            .threads = 2, .isa = isa_best()};
    memcpy(s.cell, cell, sizeof s.cell);
    return s;
}
#endif
