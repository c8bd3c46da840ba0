/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclusions.h: excluded pairs over ranks with a device each.
 *
 * The lists of pairs travel between the hosts when points or pairs are set.
 * Positions and strengths of sources that other ranks own travel between the
 * devices. */
#ifndef FARSUM_METHOD_STAGING_RANKS_EXCLUSIONS_H
#define FARSUM_METHOD_STAGING_RANKS_EXCLUSIONS_H

#include "method/staging/device_exclusions.h"
#include "points/wrap.h"
#include "ranks/device/places.h"
#include "ranks/partners.h"

/* The rows of own targets, and the sources that other ranks own. */
struct gpu_needs {
    struct gpu_excluded rows;
    struct gpu_sends sends; /* of own points that other ranks request; size 0:
                               not made yet */
    struct buf s;           /* [sends.n_got][3] f64, fractions of the whole
                               cell */
    struct buf q;           /* [sends.n_got][strengths] */
};
struct gpu_ranks_exclude {
    struct partners partners;
    int named;             /* 1: some rank names a pair: `now` counts */
    struct gpu_needs now;  /* of the current points and pairs */
    struct gpu_needs next; /* spare memory: the old ones stay if new ones
                               fail */
};
/* The current points. */
struct gpu_ranks_points {
    struct comm *comm;
    struct transport *transport;
    const struct gpu_route *targets, *sources; /* the same pointer: the targets
                                                  are the sources */
    const struct buf *own; /* own sources, [n][3] f64: fractions of the whole
                              cell */
};

/* Makes the rows of task->exclusions for the own targets, once points are with
 * their owners.  On failure the old ones stay.  Collective. */
farsum_status ranks_exclusions_set(struct task *task,
                                   const struct gpu_ranks_points *points,
                                   struct gpu_ranks_exclude *exclude);
/* In a sum: brings strengths of own sources to the ranks that request them.
 * Collective. */
farsum_status ranks_exclusions_in(const struct task *task,
                                  struct gpu_ranks_exclude *exclude,
                                  const struct gpu_values *own);
void ranks_exclusions_clear(struct gpu_ranks_exclude *exclude);
/* Copies n points, own [n][3] f64, to the host. */
farsum_status ranks_points_host(const struct buf *own, int64_t n,
                                struct points *to);
#endif
