/* SPDX-License-Identifier: Apache-2.0 */
/* device_state.h: internals of device.h. */
#ifndef FARSUM_REFERENCE_FEW_DEVICE_STATE_H
#define FARSUM_REFERENCE_FEW_DEVICE_STATE_H

#include "reference/ewald/ewald_any_part.h"
#include "reference/few/device.h"
#include "reference/kernels.h"

/* As in device.k: rows per thread, modes per row, sums per thread. */
enum { ROWS = 2, MODES = 4, SUMS = 4 * ROWS * MODES };

/* Same layout as in the kernels. */
struct few_args {
    double a[9], high[9], rest[9], inv[9], inv_low[9];
    double per, per_q[2], xi, kappa, soft, rc2, skip, close;
    int64_t n, m, each;
    int32_t wide, images, tiles, most[3], block, spare;
};
_Static_assert(sizeof(struct few_args) == 488, "as the kernels have it");

/* On the host.  FEW_SLOTS: blocks of sources per thread that have factors at a
 * time.  FEW_WORDS: limit of an entry's sums, in units of eight numbers. */
enum { FEW_SLOTS = 4, FEW_WORDS = 4 };

/* The cheapest Ewald split if each target tests all sources. */
struct few_device_split {
    const struct few_device *of;
    const struct reference_kind *kind;
    struct ewald_body body; /* owned; sources are not set */
    int host;               /* 1: the host sums them, by few_kern.c */
};

/* The task's kernel, 1/r included, which is not in reference/kernels.def; NULL:
 * unknown. */
const struct reference_kind *few_device_kind(const struct task *task);
/* Returns 1 for 1/r: only there a total charge has a background, and a dipole
 * depends on the boundary condition at infinity. */
int few_device_charged(const struct reference_kind *kind);
/* Chooses the cutoff and the modes, and allocates the targets' sums. */
farsum_status few_device_split(struct few_device_split *split);
/* Sets the arguments of the sums over sources; body NULL: open space. */
void few_device_args(const struct few_device *of, const struct ewald_body *body,
                     struct few_args *args);
/* Adds the mode k = 0 and the boundary term at infinity at the targets.  sum:
 * of the channels, and of their products with the unwrapped positions. */
void few_device_mean(const struct few_device_split *split, long double sum[][4],
                     double *values);
/* Lattice vectors to images that may lie within rc of a target; the first is
 * 0.  Counts them; fills image [count][3] if it is not NULL. */
int32_t few_device_images(const struct ewald_lattice *lattice, double rc,
                          double *image);
/* The threads' tiles of modes: pairs of rows that have one n1 and neighbouring
 * n2.  Counts them; fills tile if it is not NULL. */
int32_t few_device_tiles(const struct ewald_modes *modes, int32_t (*tile)[3]);
/* Copies a channel's sums, [SUMS][tiles], to the order of the rows' entries. */
void few_device_spread(const struct ewald_modes *modes, int32_t tiles,
                       const double *from, double *to);
#endif
