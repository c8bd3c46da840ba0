/* SPDX-License-Identifier: Apache-2.0 */
/* slab_inside.h: the state of a transform cut among ranks with devices. */
#ifndef FARSUM_RANKS_DEVICE_SLAB_INSIDE_H
#define FARSUM_RANKS_DEVICE_SLAB_INSIDE_H

#include "device/compile/jit.h"
#include "device/second_stream.h"
#include "ranks/device/slab.h"
#include "stage/fft/fft.h"

/* As in slab.k. */
struct slab_turn {
    int64_t planes, plane, mesh, first, count, at, step, channel;
};
struct slab_points {
    int64_t lines, points, known, own, planes, spectrum;
};
_Static_assert(sizeof(struct slab_turn) == 64
                   && sizeof(struct slab_points) == 48,
               "must match ranks/device/slab.k");
enum { SLAB_GROUP = 256, SLAB_EDGE = 32, SLAB_COPIES = 8 };
enum { SLAB_TILE = 16384 }; /* bytes */

/* A transform of all planes, or of all lines; state NULL: nothing to do. */
struct slab_fft {
    const struct variant *variant;
    void *state; /* owned, of the variant */
    int64_t reals;
};

/* Counts of complex numbers. */
struct slab_shape {
    int64_t planes; /* of this rank */
    int64_t plane;  /* numbers per plane */
    int64_t all;    /* lines of all ranks */
    int64_t first;  /* this rank's first line */
    int64_t lines;  /* this rank's */
    int64_t points; /* of a line */
    int64_t known;  /* those of them that any rank has; the others are 0 */
    int64_t own;    /* this rank's first plane: its first point of a line */
    int64_t zeros;  /* numbers of a plane that are set to 0 */
};

struct gpu_slab {
    struct gpu_slab_args args;
    int64_t real; /* bytes */
    int batch;    /* channels of a group, which has one exchange */
    struct slab_shape shape;
    int wide, tall; /* planes and lines per tile */
    struct jit jit;
    struct kernel out, in, clear, points;
    struct buf place; /* [all] i32, as in slab.k; so are the next two */
    struct buf zero;  /* [zeros] i32 */
    struct buf part;  /* [known - planes][2] i64 */
    /* Complex, for groups with even and odd numbers: one travels while the
     * kernels work on the other. */
    struct buf packed[2];  /* for each other rank [its lines][batch][planes] */
    struct buf arrived[2]; /* for each other rank [lines][batch][its planes] */
    struct buf apart;      /* OpenCL: the planes or lines while they are
                           transformed, unless their own place is aligned */
    int64_t *packed_bytes, *arrived_bytes; /* owned, [size]: parts of ranks */
    struct slab_fft plane_fft, line_fft;
    struct second_stream exchange; /* for several groups */
};

/* The reals of a transform, where it runs: in place, or copied to `apart`. */
struct slab_place {
    struct buf *whole; /* borrowed: the caller's array */
    int64_t first;     /* bytes before the part */
    int apart;         /* 1: in slab->apart */
};

/* The planes of a group, its lines, and their parts that travel. */
struct slab_channel {
    struct slab_place mesh, spectrum;
    struct buf *packed, *arrived; /* borrowed */
};

/* slab_tables.c: counts what create needs, without the device. */
farsum_status gpu_slab_shape(struct gpu_slab *slab);
/* Uploads the tables. */
farsum_status gpu_slab_tables(struct gpu_slab *slab);

/* 1: the device makes views at aligned offsets only, as OpenCL does. */
int gpu_slab_aligns(const struct gpu_slab *slab);

/* slab_steps.c: the steps of group c before and after its exchange. */
farsum_status gpu_slab_before(struct gpu_slab *slab,
                              const struct gpu_slab_io *io, int c,
                              int backward);
farsum_status gpu_slab_after(struct gpu_slab *slab,
                             const struct gpu_slab_io *io, int c, int backward);
/* The parts of these. */
struct slab_channel gpu_slab_channel(struct gpu_slab *slab,
                                     const struct gpu_slab_io *io, int c);
farsum_status gpu_slab_transform(struct gpu_slab *slab,
                                 const struct slab_fft *fft,
                                 const struct slab_place *at, int backward);
/* The transposing kernel, slab->out or slab->in, for all lines. */
farsum_status gpu_slab_turn(struct gpu_slab *slab, const struct kernel *kernel,
                            const struct slab_channel *channel);
/* Sets the numbers that did not travel to 0. */
farsum_status gpu_slab_zero(struct gpu_slab *slab,
                            const struct slab_channel *channel);
/* Copies the other ranks' points between `arrived` and the lines. */
farsum_status gpu_slab_points(struct gpu_slab *slab,
                              const struct slab_channel *channel, int back);
#endif
