/* SPDX-License-Identifier: Apache-2.0 */
/* multicolour_kern.h: between multicolour.c and its kernels. */
#ifndef FARSUM_STAGE_SPREAD_MULTICOLOUR_KERN_H
#define FARSUM_STAGE_SPREAD_MULTICOLOUR_KERN_H

#include "points/tiles.h"

/* What all points share. */
struct multicolour_job {
    int support, degree;
    const void *coef;        /* [degree + 1][WINDOW_MAX], real */
    const double *s[3];      /* sorted */
    const int64_t *order;
    int channels, parts;
    const void *q;           /* caller's order, real: [channel q_channel
                                + point q_point + part] */
    int64_t q_channel, q_point;
    double size[3];          /* of the mesh */
    void *mesh;              /* real */
    int64_t mesh_channel;
    const int64_t *place[3]; /* [m + WINDOW_MAX]: reals that mesh index m of
                                the axis, unwrapped, adds to a place on the
                                mesh; -1: dropped */
};

struct multicolour_kern {
    int lanes;
    /* The points of n stretches, one after the other. */
    void (*points)(const struct multicolour_job *job, int n,
                   const struct tiles_range *range);
};
#endif
