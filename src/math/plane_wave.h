/* SPDX-License-Identifier: Apache-2.0 */
/* plane_wave.h: 1/r along an axis as a sum of plane waves (math.md 10.17 ff.):
 * nodes, and the operators that turn multipoles into waves and waves into local
 * expansions.
 *
 * A direction has `quarter` waves in a quarter turn, each with its mirror
 * image. */
#ifndef FARSUM_MATH_PLANE_WAVE_H
#define FARSUM_MATH_PLANE_WAVE_H

#include "base/status.h"

struct plane_wave_node {
    double lambda, weight;
    int angles; /* in a full turn, a multiple of four */
};

struct plane_waves {
    int nodes, wide;
    double potential, field; /* errors of a far list, as measured for (10.16) */
    int quarter;
    const struct plane_wave_node *node; /* for cubes of edge 1, ws = 1 */
};

/* Selects the fewest waves whose error of the field of a far list is at most
 * `field`, in units of h. box[3]: the edges of the boxes.  Fails with
 * ERR_UNSUPPORTED and a message if no table is accurate enough. */
farsum_status plane_waves_choose(int ws, const double box[3], double field,
                                 struct plane_waves *waves);
/* Returns the error allowed for the waves of order p: a fraction of that
 * order's own error, (10.16). */
double plane_waves_field(int p, int ws);
/* Returns the relative error of a far list's local expansions: RMS over all
 * coefficients. */
double plane_waves_error(const struct plane_waves *waves);

/* Signs under mirrors of a frame's axes, three bits, from the signs of x, y, z.
 * The frames (b, c, axis) are 0: (z, y, x), 1: (z, x, y), 2: (x, y, z). */
int plane_waves_class(int axis, int class);
/* Bit a: coefficient (n, m) changes sign when axis a is mirrored. */
int plane_waves_signs(int n, int m);

/* Fills two operators [quarter][(p + 1)^2].  out: the share of a coefficient in
 * a wave's sum of its class, (10.20).  in: the share of a wave in a coefficient
 * of a local expansion, (10.22), which includes the decay over ws + 1 boxes. */
farsum_status plane_waves_operators(const struct plane_waves *waves, int p,
                                    int ws, const double box[3], int axis,
                                    double *out, double *in);
/* Fills shift[5][quarter]: cos and sin of the phase of half a box along b and
 * along c, and the decay over a box. */
void plane_waves_shifts(const struct plane_waves *waves, int ws,
                        const double box[3], int axis, double *shift);
#endif
