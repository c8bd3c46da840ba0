/* SPDX-License-Identifier: Apache-2.0 */
/* tree_lists.c: places of boxes, near lists and far lists. */
#include "points/tree/tree_set.h"

#include <stdlib.h>

void tree_place(const struct tree *tree, int level, int64_t box,
                int64_t place[3])
{
    if (!tree->dense) {
        for (int d = 0; d < 3; d++)
            place[d] = tree_gather(tree->key[box] >> d);
        return;
    }
    int64_t number = box - tree->first[level];
    place[0] = place[1] = place[2] = 0;
    for (int l = level; l > 0; l--) {
        int64_t above = tree_boxes(tree, l - 1), octant = number / above;
        number %= above;
        for (int d = 0; d < 3; d++)
            place[d] |= (octant >> d & 1) << (level - l);
    }
    place[0] |= number % tree->root[0] << level;
    place[1] |= number / tree->root[0] % tree->root[1] << level;
    place[2] |= number / tree->root[0] / tree->root[1] << level;
}

int64_t tree_number(const struct tree *tree, int level, const int64_t place[3])
{
    int64_t number = 0;
    for (int l = level; l > 0; l--) {
        int bit = level - l;
        int64_t octant = (place[0] >> bit & 1) | (place[1] >> bit & 1) << 1
                         | (place[2] >> bit & 1) << 2;
        number += octant * tree_boxes(tree, l - 1);
    }
    return number
           + ((place[2] >> level) * tree->root[1] + (place[1] >> level))
                 * tree->root[0]
           + (place[0] >> level);
}

uint64_t tree_hash(int level, uint64_t key)
{
    uint64_t h = (key ^ (uint64_t)level << 58) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

int64_t tree_find(const struct tree *tree, int level, const int64_t place[3])
{
    int64_t at[3];
    for (int d = 0; d < 3; d++) {
        int64_t n = tree->root[d] << level;
        at[d] = place[d];
        if (at[d] >= 0 && at[d] < n)
            continue;
        if (!tree->periodic[d])
            return -1;
        at[d] %= n;
        at[d] += at[d] < 0 ? n : 0;
    }
    if (tree->dense)
        return tree->first[level] + tree_number(tree, level, at);
    if (level > tree->depth || tree->slots == 0)
        return -1;
    uint64_t key = tree_key(at), mask = (uint64_t)tree->slots - 1;
    for (uint64_t h = tree_hash(level, key);; h++) {
        int64_t box = tree->slot[h & mask];
        if (box < 0)
            return -1;
        if (tree->key[box] == key && box >= tree->first[level]
            && box < tree->first[level + 1])
            return box;
    }
}

/* A near list being filled. */
struct near_list {
    const struct tree *tree;
    int level;        /* level of the target leaf */
    int64_t place[3]; /* its place */
    struct tree_near *near;
    int64_t n;
};

/* Adds a leaf, whose box is at an unwrapped place of a level. */
static void near_add(struct near_list *list, int64_t leaf, int level,
                     const int64_t place[3])
{
    const struct tree *tree = list->tree;
    if (tree->source.begin[leaf] == tree->source.begin[leaf + 1])
        return;
    struct tree_near *near = &list->near[list->n++];
    near->leaf = leaf;
    double scale = level == list->level ? 1 : level > list->level ? 0.5 : 2;
    near->scale = scale;
    for (int d = 0; d < 3; d++)
        near->offset[d] = tree->box[d]
                          * (((double)place[d] + 0.5) * scale
                             - ((double)list->place[d] + 0.5));
}

/* Adds the leaves near `at`, the place of an ancestor or of the leaf itself.
 * At the leaf's own level, also adds the children of near boxes that are
 * divided. */
static void near_level(struct near_list *list, int level, const int64_t at[3])
{
    const struct tree *tree = list->tree;
    int64_t ws = tree->ws, p[3];
    for (p[2] = at[2] - ws; p[2] <= at[2] + ws; p[2]++)
        for (p[1] = at[1] - ws; p[1] <= at[1] + ws; p[1]++)
            for (p[0] = at[0] - ws; p[0] <= at[0] + ws; p[0]++) {
                int64_t box = tree_find(tree, level, p);
                if (box < 0)
                    continue;
                int64_t leaf = tree_box_leaf(tree, box);
                if (leaf >= 0)
                    near_add(list, leaf, level, p);
                if (leaf >= 0 || level != list->level)
                    continue;
                for (int64_t b = tree->child[box]; b < tree->child[box + 1];
                     b++) {
                    int octant = (int)(tree->key[b] & 7);
                    int64_t q[3];
                    for (int d = 0; d < 3; d++)
                        q[d] = 2 * p[d] + (octant >> d & 1);
                    assert(tree->number[b] >= 0);
                    near_add(list, tree->number[b], level + 1, q);
                }
            }
}

int64_t tree_near(const struct tree *tree, int64_t leaf, struct tree_near *near)
{
    int64_t box = tree_leaf_box(tree, leaf);
    struct near_list list = {
        .tree = tree, .level = tree_level(tree, box), .near = near};
    tree_place(tree, list.level, box, list.place);
    near_level(&list, list.level, list.place);
    if (!tree->dense && list.level > 0) {
        int64_t above[3];
        for (int d = 0; d < 3; d++)
            above[d] = list.place[d] >> 1;
        near_level(&list, list.level - 1, above);
    }
    return list.n;
}

/* Adds the children of a box at an unwrapped place that are not near `at`. */
static int64_t far_children(const struct tree *tree, int level, int64_t box,
                            const int64_t place[3], const int64_t at[3],
                            struct tree_far *far)
{
    int64_t n = 0;
    for (int octant = 0; octant < 8; octant++) {
        int64_t child = tree_child(tree, level, box, octant), d[3];
        int is_near = 1;
        for (int a = 0; a < 3; a++) {
            d[a] = at[a] - (2 * place[a] + (octant >> a & 1));
            is_near &= llabs(d[a]) <= tree->ws;
        }
        if (child < 0 || is_near)
            continue;
        far[n].box = child;
        for (int a = 0; a < 3; a++)
            far[n].d[a] = (int32_t)d[a];
        n++;
    }
    return n;
}

int64_t tree_far(const struct tree *tree, int level, int64_t box,
                 struct tree_far *far)
{
    int64_t at[3], p[3], ws = tree->ws, n = 0;
    assert(level > 0);
    tree_place(tree, level, box, at);
    const int64_t up[3] = {at[0] >> 1, at[1] >> 1, at[2] >> 1};
    for (p[2] = up[2] - ws; p[2] <= up[2] + ws; p[2]++)
        for (p[1] = up[1] - ws; p[1] <= up[1] + ws; p[1]++)
            for (p[0] = up[0] - ws; p[0] <= up[0] + ws; p[0]++) {
                int64_t above = tree_find(tree, level - 1, p);
                if (above >= 0)
                    n += far_children(tree, level - 1, above, p, at, far + n);
            }
    return n;
}
