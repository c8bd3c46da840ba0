/* SPDX-License-Identifier: Apache-2.0 */
/* tree_copy.c: expected device copy of a tree on the host. */
#include "tree_copy.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "points/tree/tree_device_set.h"

enum {
    PARTS = 64, /* parts of the leaves, whose near lists are made in parallel */
    NEAR = sizeof(struct tree_gpu_near),
};

static farsum_status sparse_upload(struct tree_gpu *gpu, struct buf *to,
                                   const void *from, int64_t bytes)
{
    TRY(buf_reserve(to, gpu->device, bytes));
    return bytes > 0 ? buf_upload(to, 0, from, bytes) : FARSUM_OK;
}

/* Input of the lists. */
struct sparse {
    struct tree *tree;
    int64_t side;   /* near positions: [side] along an axis */
    int32_t *at;    /* owned, [n_boxes]: index of a box on the device */
    int32_t *slot;  /* owned, [n_boxes]: slot of a box, -1: a leaf */
    int32_t *found; /* owned, [slots][side^3]: boxes near one that has children,
                     * x fastest, -1: none */
    int64_t (*step)[3]; /* owned, [side^3]: steps to near positions */
};

static int64_t sparse_near_most(const struct sparse *s)
{
    return s->side * s->side * s->side;
}

/* The near list of a leaf during its construction. */
struct near_list {
    const struct tree *tree;
    int level;
    int64_t place[3], n;
    struct tree_gpu_near *to;
};

/* Adds source leaf `leaf` at an unwrapped position of a level, like
 * tree_near. */
static void near_add(struct near_list *list, int64_t leaf, int level,
                     const int64_t place[3])
{
    const struct tree *tree = list->tree;
    if (tree->source.begin[leaf] == tree->source.begin[leaf + 1])
        return;
    struct tree_gpu_near *near = &list->to[list->n++];
    double scale = level == list->level ? 1 : level > list->level ? 0.5 : 2;
    near->leaf = (uint32_t)leaf;
    near->scale = (float)scale;
    for (int d = 0; d < 3; d++)
        near->offset[d] = tree->box[d]
                          * (((double)place[d] + 0.5) * scale
                             - ((double)list->place[d] + 0.5));
}

/* near NULL: adds the children of a box, which are leaves.  Else stores those
 * of them that are near, where the search expects them. */
static void near_children(struct near_list *list, int64_t box,
                          const int64_t place[3], int64_t side, int32_t *near)
{
    const struct tree *tree = list->tree;
    for (int64_t b = tree->child[box]; b < tree->child[box + 1]; b++) {
        int octant = (int)(tree->key[b] & 7), in = 1;
        int64_t q[3], at = 0;
        for (int d = 2; d >= 0; d--) {
            q[d] = 2 * place[d] + (octant >> d & 1);
            int64_t step = q[d] - list->place[d] + tree->ws;
            in &= step >= 0 && step < side;
            at = at * side + step;
        }
        if (!near)
            near_add(list, tree->number[b], list->level + 1, q);
        else if (in)
            near[at] = (int32_t)b;
    }
}

/* The near list of a leaf, from the boxes near its parent; entries and order
 * are those of tree_near.  capacity: [side^3].  Returns how many. */
static int64_t near_leaf(const struct sparse *s, int64_t leaf,
                         int32_t *capacity, struct tree_gpu_near *to)
{
    const struct tree *tree = s->tree;
    int64_t box = tree->leaf[leaf], most = sparse_near_most(s), p[3];
    struct near_list list = {tree, tree_level(tree, box), {0}, 0, to};
    const int32_t *found = NULL;
    tree_place(tree, list.level, box, list.place);
    for (int64_t e = 0; e < most; e++)
        capacity[e] = -1;
    if (list.level > 0)
        found = s->found + most * s->slot[tree->parent[box]];
    for (int64_t e = 0; e < most; e++) {
        for (int d = 0; d < 3; d++)
            p[d] = (list.level ? list.place[d] >> 1 : list.place[d])
                   + s->step[e][d];
        if (list.level == 0)
            capacity[e] = (int32_t)tree_find(tree, 0, p);
        else if (found[e] >= 0)
            near_children(&list, found[e], p, s->side, capacity);
    }
    for (int64_t e = 0; e < most; e++) {
        for (int d = 0; d < 3; d++)
            p[d] = list.place[d] + s->step[e][d];
        if (capacity[e] >= 0 && s->slot[capacity[e]] < 0)
            near_add(&list, tree->number[capacity[e]], list.level, p);
        else if (capacity[e] >= 0)
            near_children(&list, capacity[e], p, s->side, NULL);
    }
    for (int64_t e = 0; found && e < most; e++) {
        for (int d = 0; d < 3; d++)
            p[d] = (list.place[d] >> 1) + s->step[e][d];
        if (found[e] >= 0 && s->slot[found[e]] < 0)
            near_add(&list, tree->number[found[e]], list.level - 1, p);
    }
    return list.n;
}

