/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: a system, its sums by parts, and a pair loop as a caller's. */
#ifndef FARSUM_TEST_PARTS_H
#define FARSUM_TEST_PARTS_H

#include "check.h"
#include "farsum/expert.h"

enum { PARTS_N = 90, PARTS_WIDTH = 6, PARTS_PAIRS = 12 };

struct parts_case {
    farsum_problem problem;
    farsum_options options;
    int m; /* separate targets; 0: none */
    double x[3 * PARTS_N], q[PARTS_WIDTH * PARTS_N], y[3 * PARTS_N];
    int64_t pair[2 * PARTS_PAIRS]; /* excluded, if problem.n_exclusions > 0 */
    double factor[PARTS_PAIRS];
};

struct parts_sums {
    double potential[3 * PARTS_N]; /* or velocity */
    double field[3 * PARTS_N], gradient[6 * PARTS_N], energy, virial[9];
};

/* Points in a tilted cell, no two of them close, and strengths. */
void parts_system(struct parts_case *c, const char *kernel, int seed);
/* The same points, excluded pairs among them. */
void parts_exclude(struct parts_case *c);
/* Makes a plan of this part.  like: NULL, or a plan whose parameters it has. */
farsum_plan *parts_plan(const struct parts_case *c, farsum_part part,
                        const farsum_plan *like);
/* Fixes the parameters to those of a plan, for plans of a device, too. */
void parts_fix(struct parts_case *c, const farsum_plan *plan);
/* Sets the points and sums all outputs. */
void parts_sum(const struct parts_case *c, farsum_plan *plan,
               struct parts_sums *sums);
/* Adds all pairs within the cutoff, by farsum_plan_near of the plan, to these
 * sums: what a caller's pair loop does.  Excluded pairs are scaled at their
 * nearest image. */
void parts_loop(const struct parts_case *c, const farsum_plan *plan,
                struct parts_sums *sums);
/* a += b */
void parts_add(struct parts_sums *a, const struct parts_sums *b);
/* Checks that sums differ by at most `most` of the largest value. */
void parts_same(const struct parts_case *c, const struct parts_sums *a,
                const struct parts_sums *b, double most, const char *what);
int parts_flow(const struct parts_case *c);
#endif
