/* tree_sparse.c: boxes of a sparse tree from the sorted Morton keys of its
 * points.
 *
 * A box of more than `leaf` points is divided.  Then, from the deepest level
 * up: where a child of a box is divided, all boxes near that box that hold
 * points are divided too, and what lies above them.  One pass does, as a
 * division asks only for divisions in levels above. */
#include "points/tree.h"

#include <string.h>

#include "base/mem.h"

/* A place of a level, and the points in it among all. */
struct place {
    uint64_t key;
    int64_t begin, end;
};
struct places {
    struct place *v; /* owned */
    int64_t n, room;
};

struct sparse {
    struct tree *tree;
    const struct tree_args *args;
    int64_t n;
    uint64_t *key; /* owned: of all points, sorted, of level args->depth */
    struct places divided[TREE_DEPTH + 1]; /* by key */
    struct places boxes[TREE_DEPTH + 1];
};

static farsum_status places_push(struct places *p, struct place place)
{
    if (p->n == p->room) {
        struct place *v;
        int64_t room = p->room > 0 ? 2 * p->room : 64;
        TRY(MEM_RAW(v, room));
        if (p->n > 0)
            memcpy(v, p->v, (size_t)p->n * sizeof *v);
        mem_free(p->v);
        p->v = v;
        p->room = room;
    }
    p->v[p->n++] = place;
    return FARSUM_OK;
}

/* The first of begin .. end whose key is not below wanted. */
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

/* The points of a place of a level, looked for among begin .. end. */
static struct place sparse_place(const struct sparse *s, int level,
                                 uint64_t key, int64_t begin, int64_t end)
{
    int up = 3 * (s->args->depth - level);
    struct place place = {.key = key};
    place.begin = sparse_search(s, begin, end, key << up);
    place.end = sparse_search(s, place.begin, end, (key + 1) << up);
    return place;
}

/* The children of a place that hold more than `least` points. */
static farsum_status sparse_children(const struct sparse *s, int level,
                                     const struct place *above, int64_t least,
                                     struct places *out)
{
    int64_t begin = above->begin;
    for (int octant = 0; octant < 8; octant++) {
        struct place child =
            sparse_place(s, level + 1, above->key << 3 | (uint64_t)octant,
                         begin, above->end);
        begin = child.end;
        if (child.end - child.begin > least)
            TRY(places_push(out, child));
    }
    return FARSUM_OK;
}

/* Root boxes with more than `least` points. */
static farsum_status sparse_roots(const struct sparse *s, int64_t least,
                                  struct places *out)
{
    int up = 3 * s->args->depth;
    for (int64_t at = 0; at < s->n;) {
        struct place root = {.key = s->key[at] >> up, .begin = at};
        root.end = sparse_search(s, at, s->n, (root.key + 1) << up);
        at = root.end;
        if (root.end - root.begin > least)
            TRY(places_push(out, root));
    }
    return FARSUM_OK;
}

/* What has too many points. */
static farsum_status sparse_crowded(struct sparse *s)
{
    int64_t leaf = s->args->leaf;
    if (s->args->depth > 0)
        TRY(sparse_roots(s, leaf, &s->divided[0]));
    for (int level = 0; level + 1 < s->args->depth; level++)
        for (int64_t k = 0; k < s->divided[level].n; k++)
            TRY(sparse_children(s, level, &s->divided[level].v[k], leaf,
                                &s->divided[level + 1]));
    return FARSUM_OK;
}

/* An open-addressed set of keys. */
struct keys {
    uint64_t *slot; /* owned; key + 1 */
    int64_t slots;  /* a power of two */
};

static int keys_add(struct keys *keys, uint64_t key)
{
    uint64_t mask = (uint64_t)keys->slots - 1, h = tree_hash(0, key);
    for (; keys->slot[h & mask] != 0; h++)
        if (keys->slot[h & mask] == key + 1)
            return 0;
    keys->slot[h & mask] = key + 1;
    return 1;
}

