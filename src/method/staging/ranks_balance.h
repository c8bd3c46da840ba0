/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_balance.h: cuts by weight over ranks, of mesh planes (`spectral`) or of
 * layers of root boxes (`fmm`).
 *
 * In the first set of points, and after many have moved to other ranks, each
 * rank counts its own points per plane, and all ranks estimate the work in all
 * planes.  If the largest work of a rank is far above what the best cuts allow,
 * the plan cuts the planes again. */
#ifndef FARSUM_METHOD_STAGING_RANKS_BALANCE_H
#define FARSUM_METHOD_STAGING_RANKS_BALANCE_H

#include "ranks/best_cuts.h"
#include "ranks/load.h"
#include "ranks/route.h"
#include "task/task.h"

/* New cuts must lessen the work of the slowest rank by this factor.  They cost
 * some tens of sums, so a quarter pays soon.  Cuts by planes, and chance where
 * points are evenly spread, stay below it.  As new cuts are the best ones,
 * moving points need new ones only after they have changed it as much. */
#define RANKS_RECUT 1.25
/* Points are counted again after the number of a rank's own points has changed
 * by this part of the mean.  Near pairs grow as the square of a density, so a
 * smaller change of a rank with the mean number changes its work by less than
 * RANKS_RECUT. */
#define RANKS_MOVED 0.1
/* A rank's mesh, halos included, is at most this factor larger than with even
 * slabs.  So at least half of the ranks can share a cluster, however thin. */
#define RANKS_MESH_MOST 2

struct ranks_balance {
    struct load load;
    struct load_costs costs;
    int64_t *begin; /* owned, [size + 1]: better cuts */
    double *work;   /* owned, [load.mesh0]: seconds; of planes in the first */
    /* owned: [longest slab]; [size][longest slab]; [load.mesh0] */
    struct load_plane *own, *gathered, *all;
    int refused;    /* 1: memory did not suffice for better cuts */
};

/* The caller has set costs and made load; status: that of this rank so far.
 * Collective: fails on all ranks or on none.  On failure ranks_balance_clear
 * still frees what was made. */
farsum_status ranks_balance_create(struct ranks_balance *balance,
                                   const struct domain *domain,
                                   struct comm *comm, farsum_status status);
void ranks_balance_clear(struct ranks_balance *balance);
/* 1: the points must be counted.  all: sources and targets of all ranks.  The
 * ranks agree on the shares, so they decide alike. */
int ranks_balance_due(const struct task *task, const int64_t all[2],
                      const struct route_share *sources,
                      const struct route_share *targets);
/* What is known of the work: the largest of a rank over the mean. */
struct ranks_found {
    double now, best; /* with the current cuts, and with the best ones */
    double mean;      /* seconds of a rank */
    int better;       /* 1: the best cuts are to replace the current ones */
};
/* Compares cuts begin [size + 1] with the best ones, which best [size + 1] gets
 * if found->better.  Not collective. */
farsum_status ranks_cuts_find(const struct cuts_work *work, int size,
                              int64_t halo, const int64_t *begin, int64_t *best,
                              struct ranks_found *found);
/* Decides by the counts in balance->load; balance->begin gets better cuts.
 * apart: 1: separate targets.  Collective. */
farsum_status ranks_balance_set(struct ranks_balance *balance,
                                const struct domain *domain, struct comm *comm,
                                int apart, struct ranks_found *found);
/* Reports.  status: that of new states for better cuts, the same on all ranks.
 * If memory did not suffice for them, the plan keeps the old cuts and logs it:
 * found->better becomes 0, and the function succeeds. */
farsum_status ranks_balance_end(const struct task *task, farsum_status status,
                                struct ranks_found *found);
#endif
