/* SPDX-License-Identifier: Apache-2.0 */
/* faults.h: plans that the tests run out of memory. */
#ifndef FARSUM_TEST_FAULTS_H
#define FARSUM_TEST_FAULTS_H

#include <string.h>

#include "check.h"

enum { FAULTS_N = 40, FAULTS_M = 9 };

struct fault_case {
    const char *name;
    farsum_problem problem;
    farsum_options options;
    double x[FAULTS_N][3], y[FAULTS_M][3], q[FAULTS_N * 6];
    int64_t m; /* targets; 0: the sources */
    int parameters;      /* the tuner finds its parameters */
    double cell[9]; /* for set_cell */
};

/* A flow's velocity is in field, and its first number in potential[0]. */
struct fault_sums {
    double potential[FAULTS_N], field[FAULTS_N][3];
};

#define FAULT_CASES 17
/* Makes case k; its samples point into *c. */
void fault_case(struct fault_case *c, int k);

farsum_status fault_points(farsum_plan *plan, const struct fault_case *c);
farsum_status fault_execute(farsum_plan *plan, const struct fault_case *c,
                            struct fault_sums *sums);
/* 1: a fault set for the n-th allocation has not occurred yet.  Turns it
 * off. */
int fault_waits(int64_t n);
#endif
