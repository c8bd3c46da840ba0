/* SPDX-License-Identifier: Apache-2.0 */
/* images_kern.h: images_kern.c, for each instruction set. */
#ifndef FARSUM_REFERENCE_FEW_IMAGES_KERN_H
#define FARSUM_REFERENCE_FEW_IMAGES_KERN_H

#include "reference/few/images.h"

enum { IMAGES_BLOCK = 64 };

/* Sources as a target sees them, in units of the shortest period, z along it.
 * own: charge, or 0 if the nearest line is summed elsewhere. */
struct images_block {
    int count;
    double x[IMAGES_BLOCK], y[IMAGES_BLOCK], z[IMAGES_BLOCK];
    double charge[IMAGES_BLOCK], own[IMAGES_BLOCK];
};

/* Adds potential and derivatives by z, y and x to v: for all lines that count,
 * 4 sum_k K_0(2 pi k rho) cos(2 pi k z). */
struct images_kern {
    void (*lines)(const struct few_images *images,
                  const struct images_block *block, double v[4]);
};
#endif
