/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_device.h: NUFFTs over ranks with a device each.
 *
 * As on hosts (nufft.h), with the mesh of device.h, real transforms of
 * ranks/device/slab.h and modes of modes_device.h.  An execute returns when its
 * results are complete. */
#ifndef FARSUM_MESH_RANKS_NUFFT_DEVICE_H
#define FARSUM_MESH_RANKS_NUFFT_DEVICE_H

#include "mesh/ranks/device.h"
#include "mesh/ranks/modes_device.h"
#include "mesh/ranks/nufft.h"
#include "ranks/device/slab.h"

struct nufft_ranks_gpu {
    struct gpu_slab *slab;
    struct rank_modes_gpu *modes;
    struct buf spectra;     /* [2 batch][spectrum]: of the batch's parts */
    struct buf c, f;        /* a batch of a caller on the host */
    struct stopwatch watch; /* transforms and modes of a batch */
    int has_watch;
};

/* The transform, the exchange of modes, and memory; modes: its arguments.
 * Collective. */
farsum_status nufft_ranks_gpu_create(struct farsum_nufft *nufft,
                                     const struct rank_modes_args *modes);
void nufft_ranks_gpu_destroy(struct nufft_ranks_gpu *gpu); /* NULL is legal */
/* Memory for the points that this rank passes; not collective. */
farsum_status nufft_ranks_gpu_points(struct farsum_nufft *nufft);
/* Executes vectors v to v + batch.  c and f: the caller's arrays, whole.
 * Collective: returns the same status on all ranks. */
farsum_status nufft_ranks_gpu_batch(struct farsum_nufft *nufft, int v, void *c,
                                    void *f);
#endif
