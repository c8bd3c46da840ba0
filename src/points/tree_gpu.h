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
    int64_t slots, first[TREE_DEPTH + 2];     /* of a level; all */
    int64_t octant[8 * (TREE_DEPTH + 1) + 1]; /* first box of [level][octant];
                                                 level 0's are octant 0's */
    int64_t *at; /* owned, of the host, [n_boxes]: where the tree's lie */
    int64_t at_room;
};

struct tree_gpu {
    struct device *device;                 /* borrowed */
    struct tree_gpu_points source, target; /* target: if the tree's are
                                              separate */
    struct tree_gpu_sparse sparse;         /* of a sparse tree */
    struct jit jit;                        /* for building */
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
/* tree_gpu_sparse.c: tree->gpu->sparse.  Waits. */
farsum_status tree_gpu_sparse(struct tree *tree);
void tree_gpu_sparse_clear(struct tree_gpu_sparse *sparse);

static inline const struct tree_gpu_points *
tree_gpu_targets(const struct tree *tree)
{
    return tree->separate ? &tree->gpu->target : &tree->gpu->source;
}
#endif
