/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_grid.h: gpu_grid's passes, for one process and for ranks. */
#ifndef FARSUM_STAGE_LATTICE_GPU_GRID_H
#define FARSUM_STAGE_LATTICE_GPU_GRID_H

#include "stage/expansions/device.h"
#include "stage/lattice/turn.h"

/* Modes per team (adjacent lanes); maximum degrees of a chunk. */
enum { GRID_LANES = BOXES_LANES, GRID_STEPS = 4 };
/* The highest order that the variant supports. */
enum { GRID_ORDER_MOST = 24 };

/* Parameters of the kernels.  Axes x, y, z of the transform are those of the
 * boxes, over ranks their axes 2, 1, 0.  Then planes z are cut among the ranks,
 * and modes |k_y|. */
struct grid_cut {
    int ranks;          /* 0: one process */
    int64_t root[3];    /* boxes along x, y, z */
    int64_t first, end; /* modes |k_y| that are multiplied here */
    int64_t rows;       /* the most of them on any rank */
    int mesh[3], half[3], factor[3][2];
    int64_t places, modes;
    int meshes;        /* complex ones */
    int group, blocks; /* threads per plane; thread blocks per multiprocessor */
    int64_t arena;
    int columns, run, tiles, teams, parts;
    int local; /* 1: fields of a block are in shared memory */
    int64_t modes_arena;
};

struct grid_state {
    struct boxes_args args;
    struct grid_cut cut;
    struct jit jit;
    struct kernel in, out, there, back, modes, field_in;
    struct kernel turn_in, turn_out; /* over ranks: as in turn.h */
    struct buf data, more; /* owned: [meshes][z][place][4]; more: only with
                              several parts */
    struct buf field;      /* owned: as in the kernel */
    struct buf number, factor, factor_out, root, position, tile; /* owned */
};

/* Sets cut for rank `rank` of `ranks`, or for one process (0, 0).  Returns 0 if
 * the grid has no such transforms. */
int grid_cut(const struct boxes_args *args, int rank, int ranks,
             struct grid_cut *cut);
/* Reals of the modes that are multiplied here. */
int64_t grid_reals(const struct grid_cut *cut);
/* The variant's conditions. */
farsum_status grid_cut_fits(const struct boxes_args *args,
                            const struct grid_cut *cut);
/* Makes kernels, tables and data, of at least `least` reals, from args and cut.
 * The caller clears s, also after a failure. */
farsum_status grid_make(struct grid_state *s, int64_t least);
void grid_clear(struct grid_state *s); /* a zeroed one is legal */

/* The passes.  in and out: planes of an expansion's box numbers, `planes` of
 * them, [coefficient][stride]; `pitch` planes of a mesh in data.  parts: as in
 * the kernel; NULL for one process. */
farsum_status grid_in(struct grid_state *s, const struct buf *multipole,
                      int64_t stride, int64_t planes, int64_t pitch,
                      struct buf *to);
farsum_status grid_there(struct grid_state *s, const struct buf *from,
                         const struct buf *parts);
farsum_status grid_modes(struct grid_state *s);
/* The modes' products: apart from the modes with several parts. */
struct buf *grid_products(struct grid_state *s);
farsum_status grid_back(struct grid_state *s, struct buf *to,
                        const struct buf *parts);
farsum_status grid_out(struct grid_state *s, const struct buf *from,
                       int64_t planes, int64_t pitch, struct buf *local,
                       int64_t stride);

/* Tiles of an order's degrees; for order 0, two are a mesh. */
int grid_run(const struct grid_cut *cut, int order);
/* Numbers of a mode's field, and reals of all fields with padding. */
int64_t grid_field_numbers(int p);
int64_t grid_field_reals(const struct boxes_args *args,
                         const struct grid_cut *cut);

/* gpu_grid_tables.c: fills number .. tile, and field by the kernel field_in. */
farsum_status grid_tables(struct grid_state *s);
#endif
