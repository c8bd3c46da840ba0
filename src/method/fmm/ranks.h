/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: method `fmm` over ranks, with dense trees.
 *
 * A rank owns a slab of layers of root boxes along axis 0 of the cell, or of
 * the region of open points, and the points in them.  Hosts cut the layers by
 * the work in them (ranks_balance.c), devices evenly.  Its own tree has these
 * layers and `separation` ghost layers on each side, whose axis 0 is open.
 * Ghosts are the points in the ghost layers.  Near and far lists of own boxes,
 * except those of level 0, lie in this tree.  So a rank computes the multipoles
 * of ghost layers from the ghosts, which are about as many numbers as these
 * multipoles, and all shifts are local.  The far field of the grid of root
 * boxes is shared by all ranks (ranks/lattice.h).
 *
 * On hosts own sources and ghosts are in two trees of the same boxes, so that
 * near pairs of own points are summed once.  Functions that exchange are
 * collective. */
#ifndef FARSUM_METHOD_FMM_RANKS_H
#define FARSUM_METHOD_FMM_RANKS_H

#include "method/fmm/fmm.h"
#include "method/staging/ranks_balance.h"
#include "ranks/excluded.h"
#include "ranks/ghosts.h"
#include "ranks/lattice.h"
#include "ranks/planes.h"
#include "ranks/route.h"

/* Values per box that neighbours' statistics need: number of sources, (10.26),
 * and the sums of (10.25). */
enum { FMM_RANKS_STATISTICS = 2 + 2 * FMM_KNOTS };

struct layers {
    struct tree_layers of; /* owned */
    int64_t have[2];
};
/* Points of one kind: those that this rank's caller gives, and its own. */
struct fmm_side {
    struct route route;
    struct points given;  /* as fmm_given, then positions */
    struct layers from;   /* leaves of the given points in the whole tree */
    struct layers layers; /* leaves of the own points in the rank's own tree */
};

struct fmm_ranks {
    struct comm *comm;     /* borrowed */
    struct domain domain;  /* layers of root boxes */
    struct tree_args tree; /* of the whole, for the current points */
    struct fmm_side source, target;
    struct ghosts ghosts;
    double *middle;       /* owned: fractions of the middles of points'
                                leaves along axis 0 */
    struct tree near;     /* ghosts, and own targets; its boxes are those of
                               the own tree */
    struct layers around; /* of ghosts */
    struct points near_points;  /* for set: only its tree is used */
    void *near_state;           /* owned: of p2p, for near */
    struct p2p_args near_pairs; /* for which it was created */
    double *ghost;              /* owned, [ghosts]: strengths */
    void *ghost_q;              /* owned: the same in near's order */
    struct planes *planes;      /* owned: of statistics */
    struct fmm_clustering clustering;
    double near_input;             /* fmm_input.near */
    struct boxes_args whole;       /* of all boxes */
    struct boxes_args made;        /* for which lattice was created, and */
    const struct variant_row *made_by; /* the variant chosen for it */
    struct ranks_lattice *lattice; /* owned */
    int refused; /* 1: memory did not suffice for better cuts */
    struct excluded excluded;
    /* owned, the caller's type: strengths and results of own points */
    void *q, *potential, *field;
    int64_t have_middle, have_ghost, have_ghost_q, have_q, have_potential,
        have_field;
};

/* Layers of root boxes that this rank owns. */
static inline int64_t ranks_layers(const struct fmm_ranks *k)
{
    return k->domain.begin[k->domain.rank + 1]
           - k->domain.begin[k->domain.rank];
}
static inline struct fmm_side *ranks_targets(const struct fmm *s)
{
    return s->all_m > 0 ? &s->ranks->target : &s->ranks->source;
}
/* ranks.c.  Sets all_n and all_m; *first: the global number of this
 * rank's first target.  Collective. */
