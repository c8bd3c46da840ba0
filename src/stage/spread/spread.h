/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h: particles to mesh: mesh_m = sum_j q_j prod_d w(m_d - u_jd), where
 * u_jd = s_jd mesh_d and the mesh is periodic (math.md section 4).
 *
 * Several channels (components, right-hand sides) are spread together with the
 * same weights; each has its own mesh.  Complex strengths have two parts,
 * adjacent in the strengths and in the mesh.
 *
 * With slopes a point has four numbers, q and g, and is spread as q + g.d/du:
 * the derivative by its own position, from the window's derivative.  With
 * second slopes it has six more, h = xx xy xz yy yz zz, which multiply the
 * second derivatives; only `plain` spreads them. */
#ifndef FARSUM_STAGE_SPREAD_SPREAD_H
#define FARSUM_STAGE_SPREAD_SPREAD_H

#include "base/isa.h"
#include "device/buf.h"
#include "math/window.h"
#include "points/wrap.h"
#include "stage/stage.h"

struct spread_args {
    farsum_precision precision;
    struct device *device;       /* borrowed; NULL: the host */
    enum isa isa;
    int threads;
    int64_t mesh[3];
    int64_t ldz;                 /* mesh points from one z-row to the next,
                                    at least mesh[2]; the padding may hold
                                    anything */
    int open[3];                 /* 1: the axis is not periodic, and
                                    contributions off the mesh are dropped */
    int channels;                /* 0: 1 */
    int parts;                   /* 1: real, 2: complex; 0: 1 */
    int slopes;                  /* 1: strengths with slopes, of one real
                                    channel; u in mesh points.  2: and with
                                    second slopes */
    double repeats;              /* expected runs per set; 0: 1 */
    double clustering;                /* clustering factor of the points
                                    (points/clustering.h); 0: 1 */
    const struct window *window; /* borrowed */
    int64_t n;                   /* expected number of points */
    int unit;                    /* threads per mesh point, for variants with
                                    compute units; 0: by density.  gpu_tile:
                                    warps per thread block */
    int group;                   /* mesh points per group, for variants that
                                    group them; 0: 64.  gpu_tile: mesh points of
                                    a tile across its rows; 0: by the number of
                                    particles */
};

/* On a device both pointers are a struct buf *. */
struct spread_io {
    const void *q; /* in the caller's order, type precision: [channel q_channel
                      + point q_point + part]; slopes: [point q_point + 4],
                      or 10 */
    void *mesh;    /* type precision: [channel mesh_channel
                      + ((x mesh1 + y) ldz + z) parts + part]; every point of
                      the mesh is written */
    int64_t q_channel, q_point; /* in reals; 0: n parts, and parts */
    int64_t mesh_channel;       /* in reals; 0: mesh0 mesh1 ldz parts */
};

static inline int spread_channels(const struct spread_args *args)
{
    return args->channels > 0 ? args->channels : 1;
}
static inline int spread_parts(const struct spread_args *args)
{
    return args->parts > 0 ? args->parts : 1;
}
static inline double spread_repeats(const struct spread_args *args)
{
    return args->repeats > 1 ? args->repeats : 1;
}
static inline double spread_clustering(const struct spread_args *args)
{
    return args->clustering > 1 ? args->clustering : 1;
}
/* Copies io and replaces zero strides by their defaults for n points. */
static inline struct spread_io spread_strides(const struct spread_args *args,
                                              const struct spread_io *io,
                                              int64_t n)
{
    struct spread_io full = *io;
    int64_t parts = spread_parts(args);
    full.q_channel = io->q_channel ? io->q_channel : n * parts;
    full.q_point = io->q_point        ? io->q_point
                   : args->slopes > 1 ? 10
                   : args->slopes     ? 4
                                      : parts;
    full.mesh_channel = io->mesh_channel ? io->mesh_channel
                                         : args->mesh[0] * args->mesh[1]
                                               * args->ldz * parts;
    return full;
}

/* The tiles into which host points must be sorted (bins_build) before a set;
 * equal for interp with the same arguments. */
void spread_tiles(const struct spread_args *args, int32_t nb[3]);

/* ops.c: weights once per particle, one multiply-add per mesh point of its
 * window and channel; reads particles, writes the mesh. */
void spread_ops(const void *args, struct work *work);

extern const struct stage spread_stage;
#endif