/* Near lists of some leaves. */
struct near_part {
    struct tree_gpu_near *v; /* owned */
    int64_t n, capacity;
};

/* Lists of a part of the leaves; begin counts from the start of the part.
 * capacity: [side^3]. */
static farsum_status near_part(const struct sparse *s, int part,
                               int32_t *capacity, uint32_t *begin,
                               struct near_part *p)
{
    int64_t leaves = s->tree->n_leaves, most = tree_near_most(s->tree);
    for (int64_t leaf = par_start(leaves, PARTS, part);
         leaf < par_start(leaves, PARTS, part + 1); leaf++) {
        if (p->n + most > p->capacity) {
            struct tree_gpu_near *v = NULL;
            int64_t more = 2 * p->capacity + 16 * most;
            TRY(MEM_RAW(v, more));
            if (p->n > 0)
                memcpy(v, p->v, (size_t)p->n * sizeof *v);
            mem_free(p->v);
            p->v = v;
            p->capacity = more;
        }
        begin[leaf] = (uint32_t)p->n;
        p->n += near_leaf(s, leaf, capacity, p->v + p->n);
    }
    return FARSUM_OK;
}

/* Concatenates the lists of the parts. */
static farsum_status near_upload(const struct sparse *s,
                                 const struct near_part part[PARTS],
                                 uint32_t *begin)
{
    struct tree_gpu *gpu = s->tree->gpu;
    int64_t leaves = s->tree->n_leaves, n = 0;
    for (int k = 0; k < PARTS; k++)
        n += part[k].n;
    if (n > UINT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "near lists of %lld entries are too many for a device",
             (long long)n);
    TRY(buf_reserve(&gpu->sparse.near, gpu->device, NEAR * n));
    n = 0;
    for (int k = 0; k < PARTS; k++) {
        for (int64_t leaf = par_start(leaves, PARTS, k);
             leaf < par_start(leaves, PARTS, k + 1); leaf++)
            begin[leaf] += (uint32_t)n;
        if (part[k].n > 0)
            TRY(buf_upload(&gpu->sparse.near, NEAR * n, part[k].v,
                           NEAR * part[k].n));
        n += part[k].n;
    }
    begin[leaves] = (uint32_t)n;
    return sparse_upload(gpu, &gpu->sparse.near_begin, begin, 4 * (leaves + 1));
}

static farsum_status sparse_near(const struct sparse *s)
{
    farsum_status status = FARSUM_OK, one[PARTS];
    const struct tree *tree = s->tree;
    struct near_part part[PARTS] = {0};
    uint32_t *begin = NULL;
    int32_t *capacity = NULL;
    int64_t most = sparse_near_most(s);
    GO(MEM_RAW(capacity, PARTS * most));
    GO(MEM_RAW(begin, tree->n_leaves + 1));
#pragma omp parallel for num_threads(tree->threads) schedule(dynamic)
    for (int k = 0; k < PARTS; k++)
        one[k] = near_part(s, k, capacity + k * most, begin, &part[k]);
    for (int k = 0; k < PARTS; k++)
        GO(one[k]);
    GO(near_upload(s, part, begin));
done:
    for (int k = 0; k < PARTS; k++)
        mem_free(part[k].v);
    mem_free(capacity);
    mem_free(begin);
    return status;
}

