/* SPDX-License-Identifier: Apache-2.0 */
/* device_state.h: the pieces of exact_gpu.h, inside. */
#ifndef FARSUM_REFERENCE_FEW_DEVICE_STATE_H
#define FARSUM_REFERENCE_FEW_DEVICE_STATE_H

#include "reference/ewald/ewald_any_part.h"
#include "reference/few/device.h"
#include "reference/kernels.h"

/* As exact_gpu.k has them: rows and modes of a row that a thread takes, its
 * sums. */
enum { ROWS = 2, MODES = 4, SUMS = 4 * ROWS * MODES };

/* As the kernels have it. */
struct exact_args {
    double a[9], high[9], rest[9], inv[9], inv_low[9];
    double per, per_q[2], xi, kappa, soft, rc2, skip, close;
    int64_t n, m, each;
    int32_t wide, images, tiles, most[3], block, spare;
};
_Static_assert(sizeof(struct exact_args) == 488, "as the kernels have it");

/* On the host: blocks of sources whose factors are there, a thread; words of
 * eight numbers that an entry's sums may take. */
enum { FEW_SLOTS = 4, FEW_WORDS = 4 };

/* Ewald's split that is cheapest where all sources are looked at for each
 * target. */
struct exact_gpu_split {
    const struct exact_gpu *of;
    const struct exact_kind *kind;
    struct ewald_body body; /* owned; sources are not set */
    int host;               /* 1: the host sums them, by exact_few_kern.c */
};

/* 1/r too, which exact.def leaves to code of its own; NULL: not known. */
const struct exact_kind *exact_gpu_kind(const struct task *task);
/* A net charge has a background, a dipole surroundings: 1/r's only. */
int exact_gpu_charged(const struct exact_kind *kind);
/* Cutoff, modes, targets and the room for their sums. */
farsum_status exact_gpu_split(struct exact_gpu_split *split);
/* What the sums over sources want; body NULL: of open space. */
void exact_gpu_args(const struct exact_gpu *of, const struct ewald_body *body,
                    struct exact_args *args);
/* Adds the mode k = 0, and what surrounds the cell, at the targets; sum: of the
 * channels, and of their products with the unwrapped positions. */
void exact_gpu_mean(const struct exact_gpu_split *split, long double sum[][4],
                    double *values);
/* Lattice vectors to images that may lie within rc of a target; the first is
 * 0.  Counts them; fills image [count][3] if it is not NULL. */
int32_t exact_gpu_images(const struct ewald_lattice *lattice, double rc,
                         double *image);
/* The threads' tiles of modes: pairs of rows that have one n1 and neighbouring
 * n2.  Counts them; fills tile if it is not NULL. */
int32_t exact_gpu_tiles(const struct ewald_modes *modes, int32_t (*tile)[3]);
/* Sums of a channel, [SUMS][tiles], to those of the rows' entries. */
void exact_gpu_spread(const struct ewald_modes *modes, int32_t tiles,
                      const double *from, double *to);
#endif
