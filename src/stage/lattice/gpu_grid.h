/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_grid.h: gpu_grid's state, and its tables on the device. */
#ifndef FARSUM_STAGE_LATTICE_GPU_GRID_H
#define FARSUM_STAGE_LATTICE_GPU_GRID_H

#include "stage/expansions/device.h"

/* Modes per team (adjacent lanes); maximum degrees of a chunk. */
enum { GRID_LANES = BOXES_LANES, GRID_STEPS = 4 };

/* Parameters of the kernels. */
struct grid_cut {
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
    struct buf data, more; /* owned: [meshes][z][place][4]; more: only with
                              several parts */
    struct buf field;      /* owned: as in the kernel */
    struct buf number, factor, factor_out, root, position, tile; /* owned */
};

/* Tiles of an order's degrees; for order 0, two are a mesh. */
int grid_run(const struct grid_cut *cut, int order);
/* Numbers of a mode's field, and reals of all fields with padding. */
int64_t grid_field_numbers(int p);
int64_t grid_field_reals(const struct boxes_args *args,
                         const struct grid_cut *cut);

/* gpu_grid_tables.c: fills number .. tile, and field by the kernel field_in. */
farsum_status grid_tables(struct grid_state *s);
#endif
