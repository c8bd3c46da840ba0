/* SPDX-License-Identifier: Apache-2.0 */
/* slab.h: the real transform of a mesh that is cut along axis 0, not
 * normalised.
 *
 * Rank r has the planes begin0[r] .. begin0[r+1] of the mesh, real
 * [planes][mesh1][ldz], and the rows begin1[r] .. begin1[r+1] of the spectrum,
 * complex [rows][mesh0][ldz/2].  These are rows of axis 0 of a mesh with axes 0
 * and 1 exchanged (scale_exchange).  The last begin0 may be less than mesh0: no
 * rank has the planes from there on; forward takes them as 0, and backward does
 * not compute them.
 *
 * Only the columns (k1, k2) with k2 < columns[k1] travel.  Forward sets the
 * rest of the spectrum to 0, backward takes it as 0. */
#ifndef FARSUM_RANKS_SLAB_H
#define FARSUM_RANKS_SLAB_H

#include "comm/group.h"
#include "stage/stage.h"

struct slab_args {
    struct comm *comm; /* borrowed */
    struct group group; /* the ranks that share the mesh; size 0: all.  Hosts
                           only */
    /* Borrowed, read by create only, the same on all ranks of the group, and
     * of its size. */
    const int64_t *begin0;  /* [size + 1]: planes */
    const int64_t *begin1;  /* [size + 1]: rows of the spectrum */
    const int64_t *order;   /* [mesh1]: k1 of each row of the spectrum; NULL:
                               ascending */
    const int64_t *columns; /* [mesh1]: at most mesh2/2 + 1 (scale_columns);
                               NULL: all */
    int64_t mesh[3];        /* the whole mesh */
    int64_t ldz;            /* reals per row, even */
    int modes;              /* 1: the planes hold modes of axes 1 and 2, complex
                               [planes][mesh1][ldz/2], of which mesh2 are used,
                               and are not transformed.  Hosts only */
    int64_t first;          /* with modes: k2 of the first one, from which
                               `columns` counts */
    int kept_rows;          /* 1: the spectrum holds only those of its rows that
                               have columns.  Hosts only */
    farsum_precision precision;
    int threads;
    int batch;                    /* channels per exchange; 0: 1 */
    int patient;                  /* 1: plan with more effort */
    struct choose_options choose; /* of the stage fft */
};

/* One run; several channels one after another, or `batch` at a time. */
struct slab_io {
    void *mesh;               /* each channel starts whole planes behind an
                                 address that is 64-byte aligned; forward
                                 destroys it */
    int64_t mesh_channel;     /* reals from one channel to the next */
    void *spectrum;           /* must not overlap the mesh; backward keeps it */
    int64_t spectrum_channel; /* reals from one channel to the next */
    int channels;
};

struct slab;

/* Counts only, not collective: bytes per channel that args->comm->rank sends to
 * other ranks, forward and backward, which are also its buffers per channel of
 * an exchange; and the columns that it transforms along axis 0.  Reads only
 * rank and size of comm. */
void slab_sent(const struct slab_args *args, int64_t sent[2], int64_t *columns);

/* Collective: fails on all ranks or on none.  Runs do not allocate. */
farsum_status slab_create(const struct slab_args *args, struct slab **slab);
void slab_destroy(struct slab *slab); /* NULL is legal */

/* Collective.  A rank that fails takes part in all exchanges; its results are
 * undefined, and so are the others'. */
farsum_status slab_forward(struct slab *slab, const struct slab_io *io);
farsum_status slab_backward(struct slab *slab, const struct slab_io *io);
#endif
