/* SPDX-License-Identifier: Apache-2.0 */
/* fft_modes.h: the products (10.23) of all modes of a grid of root boxes, or of
 * some of its rows. */
#ifndef FARSUM_STAGE_LATTICE_FFT_MODES_H
#define FARSUM_STAGE_LATTICE_FFT_MODES_H

#include "stage/expansions/expansions.h"

/* Each coefficient of the expansions is a mesh.  Mode (x, y, z) of coefficient
 * k is a complex number at real k channel + x step[0] + i step[1] + z step[2]
 * of the data, where i = y - first is its row.  The mirror of mode x is mode
 * mesh[0] - x, and so along z.  That of row i is row (turn - i) % rows. */
struct lattice_modes_args {
    struct boxes_args boxes;
    int64_t mesh[3];    /* x y z; as of lattice_symbol */
    int half;           /* 0 or 2: the axis that has modes 0 .. mesh/2 only */
    int64_t first, end; /* y: modes first .. end of 0 .. mesh[1]/2 + 1, and
                           their mirrors */
    int64_t rows, turn; /* both mesh[1] if all modes are there */
    int64_t channel, step[3];
};

struct lattice_modes;

/* The points of a grid with these root boxes: more than them along open axes,
 * so that images do not overlap. */
void lattice_mesh(const struct boxes_args *boxes, int64_t mesh[3]);
farsum_status lattice_modes_create(const struct lattice_modes_args *args,
                                   struct lattice_modes **modes);
void lattice_modes_destroy(struct lattice_modes *modes); /* NULL is legal */
/* Multiplies the modes, in place; divides by the points of the grid. */
void lattice_modes_run(const struct lattice_modes *modes, void *data);
/* What create allocates, with its temporary memory. */
int64_t lattice_modes_bytes(const struct lattice_modes_args *args);
#endif
