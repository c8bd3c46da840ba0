/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.h: internal functions of method/fmm/boxes/clustering.c: statistics
 * of a tree's boxes. */
#ifndef FARSUM_METHOD_FMM_BOXES_CLUSTERING_H
#define FARSUM_METHOD_FMM_BOXES_CLUSTERING_H

#include "method/fmm/fmm.h"

enum {
    K = FMM_KNOTS,
    CROWD_TABLE = 256,
    CROWD_BOXES = 1024,   /* sampled target boxes of a level */
    CROWD_POINTS = 20000, /* sampled points, on levels with no more boxes than
                             that */
    CROWD_SOME = 2048,    /* sampled points in the sampled boxes, where others
                             are skipped */
    CROWD_ABOVE = 16,     /* at most this many times CROWD_POINTS, on levels
                             above a dense tree's leaves */
    CROWD_FEW = 32,       /* fewer points give no statistics of their
                             positions */
};

/* Sums of a and g of (10.25) over a box's points. */
struct crowd_fill {
    double rim[K], lean[K];
};

/* The stride between the sampled boxes of a level. */
static inline int64_t crowd_skip(int64_t boxes)
{
    return boxes / CROWD_BOXES + 1;
}
/* The stride between the sampled points.  If boxes are skipped, it is smaller,
 * so that the sampled boxes and their lists contain enough points. */
static inline int64_t crowd_step(int64_t n, int64_t skip)
{
    return skip > 1 ? n / (CROWD_SOME * skip) + 1 : n / CROWD_POINTS + 1;
}
/* The stride for levels above a dense tree's leaves; `boxes` is the number on
 * the lowest of these.  The points of such a box are not contiguous, so a few
 * points are sampled from the whole. */
static inline int64_t crowd_step_above(int64_t n, int64_t boxes)
{
    int64_t times = crowd_skip(boxes);
    return n / (CROWD_POINTS * (times < CROWD_ABOVE ? times : CROWD_ABOVE)) + 1;
}
/* The stride in a box of n points, on a level where other boxes are skipped. */
static inline int64_t crowd_step_box(int64_t step, int64_t n)
{
    int64_t least = n / (CROWD_SOME / 8) + 1;
    return step > least ? step : least;
}

struct crowd {
    const struct tree *t;
    int first;                                /* first level that has far
                                                 boxes */
    struct crowd_fill table[CROWD_TABLE + 1]; /* by the squared distance from a
                                                 box's centre */
    struct crowd_fill even;    /* means over an evenly filled box */
    double half;               /* 1 over the square of half a box's diagonal */
    double *weight;            /* owned, [side^3][K]: per offset */
    double total[K];           /* their sum */
    int64_t *count;            /* owned, [box]: number of sources */
    int64_t *aim;              /* owned, [box]: number of targets; or count */
    double *gaps;              /* owned, [box]: (10.26) of the octants' sources
                                  over their number */
    int64_t fills;             /* boxes of the next two arrays: all, or, where a
                                  dense tree's leaves are sampled, those above
                                  the leaves */
    struct crowd_fill *source; /* owned, [fills] */
    struct crowd_fill *target; /* owned, [fills]; or source */
};

/* x^(order + 1) for the orders of the knots. */
static inline void crowd_powers(double x, double power[K])
{
    double square = x * x;
    power[0] = square * x;
    for (int k = 1; k < K; k++) {
        power[k] = power[k - 1] * square;
        square *= square;
    }
}

/* Sums of the list statistics over the target boxes. */
struct crowd_sums {
    double targets; /* number of targets in these boxes */
    double far[K], uneven[K];
};

/* Computes everything that does not depend on points: weights, table, even
 * boxes. */
farsum_status crowd_begin(struct crowd *c, const struct tree *tree, int first);
/* (10.26) of whole boxes and of octants; b of (10.25). */
double crowd_whole(int k);
double crowd_eighth(int k);
double crowd_rims(int ws, int k);
/* Adds a level's sums to the means over the targets; here: targets in the
 * level's boxes. */
void crowd_means(const struct tree *t, int level, const struct crowd_sums *all,
                 double here, struct fmm_crowd *crowd);
void crowd_clear(struct crowd *c);

/* method/fmm/boxes/clustering_fill.c: table of a point's contribution by its
 * position in the box; sums over the points. */
void crowd_table(struct crowd *c);
farsum_status crowd_fills(struct crowd *c);
/* The sums of a sampled box, or of a box in its list: over its sources, or over
 * its targets (side 1). */
void crowd_fill_of(const struct crowd *c, int side, int level, int64_t box,
                   struct crowd_fill *fill);
#endif
