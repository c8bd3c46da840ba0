/* SPDX-License-Identifier: Apache-2.0 */
/* planes.h: halo planes of a mesh that is cut along an axis.
 *
 * Rank r owns the planes begin[r] .. begin[r+1] of the whole mesh.  Its
 * extended mesh, real [channel][planes + 2 halo][plane], starts at plane
 * begin[r] - halo.  Planes beyond the whole mesh are periodic images.  A halo
 * may be wider than a part or than the whole mesh.  A rank that owns no plane
 * has no extended mesh: its memory is neither read nor written.
 *
 * Those of axis 1 of a pencil are rows that lie apart: `blocks`. */
#ifndef FARSUM_RANKS_PLANES_H
#define FARSUM_RANKS_PLANES_H

#include "comm/group.h"

struct planes_args {
    struct comm *comm;    /* borrowed */
    const int64_t *begin; /* [size + 1], the same on all ranks of the group, and
                             of its size; read by create only */
    int64_t halo;         /* planes on each side */
    int64_t plane;        /* reals per plane, with padding; of a block of it */
    int channels;         /* most channels of a run */
    int threads;
    farsum_precision precision;
    /* Hosts only. */
    struct group group; /* the ranks that share the mesh; size 0: all */
    int64_t step;       /* reals from one plane to the next; 0: contiguous
                           planes, of one block each; the rest is not read */
    int64_t first;      /* reals in a plane before its first block */
    int64_t blocks;     /* of a plane; may be 0 */
    int64_t block_step; /* reals from one block to the next */
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
