/* SPDX-License-Identifier: Apache-2.0 */
/* tree_set.c: sorts points into the leaves of a tree on the host.  Computes
 * each point's box and key, the order of the points by leaf, and coordinates
 * relative to the leaves' centres. */
#include "points/tree/tree_set.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "points/tree/tree_device_set.h"

enum { PART_LEAST = 4096 }; /* minimum number of points or leaves per thread */

/* The grid of boxes of one level. */
struct tree_grid {
    const struct tree *tree;
    const struct tree_given *given;
    const struct tree_layers *layers; /* NULL: found from the positions */
    int level;
    double n[3];    /* boxes along each axis */
    double edge[3]; /* edges of a box */
};

farsum_status tree_check(const struct tree_args *args)
{
    double boxes = 1;
    int64_t most = 1;
    for (int d = 0; d < 3; d++) {
        if (args->root[d] < 1)
            FAIL(ERR_ARGUMENT, "tree: %lld root boxes along an axis",
                 (long long)args->root[d]);
        if (!(args->edge[d] > 0) || !isfinite(args->edge[d])
            || !isfinite(args->corner[d]))
            FAIL(ERR_ARGUMENT, "tree: a region from %g of edge %g",
                 args->corner[d], args->edge[d]);
        boxes *= (double)args->root[d];
        most = args->root[d] > most ? args->root[d] : most;
    }
    if (args->depth < 0 || args->depth > TREE_DEPTH || args->ws < 1)
        FAIL(ERR_ARGUMENT,
             "tree: depth %d, ws %d; depth is 0 to %d, ws 1 or "
             "more",
             args->depth, args->ws, TREE_DEPTH);
    if (args->dense) {
        boxes *= ldexp(1, 3 * args->depth);
        if (boxes > (double)TREE_BOXES_MOST)
            FAIL(ERR_ARGUMENT, "tree: %g leaves are too many", boxes);
        return FARSUM_OK;
    }
    if (args->leaf < 1)
        FAIL(ERR_ARGUMENT, "tree: leaves of %lld points",
             (long long)args->leaf);
    if (most > (int64_t)1 << (TREE_BITS - args->depth))
        FAIL(ERR_ARGUMENT,
             "tree: %lld root boxes along an axis leave room "
             "for less than %d levels",
             (long long)most, args->depth);
    return FARSUM_OK;
}

void tree_shape(struct tree *tree, const struct tree_args *args)
{
    tree->dense = args->dense;
    tree->depth = args->depth;
    tree->ws = args->ws;
    tree->ghosts = args->ghosts;
    tree->threads = par_threads(args->threads);
    tree->precision = args->precision;
    tree->h0 = 0;
    for (int d = 0; d < 3; d++) {
        tree->periodic[d] = args->periodic[d] != 0;
        tree->root[d] = args->root[d];
        tree->corner[d] = args->corner[d];
        tree->edge[d] = args->edge[d];
        tree->box[d] = args->edge[d] / (double)args->root[d];
        tree->h0 = fmax(tree->h0, tree->box[d]);
    }
    for (int d = 0; d < 3; d++)
        tree->box[d] /= tree->h0;
    if (!tree->dense)
        return;
    int64_t n = args->root[0] * args->root[1] * args->root[2];
    tree->first[0] = 0;
    for (int level = 0; level <= tree->depth; level++, n *= 8)
        tree->first[level + 1] = tree->first[level] + n;
    tree->n_boxes = tree->first[tree->depth + 1];
    tree->n_leaves = tree_boxes(tree, tree->depth);
}

static struct tree_grid tree_grid(const struct tree *tree,
                                  const struct tree_given *given,
                                  const struct tree_layers *layers, int level)
{
    struct tree_grid grid = {
        .tree = tree, .given = given, .layers = layers, .level = level};
    double side = (double)((int64_t)1 << level);
    for (int d = 0; d < 3; d++) {
        grid.n[d] = (double)tree->root[d] * side;
        grid.edge[d] = tree->edge[d] / grid.n[d];
    }
    return grid;
}

