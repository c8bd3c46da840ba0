/* SPDX-License-Identifier: Apache-2.0 */
/* host_dense_level.c: one level of host_dense: its sorted copy, then tile by
 * tile. */
#include <string.h>

#include "base/par.h"
#include "base/progress.h"
#include "stage/m2l/dense/host_dense.h"

/* Numbers of parents along an axis, and including images or zeros around
 * them. */
static void level_grid(const struct dense *s, const struct tree *tree,
                       int level, int64_t n[3], int64_t side[3])
{
    for (int d = 0; d < 3; d++) {
        n[d] = tree->root[d] << (level - 1);
        side[d] = n[d] + 2 * s->args.ws;
    }
}

int64_t dense_level_cells(const struct dense *s, const struct tree *tree,
                          int level)
{
    int64_t n[3], side[3];
    if (!tree->dense)
        return tree_boxes(tree, level) + 1;
    level_grid(s, tree, level, n, side);
    return side[0] * side[1] * side[2];
}

static void lanes_dense(struct dense *s, const struct tree *tree, int level)
{
    int64_t n[3], side[3], at = s->lane_begin[level], place[3];
    int32_t *parent = s->parent + s->parent_begin[level];
    int ws = s->args.ws;
    level_grid(s, tree, level, n, side);
    for (int64_t cell = 0; cell < side[0] * side[1] * side[2]; cell++) {
        int inside = 1;
        place[0] = cell % side[0] - ws;
        place[1] = cell / side[0] % side[1] - ws;
        place[2] = cell / side[0] / side[1] - ws;
        for (int d = 0; d < 3; d++)
            inside &= place[d] >= 0 && place[d] < n[d];
        int64_t box = tree_find(tree, level - 1, place);
        parent[cell] = box < 0 ? -1 : (int32_t)(box - tree->first[level - 1]);
        if (inside && tree_aim(tree, level - 1, box))
            s->lane[at++] = (int32_t)cell;
    }
    s->lane_begin[level + 1] = at;
    s->parent_begin[level + 1] =
        s->parent_begin[level] + side[0] * side[1] * side[2];
}

static void lanes_sparse(struct dense *s, const struct tree *tree, int level)
{
    int64_t at = s->lane_begin[level], *begin = s->octant_begin[level];
    for (int octant = 0; octant < 8; octant++) {
        begin[octant] = at;
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++)
            if (tree_octant(tree, level, b) == octant)
                s->lane[at++] = (int32_t)(b - tree->first[level]);
    }
    begin[8] = s->lane_begin[level + 1] = at;
}

void dense_lanes(struct dense *s, const struct tree *tree)
{
    s->lane_begin[1] = s->parent_begin[1] = 0;
    for (int level = 1; level <= tree->depth; level++) {
        if (tree->dense)
            lanes_dense(s, tree, level);
        else
            lanes_sparse(s, tree, level);
    }
}

/* Copies one coefficient of all boxes. */
static void copy_number(const struct dense *s, const struct boxes_io *io,
                        int level, int k)
{
    const struct tree *tree = io->tree;
    const struct boxes_args *a = &s->args;
    int64_t cells = dense_level_cells(s, tree, level);
    int64_t from = s->classes.number[k] * io->stride + tree->first[level];
    if (!tree->dense) {
        int64_t to = k * cells;
        for (int64_t b = 0; b < cells - 1; b++)
            boxes_set(a, s->copy, to + b,
                      boxes_number(a, io->multipole, from + b));
        boxes_set(a, s->copy, to + cells - 1, 0);
        return;
    }
    int64_t parents = tree_boxes(tree, level - 1);
    const int32_t *parent = s->parent + s->parent_begin[level];
    for (int octant = 0; octant < 8; octant++, from += parents) {
        int64_t to = ((int64_t)octant * s->classes.size + k) * cells;
        for (int64_t c = 0; c < cells; c++)
            boxes_set(a, s->copy, to + c,
                      parent[c] < 0 ? 0
                                    : boxes_number(a, io->multipole,
                                                   from + parent[c]));
    }
}

/* Sets the tile's lanes: cells, or far lists of a sparse tree. */
static int tile_lanes(const struct dense *s, const struct boxes_io *io,
                      int level, int64_t first, int64_t n,
                      struct dense_thread *t)
{
    const struct tree *tree = io->tree;
    int64_t tile = s->kern->tile, side = boxes_far_side(s->args.ws);
    int64_t width = tile / DENSE_VECTORS;
    int whole = 0;
    if (tree->dense) {
        for (int64_t i = 0; i < tile; i++)
            t->at[i] = s->lane[first + (i < n ? i : n - 1)];
        for (int v = 0; v < DENSE_VECTORS; v++) {
            int side_by_side = 1;
            for (int64_t i = v * width + 1; i < (v + 1) * width; i++)
                side_by_side &= t->at[i] == t->at[i - 1] + 1;
            whole |= side_by_side << v;
        }
        return whole;
    }
    int32_t none = (int32_t)tree_boxes(tree, level);
    for (int64_t i = 0; i < side * side * side * tile; i++)
        t->at[i] = none;
    for (int64_t i = 0; i < n; i++) {
        int64_t far = tree_far(tree, level,
                               tree->first[level] + s->lane[first + i],
                               t->list);
        for (int64_t j = 0; j < far; j++)
            t->at[boxes_far_number(s->args.ws, t->list[j].d) * tile + i] =
                (int32_t)(t->list[j].box - tree->first[level]);
    }
    return 0;
}

