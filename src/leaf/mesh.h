/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: what kernels of spread and interp are told of strengths and mesh
 * (stage/spread/spread.h).  CHANNELS and PARTS are defined with the plan; the
 * struct is passed by value, and the host has its twin in stage/gpu.h. */
#ifndef FARSUM_LEAF_MESH_H
#define FARSUM_LEAF_MESH_H

struct mesh_args {
    i64 n;            /* points */
    i64 q_channel, q_point, mesh_channel;
    i32 mesh[3], ldz; /* mesh points */
    i32 open[3];      /* 1: what falls off the mesh is dropped */
    i32 more;         /* a row's own */
};

/* Where part 0 of a mesh point lies in a channel. */
FN i64 mesh_at(struct mesh_args a, i32 x, i32 y, i32 z)
{
    return (((i64)x * a.mesh[1] + y) * a.ldz + z) * PARTS;
}

/* Where part 0 of point i lies in channel c of the strengths. */
FN i64 mesh_q(struct mesh_args a, i32 c, i64 i)
{
    return c * a.q_channel + i * a.q_point;
}

/* The index on the mesh of m = first + j along axis d, -1 if it is off an open
 * axis.  A periodic one is wrapped, any number of times. */
FN i32 mesh_index(i32 m, i32 mesh, i32 open)
{
    if (m >= 0 && m < mesh)
        return m;
    if (open)
        return -1;
    m %= mesh;
    return m < 0 ? m + mesh : m;
}
#endif
