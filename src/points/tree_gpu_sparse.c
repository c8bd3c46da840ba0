/* tree_gpu_sparse.c: the boxes of a sparse tree on a device: their order there,
 * and who is near whom. */
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "points/tree_gpu.h"

enum { PARTS = 64 }; /* of the leaves, whose near lists are made side by side */

void tree_gpu_sparse_clear(struct tree_gpu_sparse *s)
{
    struct buf *all[] = {&s->near_begin, &s->near, &s->leaf,
                         &s->place,      &s->root, &s->slot};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    mem_free(s->at);
    *s = (struct tree_gpu_sparse){0};
}

static farsum_status sparse_upload(struct tree_gpu *gpu, struct buf *to,
                                   const void *from, int64_t bytes)
{
    TRY(buf_reserve(to, gpu->device, bytes));
    return bytes > 0 ? buf_upload(to, 0, from, bytes) : FARSUM_OK;
}

/* Near lists of the leaves of a part, after `at` entries, if `to` is there; how
 * many entries. */
static int64_t near_part(const struct tree *tree, int part, int64_t at,
                         struct tree_near *near, uint32_t *begin,
                         struct tree_gpu_near *to)
{
    int64_t first = at;
    for (int64_t leaf = par_start(tree->n_leaves, PARTS, part);
         leaf < par_start(tree->n_leaves, PARTS, part + 1); leaf++) {
        int64_t m = tree_near(tree, leaf, near);
        if (to)
            begin[leaf] = (uint32_t)at;
        for (int64_t e = 0; to && e < m; e++) {
            to[at + e].leaf = (uint32_t)near[e].leaf;
            to[at + e].scale = (float)near[e].scale;
            memcpy(to[at + e].offset, near[e].offset, sizeof near[e].offset);
        }
        at += m;
    }
    return at - first;
}

static farsum_status sparse_near(const struct tree *tree)
{
    farsum_status status = FARSUM_OK;
    struct tree_gpu *gpu = tree->gpu;
    struct tree_near *near = NULL;
    struct tree_gpu_near *all = NULL;
    uint32_t *begin = NULL;
    int64_t most = tree_near_most(tree), count[PARTS + 1] = {0};
    GO(MEM_RAW(near, PARTS * most));
    GO(MEM_RAW(begin, tree->n_leaves + 1));
#pragma omp parallel for num_threads(tree->threads) schedule(dynamic)
    for (int part = 0; part < PARTS; part++)
        count[part + 1] =
            near_part(tree, part, 0, near + part * most, begin, NULL);
    for (int part = 0; part < PARTS; part++)
        count[part + 1] += count[part];
    if (count[PARTS] > UINT32_MAX)
        GO_FAIL(ERR_UNSUPPORTED,
                "near lists of %lld entries are too many for a device",
                (long long)count[PARTS]);
    GO(MEM_RAW(all, count[PARTS]));
#pragma omp parallel for num_threads(tree->threads) schedule(dynamic)
    for (int part = 0; part < PARTS; part++)
        (void)near_part(tree, part, count[part], near + part * most, begin,
                        all);
    begin[tree->n_leaves] = (uint32_t)count[PARTS];
    GO(sparse_upload(gpu, &gpu->sparse.near_begin, begin,
                     4 * (tree->n_leaves + 1)));
    GO(sparse_upload(gpu, &gpu->sparse.near, all,
                     count[PARTS] * (int64_t)sizeof *all));
done:
    mem_free(near);
    mem_free(all);
    mem_free(begin);
    return status;
}

/* Where the boxes lie. */
static farsum_status sparse_order(const struct tree *tree)
{
    struct tree_gpu_sparse *s = &tree->gpu->sparse;
    TRY(MEM_RESERVE(s->at, &s->at_room, tree->n_boxes));
    for (int level = 0; level <= tree->depth; level++) {
        int64_t *octant = s->octant + 8 * level, count[8] = {0};
        int64_t to = tree->first[level];
        for (int64_t b = to; b < tree->first[level + 1]; b++)
            count[level ? tree->key[b] & 7 : 0]++;
        for (int o = 0; o < 8; o++) {
            octant[o] = to;
            to += count[o];
            count[o] = octant[o];
        }
        octant[8] = to;
        for (int64_t b = tree->first[level]; b < to; b++)
            s->at[b] = count[level ? tree->key[b] & 7 : 0]++;
    }
    return FARSUM_OK;
}