/* Finds the boxes at offset -d from those of an octant. */
static void group_source(const struct dense *s, const struct boxes_io *io,
                         int level, int octant, const int32_t d[3],
                         const struct dense_thread *t, int slot,
                         struct dense_sources *from)
{
    const char *copy = s->copy;
    int64_t real = boxes_real(&s->args), shift = 0;
    if (!io->tree->dense) {
        from->base[slot] = copy;
        from->at[slot] =
            t->at + boxes_far_number(s->args.ws, d) * s->kern->tile;
        return;
    }
    int64_t n[3], side[3];
    int there = 0;
    level_grid(s, io->tree, level, n, side);
    for (int k = 2; k >= 0; k--) {
        int bit = (octant >> k & 1) - d[k];
        there |= (bit & 1) << k;
        shift = shift * side[k] + ((bit - (bit & 1)) / 2);
    }
    int64_t cells = side[0] * side[1] * side[2];
    from->base[slot] =
        copy + real * (there * s->classes.size * cells + shift);
    from->at[slot] = t->at;
}

static void tile_groups(const struct dense *s, const struct boxes_io *io,
                        int level, int octant, int whole,
                        struct dense_thread *t)
{
    int most = 2 * s->args.ws + 1;
    for (int g = 0; g < s->n_groups; g++) {
        const struct dense_group *group = &s->group[g];
        struct dense_sources from = {
            .ld = dense_level_cells(s, io->tree, level)};
        for (int k = 0; k < 3; k++)
            from.minus |= (group->a[k] == most && !(octant >> k & 1)) << k;
        for (int slot = 0; slot < 8; slot++) {
            int32_t d[3];
            if (slot & ~group->two)
                continue;
            for (int k = 0; k < 3; k++)
                d[k] = (slot | from.minus) >> k & 1 ? -group->a[k]
                                                    : group->a[k];
            group_source(s, io, level, octant, d, t, slot, &from);
            from.whole[slot] = whole;
        }
        s->kern->sources(&s->classes, group, &from, t->x);
        s->kern->product(&s->classes, group, from.minus, t->x, t->local);
    }
}

static void tile_run(const struct dense *s, const struct boxes_io *io,
                     int level, int octant, int64_t first, int64_t n,
                     struct dense_thread *t)
{
    const struct tree *tree = io->tree;
    const struct boxes_args *a = &s->args;
    const struct dense_classes *c = &s->classes;
    int64_t tile = s->kern->tile;
    int whole = tile_lanes(s, io, level, first, n, t);
    memset(t->local, 0,
           (size_t)(c->padded[DENSE_CLASSES] * tile * boxes_real(a)));
    tile_groups(s, io, level, octant, whole, t);
    for (int64_t i = 0; i < n; i++) {
        int32_t lane = s->lane[first + i];
        int64_t box = tree->first[level] + lane;
        if (tree->dense)
            box = tree->first[level] + octant * tree_boxes(tree, level - 1)
                  + s->parent[s->parent_begin[level] + lane];
        for (int k = 0; k < DENSE_CLASSES; k++)
            for (int j = c->begin[k]; j < c->begin[k + 1]; j++)
                boxes_set(a, io->local, c->number[j] * io->stride + box,
                          boxes_number(a, t->local,
                                       (c->padded[k] + j - c->begin[k]) * tile
                                           + i));
    }
}

void dense_level(struct dense *s, const struct boxes_io *io, int level)
{
    const struct tree *tree = io->tree;
    int64_t tile = s->kern->tile, tiles[9] = {0}, begin[8], end[8];
    int threads = s->args.threads;
    for (int o = 0; o < 8; o++) {
        begin[o] = tree->dense ? s->lane_begin[level]
                               : s->octant_begin[level][o];
        end[o] = tree->dense ? s->lane_begin[level + 1]
                             : s->octant_begin[level][o + 1];
        tiles[o + 1] = tiles[o] + (end[o] - begin[o] + tile - 1) / tile;
    }
    PAR_FOR(threads)
    for (int k = 0; k < s->classes.size; k++)
        copy_number(s, io, level, k);
    struct progress *listener = progress_phase(tiles[8], "summing: m2l");
    PAR_FOR(threads, schedule(dynamic))
    for (int64_t i = 0; i < tiles[8]; i++) {
        int o = 0;
        if (progress_stopped(listener)) /* the stage's caller will notice it as
                                           well */
            continue;
        while (i >= tiles[o + 1])
            o++;
        int64_t first = begin[o] + (i - tiles[o]) * tile;
        int64_t n = end[o] - first < tile ? end[o] - first : tile;
        tile_run(s, io, level, o, first, n, &s->thread[omp_get_thread_num()]);
        progress_add(listener, 1);
    }
}
