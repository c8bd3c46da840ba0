/* SPDX-License-Identifier: Apache-2.0 */
/* place.h: where a point lies among the mesh points of an axis (math.md section
 * 4).  Wants SUPPORT. */
#ifndef FARSUM_LEAF_PLACE_H
#define FARSUM_LEAF_PLACE_H

/* The first of the mesh points that coordinate s in [0, 1) touches on an axis
 * of `mesh` points; may be negative.  *t is where s lies, in [-1, 1]. */
FN i32 window_first(f64 s, i32 mesh, real *t)
{
    f64 v = s * mesh - 0.5 * SUPPORT;
    f64 first = ceil(v);
    *t = (real)(2 * (first - v) - 1);
    return (i32)first;
}
#endif
