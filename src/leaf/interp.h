/* SPDX-License-Identifier: Apache-2.0 */
/* interp.h: what kernels of interp are told of targets, and how a target's sums
 * become its results (stage/interp/interp.h).  Wants what window.h and mesh.h
 * want, and FIELD, 0 or 1.  The host's twin of the struct is in
 * stage/interp/gpu_room.h. */
#ifndef FARSUM_LEAF_INTERP_H
#define FARSUM_LEAF_INTERP_H
#include "leaf/mesh.h"
#include "leaf/window.h"

/* Channels and parts, one after the other. */
#define VALUES (CHANNELS * PARTS)
/* Sums of a value: the potential, its gradient by u along the mesh axes. */
#define SUMS (1 + 3 * FIELD)

struct interp_args {
    struct mesh_args mesh;
    i64 potential_channel, field_channel;
    f64 metric[9];        /* field_j = sum_d metric[3j + d] gradient_d */
    i32 potential, field; /* 1: wanted from this run */
};

/* Where value v of a mesh begins. */
FN i64 interp_value(struct interp_args a, i32 v)
{
    return v / PARTS * a.mesh.mesh_channel + v % PARTS;
}

/* The SUPPORT mesh points along an axis that coordinate s reads: their indices,
 * weights and (FIELD) slopes.  What is off an open axis is read at 0 with
 * weight 0. */
FN void interp_axis(f64 s, i32 mesh, i32 open, i32 *m, real *w, real *slope)
{
    real t;
    i32 first = window_first(s, mesh, &t);
    window_weights(t, w);
#if FIELD
    window_slopes(t, slope);
#endif
    UNROLL
    for (i32 j = 0; j < SUPPORT; j++) {
#if !FIELD
        slope[j] = R(0);
#endif
        m[j] = mesh_index(first + j, mesh, open);
        if (m[j] < 0) {
            m[j] = 0;
            w[j] = R(0);
            slope[j] = R(0);
        }
    }
}

/* A row's dot products with the weights and slopes along z, f and df, into the
 * sums of its plane (SUMS, the second not used), and a plane's into a
 * target's. */
FN void interp_row(real wy, real dy, real f, real df, real *plane)
{
    plane[0] = FMA(wy, f, plane[0]);
#if FIELD
    plane[2] = FMA(dy, f, plane[2]);
    plane[3] = FMA(wy, df, plane[3]);
#endif
}
FN void interp_plane(real wx, real dx, const real *plane, real *sum)
{
    sum[0] = FMA(wx, plane[0], sum[0]);
#if FIELD
    sum[1] = FMA(dx, plane[0], sum[1]);
    sum[2] = FMA(wx, plane[2], sum[2]);
    sum[3] = FMA(wx, plane[3], sum[3]);
#endif
}

/* How a result is added to what is there; a row whose threads should not wait
 * for that defines it otherwise. */
#ifndef INTERP_ADD
#define INTERP_ADD(p, v) (*(p) += (v))
#endif

/* Adds the sums of value v to target i's potential (j = 0) or to axis j - 1 of
 * its field. */
FN void interp_add(GLOBAL real *potential, GLOBAL real *field,
                   struct interp_args a, i64 i, i32 v, i32 j, const real *sum)
{
    i32 c = v / PARTS, part = v % PARTS;
    if (j == 0) {
        if (a.potential)
            INTERP_ADD(&potential[c * a.potential_channel + i * PARTS + part],
                       sum[0]);
        return;
    }
#if FIELD
    if (a.field) {
        real e = R(0);
        UNROLL
        for (i32 d = 0; d < 3; d++)
            /* by constant places: an index at run time moves the struct */
            e = FMA((real)(j == 1   ? a.metric[d]
                           : j == 2 ? a.metric[3 + d]
                                    : a.metric[6 + d]),
                    sum[1 + d], e);
        INTERP_ADD(
            &field[c * a.field_channel + (3 * i + j - 1) * PARTS + part], e);
    }
#endif
}
#endif
