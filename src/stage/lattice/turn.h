/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h: copies between the boxes of expansions and meshes on a device. */
#ifndef FARSUM_STAGE_LATTICE_TURN_H
#define FARSUM_STAGE_LATTICE_TURN_H

#include <stdint.h>

/* Box (i, j, k) of the grid is number first + i box[0] + j box[1] + k box[2] of
 * an expansion, and real (k mesh[1] + j) mesh[0] + i of a mesh.  As in
 * turn.kh. */
struct lattice_boxes {
    int64_t stride, step; /* from one coefficient to the next: of the
                             expansions, and of the meshes */
    int64_t first, box[3];
    int32_t root[3], mesh[3];
};
_Static_assert(sizeof(struct lattice_boxes) == 72,
               "must match stage/lattice/turn.kh");

enum { LATTICE_TILE = 32, LATTICE_TURN = LATTICE_TILE * 8 };

/* Thread blocks of LATTICE_TURN threads that copy n[0] x n[1] x n[2] numbers of
 * `size` coefficients, if box[2] is 1. */
static inline int64_t lattice_turn_blocks(int size, const int32_t n[3])
{
    int64_t across = (n[0] + LATTICE_TILE - 1) / LATTICE_TILE;
    return size * n[1] * across * ((n[2] + LATTICE_TILE - 1) / LATTICE_TILE);
}
#endif