/* Returns the coordinate of point i along axis d, in boxes of the grid from the
 * corner.  NaN if it is outside the region or lost its digits in wrapping. */
static inline double grid_at(const struct tree_grid *grid, int64_t i, int d)
{
    const struct tree *tree = grid->tree;
    const struct tree_given *given = grid->given;
    if (d == 0 && grid->layers) {
        double layer = grid->layers->layer[i];
        return layer >= 0 && layer < grid->n[d] ? layer : NAN;
    }
    double x = given->x[d][i * given->step];
    double f = given->fractions ? x : (x - tree->corner[d]) / tree->edge[d];
    if (tree->periodic[d]) {
        if (!(fabs(f) < 1e6))
            return NAN;
        f -= floor(f);
        return f < 1 ? f * grid->n[d] : 0;
    }
    if (!(f >= 0 && f <= 1))
        return NAN;
    return given->fractions ? f * grid->n[d]
                            : (x - tree->corner[d]) / grid->edge[d];
}

static inline int64_t grid_floor(const struct tree_grid *grid, double at, int d)
{
    double n = grid->n[d];
    at = floor(at);
    return (int64_t)(at < n ? at : n - 1);
}

/* Computes the sort keys of points begin .. end.  Returns the first bad index
 * or -1. */
static int64_t grid_keys(const struct tree_grid *grid, uint64_t *key,
                         int64_t begin, int64_t end)
{
    int64_t bad = -1;
    for (int64_t i = end - 1; i >= begin; i--) {
        int64_t place[3];
        int ok = 1;
        for (int d = 0; d < 3; d++) {
            double at = grid_at(grid, i, d);
            ok &= at == at;
            place[d] = at == at ? grid_floor(grid, at, d) : 0;
        }
        bad = ok ? bad : i;
        key[i] = grid->tree->dense
                     ? (uint64_t)tree_number(grid->tree, grid->level, place)
                     : tree_key(place);
    }
    return bad;
}

static farsum_status tree_bad(const struct tree_given *given, int64_t i,
                              const char *what)
{
    FAIL(ERR_POSITION, "%s %lld: (%g, %g, %g) is not in the tree's region",
         what, (long long)i, given->x[0][i * given->step],
         given->x[1][i * given->step], given->x[2][i * given->step]);
}

/* Computes sorted keys and their order. */
static farsum_status tree_order(const struct tree *tree, int level,
                                const struct tree_given *given,
                                const struct tree_layers *layers,
                                const char *what, struct tree_points *p,
                                uint64_t *key)
{
    struct tree_grid grid = tree_grid(tree, given, layers, level);
    int threads = tree->threads;
    int64_t bad = INT64_MAX;
    PAR_FOR(threads, schedule(static) reduction(min : bad))
    for (int t = 0; t < threads; t++) {
        int64_t b = grid_keys(&grid, key, par_start(given->n, threads, t),
                              par_start(given->n, threads, t + 1));
        if (b >= 0 && b < bad)
            bad = b;
    }
    if (bad != INT64_MAX)
        return tree_bad(given, bad, what);
    uint64_t most = 0;
    if (tree->dense)
        most = (uint64_t)tree->n_leaves - 1;
    else
        for (int d = 0; d < 3; d++)
            most |= tree_spread((uint64_t)grid.n[d] - 1) << d;
    int bits = most == 0 ? 1 : 64 - __builtin_clzll(most);
    return tree_sort(given->n, bits, key, p->order, threads);
}

static void points_free(struct tree_points *p)
{
    mem_free(p->begin);
    mem_free(p->order);
    for (int d = 0; d < 3; d++)
        mem_free(p->x[d]);
    mem_free(p->low);
    *p = (struct tree_points){0};
}

static farsum_status points_reserve(struct tree_points *p, int64_t n,
                                    farsum_precision precision)
{
    if (p->capacity < n || !p->order) {
        mem_free(p->order);
        p->order = NULL;
        p->capacity = 0;
        for (int d = 0; d < 3; d++) {
            mem_free(p->x[d]);
            p->x[d] = NULL;
        }
        mem_free(p->low);
        p->low = NULL;
        TRY(MEM_RAW(p->order, n));
        if (precision == FARSUM_F32)
            TRY(MEM_RAW(p->low, n));
        for (int d = 0; d < 3; d++)
            TRY(mem_alloc(&p->x[d], n, precision == FARSUM_F32 ? 4 : 8, 0));
        p->capacity = n;
    }
    p->n = n;
    return FARSUM_OK;
}

