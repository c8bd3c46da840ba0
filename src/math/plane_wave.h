/* SPDX-License-Identifier: Apache-2.0 */
/* plane_wave.h: 1/r along an axis as a sum of plane waves (math.md 10.17 ff.):
 * nodes, and what turns multipoles into waves and waves into locals.
 *
 * A direction's waves are those of a quarter turn, `quarter` of them, each with
 * its mirror image. */
#ifndef FARSUM_MATH_PLANE_WAVE_H
#define FARSUM_MATH_PLANE_WAVE_H

#include "base/status.h"

struct plane_wave_node {
    double lambda, weight;
    int angles; /* of a full turn, a multiple of four */
};

struct plane_waves {
    int nodes, wide;
    double potential, field; /* errors of a far list, as (10.16) measures */
    int quarter;
    const struct plane_wave_node *node; /* of cubes of edge 1, ws = 1 */
};

/* The fewest waves whose error of the field of a far list is at most `field`,
 * of boxes with edges box[3], in units of h.  ERR_UNSUPPORTED: none, and why.
 */
farsum_status plane_waves_choose(int ws, const double box[3], double field,
                                 struct plane_waves *waves);
/* What an order's waves may leave: a part of what order p does, (10.16). */
double plane_waves_field(int p, int ws);
/* Error of a far list's locals, relative: RMS over all numbers. */
double plane_waves_error(const struct plane_waves *waves);

/* An axis's frame (b, c, axis): 0: (z, y, x), 1: (z, x, y), 2: (x, y, z).
 * Signs under mirrors of the frame's axes, three bits, by those of x, y, z. */
int plane_waves_class(int axis, int class);
/* Bit a: number (n, m) changes sign when axis a is mirrored. */
int plane_waves_signs(int n, int m);

/* [quarter][(p + 1)^2]: a number's share in a wave's sum of its class, (10.20),
 * and a wave's in a number of a local expansion, (10.22), which has the decay
 * of ws + 1 boxes. */
farsum_status plane_waves_operators(const struct plane_waves *waves, int p,
                                    int ws, const double box[3], int axis,
                                    double *out, double *in);
/* [5][quarter]: cos, sin of the phase of half a box along b and along c, and
 * the decay over a box. */
void plane_waves_shifts(const struct plane_waves *waves, int ws,
                        const double box[3], int axis, double *shift);
#endif
