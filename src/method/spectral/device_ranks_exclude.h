/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks_exclude.h: excluded pairs of `spectral` over ranks with a device
 * each, as ranks_exclude.h for the host.
 *
 * The lists of pairs travel between the hosts when points or pairs are set.
 * Positions and strengths of sources that other ranks own travel between the
 * devices. */
#ifndef FARSUM_METHOD_SPECTRAL_DEVICE_RANKS_EXCLUDE_H
#define FARSUM_METHOD_SPECTRAL_DEVICE_RANKS_EXCLUDE_H

#include "method/spectral/device.h"
#include "ranks/device/sends.h"
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

/* Makes the rows of task->exclusions for the own targets, once points are with
 * their owners.  On failure the old ones stay.  Collective. */
farsum_status gpu_ranks_exclusions(struct task *task, struct spectral *s);
/* In a sum: brings strengths of own sources to the ranks that request them.
 * Collective. */
farsum_status gpu_ranks_exclude_in(const struct task *task,
                                   struct spectral_gpu *gpu,
                                   const struct gpu_values *own);
/* As gpu_exclude_run, from the mesh's results of own targets.  Energy and
 * virial are this rank's part.  Not collective. */
farsum_status gpu_ranks_exclude_run(const struct task *task, struct spectral *s,
                                    const struct spectral_units *units);
void gpu_ranks_exclude_clear(struct gpu_ranks_exclude *exclude);
#endif
