/* SPDX-License-Identifier: Apache-2.0 */
/* bound.h: error bounds of an order, (10.34) to (10.38) of math.md.  Used by
 * plans with options.strict, and for points whose errors the estimates cannot
 * predict. */
#ifndef FARSUM_METHOD_FMM_BOUND_BOUND_H
#define FARSUM_METHOD_FMM_BOUND_BOUND_H

#include "method/fmm/fmm.h"

enum {
    STRICT_ORDERS = MULTIPOLE_MOST + 1,
    STRICT_SHELLS = 24,
    STRICT_WINDOW = 4, /* orders that one walk through a tree computes */
};

/* Bounds of the potential [0] and the field [1], by order, for unit charges in
 * boxes whose longest edge is 1. */
typedef double strict_bounds[2][STRICT_ORDERS];

/* Bounds that depend only on the shapes of boxes, not on points. */
struct strict_boxes {
    int ws, periodic;
    int64_t root[3];
    double box[3];
    strict_bounds *pair; /* owned, [(2 ws + 2)^3]: of boxes whose indices differ
                            by these numbers along x (fastest), y, z; NULL:
                            none */
    strict_bounds shell[STRICT_SHELLS]; /* of boxes whose indices differ by at
                                           least 2 ws + 2, 2 ws + 3, ... */
    strict_bounds list;  /* sum over the far list of a box below level 0 */
    strict_bounds top;   /* of a box of level 0: sum over boxes that are not
                            near and differ by at most 2 ws + 1 */
    strict_bounds rest; /* over all other boxes of level 0, with a total charge
                           of 1 */
};

struct fmm_strict {
    struct strict_boxes boxes;
    double mean, most, spread; /* of |q| in the sample: mean, maximum, standard
                                  deviation; 1, 1, 0 without one */
    /* For the current tree: */
    int64_t n_boxes, capacity;
    double *weight; /* owned, [n_boxes]: assumed sum of |q| in a box */
    double *size;   /* owned, [n_boxes]: actual sum of |q| in a box */
    double *sum;    /* owned, [n_boxes][STRICT_WINDOW] */
    int order;      /* the order of `bound`; -1: unknown */
    int known;      /* 1: `bound` is of the current tree */
    double bound;   /* of the potential or the field at any target, C = 1, with
                       the assumed weights */
    double over;    /* largest number of sources in a box over its weight */
    double reach;   /* in a periodic cell: largest coordinate of the points, in
                       the task's unit */
    double near;    /* rounding bound of near pairs, C = 1, for strengths of the
                       root mean square; 0: unknown */
    /* On a device: */
    double given; /* the largest |q| of the current right-hand side */
    void *q;      /* owned: strengths of a caller on the device */
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

/* Allowed ratio of a sum's strengths and norms to the sample's. */
#define MARGIN 1.25

/* method/fmm/bound/limit.c: the largest bound, C = 1, for which the error stays
 * within the tolerance at the expected norms; 1 for the field. */
int strict_field(const struct task *task);
/* The bound's state: of options.strict, or of points at similar positions in
 * their boxes (s->alike). */
struct fmm_strict *strict_of(const struct fmm *s);
double strict_norm(const struct task *task, const struct fmm_input *input);
double strict_left(const struct task *task, const struct fmm_input *input,
                   const struct fmm_clustering *clustering, double most,
                   double bound, double near);
double strict_limit(const struct task *task, const struct fmm *s,
                    const struct fmm_clustering *clustering);
/* Fails with the reason that no order suffices; `least` is the smallest bound
 * of any order. */
farsum_status strict_fails(const struct task *task, double limit, double least);
/* The bound of the sums, C = 1, in the tolerance's norm, rounding included;
 * near: from strict_rounded. */
double strict_error(const struct task *task, const struct fmm_input *input,
                    const struct fmm_clustering *clustering, double most,
                    double bound, double near);

/* method/fmm/bound/bound_near.c: bound of the rounding error of the near pairs
 * at any target, C = 1, for its force or potential.  q: in the caller's order;
 * NULL: all are `like`, which separate targets have too.  0 on a device. */
farsum_status strict_rounded(const struct task *task, const struct fmm *s,
                             const struct tree *tree, const double *q,
                             double like, double *bound);

/* method/fmm/bound/bound_tree.c: weights of a tree's boxes, on the host, and
 * the smallest order that suffices, or the bound of the user-specified
 * order. */
farsum_status strict_tree(const struct task *task, struct fmm *s,
                          const struct tree *tree, int *order);
/* The largest sum of |q| in a box over its weight. */
double strict_ratio(const struct fmm *s);
#endif
