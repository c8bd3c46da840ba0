/* SPDX-License-Identifier: Apache-2.0 */
/* host_plane_wave_kern.h: interface between host_plane_wave_kern.c and
 * host_plane_wave.c. */
#ifndef FARSUM_STAGE_M2L_PLANE_WAVE_HOST_PLANE_WAVE_KERN_H
#define FARSUM_STAGE_M2L_PLANE_WAVE_HOST_PLANE_WAVE_KERN_H

#include "math/plane_wave.h"
#include "stage/expansions/expansions.h"

/* Groups of waves of a parent: 4 along z, 8 along y, 16 along x. */
enum { WAVE_GROUPS = 28, WAVE_LANES = 16 };

/* Arrays over waves have `waves` elements, a multiple of WAVE_LANES, padded
 * with zeros.  Types are the precision's. */
struct wave_plan {
    int size, ws;
    int64_t waves;
    int range[3][8][2]; /* of a class in an axis's frame: its coefficients,
                           sorted by class */
    int *number;        /* owned, [size]: original index of a sorted
                           coefficient */
    void *out[3], *in[3]; /* owned, [size][waves] */
    void *power[3];     /* owned, [b, c][0 .. 4 ws][re, im][waves]: phases of so
                           many half boxes */
    void *damp[3];      /* owned, [0 .. ws][waves] */
};

struct wave_kern {
    /* Converts children's multipoles m[size][8] to merged waves
     * [WAVE_GROUPS][4][waves]. */
    void (*out)(const struct wave_plan *plan, const void *m, void *merged,
                void *workspace);
    /* Computes children's locals l[size][8] from the merged waves of the near
     * parents, indices near[(2 ws + 1)^3], x fastest, -1: none. */
    void (*in)(const struct wave_plan *plan, const void *merged,
               const int64_t *near, void *l, void *workspace);
    /* workspace: [8][8][waves] */
};
#endif
