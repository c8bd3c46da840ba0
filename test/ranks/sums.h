/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h: problems and comparisons of whole sums over ranks. */
#ifndef FARSUM_TEST_SUMS_H
#define FARSUM_TEST_SUMS_H

#include <math.h>
#include <string.h>

#include <farsum/farsum.h>

#include "math/pair.h"
#include "task/shape.h"

/* 1: the ranks of a test have pencils instead of slabs. */
#ifndef PENCILS
#define PENCILS 0
#endif

/* Pencils that are nearly square; a prime number of ranks is cut along axis 1
 * only. */
static inline struct ranks_shape sums_shape(int size)
{
    struct ranks_shape shape = {{size, 1}};
    for (int p1 = 1; PENCILS && p1 * p1 <= size; p1++)
        if (size % p1 == 0)
            shape = (struct ranks_shape){{p1, size / p1}};
    return shape;
}

/* A problem in a cube of edge 2 or an oblique cell, with all outputs of the
 * kernel.  values: 3 for a flow. */
static inline farsum_problem sums_problem(const char *kernel, int values,
                                          double tolerance, int oblique,
                                          farsum_precision precision,
                                          farsum_surface surface)
{
    static const double rows[2][9] = {{2, 0, 0, 0, 2, 0, 0, 0, 2},
                                      {2, 0, 0, 0.3, 1.8, 0, -0.4, 0.5, 1.6}};
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = kernel;
    p.kappa = strcmp(kernel, "yukawa") == 0 ? 3 : 0;
    p.tolerance = tolerance;
    p.precision = precision;
    p.arrays = FARSUM_F64;
    p.surface = surface;
    p.outputs = values == 3 ? FARSUM_VELOCITY
                            : FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                                  | FARSUM_VIRIAL;
    if (pair_find(kernel)->kind->moments)
        p.outputs |= FARSUM_GRADIENT;
    memcpy(p.cell, rows[oblique], sizeof p.cell);
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1;
    return p;
}

/* The largest difference over the largest right number; infinite if a number is
 * not finite. */
static inline double sums_apart(const double *found, const double *right, int n)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(found[i])) /* which fmax would leave out */
            return INFINITY;
        most = fmax(most, fabs(found[i] - right[i]));
        size = fmax(size, fabs(right[i]));
    }
    return most / size;
}
#endif
