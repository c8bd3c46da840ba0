/* SPDX-License-Identifier: Apache-2.0 */
/* clustering_fill.c: number of points in each box, and their positions in it:
 * (10.25). */
#include <math.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "method/fmm/boxes/clustering.h"

enum { GRID = 12 }; /* points of an octant that represent even filling */

static void fill_add(const struct clustering *c, const double u[3],
                     double times, struct clustering_fill *to)
{
    double r2 = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * c->half;
    int at = (int)(CLUSTERING_TABLE * fmin(r2, 1) + 0.5);
    const struct clustering_fill *f = &c->table[at];
    for (int k = 0; k < K; k++) {
        to->rim[k] += times * f->rim[k];
        to->lean[k] += times * f->lean[k];
    }
}

static void clustering_even(struct clustering *c)
{
    const double *box = c->t->box;
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        const int at[3] = {i % GRID, i / GRID % GRID, i / GRID / GRID};
        double u[3];
        for (int d = 0; d < 3; d++)
            u[d] = box[d] * (at[d] + 0.5) / (2 * GRID);
        fill_add(c, u, 1.0 / (GRID * GRID * GRID), &c->even);
    }
}

/* The error of a pair depends on the order as in (10.25). */
void clustering_table(struct clustering *c)
{
    const double *box = c->t->box;
    double slope = 1.2 / (c->t->ws + 1);
    for (int i = 0; i <= CLUSTERING_TABLE; i++) {
        double u = sqrt(i / (double)CLUSTERING_TABLE), *lean = c->table[i].lean;
        clustering_powers(u * u, c->table[i].rim);
        lean[0] = exp(2 * slope * (u - 1));
        for (int k = 1; k < K; k++)
            lean[k] = lean[k - 1] * lean[k - 1];
    }
    c->half = 4 / (box[0] * box[0] + box[1] * box[1] + box[2] * box[2]);
    clustering_even(c);
}

/* Counts the points of all boxes from those of the leaves. */
static void clustering_count(const struct tree *t, const struct tree_points *p,
                             int64_t *count)
{
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++)
        count[tree_leaf_box(t, leaf)] = p->begin[leaf + 1] - p->begin[leaf];
    for (int level = t->depth; level > 0; level--)
        for (int64_t b = t->first[level]; b < t->first[level + 1]; b++)
            count[tree_parent(t, level, b)] += count[b];
}

/* Converts a point's position in a box to that in the parent box. */
static void clustering_up(const struct tree *t, int level, int64_t *box,
                          double u[3])
{
    int octant = tree_octant(t, level, *box);
    for (int d = 0; d < 3; d++)
        u[d] = u[d] / 2 + ((octant >> d & 1) - 0.5) * t->box[d] / 2;
    *box = tree_parent(t, level, *box);
}

/* Adds every step-th point of a leaf to the boxes that contain it. */
static void clustering_leaf(struct clustering *c, const struct tree_points *p,
                            int64_t leaf, int64_t step,
                            struct clustering_fill *to)
{
    const struct tree *t = c->t;
    int64_t box = tree_leaf_box(t, leaf), begin = p->begin[leaf];
    int bottom = tree_level(t, box);
    begin = (begin + step - 1) / step * step;
    for (int64_t i = begin; i < p->begin[leaf + 1]; i += step) {
        int64_t b = box;
        double u[3];
        for (int d = 0; d < 3; d++)
            u[d] = array_get(p->x[d], t->precision, i);
        for (int level = bottom; level >= c->first; level--) {
            if (b < c->fills)
                fill_add(c, u, (double)step, &to[b]);
            if (level == 0)
                break;
            clustering_up(t, level, &b, u);
        }
    }
}

static void clustering_sums(struct clustering *c, const struct tree_points *p,
                            struct clustering_fill *to)
{
    const struct tree *t = c->t;
    int64_t step = clustering_step(p == &t->source ? c->n : c->m,
                                   c->skip > 0 ? c->skip : 1);
    if (t->dense && t->depth > 0)
        step = clustering_step_above(p->n, tree_boxes(t, t->depth - 1));
    for (int64_t leaf = 0; leaf < t->n_leaves && c->fills > 0; leaf++)
        clustering_leaf(c, p, leaf, step, to);
}

/* The leaves of a box are contiguous: from `from` to one before `to`. */
static void clustering_leaves(const struct tree *t, int64_t box, int64_t *from,
                              int64_t *to)
{
    int64_t low = box, high = box;
    while (tree_box_leaf(t, low) < 0)
        low = t->child[low];
    while (tree_box_leaf(t, high) < 0)
        high = t->child[high + 1] - 1;
    *from = tree_box_leaf(t, low);
    *to = tree_box_leaf(t, high) + 1;
}

