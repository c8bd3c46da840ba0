/* SPDX-License-Identifier: Apache-2.0 */
/* planes.h: halo planes of a mesh on devices, as ranks/planes.h on the host:
 * the same planes, added in the same order. */
#ifndef FARSUM_RANKS_DEVICE_PLANES_H
#define FARSUM_RANKS_DEVICE_PLANES_H

#include "ranks/device/transport.h"
#include "ranks/planes.h"

struct gpu_planes;

/* Collective: fails on all ranks or on none.  Runs do not allocate. */
farsum_status gpu_planes_create(const struct planes_args *args,
                                struct device *device,
                                struct transport *transport,
                                struct gpu_planes **planes);
void gpu_planes_destroy(struct gpu_planes *planes); /* NULL is legal */

/* Adds the halo planes of all ranks to their owners' planes, in order of rank
 * and plane.  The halos stay as they are.  mesh_channel: reals from one channel
 * to the next. */
farsum_status gpu_planes_add(struct gpu_planes *planes, struct buf *mesh,
                             int64_t mesh_channel, int channels);
/* Copies the owners' planes to all halos. */
farsum_status gpu_planes_fill(struct gpu_planes *planes, struct buf *mesh,
                              int64_t mesh_channel, int channels);
#endif