farsum_status fmm_ranks_counts(struct fmm *s, int64_t n, int64_t m,
                               int64_t *first);
/* Args of the rank's own tree. */
struct tree_args ranks_part_args(const struct fmm_ranks *k,
                                 const struct tree_layers *points);
/* Leaves along axis 0 per root box. */
static inline int64_t ranks_leaves(const struct fmm_ranks *k)
{
    return (int64_t)1 << k->tree.depth;
}
/* Sums of a rank's own root boxes, [FMM_RANKS_STATISTICS][layer][z][y]: number
 * of points, (10.26) of the octants over that, the sums of (10.25). */
struct ranks_boxes {
    double *source, *target; /* target: source, unless targets are separate */
};
/* boxes/clustering_ranks.c.  Sets far and uneven of the boxes of level 0, the
 * same on all ranks, from the boxes of all.  status: this rank's, which the
 * ranks agree on.  Collective. */
farsum_status fmm_ranks_lists(const struct task *task, struct fmm *s,
                              const struct ranks_boxes *own,
                              farsum_status status,
                              struct fmm_clustering *clustering);
/* Counts the images of sources that are all near each other, see
 * clustering_images.  The same on all ranks. */
farsum_status fmm_ranks_images(const struct fmm *s,
                               struct fmm_clustering *clustering);
/* k->clustering and near_input on the host, from the rank's trees.
 * Collective. */
farsum_status fmm_ranks_clustering(const struct task *task, struct fmm *s);
/* ranks.c.  The exchange of statistics between these slabs.  Collective. */
farsum_status fmm_ranks_planes(const struct task *task, const struct fmm *s,
                               const struct domain *domain,
                               struct planes **planes);
/* ranks_points.c.  Sets k->middle, the fractions of the whole along axis 0 that
 * route, ghosts and the balance read: those of the middles of leaves, so that a
 * leaf's points have one owner whatever is rounded. */
farsum_status fmm_ranks_middles(struct fmm_ranks *k, int64_t n,
                                const double *layer);
/* ranks_balance.c: costs of points, layers of root boxes, slabs and
 * pairs, of these variants.  whole, pairs: of one process.  modes: the half of
 * the lattice's seconds, its products of modes, that ranks share evenly; the
 * layers have the other one. */
struct load_costs fmm_ranks_costs(const struct task *task,
                                  const struct fmm_shape *shape,
                                  const struct boxes_args *whole,
                                  const struct p2p_args *pairs,
                                  const struct choice choice[FMM_STAGES]);
static inline double fmm_ranks_modes(const struct choice choice[FMM_STAGES])
{
    return choice[FMM_LATTICE].row ? choice[FMM_LATTICE].cost / 2 : 0;
}
/* ranks_balance.c: better cuts of the layers, on hosts. */
struct fmm_recut {
    struct ranks_found found; /* now 0: the points were not counted */
    int taken;                /* 1: the plan has the better cuts */
    /* owned: the cuts that the plan does not have */
    struct domain domain;
    struct planes *planes;
};
int fmm_ranks_balance_due(const struct task *task, const struct fmm *s);
/* Counts the own points and takes better cuts where they pay; then
 * recut->taken is 1, and the points must be routed again.  Collective. */
farsum_status fmm_ranks_balance(const struct task *task, struct fmm *s,
                                struct fmm_recut *recut);
/* Ends a set whose status the ranks agree on, and reports.  If it failed, the
 * plan gets its old cuts back.  Returns 1: memory did not suffice for the
 * better ones; *status is OK, and the points must be set again. */
int fmm_ranks_balance_end(const struct task *task, struct fmm *s,
                          struct fmm_recut *recut, farsum_status *status);
/* ranks_exclude.c.  rows: makes those of task->exclusions.  places: brings
 * positions, once s->source has them. */
farsum_status ranks_exclude_rows(struct task *task, struct fmm *s);
farsum_status ranks_exclude_places(struct fmm *s);
#endif
