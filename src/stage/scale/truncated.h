/* SPDX-License-Identifier: Apache-2.0 */
/* truncated.h: the influence function along open axes, (9.34) to (9.37). */
#ifndef FARSUM_STAGE_SCALE_TRUNCATED_H
#define FARSUM_STAGE_SCALE_TRUNCATED_H

#include "stage/scale/modes.h"

/* Sizes of the octant i_d <= mesh_d/2, by which the table is known: it is even
 * along all axes, which are orthogonal. */
struct octant {
    int64_t size[3];
    double *value; /* owned, [size0][size1][size2] */
};

/* Sets the table, of the kernel cut at args->radius, as modes_influence would.
 * bend: 1: the table of the virial along the periodic axis of a wire. */
farsum_status octant_make(struct octant *to, const struct scale_args *args,
                          const struct modes *modes, int bend);
void octant_clear(struct octant *octant);
/* Bytes that octant_make uses at most. */
int64_t octant_bytes(const struct scale_args *args);

/* Mode i of n, of either sign. */
static inline double octant_at(const struct octant *o, const int64_t mesh[3],
                               int64_t i0, int64_t i1, int64_t i2)
{
    i0 = i0 < o->size[0] ? i0 : mesh[0] - i0;
    i1 = i1 < o->size[1] ? i1 : mesh[1] - i1;
    i2 = i2 < o->size[2] ? i2 : mesh[2] - i2;
    return o->value[(i0 * o->size[1] + i1) * o->size[2] + i2];
}
#endif
