/* SPDX-License-Identifier: Apache-2.0 */
/* tree_device_build.h: the inside of what builds sparse trees on a device. */
#ifndef FARSUM_POINTS_TREE_TREE_DEVICE_BUILD_H
#define FARSUM_POINTS_TREE_TREE_DEVICE_BUILD_H

#include "points/device/scan.h"
#include "points/tree/tree_device_set.h"

enum {
    BUILD_GROUP = 256,
    BUILD_ITEMS = 16, /* points of a thread that finds leaves */
    BUILD_TEAM = 8,   /* threads for the points of a leaf */
    BUILD_NEAR = 128, /* threads of a group that makes near lists */
};

/* What points were sorted by. */
struct build_sorted {
    struct tree_gpu_region region;
    int64_t version[2], n[2];
    const void *x[2];
};

/* Kernels and scratch; memory is kept.  A byte count stands beside what grows
 * with the points. */
struct tree_gpu_build {
    farsum_precision precision;
    struct jit levels_jit, boxes_jit, near_jit;
    struct kernel halves, turn, join, merge, parts, above, around;
    struct kernel words, words_before, levels, leaves;
    struct kernel count, first_of, boxes, links, slots, begin, places, within;
    struct kernel near;
    struct gpu_scan *scan, *wide; /* u32; u32 to u64 */
    struct build_sorted sorted;   /* what key holds */
    int is_sorted;
    struct buf word[4];     /* [n] u32 each, for a while */
    struct buf part, level; /* [n] u8 */
    struct buf key[2];      /* [n] u64: sorted keys of sources, targets */
    struct buf both;        /* [n] u64: of both, if there are targets */
    struct buf tile;        /* [tiles of n] i32 */
    struct buf count_at;    /* [1 + levels] i32; then total */
    struct buf total;       /* u32 */
    struct buf sum[2];      /* u64 */
    struct buf corner;      /* [n_leaves] u64 */
    struct buf span;        /* [n_leaves] i32 */
    struct buf counts[2];   /* u32: [level][octant][group], [level][group];
                               the first: lengths of near lists */
    struct buf before[2];   /* u64: what comes before each */
    struct buf slot_key;    /* [slots] u64 */
};

/* points/tree/tree_device_leaves.c: leaves of the points in their order: corner
 * and span, and how many there are.  Sides' orders are there then.  Waits. */
farsum_status build_leaves(struct tree *tree,
                           const struct tree_gpu_region *region,
                           const struct tree_gpu_given *sources,
                           const struct tree_gpu_given *targets);
farsum_status build_ready(struct tree_gpu *gpu, farsum_precision precision);
#endif
