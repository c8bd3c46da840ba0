/* SPDX-License-Identifier: Apache-2.0 */
/* tree_set.h: a tree of boxes, and the points in them.
 *
 * A region consists of root[0] x root[1] x root[2] boxes, level 0.  Each box of
 * a level is divided into eight boxes of the next.  Boxes may be cuboids.
 * box[d] is an edge of any box in units of its level's h.  h = h0 2^-level,
 * where h0 is the longest edge of a root box, so max(box) = 1.  The place of a
 * box is three integers within its level: along axis d it is one of root[d] <<
 * level.
 *
 * Dense trees have every box of every level.  Level 0 is ordered x fastest.  In
 * the other levels the children of one octant are consecutive, in their
 * parents' order: box = first[level] + octant * (boxes of the level above) +
 * parent's number in its level, octant = x + 2 y + 4 z.  All boxes of the last
 * level are leaves.
 *
 * Sparse trees have the boxes that hold a point, a source or a target.  Levels
 * are in Morton order (x the lowest bit); leaves may be at any level.  These
 * trees are graded: if a box is a leaf, the boxes within ws of it at its level
 * may have children, but no grandchildren.
 *
 * Two boxes of a level are near if their places differ by at most ws along each
 * axis; periodic axes count images.  A box's far list holds the boxes that lie
 * in near boxes of its parent and are not near itself.  Level 0 has no far
 * lists here.  Consider every pair of points, in each image whose root boxes
 * are near.  It occurs exactly once: in the near list of their leaves, or in
 * the far list of one pair of boxes above them. */
#ifndef FARSUM_POINTS_TREE_TREE_SET_H
#define FARSUM_POINTS_TREE_TREE_SET_H

#include <assert.h>
#include <math.h>

#include "base/status.h"

struct tree_gpu;

enum {
    TREE_DEPTH = 20, /* deepest level; less with many root boxes */
    TREE_BITS = 21,  /* bits of a place in a sparse tree */
};
/* Maximum number of boxes of a dense tree. */
#define TREE_BOXES_MOST ((int64_t)1 << 40)

struct tree_args {
    int dense;
    int depth;    /* dense: level of the leaves; sparse: deepest level
                     allowed */
    int ws;       /* at least 1 */
    int64_t leaf; /* sparse: a box with more points (sources and targets) is
                     divided, while depth allows; at least 1 */
    int periodic[3];
    int64_t root[3];
    double corner[3], edge[3];  /* of the region */
    farsum_precision precision; /* precision of the coordinates in boxes */
    int threads;
    int64_t ghosts; /* dense: layers of root boxes at each end of axis 0 whose
                       boxes have no targets; tree_aim */
    const struct tree_layers *layers; /* borrowed, [2]: of sources and targets;
                                         NULL: the whole region */
};

/* Points of a dense tree that is a part of another one: places of their leaves
 * along axis 0, and coordinates relative to the centres of these, in units of
 * h; [n] each.  So a point is in the same leaf of both trees, at the same
 * coordinates, and its x[0] is not used. */
struct tree_layers {
    double *layer, *at;
};

/* Input points: x[d][i * step].  They are lengths or, if fractions = 1,
 * fractions of the region (0 is the corner, 1 the other end).  On periodic axes
 * they are wrapped.  On other axes they must lie in the region, which includes
 * both faces. */
struct tree_given {
    int64_t n;
    const double *x[3];
    int64_t step;
    int fractions;
};

/* Points in the order of their leaves. */
struct tree_points {
    int64_t n, capacity;
    int64_t *begin; /* owned, [n_leaves + 1]: first point of a leaf */
    int64_t *order; /* owned, [n]: caller's index */
    void *x[3];     /* owned, [n], precision: relative to the centre of the
                       leaf, in units of its level's h; |x[d]| <= box[d]/2 up to
                       rounding */
    uint32_t *low;  /* owned, [n]: low bits that f32 drops, tree_low_of; NULL in
                       f64 */
    int64_t begin_capacity;
};

struct tree {
    int dense, depth, ws; /* depth: the last level that has boxes */
    int threads;          /* threads for building it */
    int periodic[3];
    farsum_precision precision;
    int64_t root[3];
    double corner[3], edge[3];
    double h0, box[3];
    int64_t n_boxes, first[TREE_DEPTH + 2]; /* first[depth + 1] = n_boxes */
    int64_t n_leaves;
    int64_t ghosts; /* as in the args */
    int separate; /* 1: targets are separate from the sources */
    struct tree_points source, target;

