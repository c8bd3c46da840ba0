/* SPDX-License-Identifier: Apache-2.0 */
/* tree_sparse.c: boxes of a sparse tree from the sorted Morton keys of its
 * points.
 *
 * A box of more than `leaf` points is divided.  Then, from the deepest level
 * up: if a child of a box is divided, all boxes near that box that hold points
 * are divided too, with all boxes above them.  One pass is enough, because a
 * division only requires divisions in levels above.
 *
 * Loops over places first count and then fill, in parallel.  The tree is the
 * same for any number of threads. */
#include "points/tree/tree_sparse.h"

#include "base/mem.h"
#include "base/par.h"

/* Minimum number of points, and of places or boxes, per thread. */
enum { POINTS_LEAST = 4096, PLACES_LEAST = 64 };

int sparse_parts(const struct tree *tree, int64_t n)
{
    int64_t most = n / PLACES_LEAST;
    return most < 1 ? 1 : most < tree->threads ? (int)most : tree->threads;
}

static farsum_status places_capacity(struct places *p, int64_t n)
{
    mem_free(p->v);
    p->v = NULL;
    p->n = 0;
    TRY(MEM_RAW(p->v, n));
    p->n = n;
    return FARSUM_OK;
}

/* Returns the first of begin .. end whose key is not below wanted. */
static int64_t sparse_search(const struct sparse *s, int64_t begin, int64_t end,
                             uint64_t wanted)
{
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (s->key[middle] < wanted)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Finds the points of a place of a level among begin .. end. */
static struct place sparse_place(const struct sparse *s, int level,
                                 uint64_t key, int64_t begin, int64_t end)
{
    int up = 3 * (s->args->depth - level);
    struct place place = {.key = key};
    place.begin = sparse_search(s, begin, end, key << up);
    place.end = sparse_search(s, place.begin, end, (key + 1) << up);
    return place;
}

/* Finds the children of a place that hold more than `least` points.  Writes
 * them to out unless it is NULL.  Returns their number. */
static int64_t place_children(const struct sparse *s, int level,
                              const struct place *above, int64_t least,
                              struct place *out)
{
    int64_t begin = above->begin, n = 0;
    for (int octant = 0; octant < 8; octant++) {
        struct place child =
            sparse_place(s, level + 1, above->key << 3 | (uint64_t)octant,
                         begin, above->end);
        begin = child.end;
        if (child.end - child.begin <= least)
            continue;
        if (out)
            out[n] = child;
        n++;
    }
    return n;
}

/* The same for all places of a level; also stores the index of each one's first
 * child. */
static farsum_status sparse_children(const struct sparse *s, int level,
                                     struct places *above, int64_t least,
                                     struct places *out)
{
    int parts = sparse_parts(s->tree, above->n);
    int64_t n = above->n, *first;
    mem_free(above->first);
    above->first = NULL;
    TRY(MEM_RAW(above->first, n + 1));
    first = above->first;
    PAR_FOR(parts, schedule(static))
    for (int64_t k = 0; k < n; k++)
        first[k + 1] = place_children(s, level, &above->v[k], least, NULL);
    first[0] = 0;
    for (int64_t k = 0; k < n; k++)
        first[k + 1] += first[k];
    TRY(places_capacity(out, first[n]));
    PAR_FOR(parts, schedule(static))
    for (int64_t k = 0; k < n; k++)
        place_children(s, level, &above->v[k], least, out->v + first[k]);
    return FARSUM_OK;
}

/* Finds root boxes with more than `least` points whose first point is among
 * begin .. end.  Writes them to out unless it is NULL.  Returns their
 * number. */
static int64_t part_roots(const struct sparse *s, int64_t begin, int64_t end,
                          int64_t least, struct place *out)
{
    int up = 3 * s->args->depth;
    int64_t n = 0, at = begin;
    if (at > 0 && at < s->n)
        at = sparse_search(s, at, s->n, ((s->key[at - 1] >> up) + 1) << up);
    while (at < end) {
        struct place root = {.key = s->key[at] >> up, .begin = at};
        root.end = sparse_search(s, at, s->n, (root.key + 1) << up);
        at = root.end;
        if (root.end - root.begin <= least)
            continue;
        if (out)
            out[n] = root;
        n++;
    }
    return n;
}

static farsum_status sparse_roots(const struct sparse *s, int64_t least,
                                  struct places *out)
{
    farsum_status status = FARSUM_OK;
    int64_t *first = NULL, n = s->n, most = n / POINTS_LEAST;
    int parts = most < 1 ? 1 : most < s->tree->threads ? (int)most
                                                       : s->tree->threads;
    GO(MEM_RAW(first, parts + 1));
    PAR_FOR(parts, schedule(static, 1))
    for (int p = 0; p < parts; p++)
        first[p + 1] = part_roots(s, par_start(n, parts, p),
                                  par_start(n, parts, p + 1), least, NULL);
    first[0] = 0;
    for (int p = 0; p < parts; p++)
        first[p + 1] += first[p];
    GO(places_capacity(out, first[parts]));
    PAR_FOR(parts, schedule(static, 1))
    for (int p = 0; p < parts; p++)
        part_roots(s, par_start(n, parts, p), par_start(n, parts, p + 1), least,
                   out->v + first[p]);
done:
    mem_free(first);
    return status;
}

/* Finds the places with too many points. */
static farsum_status sparse_clustered(struct sparse *s)
{
    int64_t leaf = s->args->leaf;
    if (s->args->depth > 0)
        TRY(sparse_roots(s, leaf, &s->divided[0]));
    for (int level = 0; level + 1 < s->args->depth; level++)
        TRY(sparse_children(s, level, &s->divided[level], leaf,
                            &s->divided[level + 1]));
    return FARSUM_OK;
}

/* A set of keys as an open-addressed hash table. */
struct keys {
    uint64_t *slot; /* owned; key + 1, 0: free */
    int64_t slots;  /* a power of two */
};

/* Returns 1 if the key is new.  Threads may add concurrently. */
static int keys_add(struct keys *keys, uint64_t key)
{
    uint64_t mask = (uint64_t)keys->slots - 1, h = tree_hash(0, key);
    for (;; h++) {
        uint64_t *slot = &keys->slot[h & mask];
        uint64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (there == 0
            && __atomic_compare_exchange_n(slot, &there, key + 1, 0,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 1;
        if (there == key + 1)
            return 0;
    }
}

/* Adds the places near one, itself included, that hold points.  Returns the
 * number of new ones. */
static int64_t sparse_around(const struct sparse *s, int level, uint64_t key,
                             struct keys *keys)
{
    const struct tree_args *args = s->args;
    int64_t side = 2 * args->ws + 1, at[3], n = 0;
    for (int64_t k = 0; k < side * side * side; k++) {
        const int64_t step[3] = {k % side, k / side % side, k / side / side};
        int out_of = 0;
        for (int d = 0; d < 3; d++) {
            int64_t m = args->root[d] << level;
            at[d] = tree_gather(key >> d) + step[d] - args->ws;
            if (args->periodic[d])
                at[d] = (at[d] % m + m) % m;
            out_of |= at[d] < 0 || at[d] >= m;
        }
        if (out_of)
            continue;
        struct place place = sparse_place(s, level, tree_key(at), 0, s->n);
        if (place.end > place.begin)
            n += keys_add(keys, place.key);
    }
    return n;
}

/* Collects all places of the set, in order. */
static farsum_status sparse_collect(const struct sparse *s, int level,
                                    const struct keys *keys, int64_t n,
                                    struct places *out)
{
    farsum_status status = FARSUM_OK;
    int parts = sparse_parts(s->tree, keys->slots);
    int bits = 3 * (TREE_BITS - s->args->depth + level);
    uint64_t *key = NULL;
    int64_t *order = NULL, *first = NULL;
    GO(MEM_RAW(key, n));
    GO(MEM_RAW(order, n));
    GO(MEM_NEW(first, parts + 1));
    PAR_FOR(parts, schedule(static, 1))
    for (int p = 0; p < parts; p++) {
        int64_t end = par_start(keys->slots, parts, p + 1);
        for (int64_t k = par_start(keys->slots, parts, p); k < end; k++)
            first[p + 1] += keys->slot[k] != 0;
    }
    for (int p = 0; p < parts; p++)
        first[p + 1] += first[p];
    PAR_FOR(parts, schedule(static, 1))
    for (int p = 0; p < parts; p++) {
        int64_t end = par_start(keys->slots, parts, p + 1), to = first[p];
        for (int64_t k = par_start(keys->slots, parts, p); k < end; k++)
            if (keys->slot[k] != 0)
                key[to++] = keys->slot[k] - 1;
    }
    GO(tree_sort(n, bits, key, order, s->tree->threads));
    GO(places_capacity(out, n));
    parts = sparse_parts(s->tree, n);
    PAR_FOR(parts, schedule(static))
    for (int64_t k = 0; k < n; k++)
        out->v[k] = sparse_place(s, level, key[k], 0, s->n);
done:
    mem_free(key);
    mem_free(order);
    mem_free(first);
    return status;
}

/* Adds the places of a level that must be divided because of the level
 * below. */
static farsum_status sparse_grade(struct sparse *s, int level)
{
    farsum_status status = FARSUM_OK;
    const struct places *below = &s->divided[level + 1];
    struct places *here = &s->divided[level];
    struct keys keys = {.slots = 64};
    int64_t side = 2 * s->args->ws + 1, parents = 0, more = 0;
    if (below->n == 0)
        return FARSUM_OK;
    for (int64_t k = 0; k < below->n; k++)
        parents += k == 0 || below->v[k].key >> 3 != below->v[k - 1].key >> 3;
    double most = (double)parents * (double)(side * side * side);
    most = most < (double)s->n ? most : (double)s->n;
    while ((double)keys.slots < 2 * (most + (double)here->n))
        keys.slots *= 2;
    GO(MEM_NEW(keys.slot, keys.slots));
    int parts = sparse_parts(s->tree, here->n);
    PAR_FOR(parts, schedule(static))
    for (int64_t k = 0; k < here->n; k++)
        keys_add(&keys, here->v[k].key);
    parts = sparse_parts(s->tree, below->n);
    PAR_FOR(parts, schedule(dynamic, 16) reduction(+ : more))
    for (int64_t k = 0; k < below->n; k++) {
        uint64_t above = below->v[k].key >> 3;
        if (k == 0 || above != below->v[k - 1].key >> 3)
            more += sparse_around(s, level, above, &keys);
    }
    if (more > 0)
        GO(sparse_collect(s, level, &keys, here->n + more, here));
done:
    mem_free(keys.slot);
    return status;
}

static farsum_status sparse_boxes(struct sparse *s)
{
    struct tree *tree = s->tree;
    TRY(sparse_roots(s, 0, &s->boxes[0]));
    tree->depth = 0;
    tree->first[0] = 0;
    for (int level = 0;; level++) {
        tree->first[level + 1] = tree->first[level] + s->boxes[level].n;
        if (level == s->args->depth || s->divided[level].n == 0)
            break;
        TRY(sparse_children(s, level, &s->divided[level], 0,
                            &s->boxes[level + 1]));
        tree->depth = level + 1;
    }
    tree->n_boxes = tree->first[tree->depth + 1];
    return FARSUM_OK;
}

/* Returns how many of the first k keys of both belong to the sources, which
 * come first among equal keys. */
static int64_t merge_split(const uint64_t *a, int64_t n, const uint64_t *b,
                           int64_t m, int64_t k)
{
    int64_t low = k > m ? k - m : 0, high = k < n ? k : n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a[middle] <= b[k - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges the keys of both, in order. */
static void sparse_merge(const struct sparse *s, const uint64_t *a, int64_t n,
                         const uint64_t *b, int64_t m, uint64_t *to)
{
    int parts = sparse_parts(s->tree, (n + m) / PLACES_LEAST);
    PAR_FOR(parts, schedule(static, 1))
    for (int p = 0; p < parts; p++) {
        int64_t begin = par_start(n + m, parts, p);
        int64_t end = par_start(n + m, parts, p + 1);
        int64_t i = merge_split(a, n, b, m, begin), j = begin - i;
        for (int64_t k = begin; k < end; k++)
            to[k] = j == m || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
    }
}

farsum_status tree_sparse(struct tree *tree, const struct tree_args *args,
                          int64_t n_source, const uint64_t *keys_source,
                          int64_t n_target, const uint64_t *keys_target)
{
    farsum_status status = FARSUM_OK;
    struct sparse s = {.tree = tree,
                       .args = args,
                       .n = n_source + n_target,
                       .key = keys_source};
    uint64_t *both = NULL;
    if (n_target > 0) {
        GO(MEM_RAW(both, s.n));
        sparse_merge(&s, keys_source, n_source, keys_target, n_target, both);
        s.key = both;
    }
    GO(sparse_clustered(&s));
    for (int level = args->depth - 2; level >= 0; level--)
        GO(sparse_grade(&s, level));
    GO(sparse_boxes(&s));
    GO(sparse_fill(&s));
done:
    mem_free(both);
    for (int level = 0; level <= TREE_DEPTH; level++) {
        mem_free(s.divided[level].v);
        mem_free(s.divided[level].first);
        mem_free(s.boxes[level].v);
    }
    return status;
}
