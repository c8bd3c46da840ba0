/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: the part of a mesh that lies on a device. */
#ifndef FARSUM_MESH_DEVICE_H
#define FARSUM_MESH_DEVICE_H

#include "device/compile/jit.h"
#include "device/graph.h"
#include "mesh/mesh.h"

struct mesh_gpu {
    struct jit jit;
    struct kernel outside, finite;
    struct buf record; /* [groups][4] f64: first point that is outside */
    int64_t groups;    /* records of the last set, 0: nothing to look at */
    int unchecked;     /* 1: nobody has asked whether positions are good */
    struct buf flag;   /* [MESH_ARRAYS] i32, 1: results are not finite */
    int looked;        /* 1: flags may be set since they were read */
    struct buf q, grid, value, gradient;    /* of a caller on the host */
    struct recording recording[MESH_ROOMS]; /* of a call */
    struct stopwatch watch[MESH_ROOMS];
    int has_watches, timed[MESH_ROOMS];
};

/* Results whose numbers a device looks at. */
enum { MESH_SUMS, MESH_VALUES, MESH_GRADIENTS, MESH_MODES, MESH_ARRAYS };

farsum_status mesh_gpu_create(struct farsum_mesh *mesh);
void mesh_gpu_destroy(struct mesh_gpu *gpu); /* NULL is legal */
/* Positions, wherever they are; the rows' sets are the caller's. */
farsum_status mesh_gpu_points(struct farsum_mesh *mesh, int64_t n,
                              const void *x);
/* A room's run, timed. */
farsum_status mesh_gpu_room(struct farsum_mesh *mesh, int room, const void *io);
/* With the caller's arrays, wherever they are. */
farsum_status mesh_gpu_spread(struct farsum_mesh *mesh, const void *q,
                              void *grid);
farsum_status mesh_gpu_interp(struct farsum_mesh *mesh, const void *grid,
                              void *value, void *gradient);
/* Looks at `rows` rows of `row` reals, of which `used` count, from `base` on;
 * mesh_gpu_finish fails if one of them is not finite. */
farsum_status mesh_gpu_look(struct farsum_mesh *mesh, int array,
                            const struct buf *v, int64_t base, int64_t rows,
                            int64_t row, int64_t used);
/* Waits; what was bad about the positions. */
farsum_status mesh_gpu_check(struct farsum_mesh *mesh);
/* The same, the stages' times, and results that are not finite. */
farsum_status mesh_gpu_finish(struct farsum_mesh *mesh);

/* An array of the caller's. */
struct mesh_array {
    const char *what;
    farsum_memory memory;
    const void *given;
    int64_t bytes;
};
/* It as a buffer: its own, or `stage`, to which a host's is copied if `in`.
 * Fails if it can be told that it is not where it is said to be. */
farsum_status mesh_gpu_array(struct device *device,
                             const struct mesh_array *array, int in,
                             const struct buf *stage, struct buf *buf);
#endif
