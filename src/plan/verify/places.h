/* SPDX-License-Identifier: Apache-2.0 */
/* places.h: the surroundings of possible targets of a check: nearest neighbours
 * and clustering, by neighbours along curves through space. */
#ifndef FARSUM_PLAN_VERIFY_PLACES_H
#define FARSUM_PLAN_VERIFY_PLACES_H

#include "plan/verify/verify.h"
#include "points/cell.h"

/* Positions of the sources, then of separate targets, in a box whose fractions
 * are 0 to 1.  Over ranks, the sources include some of other ranks. */
struct places {
    int64_t n, all;
    int64_t own, own_end; /* this rank's targets among them */
    const double *x, *y;
    struct cell cell; /* the box; open axes have one common edge */
    double low[3];    /* the box's lowest fraction along open axes */
    int threads;
    uint64_t *key;     /* owned, [all] */
    int64_t *order;    /* owned, [all] */
    double *at;        /* owned, [all][3]: the places in that order */
    double *near, *clustering; /* owned, [all]: squares of distances to the
                             nearest neighbour, and across CLUSTERING places */
};

/* Place k's target of this rank, or -1. */
static inline int64_t places_target(const struct places *p, int64_t k)
{
    int64_t i = p->order[k];
    return i >= p->own && i < p->own_end ? i - p->own : -1;
}

/* The smallest values so far, smallest first. */
struct best {
    double v[NEAR];
    int64_t i[NEAR];
    int count;
};

/* Adds i with value v, unless it is there with a smaller one. */
void best_add(struct best *b, double v, int64_t i);

farsum_status places_make(const struct farsum_plan *plan,
                          const struct verify_sum *s, struct places *places);
void places_clear(struct places *places);
/* Finds this rank's targets with the nearest neighbours and in the densest
 * places.  Takes six random numbers. */
farsum_status places_near(struct places *places, uint64_t *random,
                          struct best *near, struct best *clustering);
/* Removes the sources of other ranks: those from number n on. */
void places_keep(struct places *places, int64_t n);
#endif
