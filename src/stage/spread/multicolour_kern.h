/* SPDX-License-Identifier: Apache-2.0 */
/* multicolour_kern.h: interface between multicolour.c and its SIMD code. */
#ifndef FARSUM_STAGE_SPREAD_MULTICOLOUR_KERN_H
#define FARSUM_STAGE_SPREAD_MULTICOLOUR_KERN_H

#include "points/tiles.h"

/* Data common to all points. */
struct multicolour_job {
    int support, degree;
    const void *coef;        /* [degree + 1][WINDOW_MAX], real */
    const double *s[3];      /* sorted */
    const int64_t *order;
    int channels, parts;
    const void *q;           /* in the caller's order, real: [channel q_channel
                                + point q_point + part] */
    int64_t q_channel, q_point;
    double size[3];          /* of the mesh */
    void *mesh;              /* real */
    int64_t mesh_channel;
    const int64_t *place[3]; /* [m + WINDOW_MAX]: offset in reals of unwrapped
                                mesh index m along the axis; -1: dropped */
};

struct multicolour_kern {
    int lanes;
    /* Adds the points of n intervals, one after the other. */
    void (*points)(const struct multicolour_job *job, int n,
                   const struct tiles_range *range);
};
#endif
