/* SPDX-License-Identifier: Apache-2.0 */
/* tree_sparse_fill.c: links, leaves and hash table of a sparse tree's boxes,
 * level by level in parallel.  The result is the same for any number of
 * threads. */
#include "points/tree/tree_sparse.h"

#include "base/mem.h"
#include "base/par.h"

/* Returns the number of places of a level with a key below wanted. */
static int64_t places_below(const struct places *p, uint64_t wanted)
{
    int64_t low = 0, n = p->n;
    while (low < n) {
        int64_t middle = low + (n - low) / 2;
        if (p->v[middle].key < wanted)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Links boxes begin .. end of a level.  Divided places are boxes; both are in
 * the order of keys. */
static void links_part(struct sparse *s, int level, int64_t begin, int64_t end)
{
    struct tree *tree = s->tree;
    const struct places *divided = &s->divided[level];
    const struct place *boxes = s->boxes[level].v;
    int bottom = level == tree->depth;
    int64_t d = begin < end ? places_below(divided, boxes[begin].key) : 0;
    int64_t below = bottom ? tree->n_boxes : tree->first[level + 1];
    for (int64_t k = begin; k < end; k++) {
        int64_t box = tree->first[level] + k;
        tree->key[box] = boxes[k].key;
        tree->child[box] = below + (bottom ? 0 : divided->first[d]);
        if (bottom || d == divided->n || divided->v[d].key != boxes[k].key)
            continue;
        d++;
        for (int64_t c = tree->child[box]; c < below + divided->first[d]; c++)
            tree->parent[c] = box;
    }
}

/* Sets keys, parents and children. */
static void sparse_links(struct sparse *s)
{
    struct tree *tree = s->tree;
    for (int64_t k = 0; k < tree_boxes(tree, 0); k++)
        tree->parent[k] = -1;
    for (int level = 0; level <= tree->depth; level++) {
        int64_t n = s->boxes[level].n;
        int parts = sparse_parts(tree, n);
        PAR_FOR(parts, schedule(static, 1))
        for (int p = 0; p < parts; p++)
            links_part(s, level, par_start(n, parts, p),
                       par_start(n, parts, p + 1));
    }
    tree->child[tree->n_boxes] = tree->n_boxes;
}

/* Counts the leaves under each box, from the deepest level up. */
static void leaves_count(struct tree *tree)
{
    for (int level = tree->depth; level >= 0; level--) {
        int parts = sparse_parts(tree, tree_boxes(tree, level));
        PAR_FOR(parts, schedule(static))
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++) {
            int64_t n = 0;
            for (int64_t c = tree->child[b]; c < tree->child[b + 1]; c++)
                n += tree->number[c];
            tree->number[b] = n > 0 ? n : 1;
        }
    }
}

/* Numbers leaves in Morton order, depth first: a box's leaves begin at the end
 * of those of the boxes before it. */
static void sparse_leaves(struct tree *tree)
{
    leaves_count(tree);
    tree->n_leaves = 0;
    for (int64_t root = 0; root < tree_boxes(tree, 0); root++) {
        int64_t n = tree->number[root];
        tree->number[root] = tree->n_leaves;
        tree->n_leaves += n;
    }
    for (int level = 0; level <= tree->depth; level++) {
        int parts = sparse_parts(tree, tree_boxes(tree, level));
        PAR_FOR(parts, schedule(static))
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++) {
            int64_t at = tree->number[b];
            if (tree->child[b] == tree->child[b + 1]) {
                tree->leaf[at] = b;
                continue;
            }
            for (int64_t c = tree->child[b]; c < tree->child[b + 1]; c++) {
                int64_t n = tree->number[c];
                tree->number[c] = at;
                at += n;
            }
            tree->number[b] = -1;
        }
    }
}

/* Adds a box to the hash table.  A slot goes to the lower of two boxes, and the
 * other one moves on.  So the table is the same as if boxes came in order,
 * whichever thread is first. */
static void hash_add(struct tree *tree, int level, int64_t box)
{
    uint64_t mask = (uint64_t)tree->slots - 1;
    for (uint64_t h = tree_hash(level, tree->key[box]);; h++) {
        int64_t *slot = &tree->slot[h & mask];
        int64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        while (there < 0 || there > box)
            if (__atomic_compare_exchange_n(slot, &there, box, 0,
                                            __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
                if (there < 0)
                    return;
                box = there;
                break;
            }
    }
}

static void sparse_hash(struct tree *tree)
{
    int parts = sparse_parts(tree, tree->slots);
    PAR_FOR(parts, schedule(static))
    for (int64_t k = 0; k < tree->slots; k++)
        tree->slot[k] = -1;
    for (int level = 0; level <= tree->depth; level++) {
        parts = sparse_parts(tree, tree_boxes(tree, level));
        PAR_FOR(parts, schedule(static))
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++)
            hash_add(tree, level, b);
    }
}

farsum_status sparse_fill(struct sparse *s)
{
    struct tree *tree = s->tree;
    int64_t n = tree->n_boxes, *capacity = tree->box_capacity;
    TRY(MEM_RESERVE(tree->key, &capacity[0], n));
    TRY(MEM_RESERVE(tree->parent, &capacity[1], n));
    TRY(MEM_RESERVE(tree->child, &capacity[2], n + 1));
    TRY(MEM_RESERVE(tree->number, &capacity[3], n));
    TRY(MEM_RESERVE(tree->leaf, &capacity[4], n));
    for (tree->slots = 16; tree->slots < 2 * n;)
        tree->slots *= 2;
    TRY(MEM_RESERVE(tree->slot, &capacity[5], tree->slots));
    sparse_links(s);
    sparse_leaves(tree);
    sparse_hash(tree);
    return FARSUM_OK;
}
