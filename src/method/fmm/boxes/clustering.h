/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.h: the inside of method/fmm/boxes/clustering.c: what is known of a
 * tree's boxes. */
#ifndef FARSUM_METHOD_FMM_BOXES_CLUSTERING_H
#define FARSUM_METHOD_FMM_BOXES_CLUSTERING_H

#include "method/fmm/fmm.h"

enum {
    K = FMM_KNOTS,
    CROWD_TABLE = 256,
    CROWD_BOXES = 1024,   /* targets' boxes of a level that are looked at */
    CROWD_POINTS = 20000, /* points that are, of levels of no more boxes */
    CROWD_SOME = 2048,    /* of the boxes that are, where others are left out */
    CROWD_ABOVE = 16,     /* times CROWD_POINTS at most, of levels above a dense
                             tree's leaves */
    CROWD_FEW = 32,       /* points that say nothing of where they lie */
};

/* Points of a box: sums over them of a and g of (10.25). */
struct crowd_fill {
    double rim[K], lean[K];
};

/* Of so many boxes of a level every so-manieth is looked at. */
static inline int64_t crowd_skip(int64_t boxes)
{
    return boxes / CROWD_BOXES + 1;
}
/* Of n points every so-manieth: of boxes of which some are left out, so that
 * those that are not, and their lists, have enough. */
static inline int64_t crowd_step(int64_t n, int64_t skip)
{
    return skip > 1 ? n / (CROWD_SOME * skip) + 1 : n / CROWD_POINTS + 1;
}
/* The same of levels above a dense tree's leaves, the lowest of so many boxes:
 * their points do not lie together, so that a few are taken of all. */
static inline int64_t crowd_step_above(int64_t n, int64_t boxes)
{
    int64_t times = crowd_skip(boxes);
    return n / (CROWD_POINTS * (times < CROWD_ABOVE ? times : CROWD_ABOVE)) + 1;
}
/* The step of a box of n points of a level of which others are left out. */
static inline int64_t crowd_step_box(int64_t step, int64_t n)
{
    int64_t least = n / (CROWD_SOME / 8) + 1;
    return step > least ? step : least;
}

struct crowd {
    const struct tree *t;
    int first;                                /* level that has far boxes */
    struct crowd_fill table[CROWD_TABLE + 1]; /* of squares of distances from a
                                                 box's centre */
    struct crowd_fill even;    /* means over a box that is filled evenly */
    double half;               /* 1 over the square of half a box's diagonal */
    double *weight;            /* owned, [side^3][K]: of an offset */
    double total[K];           /* their sum */
    int64_t *count;            /* owned, [box]: sources */
    int64_t *aim;              /* owned, [box]: targets; or count */
    double *gaps;              /* owned, [box]: of octants' sources the squares
                                  of (10.26) over their number */
    int64_t fills;             /* boxes that the next two are of: all, or, where
                                  not all leaves of a dense tree are looked
                                  at, those above them */
    struct crowd_fill *source; /* owned, [fills] */
    struct crowd_fill *target; /* owned, [fills]; or source */
};

/* x^(order + 1) of the knots. */
static inline void crowd_powers(double x, double power[K])
{
    double square = x * x;
    power[0] = square * x;
    for (int k = 1; k < K; k++) {
        power[k] = power[k - 1] * square;
        square *= square;
    }
}

/* What lists are for the targets' boxes, over boxes. */
struct crowd_sums {
    double targets; /* that they are over */
    double far[K], uneven[K];
};

/* What is known before the points: weights, table, even boxes. */
farsum_status crowd_begin(struct crowd *c, const struct tree *tree, int first);
/* (10.26)'s of whole boxes and of octants; (10.25)'s b. */
double crowd_whole(int k);
double crowd_eighth(int k);
double crowd_rims(int ws, int k);
/* A level's sums into means over the targets; here: those in its boxes. */
void crowd_means(const struct tree *t, int level, const struct crowd_sums *all,
                 double here, struct fmm_crowd *crowd);
void crowd_clear(struct crowd *c);

/* method/fmm/boxes/clustering_fill.c: what a point's place in its box counts;
 * from the points. */
void crowd_table(struct crowd *c);
farsum_status crowd_fills(struct crowd *c);
/* Of a box of a level that is looked at, or in a list of such a one: by its
 * sources, or by its targets (side 1). */
void crowd_fill_of(const struct crowd *c, int side, int level, int64_t box,
                   struct crowd_fill *fill);
#endif
