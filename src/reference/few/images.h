/* SPDX-License-Identifier: Apache-2.0 */
/* images.h: 1/r with all its images along one or two periodic axes, in closed
 * form for each pair.
 *
 * In units of the shortest period a wire is a line of unit charges,
 *
 *     -2 ln rho + 4 sum_{k>0} K_0(2 pi k rho) cos(2 pi k z),            (7.25a)
 *
 * and a slab is a row of lines, whose logarithms have a sum of their own.  It
 * needs neither Ewald's split nor wave vectors along open axes, so its cost
 * does not depend on the points' extent. */
#ifndef FARSUM_REFERENCE_FEW_IMAGES_H
#define FARSUM_REFERENCE_FEW_IMAGES_H

#include "reference/few/device.h"

/* Within this distance of a line its images are summed one by one. */
#define IMAGES_NEAR 0.3

enum {
    IMAGES_NODES = 32,  /* largest number of nodes of the integral for K_0 */
    IMAGES_ROWS = 8,    /* largest number of lines on each side that count */
    IMAGES_ORDERS = 12, /* of the expansion near a line */
    IMAGES_SINES = 20,  /* terms of ln(sin u/u) */
};

struct few_images {
    int axes;
    double period[2][3];  /* the periodic vectors, reduced, shortest first */
    double to[2][3];      /* fractions along them: to[d].x */
    double axis[3][3];    /* unit vectors: of the shortest period, across it in
                            the plane of a slab, and the third */
    double length;        /* of the shortest period */
    double across, shift; /* of the second period, over `length` */
    int rows;             /* lines on each side that count */
    double turn[2 * IMAGES_ROWS + 1][2]; /* e^{2 pi i m shift} */
    double least;                        /* terms below this are left out */
    double reach;                    /* distance at which K_0 is below least */
    double step, node[IMAGES_NODES]; /* of the integral; cosh of the nodes */
    double order[IMAGES_ORDERS + 1], sine[IMAGES_SINES + 1];
    double coincide; /* a distance, squared, in units of `length` */
};

/* Returns OK if the task's pairs have a closed form to this accuracy. */
farsum_status few_images_fit(const struct task *task, double accuracy);
/* Sets *cheaper to 1 if they take less time than Ewald's sum of n sources x. */
farsum_status few_images_cheaper(const struct task *task, int64_t n,
                                 const void *x, int *cheaper);
farsum_status few_images_open(const struct task *task, double accuracy,
                              struct few_images *images);
/* Like few_sum. */
farsum_status few_images_sum(const struct few_device *sum, const void *x,
                             const void *q, double *values);
#endif
