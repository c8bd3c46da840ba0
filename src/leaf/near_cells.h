/* SPDX-License-Identifier: Apache-2.0 */
/* near_cells.h: points in the order of cells, for the near field, and the sums
 * of groups' records.
 *
 * Lengths are in raw units, 1/per_raw of them are the cutoff: in f64 1, in f32
 * coordinates are integers modulo 2^32, so that differences of near points are
 * exact whatever the size of the cell.
 *
 * Who includes it defines GROUP and STRENGTHS. */
#ifndef FARSUM_LEAF_NEAR_CELLS_H
#define FARSUM_LEAF_NEAR_CELLS_H

#include "leaf/sum.h"

#if REAL_BITS == 64
typedef f64 coord;
typedef f64 coord_sum;
#else
typedef i32 coord;
typedef u32 coord_sum; /* wraps around */
#endif

struct near_cells {
    f64 a[9];      /* cell vectors, raw */
    f64 skip;      /* squared, units of the cutoff: below it two are one */
    f64 per_raw;   /* cutoffs in a raw unit */
    i64 n;         /* targets */
    i32 nb[3], reach[3]; /* cells; those that the cutoff spans, either side */
    i32 image[9];  /* f32: cell vectors, modulo 2^32 */
    i32 want;      /* bits as in farsum.h */
    i32 more;      /* 1: near_place also leaves coordinates in f32 and where a
                      point lies in its cell, as a part of it */
    i32 pad;
};
#define WANT_POTENTIAL 1
#define WANT_FIELD 2
#define WANT_ENERGY 4
#define WANT_VIRIAL 8

/* Record: energy, virial xx xy xz yy yz zz. */
#define RECORD 7

/* Sorted points into the frame of the pairs, and the cell of each. */
KERNEL(GROUP) near_place(GLOBAL const f64 *s, GLOBAL coord *x,
                         GLOBAL u32 *cell, GLOBAL f32 *more,
                         struct near_cells a)
{
    i64 k = GID * GROUP + LID;
    if (k >= a.n)
        return;
    f64 t[3];
    u32 b = 0;
    UNROLL
    for (i32 d = 0; d < 3; d++) {
        t[d] = s[d * a.n + k];
        b = b * (u32)a.nb[d] + (u32)(t[d] * a.nb[d]);
    }
    cell[k] = b;
    UNROLL
    for (i32 j = 0; j < 3; j++) {
        f64 v = t[0] * a.a[j] + t[1] * a.a[3 + j] + t[2] * a.a[6 + j];
#if REAL_BITS == 64
        x[j * a.n + k] = v;
#else
        x[j * a.n + k] = (i32)(u32)(i64)floor(v + 0.5);
#endif
        if (a.more) {
            f64 w = t[j] * a.nb[j];
            more[j * a.n + k] = (f32)v;
            more[(3 + j) * a.n + k] = (f32)(w - floor(w));
        }
    }
}

KERNEL(GROUP) near_charges(GLOBAL const real *q, GLOBAL const u32 *order,
                           GLOBAL real *sorted, i64 n)
{
    i64 k = GID * GROUP + LID;
    for (i32 c = 0; k < n && c < STRENGTHS; c++)
        sorted[c * n + k] = q[(i64)order[k] * STRENGTHS + c];
}

/* Cell number `cell` along each axis. */
FN void near_axes(struct near_cells a, u32 cell, i32 b[3])
{
    b[2] = (i32)(cell % (u32)a.nb[2]);
    cell /= (u32)a.nb[2];
    b[1] = (i32)(cell % (u32)a.nb[1]);
    b[0] = (i32)(cell / (u32)a.nb[1]);
}

/* Cell i + step along an axis of n: the cell at home, *image of it. */
FN i32 near_home(i32 i, i32 n, i32 *image)
{
    i32 k = 0;
    while (i < 0) {
        i += n;
        k--;
    }
    while (i >= n) {
        i -= n;
        k++;
    }
    *image = k;
    return i;
}

FN void near_shift(struct near_cells a, const i32 k[3], const coord x[3],
                   coord moved[3])
{
    UNROLL
    for (i32 j = 0; j < 3; j++) {
#if REAL_BITS == 64
        moved[j] = x[j]
                   - (k[0] * a.a[j] + k[1] * a.a[3 + j] + k[2] * a.a[6 + j]);
#else
        moved[j] = (i32)((u32)x[j] - (u32)k[0] * (u32)a.image[j]
                         - (u32)k[1] * (u32)a.image[3 + j]
                         - (u32)k[2] * (u32)a.image[6 + j]);
#endif
    }
}

/* Many records into as many as there are groups. */
KERNEL(GROUP) near_fold(GLOBAL const f64 *record, GLOBAL f64 *fewer,
                        i64 records, i32 want)
{
    LOCAL f64 scratch[GROUP];
    i64 each = (records + NGROUPS - 1) / NGROUPS, first = GID * each;
    i64 here = first >= records          ? 0
               : records - first < each ? records - first
                                        : each;
    for (i32 t = want & WANT_ENERGY ? 0 : 1;
         t < (want & WANT_VIRIAL ? RECORD : 1); t++) {
        f64 total = records_total(record + first * RECORD, here, RECORD, t,
                                  scratch);
        if (LID == 0)
            fewer[GID * RECORD + t] = total;
    }
}

/* One group: the records' sums are added to the results. */
KERNEL(GROUP) near_total(GLOBAL const f64 *record, GLOBAL f64 *energy,
                         GLOBAL f64 *virial, i64 records, i32 want)
{
    LOCAL f64 scratch[GROUP];
    f64 sum[RECORD];
    UNROLL
    for (i32 t = 0; t < RECORD; t++)
        sum[t] = want & (t == 0 ? WANT_ENERGY : WANT_VIRIAL)
                     ? records_total(record, records, RECORD, t, scratch)
                     : 0;
    if (LID != 0)
        return;
    if (want & WANT_ENERGY)
        energy[0] += sum[0];
    for (i32 i = 0, t = 1; (want & WANT_VIRIAL) && i < 3; i++)
        for (i32 j = i; j < 3; j++, t++) {
            virial[3 * i + j] += sum[t];
            if (i != j)
                virial[3 * j + i] += sum[t];
        }
}
#endif
