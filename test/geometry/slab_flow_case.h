/* SPDX-License-Identifier: Apache-2.0 */
/* slab_flow_case.h: a slab of random sources of a flow. */
#ifndef FARSUM_TEST_GEOMETRY_SLAB_FLOW_CASE_H
#define FARSUM_TEST_GEOMETRY_SLAB_FLOW_CASE_H

#include "farsum/farsum.h"

enum { FLOW_POINTS = 100, FLOW_TARGETS = 40, FLOWS = 3 };

struct flow {
    farsum_problem problem;
    farsum_options options;
    int open, width; /* the open axis; strengths of a source */
    double x[3 * FLOW_POINTS], q[6 * FLOW_POINTS], y[3 * FLOW_TARGETS];
    int m; /* targets; 0: the sources */
};

/* Random sources of stokeslet, rotlet or stresslet in an oblique slab whose row
 * `open` is open.  net: 1: their sum is not 0, along any axis. */
void flow_make(struct flow *f, int kernel, int open, double thick, int net,
               double tolerance);
/* Velocities at the targets, and the plan's info (NULL is legal). */
farsum_status flow_sum(const struct flow *f, double *velocity,
                       farsum_plan_info *info);
#endif
