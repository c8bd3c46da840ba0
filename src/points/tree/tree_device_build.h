/* SPDX-License-Identifier: Apache-2.0 */
/* tree_device_build.h: internals of building sparse trees on a device. */
#ifndef FARSUM_POINTS_TREE_TREE_DEVICE_BUILD_H
#define FARSUM_POINTS_TREE_TREE_DEVICE_BUILD_H

#include "points/device/scan.h"
#include "points/tree/tree_device_set.h"

enum {
    BUILD_GROUP = 256,
    BUILD_ITEMS = 16, /* points per thread in kernels that find leaves */
    BUILD_TEAM = 8,   /* threads for the points of a leaf */
    BUILD_NEAR = 128, /* threads per block in kernels that make near lists */
};

/* Inputs of the last sort of points. */
struct build_sorted {
    struct tree_gpu_region region;
    int64_t version[2], n[2];
    const void *x[2];
};

/* Kernels and scratch; memory is reused.  The comments give the sizes of the
 * arrays that grow with the points. */
struct tree_gpu_build {
    farsum_precision precision;
    struct jit levels_jit, boxes_jit, near_jit;
    struct kernel halves, turn, join, merge, parts, above, around;
    struct kernel words, words_before, levels, leaves;
    struct kernel count, first_of, boxes, links, slots, begin, places, within;
    struct kernel near;
    struct gpu_scan *scan, *wide; /* u32; u32 to u64 */
    struct build_sorted sorted;   /* the points and region to which key
                                     belongs */
    int is_sorted;
    struct buf word[4];     /* [n] u32 each, temporary */
    struct buf part, level; /* [n] u8 */
    struct buf key[2];      /* [n] u64: sorted keys of sources, targets */
    struct buf both;        /* [n] u64: merged keys, if there are targets */
    struct buf tile;        /* [tiles of n] i32 */
    struct buf count_at;    /* [1 + levels] i32, followed by total */
    struct buf total;       /* u32 */
    struct buf sum[2];      /* u64 */
    struct buf corner;      /* [n_leaves] u64 */
    struct buf span;        /* [n_leaves] i32 */
    struct buf counts[2];   /* u32: [level][octant][group], [level][group]; the
                               first also holds the lengths of near lists */
    struct buf before[2];   /* u64: exclusive prefix sums of these */
    struct buf slot_key;    /* [slots] u64 */
};

/* points/tree/tree_device_leaves.c: finds the leaves of the points: corner and
 * span of each, and their number.  Also sorts each side.  Waits. */
farsum_status build_leaves(struct tree *tree,
                           const struct tree_gpu_region *region,
                           const struct tree_gpu_given *sources,
                           const struct tree_gpu_given *targets);
farsum_status build_ready(struct tree_gpu *gpu, farsum_precision precision);
#endif
