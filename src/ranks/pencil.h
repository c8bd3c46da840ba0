/* SPDX-License-Identifier: Apache-2.0 */
/* pencil.h: the real transform of a mesh that is cut along axes 0 and 1, not
 * normalised.
 *
 * Ranks are ranks[0] x ranks[1]; rank (r0, r1) is number r0 ranks[1] + r1.  It
 * has the rows of axis 1 of part r1, in the planes of part r0: real
 * [planes][rows and others][ldz].  Its spectrum is complex
 * [rows k1][mesh0][k2]: k1 of part r0 in slab.begin1, and k2 of part r1 in
 * `modes`.  These are modes of a mesh with axes 0 and 1 exchanged
 * (scale_exchange).
 *
 * Rows are transformed where they are.  A first exchange, among the ranks with
 * the same planes, makes rows complete along axis 1; a slab's exchange, among
 * those with the same k2, makes them complete along axis 0.  With ranks[1] = 1
 * it is a slab. */
#ifndef FARSUM_RANKS_PENCIL_H
#define FARSUM_RANKS_PENCIL_H

#include "ranks/slab.h"

struct pencil_args {
    /* As of slabs.  begin0 and begin1: [ranks[0] + 1].  group, modes and first
     * are not used.  ranks[1] > 1: no padding, order, kept_rows or batch. */
    struct slab_args slab;
    int ranks[2]; /* their product is the comm's size */
    /* Borrowed, read by create only, the same on all ranks: [ranks[1] + 1].
     * modes: from 0 to the number that includes all of slab.columns. */
    const int64_t *rows, *modes;
    int64_t plane; /* reals from one plane of the mesh to the next, a multiple
                      of ldz */
};

struct pencil;

/* Counts only, not collective: as slab_sent; sent[0]: of the exchange that
 * slabs do not have, sent[1]: of the other.  *stored: bytes of its other arrays
 * per channel. */
void pencil_sent(const struct pencil_args *args, int64_t sent[2][2],
                 int64_t *columns, int64_t *stored);

/* Collective: fails on all ranks or on none.  Runs do not allocate. */
farsum_status pencil_create(const struct pencil_args *args,
                            struct pencil **pencil);
void pencil_destroy(struct pencil *pencil); /* NULL is legal */

/* Collective, as slab_forward.  io->mesh: the first own row of the first own
 * plane, whole rows behind an address that is 64-byte aligned; forward destroys
 * the own rows, backward writes them.  A spectrum has no gaps between rows. */
farsum_status pencil_forward(struct pencil *pencil, const struct slab_io *io);
farsum_status pencil_backward(struct pencil *pencil, const struct slab_io *io);
#endif
