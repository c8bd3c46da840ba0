/* SPDX-License-Identifier: Apache-2.0 */
/* host_simd_kern.h: what the files of host_simd share. */
#ifndef FARSUM_STAGE_P2P_HOST_SIMD_KERN_H
#define FARSUM_STAGE_P2P_HOST_SIMD_KERN_H

#include "stage/p2p/p2p.h"

enum {
    /* Sources side by side: within L1 with their strengths.  So few because a
     * lane of a vector sums every W-th: where signs go by turns (a crystal),
     * its sum in f32 has one sign and grows until the lanes are added. */
    SIMD_CHUNK = 256,
    SIMD_ROW = SIMD_CHUNK + 16, /* a word of copies may go past them */
    SIMD_RHS = 4,               /* sets of strengths at a time */
    SIMD_LOW = 3 + SIMD_RHS,    /* rows of what f32 leaves of positions */
    SIMD_ROWS = SIMD_LOW + 3,
};

/* What one thread does. */
struct simd_thread {
    const struct p2p_args *args;
    const struct p2p_io *io;
    struct tree_near *near; /* [p2p_near_most] */
    void *chunk;            /* [SIMD_ROWS][SIMD_ROW] of the precision */
};

struct simd_kern {
    /* All that a leaf's targets receive. */
    void (*leaf)(const struct simd_thread *thread, int64_t leaf);
};
#endif
