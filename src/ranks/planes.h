/* SPDX-License-Identifier: Apache-2.0 */
/* planes.h: halo planes of a mesh that is cut along axis 0.
 *
 * Rank r owns the planes begin[r] .. begin[r+1] of the whole mesh.  Its
 * extended mesh, real [channel][planes + 2 halo][plane], starts at plane
 * begin[r] - halo.  Planes beyond the whole mesh are periodic images.  A halo
 * may be wider than a part or than the whole mesh.  A rank that owns no plane
 * has no extended mesh: its memory is neither read nor written. */
#ifndef FARSUM_RANKS_PLANES_H
#define FARSUM_RANKS_PLANES_H

#include "comm/comm.h"

struct planes_args {
    struct comm *comm;    /* borrowed */
    const int64_t *begin; /* [size + 1], the same on all ranks; read by create
                             only */
    int64_t halo;         /* planes on each side */
    int64_t plane;        /* reals per plane, with padding */
    int channels;         /* most channels of a run */
    int threads;
    farsum_precision precision;
};

struct planes;

/* Collective: fails on all ranks or on none.  Runs do not allocate. */
farsum_status planes_create(const struct planes_args *args,
                            struct planes **planes);
void planes_destroy(struct planes *planes); /* NULL is legal */

/* Counts only, not collective: planes per channel that args->comm->rank sends
 * to other ranks, by planes_add and by planes_fill, and that its buffers hold.
 * Reads only rank and size of comm. */
farsum_status planes_sent(const struct planes_args *args, int64_t sent[2],
                          int64_t *stored);

/* Adds the halo planes of all ranks to their owners' planes, in order of rank
 * and plane.  The halos stay as they are.  mesh_channel: reals from one channel
 * to the next. */
farsum_status planes_add(struct planes *planes, void *mesh,
                         int64_t mesh_channel, int channels);
/* Copies the owners' planes to all halos. */
farsum_status planes_fill(struct planes *planes, void *mesh,
                          int64_t mesh_channel, int channels);
#endif
