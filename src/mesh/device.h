/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: device part of a mesh. */
#ifndef FARSUM_MESH_DEVICE_H
#define FARSUM_MESH_DEVICE_H

#include "device/compile/jit.h"
#include "device/graph.h"
#include "mesh/mesh.h"

struct mesh_gpu {
    struct jit jit;
    struct kernel outside, finite;
    struct buf record; /* [groups][4] f64: the first point outside */
    int64_t groups;    /* records of the last set; 0: nothing to check */
    int unchecked;     /* 1: the positions have not been checked yet */
    struct buf flag;   /* [MESH_ARRAYS] i32, 1: results are not finite */
    int looked;        /* 1: flags may have been set since they were read */
    struct buf q, grid, value, gradient;    /* for a caller on the host */
    struct graph recording[MESH_STAGES];     /* graphs of calls */
    struct stopwatch watch[MESH_STAGES];
    int has_watches, timed[MESH_STAGES];
};

/* Results that a device checks for numbers that are not finite. */
enum { MESH_SUMS, MESH_VALUES, MESH_GRADIENTS, MESH_MODES, MESH_ARRAYS };

farsum_status mesh_gpu_create(struct farsum_mesh *mesh);
void mesh_gpu_destroy(struct mesh_gpu *gpu); /* NULL is legal */
/* Sets positions on host or device; the caller of this function calls the
 * variants' set. */
farsum_status mesh_gpu_points(struct farsum_mesh *mesh, int64_t n,
                              const void *x);
/* The parts of it and of mesh_gpu_check, for other points: sets points from the
 * caller's, without memory for their values; waits, and fails if positions are
 * invalid. */
farsum_status mesh_gpu_place(struct farsum_mesh *mesh, struct points *points,
                             int64_t n, const void *x);
farsum_status mesh_gpu_bad(struct farsum_mesh *mesh,
                           const struct points *points);
/* Runs a stage and times it. */
farsum_status mesh_gpu_stage(struct farsum_mesh *mesh, int stage,
                             const void *io);
/* Spreads or interpolates with the caller's arrays, on host or device. */
farsum_status mesh_gpu_spread(struct farsum_mesh *mesh, const void *q,
                              void *grid);
farsum_status mesh_gpu_interp(struct farsum_mesh *mesh, const void *grid,
                              void *value, void *gradient);
/* Checks `rows` rows of `row` reals, of which the first `used` count, from real
 * `base` on.  Asynchronous; mesh_gpu_finish fails if one of them is not
 * finite. */
farsum_status mesh_gpu_look(struct farsum_mesh *mesh, int array,
                            const struct buf *v, int64_t base, int64_t rows,
                            int64_t row, int64_t used);
/* Waits, and fails if positions are invalid. */
farsum_status mesh_gpu_check(struct farsum_mesh *mesh);
/* The same; then reads the stages' times, and fails if results are not
 * finite. */
farsum_status mesh_gpu_finish(struct farsum_mesh *mesh);

/* A caller's array. */
struct mesh_array {
    const char *what;
    farsum_memory memory;
    const void *given;
    int64_t bytes;
};
/* *buf: the array as a buffer: its own if it is on the device; otherwise
 * `stage`, to which the host array is copied if `in`.  Fails if the array is
 * found not to be in the stated memory. */
farsum_status mesh_gpu_array(struct device *device,
                             const struct mesh_array *array, int in,
                             const struct buf *stage, struct buf *buf);
#endif
