/* SPDX-License-Identifier: Apache-2.0 */
/* images.h: waves of the images above and below a slab, by kernel. */
#ifndef FARSUM_METHOD_OPEN_AXIS_IMAGES_H
#define FARSUM_METHOD_OPEN_AXIS_IMAGES_H

/* A wave e^(i k.x + size e.x), e the normal towards the images that made it.
 * front: 2 f of (9.31), of both half planes; lag: Lz/(1 - e^(-size Lz)). */
struct open_wave {
    double k[3], e[3], size, front, lag;
};

/* Values at a target: a flow's velocity, or a potential and its three
 * derivatives. */
enum { OPEN_VALUES = 4 };

struct open_images {
    const char *kernel;
    /* One wave: value v at x is Re (a[v] + e.x b[v]) times the wave, from the
     * channels' sums m of q e^(-i k.y - size e.y), and n of these times e.y.
     * Real and imaginary parts.  b is 0 unless the kernel's fall is 2. */
    void (*sheet)(const struct open_wave *wave, const double m[][2],
                  const double n[][2], double a[][2], double b[][2]);
    /* The mode 0: a source acts on value v as a charge of even[v] by its
     * potential, and as one of slope[v] by the derivative along e. */
    void (*plane)(const double e[3], const double *channel,
                  double even[OPEN_VALUES], double slope[OPEN_VALUES]);
};

/* The row of a kernel with `sheet`. */
const struct open_images *open_axis_images(const char *kernel);
#endif
