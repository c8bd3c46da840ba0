/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h: how ranks cut a mesh (ranks/domain.h). */
#ifndef FARSUM_TASK_SHAPE_H
#define FARSUM_TASK_SHAPE_H

struct ranks_shape {
    const char *domain; /* "slab" or "pencil"; NULL: slabs */
    int ranks[2];       /* of pencils, along axes 0 and 1; 0: chosen */
};
#endif
