/* SPDX-License-Identifier: Apache-2.0 */
/* tree_device_set.h: a tree on a device, built there from points on the device
 * (stage/device.h).
 *
 * Building a dense tree is asynchronous.  A sparse tree is bitwise equal to the
 * host's, except for the order of its boxes.  The host waits for the numbers of
 * leaves, boxes and entries of near lists, but does no work per item.  Array
 * indices are u32: at most GPU_POINTS_MOST points and GPU_BINS_MOST leaves. */
#ifndef FARSUM_POINTS_TREE_TREE_DEVICE_SET_H
#define FARSUM_POINTS_TREE_TREE_DEVICE_SET_H

#include "points/device/set.h"
#include "points/tree/tree_set.h"

struct tree_gpu_points {
    int64_t n;
    struct buf begin; /* [n_leaves + 1] u32: first point of a leaf */
    struct buf order; /* [n] u32: caller's index */
    struct buf x;     /* [3][n], the tree's precision, as on the host */
    struct buf low;   /* [n] u32, f32 only: as on the host */
    struct buf leaf;  /* [n] u32, dense trees only: the leaf of each point */
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
    /* offsets of octants of all levels, then of slots of all levels; both end
     * with a total */
    TREE_GPU_FIRSTS = 8 * TREE_GPU_LEVELS + 1 + TREE_GPU_LEVELS + 1,
};

/* As in points/tree/morton.kh. */
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

/* The data of a sparse tree in addition to its points.
 *
 * Its boxes are in another order than in the tree, so that adjacent boxes
 * interact with adjacent boxes in the same way.  They are ordered by level.
 * Level 0 is as in the tree.  Other levels are ordered by octant (as in a dense
 * tree), and within an octant as in the tree.
 *
 * A slot is a box that has children.  Slots are in the tree's order: by level,
 * then by Morton key.  Indices are i32; -1: none. */
struct tree_gpu_sparse {
    struct buf near_begin; /* [n_leaves + 1] u32 */
    struct buf near;       /* struct tree_gpu_near */
    struct buf leaf;       /* [n_leaves]: index of its box */
    struct buf place;      /* [n_leaves][4]: its place and its level */
    struct buf root;       /* [boxes of level 0]: root box, x fastest */
    /* Four arrays in succession.  [(2 ws + 1)^3][slots], x fastest: the slots
     * near a slot at its level.  [8][slots]: indices of its children.  [slots]:
     * its own index.  [n_boxes]: the parent's slot. */
    struct buf slot;
    struct buf table; /* [TREE_GPU_FIRSTS] i64: octant and first, see below */
    struct buf at;    /* [n_boxes]: index here of each box of the tree */
    struct buf key;   /* [n_boxes] u64: Morton key of the place */
    struct buf kind;  /* [n_boxes]: the leaf that it is, or -1 - its slot */
    struct buf begin; /* [n_boxes] u32: first leaf in the box, */
    struct buf end;   /* and one past the last */
    int64_t slots, first[TREE_DEPTH + 2];     /* first slot of each level;
                                                 total */
    int64_t octant[8 * (TREE_DEPTH + 1) + 1]; /* first box of [level][octant];
                                                 level 0 uses octant 0 */
};

/* Points for a sparse tree. */
struct tree_gpu_given {
    struct points_gpu *points; /* their number and their scratch */
    const struct buf *x;       /* [n][3] lengths; NULL: use points->s, fractions
                                  of the region */
    int wide;                  /* 1: x are f64, 0: f32 */
    double unit;               /* x times this is in the tree's unit; a power of
                                  two */
};

struct tree_gpu_build;
struct tree_gpu {
    struct device *device;                 /* borrowed */
    struct tree_gpu_points source, target; /* target: if the tree has separate
                                              targets */
    struct tree_gpu_sparse sparse;         /* sparse trees only */
    struct tree_gpu_build *build;          /* owned; for building sparse
                                              trees */
    struct jit jit;                        /* for building dense trees */
    farsum_precision precision;
    struct kernel keys, finish;
};

/* Builds a dense tree in tree->gpu; args->dense is 1.  The tree's own arrays
 * stay empty except for the numbers of points.  Existing fractional coordinates
 * are taken as fractions of the region, whatever its corner.  Missing ones
 * (points_gpu_look) are computed here: from the points' cell if the tree is
 * periodic, else from the region, which must hold all points. targets NULL: the
 * sources.  On failure the tree is empty. */
farsum_status tree_gpu_set(struct tree *tree, const struct tree_args *args,
                           struct points_gpu *sources,
                           struct points_gpu *targets);
/* Points of a tree that is a part of another one: places of their leaves along
 * axis 0 in it, [n] i32.  Their fractions are of the other tree's region, which
 * has `whole` leaves along axis 0, so that their coordinates in leaves are the
 * same in both. */
struct tree_gpu_layers {
    const struct buf *layer;
    int64_t whole;
};
/* The same for such a part, of points that have fractions; layers: of sources
 * and of targets.  NULL: tree_gpu_set. */
farsum_status tree_gpu_set_part(struct tree *tree, const struct tree_args *args,
                                struct points_gpu *sources,
                                struct points_gpu *targets,
                                const struct tree_gpu_layers layers[2]);
/* Builds a sparse tree; args->dense is 0.  Lengths must lie in the region;
 * violations are not reported.  Sorted keys are reused: the same points, region
 * and depth are not sorted again.  Scratch: 26 bytes per point, 34 with
 * separate targets, in addition to that of the sort.  Waits. */
farsum_status tree_gpu_set_sparse(struct tree *tree,
                                  const struct tree_args *args,
                                  const struct tree_gpu_given *sources,
                                  const struct tree_gpu_given *targets);
/* Compiles the kernels that build trees; see points_gpu_ahead. */
farsum_status tree_gpu_ahead(struct tree *tree, struct device *device,
                             farsum_precision precision, int dense);
/* The kernels' arguments for fractions of a tree's region. */
struct gpu_given tree_gpu_fractions(const struct points_gpu *points,
                                    const struct tree *tree);
void tree_gpu_destroy(struct tree_gpu *gpu); /* NULL is legal */
/* points/tree/tree_device_sparse.c: builds tree->gpu; the tree must have its
 * shape.  Waits. */
farsum_status tree_gpu_sparse(struct tree *tree, const struct tree_args *args,
                              const struct tree_gpu_given *sources,
                              const struct tree_gpu_given *targets);
void tree_gpu_sparse_clear(struct tree_gpu_sparse *sparse);
/* points/tree/tree_device_leaves.c */
void tree_gpu_build_destroy(struct tree_gpu_build *build); /* NULL is legal */

/* The kernels' arguments for a sparse tree; its depth is that of the keys. */
struct tree_gpu_region tree_gpu_region(const struct tree *tree,
                                       const struct tree_args *args);
struct tree_gpu_lists tree_gpu_lists(const struct tree *tree);

/* Bytes of the low bits of n coordinates that f32 drops. */
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
