/* SPDX-License-Identifier: Apache-2.0 */
/* modes.h: sums over points and modes of the images above and below a slab. */
#ifndef FARSUM_METHOD_OPEN_AXIS_MODES_H
#define FARSUM_METHOD_OPEN_AXIS_MODES_H

#include <stdint.h>

/* Numbers of points in arrays are multiples of OPEN_PAD. */
enum { OPEN_PAD = 16 };

/* kappa = 2 pi (n[0] s_p + n[1] s_q), s_p and s_q the points' fractions along
 * the periodic rows. */
struct open_mode {
    int n[2];
    double k[3], size, front; /* s of (9.31); 2 f: both half planes */
};

/* MODE_SUMS numbers for each mode and channel: M+ and M-, and the same of q z,
 * z from the middle.  MODE_WAVES amplitudes for each mode and value: those of
 * u+, u-, u+ z and u- z; the last two may be 0.  Real and imaginary parts. */
enum { MODE_SUMS = 8, MODE_WAVES = 4 };

struct open_points {
    int64_t n, padded;
    double extent;
    double *s[2], *z; /* [padded], owned; z from the lowest point */
    double *q;        /* [channels][padded], owned: sources only, beyond n 0 */
};

struct open_axis_kern { /* f64 only */
    /* Sets the sums over the sources of `count` modes, (9.31): sums
     * [count][channels][MODE_SUMS]. */
    void (*gather)(const struct open_points *p, const struct open_mode *mode,
                   int64_t count, int channels, double *sums);
    /* Sets the values at the targets first .. first + OPEN_PAD - 1, (9.32),
     * from the first `waves` of amp [count][values][MODE_WAVES][2]. */
    void (*scatter)(const struct open_points *p, int64_t first,
                    const struct open_mode *mode, int64_t count, int values,
                    int waves, const double *amp, double v[][OPEN_PAD]);
};
#endif
