/* SPDX-License-Identifier: Apache-2.0 */
/* modes.h: sums over points and modes of the images above and below a slab. */
#ifndef FARSUM_METHOD_OPEN_AXIS_MODES_H
#define FARSUM_METHOD_OPEN_AXIS_MODES_H

#include <stdint.h>

/* Numbers of points in arrays are multiples of OPEN_PAD. */
enum { OPEN_PAD = 16 };

/* kappa = 2 pi (n[0] s_p + n[1] s_q), s_p and s_q the points' fractions along
 * the periodic rows; sum: M+ and M-; slope: the same of q z, z from the
 * middle. */
struct open_mode {
    int n[2];
    double k[3], size, front; /* s of (9.31); 2 f: both half planes */
    double sum[2][2], slope[2][2];
};

struct open_points {
    int64_t n, padded;
    double extent;
    double *s[2], *z; /* [padded], owned; z from the lowest point */
    double *q;        /* [padded], owned: sources only, beyond n 0 */
};

struct open_axis_kern { /* f64 only */
    /* Sets the sums over the sources of `count` modes, (9.31). */
    void (*gather)(const struct open_points *p, struct open_mode *mode,
                   int64_t count);
    /* Sets the potential, its derivatives in space except for the one along the
     * normal, and that one, at the targets first .. first + OPEN_PAD - 1,
     * (9.32). */
    void (*scatter)(const struct open_points *p, int64_t first,
                    const struct open_mode *mode, int64_t count,
                    double v[5][OPEN_PAD]);
};
#endif
