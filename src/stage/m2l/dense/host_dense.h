/* SPDX-License-Identifier: Apache-2.0 */
/* host_dense.h: state of host_dense: operators, and the boxes of a tree as
 * tiles of SIMD lanes. */
#ifndef FARSUM_STAGE_M2L_DENSE_HOST_DENSE_H
#define FARSUM_STAGE_M2L_DENSE_HOST_DENSE_H

#include "stage/m2l/dense/host_dense_kern.h"

/* Workspace of one thread; owned. */
struct dense_thread {
    void *x;      /* [8][size][tile] */
    void *local;  /* [padded][tile] */
    int32_t *at;  /* dense: [tile], cells; sparse: [offset][tile], boxes */
    struct tree_far *list; /* sparse trees */
};

/* A level's multipoles are copied, sorted by class, so that adjacent boxes are
 * contiguous.  Dense trees: [octant][size][cell], one cell per parent in a
 * grid, x fastest, with ws more on each side, images or zeros.  Sparse trees:
 * [size][box], and a box of zeros at the end. */
struct dense {
    struct boxes_args args;
    const struct dense_kern *kern;
    struct dense_classes classes;
    struct dense_group *group;   /* owned, [n_groups] */
    int n_groups;
    struct dense_thread *thread; /* owned, [threads] */
    void *copy;                  /* owned */
    int32_t *lane;   /* owned; dense: cells of a level's parents, all levels one
                        after another; sparse: boxes of a level by octant */
    int32_t *parent; /* owned; dense: the parent in a cell, -1: none */
    int64_t have_copy, have_lane, have_parent;
    int64_t lane_begin[TREE_DEPTH + 2];      /* of a level */
    int64_t octant_begin[TREE_DEPTH + 2][9]; /* sparse: within lane */
    int64_t parent_begin[TREE_DEPTH + 2];
};

/* host_dense_level.c: number of cells or boxes in the copy of a level, per
 * octant. */
int64_t dense_level_cells(const struct dense *s, const struct tree *tree,
                          int level);
/* Fills lane and parent. */
void dense_lanes(struct dense *s, const struct tree *tree);
/* Sets the locals of a level. */
void dense_level(struct dense *s, const struct boxes_io *io, int level);
#endif
