/* SPDX-License-Identifier: Apache-2.0 */
/* partners.h: excluded pairs on their way from the ranks that name them to the
 * ranks that own their targets.
 *
 * Any rank may name any pair, by global numbers (route.h).  The pair first goes
 * to the rank that gives its target, which knows the target's owner, and then
 * to the owner.  If the targets are the sources, both points of a pair are
 * targets, and each gets the pair.  All functions are collective and return the
 * same status on all ranks. */
#ifndef FARSUM_RANKS_PARTNERS_H
#define FARSUM_RANKS_PARTNERS_H

#include "points/exclusions.h"
#include "ranks/fetch.h"
#include "ranks/route.h"

struct partners {
    int64_t all;      /* pairs of all ranks; 0: the rest is empty */
    uint64_t version; /* of the list; 0: none */
    int apart;        /* 1: targets were separate */
    int64_t *first;   /* owned, [2][size + 1]: global numbers of targets and
                         sources, by giving rank */
    struct exclusions given; /* the list at the givers: indices of targets that
                                this rank gives, global numbers of sources */
    int64_t *partner;        /* owned, [given.count]: the source's index if this
                                rank gives it, else -1 - its index in places */
    struct fetch places;     /* of the other sources */
};

/* Brings the list e to the givers, unless it is there since the last call.
 * targets, sources: [size], points that each rank gives; the same pointer: the
 * targets are the sources.  Fails for a number out of range, a point paired
 * with itself, and a pair that is named twice. */
farsum_status partners_set(struct partners *partners, struct comm *comm,
                           const struct exclusions *e, const int64_t *targets,
                           const int64_t *sources);
void partners_clear(struct partners *partners); /* a zeroed one is legal */

/* The pairs of a rank's own targets. */
struct partners_own {
    struct exclusions rows; /* sources: indices of own sources; n_own + k: the
                               k-th of `needed` */
    struct fetch needed;    /* sources that other ranks own */
};

/* Brings the pairs to the owners.  bytes_most: of the largest value that
 * own->needed will fetch.  On failure *own is empty; it need not be
 * initialised. */
farsum_status partners_travel(struct partners *partners, struct comm *comm,
                              struct route *targets, struct route *sources,
                              int64_t bytes_most, struct partners_own *own);
void partners_own_clear(struct partners_own *own);
#endif
