/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.h: internal functions of method/fmm/boxes/clustering.c: statistics
 * of a tree's boxes. */
#ifndef FARSUM_METHOD_FMM_BOXES_CLUSTERING_H
#define FARSUM_METHOD_FMM_BOXES_CLUSTERING_H

#include "method/fmm/fmm.h"

enum {
    K = FMM_KNOTS,
    CLUSTERING_TABLE = 256,
    CLUSTERING_BOXES = 1024,   /* sampled target boxes of a level */
    CLUSTERING_POINTS = 20000, /* sampled points, on levels with no more boxes
                                  than that */
    CLUSTERING_SOME = 2048,    /* sampled points in the sampled boxes, where
                                  others are skipped */
    CLUSTERING_ABOVE = 16,     /* at most this many times CLUSTERING_POINTS, on
                                  levels above a dense tree's leaves */
    CLUSTERING_FEW = 32,       /* fewer points give no statistics of their
                             positions */
};

/* Sums of a and g of (10.25) over a box's points. */
struct clustering_fill {
    double rim[K], lean[K];
};

/* The stride between the sampled boxes of a level. */
static inline int64_t clustering_skip(int64_t boxes)
{
    return boxes / CLUSTERING_BOXES + 1;
}
/* Returns 1 if every skip-th box describes a level: these boxes hold `sampled`
 * of the level's `here` targets.  Else the targets lie in few boxes, most of
 * which are skipped, and the stride is halved. */
static inline int clustering_meets(double sampled, double here, int64_t skip)
{
    return skip <= 1 || 4 * (double)skip * sampled >= here;
}
/* The stride between the sampled points.  If boxes are skipped, it is smaller,
 * so that the sampled boxes and their lists contain enough points. */
static inline int64_t clustering_step(int64_t n, int64_t skip)
{
    return skip > 1 ? n / (CLUSTERING_SOME * skip) + 1
                    : n / CLUSTERING_POINTS + 1;
}
/* The stride for levels above a dense tree's leaves; `boxes` is the number on
 * the lowest of these.  The points of such a box are not contiguous, so a few
 * points are sampled from the whole. */
static inline int64_t clustering_step_above(int64_t n, int64_t boxes)
{
    int64_t times = clustering_skip(boxes);
    return n
               / (CLUSTERING_POINTS
                  * (times < CLUSTERING_ABOVE ? times : CLUSTERING_ABOVE))
           + 1;
}
/* The stride in a box of n points, on a level where other boxes are skipped. */
static inline int64_t clustering_step_box(int64_t step, int64_t n)
{
    int64_t least = n / (CLUSTERING_SOME / 8) + 1;
    return step > least ? step : least;
}

struct clustering {
    const struct tree *t;
    int first;                                /* first level that has far
                                                 boxes */
    int64_t n, m; /* sources and targets: the tree's; over ranks those of all */
    int64_t skip; /* over ranks: stride of the sampled boxes in the whole grid,
                     but all boxes have sums; else 0 */
    /* by the squared distance from a box's centre */
    struct clustering_fill table[CLUSTERING_TABLE + 1];
    struct clustering_fill even;    /* means over an evenly filled box */
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
    struct clustering_fill *source; /* owned, [fills] */
    struct clustering_fill *target; /* owned, [fills]; or source */
};

/* x^(order + 1) for the orders of the knots. */
static inline void clustering_powers(double x, double power[K])
{
    double square = x * x;
    power[0] = square * x;
    for (int k = 1; k < K; k++) {
        power[k] = power[k - 1] * square;
        square *= square;
    }
}

/* Sums of the list statistics over the target boxes. */
struct clustering_sums {
    double targets; /* number of targets in these boxes */
    double far[K], uneven[K];
};

/* Computes everything that does not depend on points: weights, table, even
 * boxes. */
farsum_status clustering_begin(struct clustering *c, const struct tree *tree,
                               int first);
/* (10.26) of whole boxes and of octants; b of (10.25). */
double clustering_whole(int k);
double clustering_eighth(int k);
double clustering_rims(int ws, int k);
/* Adds a level's sums to the means over m targets; here: targets in the
 * level's boxes. */
void clustering_means(const struct tree *t, int64_t m, int level,
                      const struct clustering_sums *all, double here,
                      struct fmm_clustering *clustering);
/* The parts of fmm_clustering: the boxes that a target lies in, and a level's
 * lists. */
void clustering_inside(const struct clustering *c,
                       struct fmm_clustering *clustering);
/* If far is 0 since all n sources are near, sets it to that of their nearest
 * images. */
farsum_status clustering_images(const struct tree *t, int64_t n,
                                struct fmm_clustering *clustering);
farsum_status clustering_level(const struct clustering *c, int level,
                               struct fmm_clustering *clustering);
void clustering_clear(struct clustering *c);

/* method/fmm/boxes/clustering_fill.c: table of a point's contribution by its
 * position in the box; sums over the points. */
void clustering_table(struct clustering *c);
farsum_status clustering_fills(struct clustering *c);
/* The sums of a sampled box, or of a box in its list: over its sources, or over
 * its targets (side 1). */
void clustering_fill_of(const struct clustering *c, int side, int level,
                        int64_t box, struct clustering_fill *fill);
#endif
