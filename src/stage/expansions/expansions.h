/* SPDX-License-Identifier: Apache-2.0 */
/* expansions.h: common definitions of the fast multipole method's far-field
 * stages (math.md section 10): p2m, m2m, m2l, lattice, l2l, l2p.
 *
 * A box has a multipole and a local expansion about its centre, in units of its
 * level's h.  Order and scaling of the coefficients are those of
 * math/harmonic.kh.  Coefficient k of box b is at [k * stride + b].  Boxes of a
 * tree are in the order of its levels, so that a run of boxes is contiguous.
 *
 * Results of the stages:
 *
 *     p2m      sets the multipoles of all leaves, from the strengths
 *     m2m      sets those of all boxes that have children
 *     m2l      sets the locals of levels >= 1, from the far lists; those of
 *              ghost layers (tree_aim) it may leave undefined
 *     lattice  sets the locals of level 0, from root boxes that are not near
 *     l2l      adds to the locals of levels >= 1 that of the parent
 *     l2p      adds to the targets' potential and field
 *
 * set receives points whose `tree` is the one of the following runs. */
#ifndef FARSUM_STAGE_EXPANSIONS_EXPANSIONS_H
#define FARSUM_STAGE_EXPANSIONS_EXPANSIONS_H

#include "base/isa.h"
#include "math/multipole.h"
#include "points/tree/tree_set.h"
#include "stage/stage.h"

struct device;

/* Parameters that a benchmark may set for m2l variants that have them; 0:
 * chosen by the variant, as in plans. */
struct boxes_shape {
    int group;  /* threads per thread block */
    int groups; /* maximum thread blocks per launch */
    int images; /* only operators that serve so many targets */
    int apart;  /* 1: one launch per level */
};

struct boxes_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    struct device *device; /* borrowed; NULL: the host */
    int p;                 /* order of the expansions */
    int ws;
    int dense;             /* 1: the tree is dense */
    int moments;           /* p2m: 1: sources have charges and dipoles */
    int gradient;          /* l2p: 1: the gradient may be wanted */
    int periodic[3];
    int64_t root[3];
    double box[3];         /* edges of a box over its level's h */
    /* approximate, for the costs: */
    int depth;
    int64_t n_boxes, n_leaves, n_sources, n_targets;
    int64_t ghosts;    /* m2l: as tree_args.ghosts */
    int64_t n_parents; /* actual number in an existing sparse tree; 0: not
                          known */
    struct boxes_shape shape;
};

/* Points are in the order of their leaves, lengths are the tree's, types the
 * precision's.  With args->device the arrays are struct buf * of that device;
 * the tree is on the host. */
struct boxes_io {
    const struct tree *tree;
    const void *q;             /* p2m: [n_sources]; with moments charges and
                                  dipoles, [4][n_sources] */
    void *multipole, *local;   /* [(p + 1)^2][stride] */
    int64_t stride;            /* at least the number of boxes in the tree */
    void *potential;           /* l2p: [n_targets]; NULL: not wanted */
    void *field;               /* l2p: [3][n_targets]; NULL: not wanted */
    void *gradient;            /* l2p: [6][n_targets], xx xy xz yy yz zz; NULL:
                                  not wanted */
};
/* Expansions of a leaf's targets at most: potential, field, gradient. */
enum { BOXES_OUTPUTS = 10 };

/* Bytes per real, and reals per SIMD vector of the host. */
static inline int64_t boxes_real(const struct boxes_args *args)
{
    return args->precision == FARSUM_F32 ? 4 : 8;
}
double boxes_lanes(const struct boxes_args *args);

/* The part of the boxes whose locals are needed. */
static inline double boxes_aims(const struct boxes_args *args)
{
    double ghosts = 2 * (double)args->ghosts;
    return ghosts > 0 ? 1 - ghosts / (double)args->root[0] : 1;
}

/* Copies an expansion out of the array or into it, as f64. */
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
/* Coordinates of a point, in units of its leaf's h. */
static inline void boxes_point(const struct boxes_args *args,
                               const struct tree_points *points, int64_t i,
                               double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = boxes_number(args, points->x[d], i);
}
/* Centre of a child minus its parent's, in units of the parent. */
static inline void boxes_child(const struct boxes_args *args, int octant,
                               double d[3])
{
    for (int a = 0; a < 3; a++)
        d[a] = (octant >> a & 1 ? 0.25 : -0.25) * args->box[a];
}

/* Common predicate of the host variants. */
farsum_status boxes_host_fits(const void *args);
/* p2m: the expansion of a leaf of edge h from the sums of q R over its charges,
 * and, with moments, those of each component of its dipoles, sums[4][size].
 * The result replaces the first. */
void boxes_moments(const struct boxes_args *args, double h, double *sums);
/* l2p: the expansions of so many outputs, 1, 4 or BOXES_OUTPUTS, from that of
 * the potential, out[0].  h: the leaf's edge; unit[k]: the factor of output
 * k. */
void boxes_outputs(const struct boxes_args *args, double h, int outputs,
                   double (*out)[MULTIPOLE_SIZE], double unit[BOXES_OUTPUTS]);
/* The arrays of the outputs, of target i on; NULL: not wanted.  Returns the
 * number of outputs up to the last one that is wanted. */
int boxes_arrays(const struct boxes_args *args, const struct boxes_io *io,
                 int64_t i, void *to[BOXES_OUTPUTS]);
/* Seconds of a plain variant's step over all boxes, from its operations. */
double boxes_plain_cost(double operations);
/* The number of periodic axes. */
static inline int boxes_axes(const struct boxes_args *args)
{
    return args->periodic[0] + args->periodic[1] + args->periodic[2];
}
/* 1: some root boxes are not near each other, or have images. */
static inline int boxes_roots_far(const struct boxes_args *args)
{
    int far = boxes_axes(args) > 0;
    for (int d = 0; d < 3; d++)
        far |= args->root[d] > args->ws + 1;
    return far;
}
/* Offsets in a far list are -(2 ws + 1) .. 2 ws + 1 along each axis: number of
 * cells of that cube, and index of one of them. */
static inline int boxes_far_side(int ws)
{
    return 4 * ws + 3;
}
static inline int64_t boxes_far_number(int ws, const int32_t d[3])
{
    int64_t side = boxes_far_side(ws), half = 2 * ws + 1;
    return ((d[2] + half) * side + d[1] + half) * side + d[0] + half;
}
/* 1: boxes with this offset may be in a far list. */
static inline int boxes_far(int ws, const int32_t d[3])
{
    int most = 0;
    for (int a = 0; a < 3; a++) {
        int far = d[a] < 0 ? -d[a] : d[a];
        most = far > most ? far : most;
    }
    return most > ws && most <= 2 * ws + 1;
}

/* Add the minimum work of any variant: the stages' `work`. */
void boxes_p2m_ops(const void *args, struct work *work);
void boxes_shift_ops(const void *args, struct work *work);
void boxes_m2l_ops(const void *args, struct work *work);
void boxes_lattice_ops(const void *args, struct work *work);
void boxes_l2p_ops(const void *args, struct work *work);

extern const struct stage p2m_stage, m2m_stage, m2l_stage, lattice_stage,
    l2l_stage, l2p_stage;
#endif
