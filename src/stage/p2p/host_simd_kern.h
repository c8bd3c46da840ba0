/* SPDX-License-Identifier: Apache-2.0 */
/* host_simd_kern.h: interface between host_simd.c and its SIMD code. */
#ifndef FARSUM_STAGE_P2P_HOST_SIMD_KERN_H
#define FARSUM_STAGE_P2P_HOST_SIMD_KERN_H

#include "stage/p2p/p2p.h"

enum {
    /* Sources in a chunk, which fits in L1 with their strengths.  Few, because
     * a lane sums every W-th source: where signs alternate (a crystal), its f32
     * sum has one sign and grows until the lanes are added. */
    SIMD_CHUNK = 256,
    SIMD_ROW = SIMD_CHUNK + 16, /* copies of a vector may exceed them */
    SIMD_RHS = 4,               /* sets of strengths at a time */
    SIMD_LOW = 3 + SIMD_RHS,    /* rows of the low bits of positions */
    SIMD_ROWS = SIMD_LOW + 3,   /* kernels with up to 6 strengths, in f64, have
                                 no low bits */
};

/* State of one thread. */
struct simd_thread {
    const struct p2p_args *args;
    const struct p2p_io *io;
    struct tree_near *near; /* [p2p_near_most] */
    void *chunk;            /* [SIMD_ROWS][SIMD_ROW] of the precision */
};

struct simd_kern {
    /* Sums all pairs of a leaf's targets. */
    void (*leaf)(const struct simd_thread *thread, int64_t leaf);
};
#endif
