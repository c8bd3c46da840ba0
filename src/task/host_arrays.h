/* SPDX-License-Identifier: Apache-2.0 */
/* host_arrays.h: the caller's arrays on the host.  Positions and strengths are
 * read into f64 and the task's units; sums in these are written back in the
 * caller's type and units. */
#ifndef FARSUM_TASK_HOST_ARRAYS_H
#define FARSUM_TASK_HOST_ARRAYS_H

#include "task/units.h"

/* Positions: coordinate d of point i is x[d][step * i]. */
struct positions {
    int64_t n;
    double *x[3]; /* borrowed */
    int64_t step;
};
/* Positions in x [n][3]. */
struct positions positions_rows(double *x, int64_t n);

/* Reads x [n][3] and y [m][3] of the caller, n and m as in source and target.
 * m = 0: there are no separate targets.  In open space the points determine the
 * unit of length.  Fails if a coordinate is not finite, or if two points in
 * open space are so close that the square of their distance may be 0.  extent:
 * out, the bounding box of all points in the task's units; NULL: not wanted. */
farsum_status host_positions(struct task *task, const struct positions *source,
                             const void *x, const struct positions *target,
                             const void *y, struct extent *extent);
/* Reads right-hand side r of q into `to` [n][strengths] and makes its units
 * those of the sum. */
void host_strengths(struct task *task, int64_t n, int r, const void *q,
                    double *to);

/* Sums of one right-hand side, C = 1.  Outputs that are NULL are not
 * requested. */
struct host_sums {
    double *potential; /* [targets] */
    double *field;     /* [targets][3] */
    double *energy;    /* [1] */
    double *virial;    /* [9] */
    double *velocity;  /* [targets][3] */
    double *gradient;  /* [targets][6]: xx xy xz yy yz zz */
    double *third;     /* [targets][10]: xxx xxy xxz xyy ... */
    double *particle;  /* [targets][9]: each one's share of the virial */
};
/* The arrays of those outputs that the caller requests; vector: [targets][3],
 * for the field or the velocity.  No gradient, third or particle. */
struct host_sums host_sums(const farsum_result *result, double *potential,
                           double *vector, double *energy, double *virial);
/* Writes C times the sums to row r of the caller's arrays.  Fails, and writes
 * nothing, if one is not in the range of its type. */
farsum_status host_results(const struct task *task, int64_t targets, int r,
                           const struct host_sums *sums, farsum_result *result);
/* Reports the size of a sum with strengths q [n][strengths], and the sum of
 * charges as its net strength. */
void host_net(const struct task *task, int64_t n, const double *q);
#endif
