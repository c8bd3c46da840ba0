/* SPDX-License-Identifier: Apache-2.0 */
/* bound.h: what an order cannot leave more than, (10.34) to (10.38) of
 * math.md, for plans that are asked for a bound in place of an estimate, and
 * for points of which estimates know too little. */
#ifndef FARSUM_METHOD_FMM_BOUND_BOUND_H
#define FARSUM_METHOD_FMM_BOUND_BOUND_H

#include "method/fmm/fmm.h"

enum {
    STRICT_ORDERS = MULTIPOLE_MOST + 1,
    STRICT_SHELLS = 24,
    STRICT_WINDOW = 4, /* orders that a walk through a tree looks at */
};

/* Bounds of the potential [0] and the field [1], by order: of charges 1, in
 * boxes whose longest edge is 1. */
typedef double strict_bounds[2][STRICT_ORDERS];

/* What is known of boxes before points are. */
struct strict_boxes {
    int ws, periodic;
    int64_t root[3];
    double box[3];
    strict_bounds *pair; /* owned, [(2 ws + 2)^3]: of boxes whose places differ
                            by so much along x (fastest), y, z; NULL: none */
    strict_bounds shell[STRICT_SHELLS]; /* of boxes whose places differ by
                                           2 ws + 2, 2 ws + 3, ... at least */
    strict_bounds list;  /* sum over the far list of a box below level 0 */
    strict_bounds top;   /* of a box of level 0: over those that are not near
                           and differ by 2 ws + 1 at most */
    strict_bounds rest; /* over all others of level 0, their charges 1 in all */
};

struct fmm_strict {
    struct strict_boxes boxes;
    double mean, most, spread; /* of |q| in the sample, spread its standard
                                  deviation; 1, 1, 0 without one */
    /* Of the tree that is there: */
    int64_t n_boxes, room;
    double *weight; /* owned, [n_boxes]: that |q| in a box is thought to be */
    double *size;   /* owned, [n_boxes]: the |q| in it */
    double *sum;    /* owned, [n_boxes][STRICT_WINDOW] */
    int order;      /* that `bound` is of; -1: nothing is known */
    int known;      /* 1: and the tree is the one that is there */
    double bound;   /* of the potential or the field at any target, C = 1, for
                       those weights */
    double over;    /* sources of a box over its weight, at most */
    double near;    /* of near pairs' rounding, C = 1, strengths of root mean
                       square; 0: nothing is known */
    /* On a device: */
    double given; /* the largest |q| of the right-hand side that runs */
    void *q;      /* owned: strengths from a caller's device */
    int64_t have_q;
};

/* method/fmm/bound/bound.c */
farsum_status strict_boxes_set(struct strict_boxes *boxes, const struct fmm *s,
                               const struct fmm_shape *shape);
static inline int64_t strict_at(int ws, const int32_t d[3])
{
    int64_t side = 2 * ws + 2, at = 0;
    for (int a = 2; a >= 0; a--)
        at = at * side + (d[a] < 0 ? -d[a] : d[a]);
    return at;
}

/* Strengths and norms of a sum may differ by so much from the sample's. */
#define MARGIN 1.25

/* method/fmm/bound/limit.c: what the bound may be, C = 1, for the error
 * to stay within the tolerance with the norms that are expected; 1 for the
 * field. */
int strict_field(const struct task *task);
/* The bound's state: of options.strict, or of points that lie alike. */
struct fmm_strict *strict_of(const struct fmm *s);
double strict_norm(const struct task *task, const struct fmm_facts *facts);
double strict_left(const struct task *task, const struct fmm_facts *facts,
                   const struct fmm_crowd *crowd, double most, double bound,
                   double near);
double strict_limit(const struct task *task, const struct fmm *s,
                    const struct fmm_crowd *crowd);
/* Fails: no order is enough, this is the least that any proves. */
farsum_status strict_fails(const struct task *task, double limit, double least);
/* A bound of the sums, C = 1, in the tolerance's norm, rounding with it; near:
 * strict_rounded's. */
double strict_error(const struct task *task, const struct fmm_facts *facts,
                    const struct fmm_crowd *crowd, double most, double bound,
                    double near);

/* method/fmm/bound/bound_near.c: what rounding may do to the sum over the near
 * pairs of any target, C = 1: to its force or potential; q: of the caller's
 * order, NULL: all are `like`, which a target of its own has too.  On a device
 * 0. */
farsum_status strict_rounded(const struct task *task, const struct fmm *s,
                             const struct tree *tree, const double *q,
                             double like, double *bound);

/* method/fmm/bound/bound_tree.c: weights of a tree's boxes, on the host, and
 * the least order, or the bound of the one that is given. */
farsum_status strict_tree(const struct task *task, struct fmm *s,
                          const struct tree *tree, int *order);
/* The largest |q| in a box over its weight. */
double strict_ratio(const struct fmm *s);
#endif
