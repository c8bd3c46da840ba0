/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_device.h: device part of a NUFFT, without its mesh's. */
#ifndef FARSUM_MESH_NUFFT_DEVICE_H
#define FARSUM_MESH_NUFFT_DEVICE_H

#include "mesh/device.h"
#include "mesh/nufft.h"

struct nufft_gpu {
    struct jit jit;
    struct kernel collect, place;
    struct buf grid;  /* [batch][step] */
    struct buf *part; /* owned, [batch]: views of grid, one per transform */
    struct buf scale; /* the three tables, contiguous */
    struct buf c, f;  /* a batch of a caller on the host; c also for a device
                         caller with several batches */
    struct graph recording; /* graph of an execute, or of a batch of a host
                                   caller */
    struct stopwatch watch;
    int has_watch, timed;
    int batches; /* in the last execute */
};

/* Creates everything except mesh and transform, which must exist. */
farsum_status nufft_gpu_create(struct farsum_nufft *nufft);
void nufft_gpu_destroy(struct farsum_nufft *nufft); /* its gpu may be NULL */
/* Called after the mesh's points are set. */
farsum_status nufft_gpu_points(struct farsum_nufft *nufft, int64_t n);
farsum_status nufft_gpu_execute(struct farsum_nufft *nufft, void *c, void *f);
farsum_status nufft_gpu_finish(struct farsum_nufft *nufft);
#endif
