/* SPDX-License-Identifier: Apache-2.0 */
/* slab_case.h: a slab of random charges. */
#ifndef FARSUM_TEST_GEOMETRY_SLAB_CASE_H
#define FARSUM_TEST_GEOMETRY_SLAB_CASE_H

#include "farsum/farsum.h"

enum { SLAB_POINTS = 300, SLAB_TARGETS = 40 };

struct slab {
    farsum_problem problem;
    farsum_options options;
    double x[3 * SLAB_POINTS], q[SLAB_POINTS], y[3 * SLAB_TARGETS];
    int m; /* targets; 0: the sources */
};

/* Random charges, `net` in all, in an oblique slab whose row `open` is open and
 * whose points lie around 7 along it. */
void slab_make(struct slab *s, int open, double thick, double net,
               double tolerance);
#endif
