/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_modes.h: the products of fft_modes.h on a device, and copies between
 * boxes and the meshes of their coefficients (gpu_fft.k). */
#ifndef FARSUM_STAGE_LATTICE_GPU_MODES_H
#define FARSUM_STAGE_LATTICE_GPU_MODES_H

#include "stage/expansions/device.h"
#include "stage/lattice/fft_modes.h"
#include "stage/lattice/turn.h"

/* Parameters of the product. */
struct gpu_modes_cut {
    int rows, tiles, teams, parts;
};

struct gpu_modes {
    struct lattice_modes_args args;
    struct gpu_modes_cut cut;
    struct jit jit;
    struct kernel in, out, in_turned, out_turned, turn, modes;
    struct buf field;      /* owned: as in the kernel */
    struct buf f, at, odd; /* owned: operators' terms; properties of each
                              coefficient */
};

/* As lattice_mesh, for a device. */
void gpu_modes_mesh(const struct boxes_args *boxes, int64_t mesh[3]);
/* args->boxes.device must have memory for the fields.  On failure it owns
 * nothing. */
farsum_status gpu_modes_create(const struct lattice_modes_args *args,
                               struct gpu_modes *modes);
void gpu_modes_clear(struct gpu_modes *modes); /* a zeroed one is legal */
/* 1: the products of gpu_modes_run must not replace their data. */
int gpu_modes_apart(const struct boxes_args *boxes);
/* Reals of the fields; bytes of all that create keeps. */
int64_t gpu_modes_field(const struct lattice_modes_args *args);
int64_t gpu_modes_bytes(const struct lattice_modes_args *args);
/* Products per operator, with padding. */
int64_t gpu_modes_products(const struct boxes_args *boxes);

farsum_status gpu_modes_run(const struct gpu_modes *modes,
                            const struct buf *data, struct buf *out);
/* Copies expansions to meshes, 0 where there are no boxes, or meshes to
 * expansions. */
farsum_status gpu_modes_in(const struct gpu_modes *modes,
                           const struct lattice_boxes *boxes,
                           const struct buf *multipole, struct buf *data);
farsum_status gpu_modes_out(const struct gpu_modes *modes,
                            const struct lattice_boxes *boxes,
                            const struct buf *data, struct buf *local);
#endif