    /* Sparse trees only, NULL in a dense one.  Owned. */
    uint64_t *key;   /* [n_boxes]: Morton key of the place */
    int64_t *parent; /* [n_boxes]: -1 in level 0 */
    int64_t *child;  /* [n_boxes + 1]: b's children are child[b] ..
                        child[b + 1] */
    int64_t *leaf;   /* [n_leaves]: its box; leaves in Morton order */
    int64_t *number; /* [n_boxes]: the leaf that it is, or -1 */
    int64_t *slot;   /* [slots]: a hash of level and key: box or -1 */
    int64_t slots, box_capacity[6];

    struct tree_gpu *gpu; /* owned; tree_device_set.h; NULL on the host */
};

/* Builds a tree; reuses memory where possible.  targets NULL: the sources.  On
 * failure the tree is empty. */
farsum_status tree_set(struct tree *tree, const struct tree_args *args,
                       const struct tree_given *sources,
                       const struct tree_given *targets);
void tree_clear(struct tree *tree);
/* Returns OK, or fails with the error in args. */
farsum_status tree_check(const struct tree_args *args);
/* Sets corner and edge of the smallest region of cubic root boxes that holds
 * all points, without periodic axes.  The edge of a root box has few bits and
 * the corner is a multiple of one of them, so centres of boxes are exact. */
farsum_status tree_region(struct tree_args *args,
                          const struct tree_given *sources,
                          const struct tree_given *targets);
/* The same for points that reach from low to high. */
farsum_status tree_region_of(struct tree_args *args, const double low[3],
                             const double high[3]);
/* Sets the layers of points in a dense tree.  Fails for points outside of its
 * region. */
farsum_status tree_find_layers(const struct tree_args *args,
                               const struct tree_given *given, const char *what,
                               const struct tree_layers *layers);

/* The low bits of coordinates in a box that f32 drops: ten bits each, in units
 * of 2^-34.  With them, differences of two points in one box are exact to 1e-10
 * of its edge; with f32 only, to 1e-8. */
static inline uint32_t tree_low_of(const double x[3])
{
    uint32_t low = 0;
    for (int d = 0; d < 3; d++) {
        double part = floor((x[d] - (double)(float)x[d]) * 0x1p34 + 0.5) + 512;
        part = part < 0 ? 0 : part > 1023 ? 1023 : part;
        low |= (uint32_t)part << 10 * d;
    }
    return low;
}
static inline float tree_low_part(uint32_t low, int d)
{
    return (float)((int32_t)(low >> 10 * d & 1023) - 512) * 0x1p-34f;
}

static inline const struct tree_points *tree_targets(const struct tree *tree)
{
    return tree->separate ? &tree->target : &tree->source;
}
/* Number of boxes of a level. */
static inline int64_t tree_boxes(const struct tree *tree, int level)
{
    return tree->first[level + 1] - tree->first[level];
}
/* 0: a dense tree's box lies in a ghost layer, so that its local expansion is
 * not needed.  A box's number in its level, modulo the root boxes, is that of
 * the root box above it. */
