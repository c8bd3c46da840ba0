/* SPDX-License-Identifier: Apache-2.0 */
/* tree_sparse.h: internals of tree_sparse.c: the places that become boxes. */
#ifndef FARSUM_POINTS_TREE_TREE_SPARSE_H
#define FARSUM_POINTS_TREE_TREE_SPARSE_H

#include "points/tree/tree_set.h"

/* A place of a level, and its interval of points among all. */
struct place {
    uint64_t key;
    int64_t begin, end;
};
struct places {
    struct place *v; /* owned */
    int64_t n;
    int64_t *first;  /* owned, [n + 1]: index of the first child of each in the
                        level below; NULL: unknown */
};

struct sparse {
    struct tree *tree;
    const struct tree_args *args;
    int64_t n;
    const uint64_t *key; /* sorted keys of all points at level args->depth */
    struct places divided[TREE_DEPTH + 1]; /* in the order of keys */
    struct places boxes[TREE_DEPTH + 1];
};

/* Number of threads for a loop over n places or boxes. */
int sparse_parts(const struct tree *tree, int64_t n);
/* tree_sparse_fill.c: fills the tree's arrays from the places. */
farsum_status sparse_fill(struct sparse *s);
#endif
