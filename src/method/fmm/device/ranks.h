/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: `fmm` over ranks with a device each.
 *
 * A rank's tree has its own layers of boxes and `ws` ghost layers on each side.
 * Its sources are own points, then ghosts; its targets are own points.  Ghosts
 * have multipoles too, which nothing reads.  A rank converts strengths and
 * results of the points that it gives.  In between, numbers of type real
 * travel: strengths in their unit to the owners and on to ghosts, and results
 * back.
 *
 * As with comm.h, a rank that failed takes part in all exchanges until the
 * ranks agree. */
#ifndef FARSUM_METHOD_FMM_DEVICE_RANKS_H
#define FARSUM_METHOD_FMM_DEVICE_RANKS_H

#include "method/fmm/device/run.h"
#include "method/fmm/ranks.h"
#include "method/staging/ranks_exclusions.h"
#include "ranks/device/lattice.h"
#include "ranks/device/places.h"

enum { FMM_SUMS = 4 }; /* most numbers of a target's sums */

/* Points of one kind. */
struct fmm_gpu_side {
    struct gpu_route route;
    struct points given; /* those that this rank's caller gives; only gpu */
    struct buf arrived;  /* own points, [n][3] f64: fractions of the whole */
};

struct fmm_gpu_ranks {
    struct comm_guard guard; /* drops the graph; the first member */
    struct graph *recording; /* borrowed: the graph of a sum */
    struct comm *comm;       /* borrowed */
    struct transport *transport;
    struct fmm_gpu_side source, target;
    struct gpu_ghosts ghosts;
    struct gpu_ranks_exclude exclude;
    struct buf x; /* own sources, then ghosts, [n][3] f64: fractions of the
                     rank's tree, rounded */
    struct buf layer[2]; /* of the tree's sources and targets, [n] i32 */
    struct buf along;    /* [ghosts] f64: fractions of the whole along axis 0 */
    struct buf given_q, q; /* strengths of given sources; of own sources, then
                              ghosts */
    struct buf sums;       /* of own targets, [n][width]: field, potential */
    struct buf given_sums; /* of given targets */
    struct buf records;    /* [size][of a rank] */
    struct buf spare; /* totals that other ranks request */
    struct gpu_ranks_lattice *lattice;
    struct jit jit;
    struct buf boxes; /* sums of root boxes; sampled targets */
    struct kernel some, near;
    struct kernel place, along_of, layers, scale, in, sum, exclude_of, out;
};

/* Makes s->gpu->ranks, once s->ranks has the domain.  Collective. */
farsum_status fmm_gpu_ranks_create(const struct task *task, struct fmm *s);
void fmm_gpu_ranks_destroy(struct fmm_gpu_ranks *ranks); /* NULL is legal */
/* Numbers of a target's sums, the same on all ranks. */
static inline int fmm_gpu_ranks_width(const struct fmm_units *units)
{
    return (units->field || units->virial ? 3 : 0)
           + (units->potential || units->energy);
}
/* Thread blocks of kernels whose records are gathered, the same on all
 * ranks. */
int64_t fmm_gpu_ranks_groups(const struct fmm_gpu_ranks *ranks);
/* The records of all ranks, and their number. */
const struct buf *fmm_gpu_ranks_records(const struct fmm_gpu_ranks *ranks,
                                        int64_t *records);
/* The rank that gives the source of this global number, which becomes the
 * rank's own; -1: there is one rank. */
int fmm_gpu_ranks_giver(const struct fmm_gpu_ranks *ranks, int64_t *number);
void fmm_gpu_ranks_settle(const struct fmm_gpu_ranks *ranks);
/* Makes the lattice of the whole tree.  Collective. */
farsum_status fmm_gpu_ranks_lattice(struct fmm *s);
static inline struct fmm_gpu_side *fmm_gpu_ranks_targets(const struct fmm *s)
{
    struct fmm_gpu_ranks *r = s->gpu->ranks;
    return s->all_m > 0 ? &r->target : &r->source;
}
/* ranks_points.c */
farsum_status fmm_gpu_ranks_points(struct task *task, struct fmm *s, int64_t n,
                                   const void *x, int64_t m, const void *y);
/* ranks_exclude.c: makes the rows of task->exclusions for the current points.
 * Collective. */
farsum_status fmm_gpu_ranks_exclusions(struct task *task, struct fmm *s);
/* Subtracts the pairs from the sums of own targets. */
farsum_status fmm_gpu_ranks_exclude(const struct fmm_sum *sum);
/* ranks_statistics.c: fmm_ranks_clustering of the current points; norms at
 * separate targets of open space, which this rank gives from number `first` of
 * all on.  Collective. */
farsum_status fmm_gpu_ranks_clustering(const struct task *task, struct fmm *s);
farsum_status fmm_gpu_ranks_norms(const struct task *task, struct fmm *s,
                                  int64_t first);
/* ranks_sum.c */
farsum_status fmm_gpu_ranks_execute(struct task *task, struct fmm *s, int rhs,
                                    const void *q, farsum_result *result);
#endif