static inline int tree_aim(const struct tree *tree, int level, int64_t box)
{
    int64_t x = (box - tree->first[level]) % tree->root[0];
    return !tree->dense
           || (x >= tree->ghosts && x < tree->root[0] - tree->ghosts);
}
/* The h of a level. */
static inline double tree_h(const struct tree *tree, int level)
{
    return tree->h0 / (double)((int64_t)1 << level);
}
/* Returns the level of any box. */
static inline int tree_level(const struct tree *tree, int64_t box)
{
    int level = 0;
    while (box >= tree->first[level + 1])
        level++;
    return level;
}
static inline int64_t tree_leaf_box(const struct tree *tree, int64_t leaf)
{
    return tree->dense ? tree->first[tree->depth] + leaf : tree->leaf[leaf];
}
/* Returns the leaf that a box is; -1: it has children. */
static inline int64_t tree_box_leaf(const struct tree *tree, int64_t box)
{
    if (!tree->dense)
        return tree->number[box];
    int64_t leaf = box - tree->first[tree->depth];
    return leaf >= 0 ? leaf : -1;
}
/* Returns x + 2 y + 4 z, the position of a box in its parent; level > 0. */
static inline int tree_octant(const struct tree *tree, int level, int64_t box)
{
    if (!tree->dense)
        return (int)(tree->key[box] & 7);
    return (int)((box - tree->first[level]) / tree_boxes(tree, level - 1));
}
/* Returns the parent; -1 in level 0. */
static inline int64_t tree_parent(const struct tree *tree, int level,
                                  int64_t box)
{
    if (!tree->dense)
        return tree->parent[box];
    if (level == 0)
        return -1;
    return tree->first[level - 1]
           + (box - tree->first[level]) % tree_boxes(tree, level - 1);
}
/* Returns a child; -1: there is none. */
static inline int64_t tree_child(const struct tree *tree, int level,
                                 int64_t box, int octant)
{
    if (tree->dense)
        return level == tree->depth
                   ? -1
                   : tree->first[level + 1] + octant * tree_boxes(tree, level)
                         + box - tree->first[level];
    for (int64_t b = tree->child[box]; b < tree->child[box + 1]; b++)
        if ((int)(tree->key[b] & 7) == octant)
            return b;
    return -1;
}
void tree_place(const struct tree *tree, int level, int64_t box,
                int64_t place[3]);
/* Returns the box at a place, which may lie outside the level: on periodic axes
 * it is wrapped. -1: there is none. */
int64_t tree_find(const struct tree *tree, int level, const int64_t place[3]);

/* A leaf of sources relative to a leaf of targets.  offset: its centre minus
 * theirs, in units of the target leaf's h.  scale: its h over theirs (1/2, 1,
 * 2). */
struct tree_near {
    int64_t leaf;
    double offset[3], scale;
};
/* Maximum number of entries of a near list. */
static inline int64_t tree_near_most(const struct tree *tree)
{
    int64_t side = 2 * tree->ws + 1;
    return side * side * side * (tree->dense ? 1 : 9);
}
/* Fills the near list of a leaf, which includes the leaf itself.  Leaves
 * without sources are omitted.  Returns the number of entries. */
int64_t tree_near(const struct tree *tree, int64_t leaf,
                  struct tree_near *near);

/* A box of sources: d = target's place minus source's. */
struct tree_far {
    int64_t box;
    int32_t d[3];
};
static inline int64_t tree_far_most(const struct tree *tree)
{
    int64_t side = 2 * tree->ws + 1;
    return 7 * side * side * side;
}
/* Fills the far list of a box, level > 0.  In a dense tree it includes empty
 * boxes.  Returns the number of entries. */
int64_t tree_far(const struct tree *tree, int level, int64_t box,
                 struct tree_far *far);

/* Sets the tree's shape from valid args, and the boxes of a dense tree. */
void tree_shape(struct tree *tree, const struct tree_args *args);
/* Returns the number of a place in its level, in a dense tree. */
int64_t tree_number(const struct tree *tree, int level, const int64_t place[3]);
/* Hash of a box: the first of a sparse tree's slots to check. */
uint64_t tree_hash(int level, uint64_t key);
/* tree_sort.c.  Sorts keys of `bits` bits and writes their indices to order;
 * stable. */
farsum_status tree_sort(int64_t n, int bits, uint64_t *key, int64_t *order,
                        int threads);
/* tree_sparse.c.  Makes the boxes and leaves of a sparse tree from the sorted
 * keys of its points, at level args->depth.  keys_target NULL: no targets. */
farsum_status tree_sparse(struct tree *tree, const struct tree_args *args,
                          int64_t n_source, const uint64_t *keys_source,
                          int64_t n_target, const uint64_t *keys_target);
/* Spreads the bits of a place over every third bit, and back. */
static inline uint64_t tree_spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}
static inline int64_t tree_gather(uint64_t x)
{
    x &= 0x1249249249249249;
    x = (x | x >> 2) & 0x10c30c30c30c30c3;
    x = (x | x >> 4) & 0x100f00f00f00f00f;
    x = (x | x >> 8) & 0x1f0000ff0000ff;
    x = (x | x >> 16) & 0x1f00000000ffff;
    return (int64_t)((x | x >> 32) & 0x1fffff);
}
static inline uint64_t tree_key(const int64_t place[3])
{
    return tree_spread((uint64_t)place[0])
           | tree_spread((uint64_t)place[1]) << 1
           | tree_spread((uint64_t)place[2]) << 2;
}
#endif
