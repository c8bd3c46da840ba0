/* SPDX-License-Identifier: Apache-2.0 */
/* smear.h: charges smeared into Gaussian clouds, math.md (3.12).  A method sums
 * point charges; the difference of clouds and points has a short range, and
 * this adds it, in the units of the task and for C = 1. */
#ifndef FARSUM_PLAN_SMEAR_SMEAR_H
#define FARSUM_PLAN_SMEAR_SMEAR_H

#include "plan/plan.h"

/* The difference at a target by one source: q u to its potential, q f d to its
 * field. */
struct smear_pair {
    int64_t j; /* the source */
    double d[3], u, f;
    double off; /* rounding of u: the method's 1/r, from its own rounded
                   distance, stays in the sum where it differs from u's */
};

struct smear {
    int64_t n;
    double *width;           /* owned, [n], the caller's unit */
    int64_t *start;          /* owned, [n + 1]: first pair of each target */
    struct smear_pair *pair; /* owned; both ways */
    double *q;               /* owned, [n]: strengths in the task's units */
    double *blur;            /* owned, [n]: rounding of positions */
    double error[2]; /* in the tolerance's norm, and in that of energies: of the
                        last sum, by the pairs' rounding */
};

/* Losses of a right-hand side by the pairs' rounding: sums over targets, in the
 * task's units. */
struct smear_loss {
    double potential, force, energy; /* squares of errors */
    double phi, f, each;             /* phi^2, F^2 and |q phi| of the results */
};

/* smear_pairs.c: lists the pairs of n points, the caller's, of type `type`,
 * that are so close that their difference exceeds `least` over the distance,
 * and farther apart than `coincide` of the longest cell vector. */
farsum_status smear_list(struct smear *s, const struct cell *cell,
                         const void *x, farsum_precision type, double least,
                         double coincide, int threads);

/* smear_error.c: estimates how positions are rounded, x as the caller gave
 * them. */
void smear_blur(struct farsum_plan *plan, const struct cell *cell,
                const void *x);
/* Counts the loss of right-hand side r; the largest of a sum counts.  Fails if
 * it exceeds the results of neighbours at the mean distance. */
farsum_status smear_judge(struct farsum_plan *plan, const farsum_result *result,
                          int r, const struct smear_loss *loss);

/* smear.c: lists the pairs of new points.  Nothing without widths. */
farsum_status smear_points(struct farsum_plan *plan, int64_t n, const void *x);
/* Sets the pairs' differences, less those of the plan's exclusions.  Nothing
 * without widths or points. */
void smear_exclude(struct farsum_plan *plan);
/* Adds the differences to a sum's results.  Nothing without widths.  Fails if
 * one is then beyond the range of its type. */
farsum_status smear_add(struct farsum_plan *plan, int rhs, const void *q,
                        const farsum_result *result);
void smear_destroy(struct smear *s); /* NULL is legal */
#endif
