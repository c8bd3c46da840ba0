/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h: how ranks cut a mesh (ranks/domain.h). */
#ifndef FARSUM_TASK_SHAPE_H
#define FARSUM_TASK_SHAPE_H

#include <stdint.h>

struct ranks_shape {
    int ranks[2]; /* along axes 0 and 1.  {p, 1}: slabs; {0, 0}: chosen */
};

/* Steps from {p, 1}, slabs, through all ways to cut among p ranks.  Returns 0
 * after the last one. */
static inline int ranks_shape_next(int shape[2])
{
    int64_t ranks = (int64_t)shape[0] * shape[1], less = shape[0];
    if (shape[0] > shape[1]) {
        shape[0] = shape[1];
        shape[1] = (int)less;
        return 1;
    }
    do
        less++;
    while (less * less <= ranks && ranks % less != 0);
    if (less * less > ranks)
        return 0;
    shape[0] = (int)(ranks / less);
    shape[1] = (int)less;
    return 1;
}
#endif
