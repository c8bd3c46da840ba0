/* SPDX-License-Identifier: Apache-2.0 */
/* interp.h: mesh to particles, the transpose of spread:
 *
 *     potential_i += sum_m prod_d w(m_d - u_id) mesh_m
 *     field_i     -= gradient of that, by the window's derivative
 *     gradient_i  += its second derivatives xx xy xz yy yz zz
 *     third_i     += its third ones xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz
 *
 * (math.md section 4).  Channels, parts and open axes are as in spread.h. */
#ifndef FARSUM_STAGE_INTERP_INTERP_H
#define FARSUM_STAGE_INTERP_INTERP_H

#include "base/isa.h"
#include "device/buf.h"
#include "math/window.h"
#include "points/wrap.h"
#include "stage/stage.h"

struct interp_args {
    farsum_precision precision;
    struct device *device;       /* borrowed; NULL: the host */
    enum isa isa;
    int threads;
    unsigned outputs; /* FARSUM_POTENTIAL | FARSUM_FIELD, and
                                    FARSUM_GRADIENT for one real channel, and
                                    FARSUM_THIRD, only by `plain` */
    int64_t mesh[3];
    int64_t ldz;                 /* this and the following as in spread_args */
    int open[3];
    int channels, parts;
    double repeats, clustering;
    const struct window *window; /* borrowed */
    const struct cell *cell;     /* its unit of length is that of the field;
                                    borrowed; may change before a set */
    int64_t n;
};

/* Results are added to, in the caller's order, type precision; NULL: not
 * wanted.  On a device each pointer is a struct buf *. */
struct interp_io {
    const void *mesh; /* as in spread_io */
    void *potential;  /* [channel potential_channel + point parts + part] */
    void *field;      /* [channel field_channel + (point 3 + axis) parts
                         + part] */
    void *gradient;   /* [point][6] */
    void *third;      /* [point][10] */
    int64_t mesh_channel;      /* in reals; 0: as in spread_io */
    int64_t potential_channel; /* 0: n parts */
    int64_t field_channel;     /* 0: 3 n parts */
};

static inline int interp_channels(const struct interp_args *args)
{
    return args->channels > 0 ? args->channels : 1;
}
static inline int interp_parts(const struct interp_args *args)
{
    return args->parts > 0 ? args->parts : 1;
}
static inline double interp_repeats(const struct interp_args *args)
{
    return args->repeats > 1 ? args->repeats : 1;
}
static inline double interp_clustering(const struct interp_args *args)
{
    return args->clustering > 1 ? args->clustering : 1;
}
/* Copies io and replaces zero strides by their defaults for n points. */
static inline struct interp_io interp_strides(const struct interp_args *args,
                                              const struct interp_io *io,
                                              int64_t n)
{
    struct interp_io full = *io;
    int64_t parts = interp_parts(args);
    full.mesh_channel = io->mesh_channel ? io->mesh_channel
                                         : args->mesh[0] * args->mesh[1]
                                               * args->ldz * parts;
    full.potential_channel =
        io->potential_channel ? io->potential_channel : n * parts;
    full.field_channel = io->field_channel ? io->field_channel : 3 * n * parts;
    return full;
}

/* ops.c: weights once per target; sums along z, then y, then x. */
void interp_ops(const void *args, struct work *work);

extern const struct stage interp_stage;
#endif
