/* SPDX-License-Identifier: Apache-2.0 */
/* expansions.h: what the rooms of the fast multipole method's far field have in
 * common (math.md section 10): p2m, m2m, m2l, lattice, l2l, l2p.
 *
 * A box has a multipole and a local expansion about its centre, in units of its
 * level's h: numbers and scaling are those of math/harmonic.kh.  Number k of
 * box b is at [k * stride + b]: boxes of a tree lie in the order of its levels,
 * so that a run of boxes is contiguous.
 *
 * Who writes what:
 *
 *     p2m      sets the multipoles of all leaves, from the strengths
 *     m2m      sets those of all boxes that have children
 *     m2l      sets the locals of levels >= 1, from the far lists
 *     lattice  sets the locals of level 0, from root boxes that are not near
 *     l2l      adds to the locals of levels >= 1 that of the parent
 *     l2p      adds to the targets' potential and field
 *
 * set is given points whose `tree` is the one that will be run on. */
#ifndef FARSUM_STAGE_EXPANSIONS_EXPANSIONS_H
#define FARSUM_STAGE_EXPANSIONS_EXPANSIONS_H

#include "base/isa.h"
#include "math/multipole.h"
#include "points/tree/tree_set.h"
#include "stage/stage.h"

struct device;

/* What a bench asks of rows of m2l that have it; 0: as they choose, which plans
 * leave to them. */
struct boxes_shape {
    int group;  /* threads of a group */
    int groups; /* of a launch, at most */
    int images; /* only operators that serve so many targets */
    int apart;  /* 1: a launch a level */
};

struct boxes_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    struct device *device; /* borrowed; NULL: the host */
    int p;                 /* order of the expansions */
    int ws;
    int dense;             /* the tree is */
    int periodic[3];
    int64_t root[3];
    double box[3];         /* edges of a box over its level's h */
    /* about, for the costs: */
    int depth;
    int64_t n_boxes, n_leaves, n_sources, n_targets;
    int64_t n_parents; /* of a sparse tree that is there; 0: not known */
    struct boxes_shape shape;
};

/* Points are in the order of their leaves, lengths are the tree's, types the
 * precision's.  With args->device the arrays are struct buf * of that device,
 * the tree is the host's. */
struct boxes_io {
    const struct tree *tree;
    const void *q;             /* p2m: [n_sources] */
    void *multipole, *local;   /* [(p + 1)^2][stride] */
    int64_t stride;            /* at least the tree's boxes */
    void *potential;           /* l2p: [n_targets]; NULL: not wanted */
    void *field;               /* l2p: [3][n_targets]; NULL: not wanted */
};

/* Bytes of a real number, and how many a vector of the host has. */
static inline int64_t boxes_real(const struct boxes_args *args)
{
    return args->precision == FARSUM_F32 ? 4 : 8;
}
double boxes_lanes(const struct boxes_args *args);

/* An expansion out of or into the array, as f64. */
void boxes_get(const struct boxes_args *args, const void *array,
               int64_t stride, int64_t box, double *expansion);
void boxes_put(const struct boxes_args *args, void *array, int64_t stride,
               int64_t box, const double *expansion);
static inline double boxes_number(const struct boxes_args *args,
                                  const void *array, int64_t i)
{
    return args->precision == FARSUM_F32 ? (double)((const float *)array)[i]
                                         : ((const double *)array)[i];
}
static inline void boxes_set(const struct boxes_args *args, void *array,
                             int64_t i, double v)
{
    if (args->precision == FARSUM_F32)
        ((float *)array)[i] = (float)v;
    else
        ((double *)array)[i] = v;
}
/* Coordinates of a point, units of its leaf's h. */
static inline void boxes_point(const struct boxes_args *args,
                               const struct tree_points *points, int64_t i,
                               double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = boxes_number(args, points->x[d], i);
}
/* Centre of a child less its parent's, units of the parent. */
static inline void boxes_child(const struct boxes_args *args, int octant,
                               double d[3])
{
    for (int a = 0; a < 3; a++)
        d[a] = (octant >> a & 1 ? 0.25 : -0.25) * args->box[a];
}

/* What rows of the host ask. */
farsum_status boxes_host_fits(const void *args);
/* Seconds: what a plain row's step over all boxes takes, given operations. */
double boxes_plain_cost(double operations);
/* 1: some root boxes are not near each other, or have images. */
static inline int boxes_roots_far(const struct boxes_args *args)
{
    int far = args->periodic[0];
    for (int d = 0; d < 3; d++)
        far |= args->root[d] > args->ws + 1;
    return far;
}
/* Offsets -(2 ws + 1) .. 2 ws + 1 along each axis that a far list has: the
 * number of such cubes' cells, and of one of them. */
static inline int boxes_far_side(int ws)
{
    return 4 * ws + 3;
}
static inline int64_t boxes_far_number(int ws, const int32_t d[3])
{
    int64_t side = boxes_far_side(ws), half = 2 * ws + 1;
    return ((d[2] + half) * side + d[1] + half) * side + d[0] + half;
}
/* 1: boxes so far apart may be in a far list. */
static inline int boxes_far(int ws, const int32_t d[3])
{
    int most = 0;
    for (int a = 0; a < 3; a++) {
        int far = d[a] < 0 ? -d[a] : d[a];
        most = far > most ? far : most;
    }
    return most > ws && most <= 2 * ws + 1;
}

/* Adds what any row must do: the rooms' `work`. */
void boxes_p2m_ops(const void *args, struct work *work);
void boxes_shift_ops(const void *args, struct work *work);
void boxes_m2l_ops(const void *args, struct work *work);
void boxes_lattice_ops(const void *args, struct work *work);
void boxes_l2p_ops(const void *args, struct work *work);

extern const struct stage p2m_stage, m2m_stage, m2l_stage, lattice_stage,
    l2l_stage, l2p_stage;
#endif
