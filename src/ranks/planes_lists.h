/* SPDX-License-Identifier: Apache-2.0 */
/* planes_lists.h: the planes that a rank exchanges, in the order in which they
 * travel. */
#ifndef FARSUM_RANKS_PLANES_LISTS_H
#define FARSUM_RANKS_PLANES_LISTS_H

#include "ranks/planes.h"

struct planes_list {
    int64_t n;
    int64_t *at;    /* owned, [n]: planes of this rank's extended mesh */
    int64_t *count; /* owned, [comm->size]: entries by rank */
    int64_t *bytes; /* owned, [comm->size]: the same in bytes, of a run */
};

enum planes_kind {
    PLANES_HALO, /* this rank's halo planes, by owner */
    PLANES_OWN   /* its own planes that are in halos, by rank and halo plane */
};

/* Not collective.  On failure planes_list_clear frees what it owns. */
farsum_status planes_list_create(struct planes_list *list,
                                 const struct planes_args *args,
                                 enum planes_kind kind);
void planes_list_clear(struct planes_list *list); /* zeroed ones are legal */
/* Sets `bytes`, for entries of `each` bytes. */
void planes_list_bytes(struct planes_list *list, int size, int64_t each);
#endif
