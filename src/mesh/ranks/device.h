/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: meshes over ranks with a device each.
 *
 * The extended mesh is the mesh's gpu->grid.  Points, strengths, results and
 * halo planes travel between the devices.  A call returns when its results are
 * complete, and all ranks have agreed on its status. */
#ifndef FARSUM_MESH_RANKS_DEVICE_H
#define FARSUM_MESH_RANKS_DEVICE_H

#include "mesh/device.h"
#include "mesh/ranks/mesh.h"
#include "ranks/device/places.h"
#include "ranks/device/planes.h"

struct mesh_ranks_gpu {
    struct transport *transport;
    struct gpu_route route;
    struct gpu_ghosts ghosts; /* not set: converts to the own cell */
    struct gpu_planes *planes;
    struct points given; /* the caller's, in the whole cell */
    struct buf arrived;  /* own points, [n][3] f64, in fractions of the whole
                            cell */
    struct buf x;        /* the same in the own cell */
    struct buf q, value, gradient;                   /* of own points */
    struct buf given_q, given_value, given_gradient; /* for a caller on the
                                                        host */
};

/* Makes mesh->ranks->gpu, and the states; planes: the exchange of halo
 * planes.  Collective. */
farsum_status mesh_ranks_gpu_create(struct farsum_mesh *mesh,
                                    const struct planes_args *planes,
                                    const char *transport);
void mesh_ranks_gpu_destroy(struct mesh_ranks_gpu *gpu); /* NULL is legal */
farsum_status mesh_ranks_gpu_points(struct farsum_mesh *mesh, int64_t n,
                                    const void *x);
farsum_status mesh_ranks_gpu_spread(struct farsum_mesh *mesh, const void *q,
                                    void *grid);
farsum_status mesh_ranks_gpu_interp(struct farsum_mesh *mesh, const void *grid,
                                    void *value, void *gradient);
/* The same with arrays of own points, q or those given, NULL: not wanted, and
 * with the own planes of the extended meshes.  Collective; they do not agree on
 * failures, and do not wait. */
farsum_status mesh_ranks_gpu_spread_run(struct farsum_mesh *mesh);
farsum_status mesh_ranks_gpu_interp_run(struct farsum_mesh *mesh,
                                        struct buf *value,
                                        struct buf *gradient);
#endif
