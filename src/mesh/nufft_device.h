/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_device.h: the part of a NUFFT that lies on a device, beside its
 * mesh's. */
#ifndef FARSUM_MESH_NUFFT_DEVICE_H
#define FARSUM_MESH_NUFFT_DEVICE_H

#include "mesh/device.h"
#include "mesh/nufft.h"

struct nufft_gpu {
    struct jit jit;
    struct kernel collect, place;
    struct buf grid;  /* [batch][step] */
    struct buf *part; /* owned, [batch]: the grid's, a transform each */
    struct buf scale; /* the tables one behind the other */
    struct buf c, f;  /* a batch of a caller's on the host; c also of one that
                         has several */
    struct recording recording; /* of an execute, or of a batch of a host's */
    struct stopwatch watch;
    int has_watch, timed;
    int batches; /* of the last execute */
};

/* Everything but mesh and transform, which are there. */
farsum_status nufft_gpu_create(struct farsum_nufft *nufft);
void nufft_gpu_destroy(struct farsum_nufft *nufft); /* its gpu may be NULL */
/* After the mesh's. */
farsum_status nufft_gpu_points(struct farsum_nufft *nufft, int64_t n);
farsum_status nufft_gpu_execute(struct farsum_nufft *nufft, void *c, void *f);
farsum_status nufft_gpu_finish(struct farsum_nufft *nufft);
#endif
