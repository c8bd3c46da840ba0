/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_check.h: common code of the tests of the periodic reference. */
#ifndef FARSUM_TEST_EWALD_CHECK_H
#define FARSUM_TEST_EWALD_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "reference/ewald/ewald_sum.h"

static inline double check_uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Uniform random points in a cell; charges -1..1 with the sum `net`. */
static inline void check_points(const double cell[9], int64_t n, double net,
                                uint64_t seed, double *x, double *q)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double s[3];
        for (int d = 0; d < 3; d++)
            s[d] = check_uniform(&seed);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] =
                s[0] * cell[d] + s[1] * cell[3 + d] + s[2] * cell[6 + d];
        q[i] = 2 * check_uniform(&seed) - 1;
        sum += q[i];
    }
    for (int64_t i = 0; i < n; i++)
        q[i] += (net - sum) / (double)n;
}

/* One sum, from create to destroy. */
static inline void check_run(const struct ewald_setup *setup, int64_t n,
                             const double *x, int64_t m, const double *y,
                             const double *q, double *potential, double *field,
                             double *energy, double *virial)
{
    struct ewald *e = NULL;
    assert_int_equal(ewald_create(setup, &e), FARSUM_OK);
    assert_int_equal(ewald_set_points(e, n, x, m, y), FARSUM_OK);
    assert_int_equal(ewald_run(e, q, potential, field, energy, virial),
                     FARSUM_OK);
    ewald_destroy(e);
}

/* RMS of a - b over the RMS of b, or over `least` if that is larger. */
static inline double check_error(int64_t n, const double *a, const double *b,
                                 double least)
{
    long double diff = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        diff += ((long double)a[i] - b[i]) * ((long double)a[i] - b[i]);
        size += (long double)b[i] * b[i];
    }
    double rms = (double)sqrtl(size / (long double)n);
    return (double)sqrtl(diff / (long double)n) / (rms > least ? rms : least);
}
#endif