/* Indices of the boxes on the device. */
static farsum_status sparse_order(struct sparse *s)
{
    const struct tree *tree = s->tree;
    struct tree_gpu_sparse *g = &tree->gpu->sparse;
    TRY(MEM_RAW(s->at, tree->n_boxes));
    for (int level = 0; level <= tree->depth; level++) {
        int64_t *octant = g->octant + 8 * level, count[8] = {0};
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
            s->at[b] = (int32_t)count[level ? tree->key[b] & 7 : 0]++;
    }
    return FARSUM_OK;
}

static farsum_status sparse_leaves(const struct sparse *s)
{
    const struct tree *tree = s->tree;
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
        leaf[l] = s->at[box];
        for (int d = 0; d < 3; d++)
            at[4 * l + d] = (int32_t)place[d];
        at[4 * l + 3] = level;
    }
    for (int64_t b = 0; b < roots; b++) {
        tree_place(tree, 0, b, place);
        root[b] =
            (int32_t)((place[2] * tree->root[1] + place[1]) * tree->root[0]
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

/* Sets steps, slots of the boxes of the tree and of levels, and their near
 * boxes. */
static farsum_status sparse_find(struct sparse *s)
{
    const struct tree *tree = s->tree;
    struct tree_gpu_sparse *g = &tree->gpu->sparse;
    int64_t n = 0, most = sparse_near_most(s), side = s->side;
    TRY(MEM_RAW(s->step, most));
    for (int64_t e = 0; e < most; e++) {
        const int64_t at[3] = {e % side, e / side % side, e / side / side};
        for (int d = 0; d < 3; d++)
            s->step[e][d] = at[d] - tree->ws;
    }
    TRY(MEM_RAW(s->slot, tree->n_boxes));
    for (int level = 0; level <= tree->depth; level++) {
        g->first[level] = n;
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++)
            s->slot[b] =
                tree->child[b] < tree->child[b + 1] ? (int32_t)n++ : -1;
    }
    g->first[tree->depth + 1] = g->slots = n;
    TRY(MEM_RAW(s->found, most * n));
    for (int level = 0; level < tree->depth; level++) {
        int64_t first = tree->first[level], end = tree->first[level + 1];
#pragma omp parallel for num_threads(tree->threads) schedule(dynamic, 256)
        for (int64_t b = first; b < end; b++) {
            int64_t at[3], p[3];
            tree_place(tree, level, b, at);
            for (int64_t e = 0; s->slot[b] >= 0 && e < most; e++) {
                for (int d = 0; d < 3; d++)
                    p[d] = at[d] + s->step[e][d];
                s->found[most * s->slot[b] + e] =
                    (int32_t)tree_find(tree, level, p);
            }
        }
    }
    return FARSUM_OK;
}

static farsum_status sparse_slots(const struct sparse *s)
{
    farsum_status status = FARSUM_OK;
    const struct tree *tree = s->tree;
    struct tree_gpu_sparse *g = &tree->gpu->sparse;
    int64_t most = sparse_near_most(s), slots = g->slots;
    int64_t n = (most + 9) * slots + tree->n_boxes;
    int32_t *all = NULL;
    GO(MEM_RAW(all, n));
    int32_t *child = all + most * slots, *box = child + 8 * slots;
    int32_t *parent = box + slots;
    for (int64_t k = 0; k < slots; k++)
        for (int64_t e = 0; e < most; e++) {
            int32_t near = s->found[most * k + e];
            all[e * slots + k] = near < 0 ? -1 : s->slot[near];
        }
    for (int64_t i = 0; i < 8 * slots; i++)
        child[i] = -1;
    for (int64_t b = 0; b < tree->n_boxes; b++) {
        int32_t at = s->at[b];
        int32_t above = tree->parent[b] < 0 ? -1 : s->slot[tree->parent[b]];
        parent[at] = above;
        if (above >= 0)
            child[(int64_t)(tree->key[b] & 7) * slots + above] = at;
        if (s->slot[b] >= 0)
            box[s->slot[b]] = at;
    }
    GO(sparse_upload(tree->gpu, &g->slot, all, 4 * n));
done:
    mem_free(all);
    return status;
}

/* Sets the other data of boxes, at their indices. */
static farsum_status sparse_about(const struct sparse *s)
{
    farsum_status status = FARSUM_OK;
    const struct tree *tree = s->tree;
    struct tree_gpu_sparse *g = &tree->gpu->sparse;
    int64_t n = tree->n_boxes;
    uint64_t *key = NULL;
    int32_t *kind = NULL, *begin = NULL, *end = NULL;
    GO(MEM_RAW(key, n));
    GO(MEM_RAW(kind, n));
    GO(MEM_RAW(begin, n));
    GO(MEM_RAW(end, n));
    for (int64_t b = n - 1; b >= 0; b--) {
        int32_t at = s->at[b];
        key[at] = tree->key[b];
        kind[at] = (int32_t)tree->number[b];
        begin[at] = kind[at];
        end[at] = kind[at] + 1;
        if (kind[at] >= 0)
            continue;
        kind[at] = -1 - s->slot[b];
        begin[at] = begin[s->at[tree->child[b]]];
        end[at] = end[s->at[tree->child[b + 1] - 1]];
    }
    GO(sparse_upload(tree->gpu, &g->at, s->at, 4 * n));
    GO(sparse_upload(tree->gpu, &g->key, key, 8 * n));
    GO(sparse_upload(tree->gpu, &g->kind, kind, 4 * n));
    GO(sparse_upload(tree->gpu, &g->begin, begin, 4 * n));
    GO(sparse_upload(tree->gpu, &g->end, end, 4 * n));
done:
    mem_free(key);
    mem_free(kind);
    mem_free(begin);
    mem_free(end);
    return status;
}

static farsum_status sparse_copy(struct tree *tree)
{
    farsum_status status = FARSUM_OK;
    struct sparse s = {.tree = tree, .side = 2 * tree->ws + 1};
    GO(sparse_order(&s));
    GO(sparse_find(&s));
    GO(sparse_near(&s));
    GO(sparse_leaves(&s));
    GO(sparse_slots(&s));
    GO(sparse_about(&s));
done:
    mem_free(s.at);
    mem_free(s.slot);
    mem_free(s.found);
    mem_free(s.step);
    return status;
}

/* n words of 64 bits to a buffer of u32; scratch holds as many. */
static farsum_status copy_words(struct tree_gpu *gpu, struct buf *to,
                                const int64_t *from, int64_t n,
                                uint32_t *scratch)
{
    for (int64_t k = 0; k < n; k++)
        scratch[k] = (uint32_t)from[k];
    TRY(buf_reserve(to, gpu->device, 4 * n));
    return n > 0 ? buf_upload(to, 0, scratch, 4 * n) : FARSUM_OK;
}

static farsum_status copy_side(const struct tree *tree,
                               const struct tree_points *from,
                               struct tree_gpu_points *to)
{
    farsum_status status = FARSUM_OK;
    struct tree_gpu *gpu = tree->gpu;
    uint32_t *words = NULL;
    int64_t n = from->n, real = tree->precision == FARSUM_F32 ? 4 : 8;
    int64_t most = n > tree->n_leaves + 1 ? n : tree->n_leaves + 1;
    GO(MEM_RAW(words, most));
    GO(copy_words(gpu, &to->begin, from->begin, tree->n_leaves + 1, words));
    GO(copy_words(gpu, &to->order, from->order, n, words));
    GO(buf_reserve(&to->x, gpu->device, 3 * n * real));
    for (int d = 0; n > 0 && d < 3; d++)
        GO(buf_upload(&to->x, d * n * real, from->x[d], n * real));
    GO(buf_reserve(&to->low, gpu->device, tree_gpu_low(tree, n)));
    if (n > 0 && from->low)
        GO(buf_upload(&to->low, 0, from->low, 4 * n));
    to->n = n;
done:
    mem_free(words);
    return status;
}

farsum_status tree_copy(struct tree *tree, struct device *device)
{
    TRY(MEM_NEW(tree->gpu, 1));
    tree->gpu->device = device;
    TRY(copy_side(tree, &tree->source, &tree->gpu->source));
    if (tree->separate)
        TRY(copy_side(tree, &tree->target, &tree->gpu->target));
    return tree->dense ? FARSUM_OK : sparse_copy(tree);
}