/* Returns the number of keys below wanted. */
static int64_t keys_below(const uint64_t *key, int64_t n, uint64_t wanted)
{
    int64_t low = 0;
    while (low < n) {
        int64_t middle = low + (n - low) / 2;
        if (key[middle] < wanted)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Finds the first point of each leaf from the sorted keys.  Keys of a dense
 * tree are indices of leaves; keys of a sparse tree are positions of boxes in
 * the grid of a level. */
static farsum_status tree_begins(const struct tree *tree, int level,
                                 const uint64_t *key, struct tree_points *p)
{
    int64_t n = tree->n_leaves;
    TRY(MEM_RESERVE(p->begin, &p->begin_capacity, n + 1));
    int64_t *begin = p->begin;
    if (tree->dense) {
        PAR_FOR(tree->threads, schedule(static))
        for (int64_t k = 0; k <= p->n; k++) {
            int64_t leaf = k > 0 ? (int64_t)key[k - 1] + 1 : 0;
            int64_t last = k < p->n ? (int64_t)key[k] : n;
            for (; leaf <= last; leaf++)
                begin[leaf] = k;
        }
        return FARSUM_OK;
    }
    PAR_FOR(tree->threads, schedule(static))
    for (int64_t leaf = 0; leaf < n; leaf++) {
        int64_t box = tree->leaf[leaf];
        int up = level - tree_level(tree, box);
        begin[leaf] = keys_below(key, p->n, tree->key[box] << 3 * up);
    }
    begin[n] = p->n;
    return FARSUM_OK;
}

/* A leaf, for the coordinates of points in it. */
struct leaf_frame {
    double half[3], centre[3], h;
    int lengths[3]; /* 1: a point's coordinate is a length */
};

static struct leaf_frame leaf_frame(const struct tree_grid *grid,
                                    const int64_t place[3])
{
    const struct tree *tree = grid->tree;
    struct leaf_frame frame = {.h = tree_h(tree, grid->level)};
    for (int d = 0; d < 3; d++) {
        frame.half[d] = (double)place[d] + 0.5;
        frame.centre[d] = tree->corner[d] + frame.half[d] * grid->edge[d];
        frame.lengths[d] = !tree->periodic[d] && !grid->given->fractions;
    }
    return frame;
}

/* The coordinate of point i along axis d in its leaf.  For lengths on axes that
 * are not periodic, it is relative to the rounded centre, so that differences
 * keep all digits of the positions. */
static inline double leaf_at(const struct tree_grid *grid,
                             const struct leaf_frame *frame, int64_t i, int d)
{
    const struct tree_given *given = grid->given;
    if (d == 0 && grid->layers)
        return grid->layers->at[i];
    return frame->lengths[d]
               ? (given->x[d][i * given->step] - frame->centre[d]) / frame->h
               : (grid_at(grid, i, d) - frame->half[d]) * grid->tree->box[d];
}

/* Computes coordinates of the points of one leaf. */
static void tree_relative_leaf(const struct tree *tree, int64_t leaf,
                               const struct tree_given *given,
                               const struct tree_layers *layers,
                               struct tree_points *p)
{
    int64_t place[3], box = tree_leaf_box(tree, leaf);
    int level = tree_level(tree, box);
    struct tree_grid grid = tree_grid(tree, given, layers, level);
    tree_place(tree, level, box, place);
    const struct leaf_frame frame = leaf_frame(&grid, place);
    for (int64_t k = p->begin[leaf]; k < p->begin[leaf + 1]; k++) {
        double x[3];
        for (int d = 0; d < 3; d++)
            x[d] = leaf_at(&grid, &frame, p->order[k], d);
        for (int d = 0; d < 3; d++)
            if (tree->precision == FARSUM_F32)
                ((float *)p->x[d])[k] = (float)x[d];
            else
                ((double *)p->x[d])[k] = x[d];
        if (tree->precision == FARSUM_F32)
            p->low[k] = tree_low_of(x);
    }
}

farsum_status tree_find_layers(const struct tree_args *args,
                               const struct tree_given *given, const char *what,
                               const struct tree_layers *layers)
{
    struct tree tree = {0};
    int64_t bad = INT64_MAX;
    TRY(tree_check(args));
    tree_shape(&tree, args);
    struct tree_grid grid = tree_grid(&tree, given, NULL, args->depth);
    PAR_FOR(tree.threads, schedule(static) reduction(min : bad))
    for (int64_t i = 0; i < given->n; i++) {
        double place = grid_at(&grid, i, 0);
        if (!(place == place)) {
            bad = i < bad ? i : bad;
            continue;
        }
        const int64_t box[3] = {grid_floor(&grid, place, 0), 0, 0};
        const struct leaf_frame frame = leaf_frame(&grid, box);
        layers->layer[i] = (double)box[0];
        layers->at[i] = leaf_at(&grid, &frame, i, 0);
    }
    return bad == INT64_MAX ? FARSUM_OK : tree_bad(given, bad, what);
}

static void tree_relative(const struct tree *tree,
                          const struct tree_given *given,
                          const struct tree_layers *layers,
                          struct tree_points *p)
{
    PAR_FOR(tree->threads, schedule(dynamic, 256))
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++)
        if (p->begin[leaf] < p->begin[leaf + 1])
            tree_relative_leaf(tree, leaf, given, layers, p);
}

farsum_status tree_set(struct tree *tree, const struct tree_args *args,
                       const struct tree_given *sources,
                       const struct tree_given *targets)
{
    farsum_status status = FARSUM_OK;
    uint64_t *key = NULL, *key_target = NULL;
    GO(tree_check(args));
    const struct tree_layers *layers = args->layers;
    const struct tree_layers *aim = layers ? layers + 1 : NULL;
    if (layers && !args->dense)
        GO_FAIL(ERR_ARGUMENT, "tree: a part of a tree is dense");
    if (tree->precision != args->precision) { /* arrays have the other
                                                 precision */
        points_free(&tree->source);
        points_free(&tree->target);
    }
    tree_shape(tree, args);
    tree->separate = targets != NULL;
    int64_t parts = sources->n + (targets ? targets->n : 0);
    parts = (parts + (tree->dense ? tree->n_leaves : 0)) / PART_LEAST + 1;
    if (tree->threads > parts)
        tree->threads = (int)parts;
    GO(points_reserve(&tree->source, sources->n, args->precision));
    GO(MEM_RAW(key, sources->n));
    GO(tree_order(tree, args->depth, sources, layers, "source", &tree->source,
                  key));
    if (targets) {
        GO(points_reserve(&tree->target, targets->n, args->precision));
        GO(MEM_RAW(key_target, targets->n));
        GO(tree_order(tree, args->depth, targets, aim, "target", &tree->target,
                      key_target));
    }
    if (!tree->dense)
        GO(tree_sparse(tree, args, sources->n, key, targets ? targets->n : 0,
                       key_target));
    GO(tree_begins(tree, args->depth, key, &tree->source));
    tree_relative(tree, sources, layers, &tree->source);
    if (targets) {
        GO(tree_begins(tree, args->depth, key_target, &tree->target));
        tree_relative(tree, targets, aim, &tree->target);
    }
done:
    mem_free(key);
    mem_free(key_target);
    if (status != FARSUM_OK)
        tree_clear(tree);
    return status;
}

void tree_clear(struct tree *tree)
{
    points_free(&tree->source);
    points_free(&tree->target);
    mem_free(tree->key);
    mem_free(tree->parent);
    mem_free(tree->child);
    mem_free(tree->leaf);
    mem_free(tree->number);
    mem_free(tree->slot);
    tree_gpu_destroy(tree->gpu);
    *tree = (struct tree){0};
}