void clustering_fill_of(const struct clustering *c, int side, int level,
                        int64_t box, struct clustering_fill *fill)
{
    const struct tree *t = c->t;
    const struct tree_points *p = side ? tree_targets(t) : &t->source;
    int64_t skip = c->skip > 0 ? 1 : clustering_skip(tree_boxes(t, level));
    int64_t step = clustering_step(p->n, skip), from, to;
    if ((side ? c->m : c->n) < CLUSTERING_FEW) {
        double n = (double)(side ? c->aim : c->count)[box];
        for (int k = 0; k < K; k++) {
            fill->rim[k] = n * c->even.rim[k];
            fill->lean[k] = n * c->even.lean[k];
        }
        return;
    }
    if (skip == 1 || (t->dense && level < t->depth)) {
        *fill = (side ? c->target : c->source)[box];
        return;
    }
    *fill = (struct clustering_fill){0};
    clustering_leaves(t, box, &from, &to);
    step = clustering_step_box(step, p->begin[to] - p->begin[from]);
    for (int64_t leaf = from; leaf < to; leaf++) {
        int64_t i = (p->begin[leaf] + step - 1) / step * step;
        int64_t bottom = i < p->begin[leaf + 1] ? tree_leaf_box(t, leaf) : box;
        int deepest = tree_level(t, bottom);
        for (; i < p->begin[leaf + 1]; i += step) {
            int64_t b = bottom;
            double u[3];
            for (int d = 0; d < 3; d++)
                u[d] = array_get(p->x[d], t->precision, i);
            for (int l = deepest; l > level; l--)
                clustering_up(t, l, &b, u);
            fill_add(c, u, (double)step, fill);
        }
    }
}

/* Squared deviations of the octants from an eighth, minus the expectation for
 * random positions. */
static double octants_of(const int64_t count[8], int64_t n)
{
    double sum = 0, mean = (double)n / 8;
    for (int o = 0; o < 8; o++)
        sum += ((double)count[o] - mean) * ((double)count[o] - mean);
    sum = fmax(sum - 7 * mean, 0);
    return n > 0 ? sum / (double)n : 0;
}

static void clustering_octants(struct clustering *c)
{
    const struct tree *t = c->t;
    const struct tree_points *p = &t->source;
    PAR_FOR(t->threads, schedule(static))
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++) {
        int64_t count[8] = {0};
        for (int64_t i = p->begin[leaf]; i < p->begin[leaf + 1]; i++) {
            int octant = 0;
            for (int d = 0; d < 3; d++)
                octant |= (array_get(p->x[d], t->precision, i) >= 0) << d;
            count[octant]++;
        }
        c->gaps[tree_leaf_box(t, leaf)] =
            octants_of(count, p->begin[leaf + 1] - p->begin[leaf]);
    }
    for (int level = c->first; level < t->depth; level++)
        for (int64_t b = t->first[level]; b < t->first[level + 1]; b++) {
            int64_t count[8];
            if (tree_box_leaf(t, b) >= 0)
                continue;
            for (int o = 0; o < 8; o++) {
                int64_t child = tree_child(t, level, b, o);
                count[o] = child >= 0 ? c->count[child] : 0;
            }
            c->gaps[b] = octants_of(count, c->count[b]);
        }
}

farsum_status clustering_fills(struct clustering *c)
{
    const struct tree *t = c->t;
    TRY(MEM_NEW(c->count, t->n_boxes));
    TRY(MEM_NEW(c->gaps, t->n_boxes));
    c->fills = t->n_boxes;
    if (!c->skip && t->dense && clustering_skip(tree_boxes(t, t->depth)) > 1)
        c->fills = t->first[t->depth];
    TRY(MEM_NEW(c->source, c->fills));
    clustering_count(t, &t->source, c->count);
    clustering_sums(c, &t->source, c->source);
    clustering_octants(c);
    c->aim = c->count;
    c->target = c->source;
    if (!t->separate)
        return FARSUM_OK;
    c->aim = NULL;
    c->target = NULL;
    TRY(MEM_NEW(c->aim, t->n_boxes));
    TRY(MEM_NEW(c->target, c->fills));
    clustering_count(t, &t->target, c->aim);
    clustering_sums(c, &t->target, c->target);
    return FARSUM_OK;
}
