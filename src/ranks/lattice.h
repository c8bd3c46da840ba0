/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.h: the stage lattice over ranks: sets the locals of root boxes from
 * all root boxes that are not near, (10.23).
 *
 * The root boxes of the whole cell are cut along axis 0.  Rank r owns the
 * layers begin[r] .. begin[r + 1]; it may own none.  Its own tree has them and
 * `halo` more layers on each side. */
#ifndef FARSUM_RANKS_LATTICE_H
#define FARSUM_RANKS_LATTICE_H

#include "comm/comm.h"
#include "stage/expansions/expansions.h"

struct ranks_lattice_args {
    struct comm *comm;       /* borrowed */
    const int64_t *begin;    /* [size + 1], the same on all ranks; read by
                                create only */
    int64_t halo;            /* layers on each side of the own ones */
    int grid;                /* devices: 1: by the passes of variant gpu_grid,
                                else of gpu_fft */
    struct boxes_args boxes; /* of the whole cell's dense tree, the same on all
                                ranks, except for isa, threads and device */
};

struct ranks_lattice;

/* Collective: fails on all ranks or on none.  Runs do not allocate. */
farsum_status ranks_lattice_create(const struct ranks_lattice_args *args,
                                   struct ranks_lattice **lattice);
void ranks_lattice_destroy(struct ranks_lattice *lattice); /* NULL is legal */

/* Collective.  A rank that fails takes part in all exchanges; its results are
 * undefined, and so are the others'.
 *
 * Reads multipole, local and stride of io only.  The boxes of level 0 are those
 * of the rank's own tree, x fastest: own layers + 2 halo along axis 0, and as
 * the whole cell along the other axes.  Reads the multipoles of own layers and
 * sets their locals; does not change those of the ghost layers.  Does not read
 * the arrays of a rank without layers. */
farsum_status ranks_lattice_run(struct ranks_lattice *lattice,
                                const struct boxes_io *io);
/* What a run sends and stores. */
struct lattice_sent {
    int64_t bytes, exchanges; /* to other ranks, of both directions */
    int64_t planes, spectrum; /* bytes stored */
    double rows;              /* the rank's part of the spectrum's rows */
};
/* What a run of rank comm->rank sends.  Not collective; only rank and size of
 * comm are read. */
farsum_status ranks_lattice_sent(const struct ranks_lattice_args *args,
                                 struct lattice_sent *sent);
#endif
