/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h: columns of cells around targets, for variants on devices. */
#ifndef FARSUM_STAGE_NEAR_COLUMNS_H
#define FARSUM_STAGE_NEAR_COLUMNS_H

#include "stage/near/device/device.h"

enum { NEAR_IMAGES = 512 }; /* images on either side, along an axis */

/* Host counterpart of the struct in stage/near/device/columns.kh. */
struct near_columns {
    float x0, y0, y1, z0, z1, z2, cut, slack;
    int32_t reach_z, columns, together;
    float inner, scale, shift;
    float edge[9], pad;
};

/* Host counterpart of the struct in stage/near/device/ball.kh. */
struct near_ball {
    float x0, y0, y1, z0, z1;
    float x_least, x_most, y_least, y_most, z_least, z_most;
    float per_z2, cut, slack, per_wide;
    int32_t columns, wide, pad;
};

/* After near_gpu_set: sets the frame of the columns and the rounding errors of
 * f32.  row: the variant's name, for a message. */
farsum_status near_columns_set(struct near_columns *columns,
                               const struct near_gpu *near, const char *row);
/* The same from the edges of one cell; images of a column are not separate
 * columns. */
farsum_status near_ball_set(struct near_ball *ball, const struct near_gpu *near,
                            const char *row);
#endif
