/* SPDX-License-Identifier: Apache-2.0 */
/* route.h: points from the ranks that give them, because their callers pass
 * them, to the ranks that own them, because they lie in their parts, and values
 * back.
 *
 * Any rank may give any point.  A rank's own points are ordered by giving rank,
 * then by the giver's index.  So the order depends neither on threads nor on
 * the network.  A point's global number is its index plus the numbers of points
 * that lower ranks give. */
#ifndef FARSUM_RANKS_ROUTE_H
#define FARSUM_RANKS_ROUTE_H

#include "ranks/sends.h"

/* How a set shares the points.  The numbers of ranks decide nothing before the
 * next agreement (comm.h). */
struct route_share {
    int64_t marked; /* by the user: own points in an earlier set, at first 0 */
    int64_t most;   /* largest number of own points of a rank */
    int64_t moved;  /* largest difference from `marked` of a rank */
};
/* comm_agree, which also sets *share by this rank's number of own points. */
farsum_status route_agree(struct route_share *share, struct comm *comm,
                          farsum_status status, int64_t n_own);

struct route {
    struct sends sends;     /* sends.to and .from: points per rank */
    struct targets targets[2]; /* the owner of each plane, along each axis */
    int64_t n, n_own;       /* points that this rank gives, and owns */
    int64_t first, n_all; /* global number of its point 0; all ranks' points */
    int64_t *given;       /* owned, [size]: points that each rank gives */
    struct route_share share;
};

/* bytes_most: the largest value, in bytes, that route_there and route_back will
 * move per point.  Not collective, and it owns nothing on failure.  All ranks
 * must agree (comm_agree) before the first set. */
farsum_status route_create(struct route *route, const struct comm *comm,
                           int64_t bytes_most, int threads);
void route_destroy(struct route *route); /* a zeroed route is legal */

/* Finds the owners of this rank's points.  s [3][n]: fractions of the whole
 * cell in [0, 1); those of cut axes are read.  n may be 0, and s[d] may be NULL
 * then.  Only counts are exchanged.  Memory never shrinks.  Collective: it
 * returns the same status on all ranks, and after a failure no rank has
 * points. */
farsum_status route_set(struct route *route, struct comm *comm,
                        const struct domain *domain, int64_t n,
                        double *const s[3]);
/* The next three are collective and allocate nothing. */

/* Brings a value of bytes_each per given point, values [n], to the owners: own
 * [n_own]. */
farsum_status route_there(struct route *route, struct comm *comm,
                          const void *values, int64_t bytes_each, void *own);
/* Brings a value per own point, own [n_own], back to the giver, in its order:
 * values [n]. */
farsum_status route_back(struct route *route, struct comm *comm,
                         const void *own, int64_t bytes_each, void *values);
/* Sets own [n_own] to the global numbers of the own points. */
farsum_status route_numbers(struct route *route, struct comm *comm,
                            int64_t *own);
#endif