/* The places near one, with it, that hold points and are not in the set. */
static farsum_status sparse_around(const struct sparse *s, int level,
                                   uint64_t key, struct keys *keys,
                                   struct places *out)
{
    const struct tree_args *args = s->args;
    int64_t side = 2 * args->ws + 1, at[3];
    for (int64_t k = 0; k < side * side * side; k++) {
        const int64_t step[3] = {k % side, k / side % side, k / side / side};
        int out_of = 0;
        for (int d = 0; d < 3; d++) {
            int64_t n = args->root[d] << level;
            at[d] = tree_gather(key >> d) + step[d] - args->ws;
            if (args->periodic[d])
                at[d] = (at[d] % n + n) % n;
            out_of |= at[d] < 0 || at[d] >= n;
        }
        if (out_of)
            continue;
        struct place place = sparse_place(s, level, tree_key(at), 0, s->n);
        if (place.end > place.begin && keys_add(keys, place.key))
            TRY(places_push(out, place));
    }
    return FARSUM_OK;
}

/* Both are sorted and share nothing. */
static farsum_status places_merge(const struct places *a,
                                  const struct places *b, struct places *out)
{
    for (int64_t i = 0, j = 0; i < a->n || j < b->n;) {
        int first = j == b->n || (i < a->n && a->v[i].key < b->v[j].key);
        TRY(places_push(out, first ? a->v[i++] : b->v[j++]));
    }
    return FARSUM_OK;
}

static farsum_status places_sort(struct places *p, int threads)
{
    farsum_status status = FARSUM_OK;
    uint64_t *key = NULL;
    int64_t *order = NULL;
    struct place *v = NULL;
    GO(MEM_RAW(key, p->n));
    GO(MEM_RAW(order, p->n));
    GO(MEM_RAW(v, p->n));
    for (int64_t k = 0; k < p->n; k++)
        key[k] = p->v[k].key;
    GO(tree_sort(p->n, 3 * TREE_BITS, key, order, threads));
    for (int64_t k = 0; k < p->n; k++)
        v[k] = p->v[order[k]];
    mem_free(p->v);
    p->v = v;
    p->room = p->n;
    v = NULL;
done:
    mem_free(key);
    mem_free(order);
    mem_free(v);
    return status;
}

/* What is to be divided at a level because of the level below. */
static farsum_status sparse_grade(struct sparse *s, int level)
{
    farsum_status status = FARSUM_OK;
    const struct places *below = &s->divided[level + 1];
    struct places *here = &s->divided[level], more = {0}, all = {0};
    struct keys keys = {.slots = 64};
    int64_t side = 2 * s->args->ws + 1, parents = 0;
    for (int64_t k = 0; k < below->n; k++)
        parents += k == 0 || below->v[k].key >> 3 != below->v[k - 1].key >> 3;
    double most = (double)parents * (double)(side * side * side);
    most = most < (double)s->n ? most : (double)s->n;
    while ((double)keys.slots < 2 * (most + (double)here->n))
        keys.slots *= 2;
    GO(MEM_NEW(keys.slot, keys.slots));
    for (int64_t k = 0; k < here->n; k++)
        keys_add(&keys, here->v[k].key);
    for (int64_t k = 0; k < below->n; k++) {
        uint64_t above = below->v[k].key >> 3;
        if (k == 0 || above != below->v[k - 1].key >> 3)
            GO(sparse_around(s, level, above, &keys, &more));
    }
    if (more.n > 0) {
        GO(places_sort(&more, s->tree->threads));
        GO(places_merge(here, &more, &all));
        mem_free(here->v);
        *here = all;
        all = (struct places){0};
    }
done:
    mem_free(keys.slot);
    mem_free(more.v);
    mem_free(all.v);
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
        for (int64_t k = 0; k < s->divided[level].n; k++)
            TRY(sparse_children(s, level, &s->divided[level].v[k], 0,
                                &s->boxes[level + 1]));
        tree->depth = level + 1;
    }
    tree->n_boxes = tree->first[tree->depth + 1];
    return FARSUM_OK;
}

