/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h: columns of cells around targets, for rows on a device. */
#ifndef FARSUM_STAGE_NEAR_COLUMNS_H
#define FARSUM_STAGE_NEAR_COLUMNS_H

#include "stage/near/device/device.h"

enum { NEAR_IMAGES = 512 }; /* on either side, along an axis */

/* The host's twin of stage/near/device/columns.kh's struct. */
struct near_columns {
    float x0, y0, y1, z0, z1, z2, cut, slack;
    int32_t reach_z, columns, together;
    float inner, scale, shift;
    float edge[9], pad;
};

/* The host's twin of stage/near/device/ball.kh's struct. */
struct near_ball {
    float x0, y0, y1, z0, z1;
    float x_least, x_most, y_least, y_most, z_least, z_most;
    float per_z2, cut, slack, per_wide;
    int32_t columns, wide, pad;
};

/* After near_gpu_set: the frame of columns, and how far f32 can be trusted.
 * row: its name, for a message. */
farsum_status near_columns_set(struct near_columns *columns,
                               const struct near_gpu *near, const char *row);
/* The same by edges of one cell; an image of a column is none apart. */
farsum_status near_ball_set(struct near_ball *ball, const struct near_gpu *near,
                            const char *row);
#endif
