/* tree_gpu.h: a tree on a device.
 *
 * A dense one is built there from points that are there (gpu.h); nothing
 * waits.  Any tree of the host can be copied there, a sparse one with its near
 * lists.  Places in arrays are u32: GPU_POINTS_MOST points, GPU_BINS_MOST
 * leaves at most. */
#ifndef FARSUM_POINTS_TREE_GPU_H
#define FARSUM_POINTS_TREE_GPU_H

#include "points/gpu.h"
#include "points/tree.h"

struct tree_gpu_points {
    int64_t n;
    struct buf begin; /* [n_leaves + 1] u32: first point of a leaf */
    struct buf order; /* [n] u32: caller's index */
    struct buf x;     /* [3][n], the tree's precision, as on the host */
};

/* An entry of a near list. */
struct tree_gpu_near {
    uint32_t leaf;
    float scale;
    double offset[3];
};
_Static_assert(sizeof(struct tree_gpu_near) == 32, "as leaf/tree.h has it");

struct tree_gpu {
    struct device *device;                 /* borrowed */
    struct tree_gpu_points source, target; /* target: if the tree's are
                                              separate */
    struct buf near_begin;                 /* sparse: [n_leaves + 1] u32 */
    struct buf near;                       /* sparse: struct tree_gpu_near */
    struct buf level; /* sparse: [n_leaves] i32, of a leaf */
    struct jit jit;   /* for building */
    farsum_precision precision;
    struct kernel keys, relative;
};

/* Builds tree->gpu; the tree's own arrays stay empty but for the counts of its
 * points.  args->dense is 1.  The points' fractional coordinates are fractions
 * of the region, whatever its corner; in open space that is a cell that holds
 * them all.  targets NULL: the sources.  On failure the tree is empty. */
farsum_status tree_gpu_set(struct tree *tree, const struct tree_args *args,
                           struct points_gpu *sources,
                           struct points_gpu *targets);
/* A tree that the host has built, to tree->gpu.  Waits. */
farsum_status tree_gpu_copy(struct tree *tree, struct device *device);
void tree_gpu_destroy(struct tree_gpu *gpu); /* NULL is legal */

static inline const struct tree_gpu_points *
tree_gpu_targets(const struct tree *tree)
{
    return tree->separate ? &tree->gpu->target : &tree->gpu->source;
}
#endif
