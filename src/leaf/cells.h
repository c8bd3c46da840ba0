/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h: the mesh points that a cell's points touch.  An axis of `mesh`
 * points has nb cells; cell b holds the coordinates s with floor(s nb) = b
 * (leaf/tile.h).  Wants SUPPORT.  The host's twin of the struct is
 * points/device/ordering.h's. */
#ifndef FARSUM_LEAF_CELLS_H
#define FARSUM_LEAF_CELLS_H

struct cells_args {
    f64 edge[3]; /* mesh points of a cell */
    i32 nb[3], more;
};

/* ceil(over/under), which `guess` is not far from; division of 64 bits is a
 * call on most devices. */
FN i32 cells_ceil(i64 over, i64 under, f64 guess)
{
    i64 q = (i64)guess;
    while (q * under < over)
        q++;
    while ((q - 1) * under >= over)
        q--;
    return (i32)q;
}

/* The first mesh point that any point of cell b touches, unwrapped: ceil(b
 * mesh/nb - SUPPORT/2).  Exact, so that window_first is never below it, nor
 * above it by more than ceil(mesh/nb); rounding keeps to that, for it does not
 * cross integers. */
FN i32 cells_low(i32 b, i32 mesh, i32 nb, f64 edge)
{
    return cells_ceil(2 * (i64)b * mesh - (i64)SUPPORT * nb, 2 * (i64)nb,
                      b * edge - SUPPORT / 2);
}

/* The first mesh point that lies in cell b: ceil(b mesh/nb). */
FN i32 cells_own(i32 b, i32 mesh, i32 nb, f64 edge)
{
    return cells_ceil((i64)b * mesh, nb, b * edge);
}
#endif
