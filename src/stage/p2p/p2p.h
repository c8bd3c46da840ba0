/* SPDX-License-Identifier: Apache-2.0 */
/* p2p.h: particles to particles: direct sum over the pairs of leaves that are
 * near each other in a tree.
 *
 * For each target i and each source j in the near list of its leaf
 * (points/tree/tree_set.h; images included), with d = x_i - x_j, r^2 = |d|^2
 * and Plummer's softening eps >= 0:
 *
 *     potential_i += q_j / sqrt(r^2 + eps^2)
 *     field_i     += q_j d / (r^2 + eps^2)^(3/2)
 *
 * With args->balls softening is a radius h instead, within which math.md (3.11)
 * replaces 1/r and 1/r^3.
 *
 * Other kernels (args->pair) have several strengths per source, and no
 * softening:
 *
 *     flows          field is the velocity
 *     charge_dipole  potential, field and gradient (pair_moments.kh)
 *
 * A coincident pair is left out, softened or not: a target on a source, a
 * particle with itself.  A pair coincides if r <= skip; without softening also
 * if r <= p2p_least of a leaf's h.
 *
 * Everything is in the order of the tree's leaves.  Lengths are the tree's.
 * Internally each leaf of targets is a unit box, so that f32 keeps its digits
 * for any size of the region. */
#ifndef FARSUM_STAGE_P2P_P2P_H
#define FARSUM_STAGE_P2P_P2P_H

#include "base/isa.h"
#include "device/buf.h"
#include "math/pair.h"
#include "points/tree/tree_set.h"
#include "stage/stage.h"

struct p2p_args {
    farsum_precision precision; /* equal to the tree's */
    enum isa isa;
    int threads;
    const struct pair *pair; /* borrowed; NULL: 1/r */
    unsigned outputs; /* FARSUM_POTENTIAL | FARSUM_FIELD; charge_dipole also
                         FARSUM_GRADIENT; flows FARSUM_FIELD */
    int rhs;          /* number of sets of strengths, at least 1 */
    double softening, skip;
    int balls;                    /* 1: softening is the radius of balls */
    int64_t n_sources, n_targets; /* expected numbers; n_targets 0: targets are
                                     the sources */
    double neighbours;            /* expected sources in the near list of a
                                     target's leaf, mean over the targets */
    double filling;               /* expected targets per leaf, mean over the
                                     targets */
    int dense, ws;                /* properties of the trees of the runs */
    struct device *device;        /* borrowed; NULL: the host */
};

/* Arrays of type precision, in the tree's order.  Results are added to, or
 * overwritten if fresh.  NULL: not wanted.  On a device each pointer is a
 * struct buf *. */
struct p2p_io {
    const struct tree *tree; /* on a device its `gpu` is used */
    const void *q;           /* [rhs][n_sources]; other kernels, of which rhs
                                is 1: [strengths][n_sources] */
    void *potential;         /* [rhs][n_targets] */
    void *field;             /* [rhs][3][n_targets] */
    int fresh;               /* 1: results are overwritten */
    void *gradient;          /* [6][n_targets]: xx xy xz yy yz zz */
};

/* Distance, in a leaf's h, up to which two positions coincide.  Below it the
 * field would leave the range of the precision, or its seed's.  In f32 two
 * positions coincide if they differ by a step of 2^-34 on each axis
 * (tree_low_of), as an image of a point and the point itself may. */
static inline double p2p_least(farsum_precision precision)
{
    return precision == FARSUM_F32 ? 2e-10 : 1e-18;
}
/* Its square in units of h, including args->skip. */
static inline double p2p_skip(const struct p2p_args *args, double h)
{
    double least = p2p_least(args->precision), skip = args->skip / h;
    if (args->softening >= least * h)
        least = 0;
    return skip > least ? skip * skip : least * least;
}
static inline double p2p_targets(const struct p2p_args *args)
{
    return (double)(args->n_targets > 0 ? args->n_targets : args->n_sources);
}

/* 1: the entry of a leaf's near list is the leaf itself, and the low bits of
 * its points are known, which f32 drops. */
static inline int p2p_own(const struct tree *tree, const struct tree_near *near,
                          int64_t leaf)
{
    return tree->source.low && near->leaf == leaf && near->offset[0] == 0
           && near->offset[1] == 0 && near->offset[2] == 0;
}

/* Maximum number of entries in a near list. */
static inline int64_t p2p_near_most(const struct p2p_args *args)
{
    const struct tree tree = {.dense = args->dense, .ws = args->ws};
    return tree_near_most(&tree);
}

/* ops.c: the row of P2P_KERNELS (pairs.kh) that sums args->pair, from 0 on; -1:
 * 1/r. */
int p2p_kernel(const struct p2p_args *args);
/* Numbers per source. */
static inline int p2p_strengths(const struct p2p_args *args)
{
    return args->pair ? args->pair->strengths : 1;
}
/* The outputs of P2P_KERNELS: the array and the factor of sum a of a leaf of
 * edge h, and the factor of strength c. */
enum { P2P_STRENGTHS = 6, P2P_VALUES = 10 };
void p2p_outputs(const struct p2p_args *args, const struct p2p_io *io, double h,
                 double *to[P2P_VALUES], double unit[P2P_VALUES],
                 double strength[P2P_STRENGTHS]);
/* ops.c: checks args. */
farsum_status p2p_check(const struct p2p_args *args);
/* Fails if io and its tree do not match args. */
farsum_status p2p_check_io(const struct p2p_args *args,
                           const struct p2p_io *io);
/* For host variants, which add: zeroes the results if they are fresh. */
void p2p_clear(const struct p2p_args *args, const struct p2p_io *io);
/* Operations of so many pairs, and each array once. */
void p2p_ops_pairs(const struct p2p_args *args, double pairs,
                   struct work *work);
void p2p_ops(const void *args, struct work *work);

extern const struct stage p2p_stage;
#endif
