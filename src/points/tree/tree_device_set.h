/* SPDX-License-Identifier: Apache-2.0 */
/* tree_device_set.h: a tree on a device, built there from points that are there
 * (stage/device.h).
 *
 * Of a dense one nothing waits.  A sparse one is the host's, bit by bit, but
 * for the order in which its boxes lie; how many leaves, boxes and entries of
 * near lists there are is waited for, and nothing is done by the host for each
 * of them.  Places in arrays are u32: GPU_POINTS_MOST points, GPU_BINS_MOST
 * leaves at most. */
#ifndef FARSUM_POINTS_TREE_TREE_DEVICE_SET_H
#define FARSUM_POINTS_TREE_TREE_DEVICE_SET_H

#include "points/device/set.h"
#include "points/tree/tree_set.h"

struct tree_gpu_points {
    int64_t n;
    struct buf begin; /* [n_leaves + 1] u32: first point of a leaf */
    struct buf order; /* [n] u32: caller's index */
    struct buf x;     /* [3][n], the tree's precision, as on the host */
    struct buf low;   /* [n] u32, of f32: as on the host */
    struct buf leaf;  /* [n] u32: of a dense tree, the leaf of each point */
};

/* An entry of a near list. */
struct tree_gpu_near {
    uint32_t leaf;
    float scale;
    double offset[3];
};
_Static_assert(sizeof(struct tree_gpu_near) == 32,
               "as points/tree/tree.kh has it");

enum {
    TREE_GPU_LEVELS = TREE_DEPTH + 1,
    /* octants of all levels; slots of all levels; both end with a total */
    TREE_GPU_FIRSTS = 8 * TREE_GPU_LEVELS + 1 + TREE_GPU_LEVELS + 1,
};

/* As points/tree/morton.kh has it. */
struct tree_gpu_region {
    double corner[3], edge[3], box[3], h0, unit;
    int64_t n, leaf;
    int32_t root[3], periodic[3], depth, ws, wide, fractions;
};
_Static_assert(sizeof(struct tree_gpu_region) == 144, "as the kernels have it");
struct tree_gpu_lists {
    int64_t slots, boxes, leaves, child, own, parent;
};
_Static_assert(sizeof(struct tree_gpu_lists) == 48, "as the kernels have it");

/* What a sparse tree has beside its points.
 *
 * Its boxes lie in another order than in the tree, so that those that are side
 * by side do the same with the same other ones: level by level, those of level
 * 0 as in the tree, of others by octant (as in a dense tree), those of an
 * octant as in the tree.
 *
 * A slot is a box that has children; slots are in the tree's order: level by
 * level, by Morton keys.  Numbers are i32; -1: there is none. */
struct tree_gpu_sparse {
    struct buf near_begin; /* [n_leaves + 1] u32 */
    struct buf near;       /* struct tree_gpu_near */
    struct buf leaf;       /* [n_leaves]: where its box lies */
    struct buf place;      /* [n_leaves][4]: its place, and its level */
    struct buf root;       /* [boxes of level 0]: root box, x fastest */
    /* One after another: [(2 ws + 1)^3][slots], x fastest, the slots near one
     * of its level; [8][slots], where children lie; [slots], where it lies
     * itself; [n_boxes], the parent's slot. */
    struct buf slot;
    struct buf table; /* [TREE_GPU_FIRSTS] i64: octant and first of below */
    struct buf at;    /* [n_boxes]: where the tree's lie */
    struct buf key;   /* [n_boxes] u64: Morton key of the place */
    struct buf kind;  /* [n_boxes]: the leaf that it is, or -1 - its slot */
    struct buf begin; /* [n_boxes] u32: first leaf in it, */
    struct buf end;   /* and behind the last */
    int64_t slots, first[TREE_DEPTH + 2];     /* of a level; all */
    int64_t octant[8 * (TREE_DEPTH + 1) + 1]; /* first box of [level][octant];
                                                 level 0's are octant 0's */
};

/* Points for a sparse tree. */
struct tree_gpu_given {
    struct points_gpu *points; /* how many; their scratch */
    const struct buf *x;       /* [n][3] lengths; NULL: points->s, fractions of
                                  the region */
    int wide;                  /* 1: x are f64, 0: f32 */
    double unit;               /* of x: times it they are the tree's lengths, a
                                  power of two */
};

struct tree_gpu_build;
struct tree_gpu {
    struct device *device;                 /* borrowed */
    struct tree_gpu_points source, target; /* target: if the tree's are
                                              separate */
    struct tree_gpu_sparse sparse;         /* of a sparse tree */
    struct tree_gpu_build *build;          /* owned: for building that one */
    struct jit jit;                        /* for building a dense one */
    farsum_precision precision;
    struct kernel keys, finish;
};

/* Builds tree->gpu; the tree's own arrays stay empty but for the counts of its
 * points.  args->dense is 1.  Fractional coordinates that are there are
 * fractions of the region, whatever its corner; those that are not
 * (points_gpu_look) are made here, of the points' cell if the tree is periodic,
 * else of the region, which has to hold all points.  targets NULL: the sources.
 * On failure the tree is empty. */
farsum_status tree_gpu_set(struct tree *tree, const struct tree_args *args,
                           struct points_gpu *sources,
                           struct points_gpu *targets);
/* The same of a sparse one: args->dense is 0.  Lengths must lie in the region;
 * nothing says it if they do not.  Keys are kept: what is set again with the
 * same points, region and depth is not sorted again.  Scratch: 26 bytes a
 * point, 34 with targets apart, beside the sort's.  Waits. */
farsum_status tree_gpu_set_sparse(struct tree *tree,
                                  const struct tree_args *args,
                                  const struct tree_gpu_given *sources,
                                  const struct tree_gpu_given *targets);
/* The kernels that build trees, as points_gpu_ahead. */
farsum_status tree_gpu_ahead(struct tree *tree, struct device *device,
                             farsum_precision precision, int dense);
/* What kernels are told of fractions of a tree's region. */
struct gpu_given tree_gpu_fractions(const struct points_gpu *points,
                                    const struct tree *tree);
void tree_gpu_destroy(struct tree_gpu *gpu); /* NULL is legal */
/* points/tree/tree_device_sparse.c: tree->gpu; the tree has its shape.
 * Waits. */
farsum_status tree_gpu_sparse(struct tree *tree, const struct tree_args *args,
                              const struct tree_gpu_given *sources,
                              const struct tree_gpu_given *targets);
void tree_gpu_sparse_clear(struct tree_gpu_sparse *sparse);
/* points/tree/tree_device_leaves.c */
void tree_gpu_build_destroy(struct tree_gpu_build *build); /* NULL is legal */

/* What kernels are told of a sparse tree; its depth's is a key's. */
struct tree_gpu_region tree_gpu_region(const struct tree *tree,
                                       const struct tree_args *args);
struct tree_gpu_lists tree_gpu_lists(const struct tree *tree);

/* Bytes of what f32 leaves of n coordinates. */
static inline int64_t tree_gpu_low(const struct tree *tree, int64_t n)
{
    return tree->precision == FARSUM_F32 ? 4 * n : 4;
}
static inline const struct tree_gpu_points *
tree_gpu_targets(const struct tree *tree)
{
    return tree->separate ? &tree->gpu->target : &tree->gpu->source;
}
#endif
