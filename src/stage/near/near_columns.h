/* near_columns.h: columns of cells around targets, for rows on a device. */
#ifndef FARSUM_STAGE_NEAR_COLUMNS_H
#define FARSUM_STAGE_NEAR_COLUMNS_H

#include "stage/near/near_gpu.h"

enum { NEAR_IMAGES = 512 }; /* on either side, along an axis */

/* The host's twin of leaf/near_columns.h's struct. */
struct near_columns {
    float x0, y0, y1, z0, z1, z2, cut, slack;
    int32_t reach_z, columns, together;
    float inner, scale, shift;
    float edge[9], pad;
};

/* After near_gpu_set: the frame of columns, and how far f32 can be trusted.
 * row: its name, for a message. */
farsum_status near_columns_set(struct near_columns *columns,
                               const struct near_gpu *near, const char *row);
#endif
