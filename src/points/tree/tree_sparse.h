/* SPDX-License-Identifier: Apache-2.0 */
/* tree_sparse.h: the inside of tree_sparse.c: places that become boxes. */
#ifndef FARSUM_POINTS_TREE_TREE_SPARSE_H
#define FARSUM_POINTS_TREE_TREE_SPARSE_H

#include "points/tree/tree_set.h"

/* A place of a level, and the points in it among all. */
struct place {
    uint64_t key;
    int64_t begin, end;
};
struct places {
    struct place *v; /* owned */
    int64_t n;
    int64_t *first;  /* owned, [n + 1]: where the children of each begin in the
                        level below; NULL: not known */
};

struct sparse {
    struct tree *tree;
    const struct tree_args *args;
    int64_t n;
    const uint64_t *key; /* of all points, sorted, of level args->depth */
    struct places divided[TREE_DEPTH + 1]; /* by key */
    struct places boxes[TREE_DEPTH + 1];
};

/* Threads for a loop over n places or boxes. */
int sparse_parts(const struct tree *tree, int64_t n);
/* tree_sparse_fill.c: the tree's arrays from the places. */
farsum_status sparse_fill(struct sparse *s);
#endif