static farsum_status sparse_leaves(const struct tree *tree)
{
    farsum_status status = FARSUM_OK;
    struct tree_gpu *gpu = tree->gpu;
    int64_t leaves = tree->n_leaves, roots = tree_boxes(tree, 0), place[3];
    int32_t *leaf = NULL, *at = NULL, *root = NULL;
    GO(MEM_RAW(leaf, leaves));
    GO(MEM_RAW(at, 4 * leaves));
    GO(MEM_RAW(root, roots));
    for (int64_t l = 0; l < leaves; l++) {
        int64_t box = tree->leaf[l];
        int level = tree_level(tree, box);
        tree_place(tree, level, box, place);
        leaf[l] = (int32_t)gpu->sparse.at[box];
        for (int d = 0; d < 3; d++)
            at[4 * l + d] = (int32_t)place[d];
        at[4 * l + 3] = level;
    }
    for (int64_t b = 0; b < roots; b++) {
        tree_place(tree, 0, b, place);
        root[b] = (int32_t)((place[2] * tree->root[1] + place[1])
                                * tree->root[0]
                            + place[0]);
    }
    GO(sparse_upload(gpu, &gpu->sparse.leaf, leaf, 4 * leaves));
    GO(sparse_upload(gpu, &gpu->sparse.place, at, 16 * leaves));
    GO(sparse_upload(gpu, &gpu->sparse.root, root, 4 * roots));
done:
    mem_free(leaf);
    mem_free(at);
    mem_free(root);
    return status;
}

/* Slots of the boxes of the tree, and of levels. */
static void sparse_count(const struct tree *tree, int32_t *slot)
{
    struct tree_gpu_sparse *s = &tree->gpu->sparse;
    int64_t n = 0;
    for (int level = 0; level <= tree->depth; level++) {
        s->first[level] = n;
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++)
            slot[b] = tree->child[b] < tree->child[b + 1] ? (int32_t)n++ : -1;
    }
    s->first[tree->depth + 1] = s->slots = n;
}

/* Near slots of one. */
static void sparse_around(const struct tree *tree, int level, int64_t box,
                          const int32_t *slot, int32_t *to)
{
    int64_t at[3], p[3], ws = tree->ws, slots = tree->gpu->sparse.slots;
    tree_place(tree, level, box, at);
    for (p[2] = at[2] - ws; p[2] <= at[2] + ws; p[2]++)
        for (p[1] = at[1] - ws; p[1] <= at[1] + ws; p[1]++)
            for (p[0] = at[0] - ws; p[0] <= at[0] + ws; p[0]++) {
                int64_t near = tree_find(tree, level, p);
                *to = near < 0 ? -1 : slot[near];
                to += slots;
            }
}

static farsum_status sparse_slots(const struct tree *tree)
{
    farsum_status status = FARSUM_OK;
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_sparse *s = &gpu->sparse;
    int64_t side = 2 * tree->ws + 1, near = side * side * side, n;
    int32_t *slot = NULL, *all = NULL;
    GO(MEM_RAW(slot, tree->n_boxes));
    sparse_count(tree, slot);
    n = (near + 9) * s->slots + tree->n_boxes;
    GO(MEM_RAW(all, n));
    int32_t *child = all + near * s->slots, *box = child + 8 * s->slots;
    int32_t *parent = box + s->slots;
    for (int64_t i = 0; i < 8 * s->slots; i++)
        child[i] = -1;
    for (int level = 0; level <= tree->depth; level++) {
        int64_t first = tree->first[level], end = tree->first[level + 1];
#pragma omp parallel for num_threads(tree->threads) schedule(dynamic, 256)
        for (int64_t b = first; b < end; b++) {
            int32_t at = (int32_t)s->at[b];
            int32_t above = level ? slot[tree->parent[b]] : -1;
            parent[at] = above;
            if (level)
                child[(int64_t)(tree->key[b] & 7) * s->slots + above] = at;
            if (slot[b] < 0)
                continue;
            box[slot[b]] = at;
            sparse_around(tree, level, b, slot, all + slot[b]);
        }
    }
    GO(sparse_upload(gpu, &s->slot, all, 4 * n));
done:
    mem_free(slot);
    mem_free(all);
    return status;
}

farsum_status tree_gpu_sparse(struct tree *tree)
{
    TRY(sparse_near(tree));
    TRY(sparse_order(tree));
    TRY(sparse_leaves(tree));
    return sparse_slots(tree);
}
