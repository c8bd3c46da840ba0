/* SPDX-License-Identifier: Apache-2.0 */
/* tree_same.c: comparison of two trees in every array. */
#include "unit/tree_case.h"

#include <string.h>

static void same_bytes(const char *what, const void *one, const void *other,
                       int64_t n)
{
    CHECK(memcmp(one, other, (size_t)n * sizeof(int64_t)) == 0, "%s differ",
          what);
}

void tree_check_same(const struct tree *one, const struct tree *other)
{
    int64_t n = one->n_boxes;
    if (!tree_same("boxes", other->n_boxes, n)
        || !tree_same("leaves", other->n_leaves, one->n_leaves)
        || !tree_same("levels", other->depth, one->depth))
        return;
    same_bytes("levels", one->first, other->first, one->depth + 2);
    for (int side = 0; side <= one->separate; side++) {
        const struct tree_points *p = side ? &one->target : &one->source;
        const struct tree_points *q = side ? &other->target : &other->source;
        same_bytes("orders", p->order, q->order, p->n);
        same_bytes("beginnings", p->begin, q->begin, one->n_leaves + 1);
        for (int d = 0; d < 3; d++)
            same_bytes("coordinates", p->x[d], q->x[d], p->n);
    }
    if (one->dense)
        return;
    same_bytes("keys", one->key, other->key, n);
    same_bytes("parents", one->parent, other->parent, n);
    same_bytes("children", one->child, other->child, n + 1);
    same_bytes("numbers", one->number, other->number, n);
    same_bytes("boxes of leaves", one->leaf, other->leaf, one->n_leaves);
    tree_same("slots", other->slots, one->slots);
    same_bytes("slots", one->slot, other->slot, one->slots);
}
