/* SPDX-License-Identifier: Apache-2.0 */
/* slab.h: the real transform of a mesh that is cut along axis 0, on devices,
 * not normalised.
 *
 * As ranks/slab.h, but the spectrum consists of lines along axis 0, complex
 * [line][mesh0]: one for each column (k1, k2) with k2 < columns[k1] of the
 * rank's rows, ordered by row, then k2.  So lines are contiguous, and columns
 * that do not travel have no memory (stage/scale/scale.h, scale_args.columns).
 */
#ifndef FARSUM_RANKS_DEVICE_SLAB_H
#define FARSUM_RANKS_DEVICE_SLAB_H

#include "ranks/device/transport.h"
#include "ranks/slab.h"

struct gpu_slab_args {
    struct slab_args slab;
    struct device *device;       /* borrowed, as the next one */
    struct transport *transport;
    int64_t halo; /* planes of the mesh buffer before the slab's first */
    int channels; /* most channels of a run */
};

struct gpu_slab_io {
    struct buf *mesh; /* real [channel][halo + planes + ...][mesh1][ldz];
                         forward destroys the slab's planes, backward writes
                         them */
    int64_t mesh_channel;  /* reals from one channel to the next */
    struct buf *spectrum;  /* complex [channel][lines][mesh0]; backward destroys
                              it */
    int64_t spectrum_channel; /* reals from one channel to the next; multiple of
                                 2 mesh0 */
    int channels;
};

struct gpu_slab;

/* The lines of a rank.  Reads size, begin1, columns and mesh only. */
int64_t gpu_slab_lines(const struct slab_args *args, int rank);

/* Collective: fails on all ranks or on none.  Runs do not allocate.
 *
 * A batch above 1 requires that `channels` and those of each run are multiples
 * of it, that halo is 0, and that channels follow each other without gaps.
 * Below, a channel is then a batch.
 *
 * It stores the complex numbers of one channel that the rank sends to others,
 * and those that it receives, both twice for several channels: one travels
 * while the next one is transformed.  Tables take 4 bytes per complex number of
 * a plane, and 16 per plane of the others.  The transforms have their own work
 * areas.  On OpenCL it also stores the planes or lines of one channel, because
 * a part of a buffer can be transformed in place only if it is aligned. */
farsum_status gpu_slab_create(const struct gpu_slab_args *args,
                              struct gpu_slab **slab);
void gpu_slab_destroy(struct gpu_slab *slab); /* NULL is legal */

/* Collective.  A rank that fails takes part in all exchanges; its results are
 * undefined, and so are the others'. */
farsum_status gpu_slab_forward(struct gpu_slab *slab,
                               const struct gpu_slab_io *io);
farsum_status gpu_slab_backward(struct gpu_slab *slab,
                                const struct gpu_slab_io *io);
#endif