/* Keys, parents and children.  Divided places are boxes, both by key. */
static void sparse_links(struct sparse *s)
{
    struct tree *tree = s->tree;
    int64_t child = tree->depth > 0 ? tree->first[1] : tree->n_boxes;
    for (int64_t k = 0; k < tree_boxes(tree, 0); k++)
        tree->parent[k] = -1;
    for (int level = 0; level <= tree->depth; level++) {
        const struct places *divided = &s->divided[level];
        int64_t d = 0;
        for (int64_t k = 0; k < s->boxes[level].n; k++) {
            int64_t box = tree->first[level] + k;
            uint64_t key = s->boxes[level].v[k].key;
            tree->key[box] = key;
            tree->number[box] = -1;
            tree->child[box] = child;
            if (d == divided->n || divided->v[d].key != key)
                continue;
            const struct places *below = &s->boxes[level + 1];
            for (d++; child < tree->first[level + 2]; child++) {
                if (below->v[child - tree->first[level + 1]].key >> 3 != key)
                    break;
                tree->parent[child] = box;
            }
        }
        assert(d == divided->n);
    }
    tree->child[tree->n_boxes] = child;
}

/* Leaves in Morton order: depth first. */
static void sparse_leaves(struct tree *tree)
{
    tree->n_leaves = 0;
    for (int64_t root = 0; root < tree_boxes(tree, 0); root++) {
        int64_t next[TREE_DEPTH + 2], end[TREE_DEPTH + 2];
        int top = 0;
        next[0] = root;
        end[0] = root + 1;
        while (top >= 0) {
            if (next[top] == end[top]) {
                top--;
                continue;
            }
            int64_t box = next[top]++;
            if (tree->child[box] == tree->child[box + 1]) {
                tree->number[box] = tree->n_leaves;
                tree->leaf[tree->n_leaves++] = box;
                continue;
            }
            top++;
            next[top] = tree->child[box];
            end[top] = tree->child[box + 1];
        }
    }
}

static void sparse_hash(struct tree *tree)
{
    uint64_t mask = (uint64_t)tree->slots - 1;
    for (int64_t k = 0; k < tree->slots; k++)
        tree->slot[k] = -1;
    for (int level = 0; level <= tree->depth; level++)
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++) {
            uint64_t h = tree_hash(level, tree->key[b]);
            while (tree->slot[h & mask] >= 0)
                h++;
            tree->slot[h & mask] = b;
        }
}

static farsum_status sparse_fill(struct sparse *s)
{
    struct tree *tree = s->tree;
    int64_t n = tree->n_boxes, *room = tree->box_room;
    TRY(MEM_RESERVE(tree->key, &room[0], n));
    TRY(MEM_RESERVE(tree->parent, &room[1], n));
    TRY(MEM_RESERVE(tree->child, &room[2], n + 1));
    TRY(MEM_RESERVE(tree->number, &room[3], n));
    TRY(MEM_RESERVE(tree->leaf, &room[4], n));
    for (tree->slots = 16; tree->slots < 2 * n;)
        tree->slots *= 2;
    TRY(MEM_RESERVE(tree->slot, &room[5], tree->slots));
    sparse_links(s);
    sparse_leaves(tree);
    sparse_hash(tree);
    return FARSUM_OK;
}

farsum_status tree_sparse(struct tree *tree, const struct tree_args *args,
                          int64_t n_source, const uint64_t *keys_source,
                          int64_t n_target, const uint64_t *keys_target)
{
    farsum_status status = FARSUM_OK;
    struct sparse s = {.tree = tree, .args = args, .n = n_source + n_target};
    GO(MEM_RAW(s.key, s.n));
    for (int64_t k = 0, i = 0, j = 0; k < s.n; k++) {
        int first =
            j == n_target || (i < n_source && keys_source[i] <= keys_target[j]);
        s.key[k] = first ? keys_source[i++] : keys_target[j++];
    }
    GO(sparse_crowded(&s));
    for (int level = args->depth - 2; level >= 0; level--)
        GO(sparse_grade(&s, level));
    GO(sparse_boxes(&s));
    GO(sparse_fill(&s));
done:
    mem_free(s.key);
    for (int level = 0; level <= TREE_DEPTH; level++) {
        mem_free(s.divided[level].v);
        mem_free(s.boxes[level].v);
    }
    return status;
}
