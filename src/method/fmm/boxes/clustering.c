/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.c: contents of a tree's far lists, positions of points in their
 * boxes, and their unevenness.  The errors at the targets depend on these,
 * (10.24) to (10.26). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "method/fmm/boxes/clustering.h"

enum { BLOCK = 64 }; /* boxes per thread */

static int64_t clustering_side(const struct tree *t)
{
    return 2 * t->ws + 3;
}

/* Returns 1 for the nearest far boxes; the others are negligible. */
static int clustering_shell(const struct tree *t, const int64_t d[3])
{
    int64_t most = 0;
    for (int a = 0; a < 3; a++)
        most = llabs(d[a]) > most ? llabs(d[a]) : most;
    return most == t->ws + 1;
}

static int64_t clustering_offset(const struct tree *t, const int64_t d[3])
{
    int64_t side = clustering_side(t), half = t->ws + 1;
    return ((d[2] + half) * side + d[1] + half) * side + d[0] + half;
}

/* (10.24) for boxes that differ by d. */
static void clustering_weight(const struct tree *t, const int64_t d[3],
                              double w[K])
{
    double least =
        (double)(t->ws + 1) * fmin(t->box[0], fmin(t->box[1], t->box[2]));
    double r2 = 0;
    for (int a = 0; a < 3; a++)
        r2 += (double)(d[a] * d[a]) * t->box[a] * t->box[a];
    clustering_powers(least * least / r2, w);
}

/* The least far difference of boxes that images along an axis have: d, and then
 * steps of the whole cell, to one side. */
static int64_t clustering_image(const struct tree *t, int axis, int64_t d,
                                int side)
{
    do
        d += side * t->root[axis];
    while (llabs(d) <= t->ws);
    return d;
}

static farsum_status clustering_weights(struct clustering *c)
{
    const struct tree *t = c->t;
    int64_t side = clustering_side(t), half = t->ws + 1, d[3];
    TRY(MEM_NEW(c->weight, side * side * side * K));
    for (d[2] = -half; d[2] <= half; d[2]++)
        for (d[1] = -half; d[1] <= half; d[1]++)
            for (d[0] = -half; d[0] <= half; d[0]++) {
                double *w = c->weight + K * clustering_offset(t, d);
                if (!clustering_shell(t, d))
                    continue;
                clustering_weight(t, d, w);
                for (int k = 0; k < K; k++)
                    c->total[k] += w[k];
            }
    return FARSUM_OK;
}

farsum_status clustering_begin(struct clustering *c, const struct tree *tree,
                               int first)
{
    c->t = tree;
    c->first = first;
    c->n = tree->source.n;
    c->m = tree_targets(tree)->n;
    clustering_table(c);
    return clustering_weights(c);
}

void clustering_clear(struct clustering *c)
{
    if (c->aim != c->count)
        mem_free(c->aim);
    if (c->target != c->source)
        mem_free(c->target);
    mem_free(c->count);
    mem_free(c->gaps);
    mem_free(c->source);
    mem_free(c->weight);
}

/* Sums over a far list. */
struct list {
    double n[K], square[K], octants[K]; /* w N, w N^2 and octants */
    double rim[K], lean[K];
};

static void list_add(const struct clustering *c, const double w[K], int level,
                     int64_t box, struct list *list)
{
    struct clustering_fill f;
    double n = (double)c->count[box];
    if (c->count[box] == 0)
        return;
    clustering_fill_of(c, 0, level, box, &f);
    for (int k = 0; k < K; k++) {
        list->rim[k] += w[k] * f.rim[k];
        list->lean[k] += w[k] * f.lean[k];
        list->n[k] += w[k] * n;
        list->square[k] += w[k] * n * n;
        list->octants[k] += w[k] * c->gaps[box] * f.rim[k] / c->even.rim[k];
    }
}

static void list_of(const struct clustering *c, int level, int64_t box,
                    struct tree_far *far, struct list *list)
{
    const struct tree *t = c->t;
    int64_t half = t->ws + 1, d[3], at[3];
    memset(list, 0, sizeof *list);
    if (level > 0) {
        int64_t n = tree_far(t, level, box, far);
        for (int64_t i = 0; i < n; i++) {
            for (int a = 0; a < 3; a++)
                d[a] = far[i].d[a];
            if (clustering_shell(t, d))
                list_add(c, c->weight + K * clustering_offset(t, d), level,
                         far[i].box, list);
        }
        return;
    }
    tree_place(t, level, box, at);
    for (d[2] = -half; d[2] <= half; d[2]++)
        for (d[1] = -half; d[1] <= half; d[1]++)
            for (d[0] = -half; d[0] <= half; d[0]++) {
                const int64_t place[3] = {at[0] - d[0], at[1] - d[1],
                                          at[2] - d[2]};
                int64_t from =
                    clustering_shell(t, d) ? tree_find(t, level, place) : -1;
                if (from >= 0)
                    list_add(c, c->weight + K * clustering_offset(t, d), level,
                             from, list);
            }
}

/* Adds the nearest far images of a root box at difference d, to both sides
 * along periodic axes. */
static void list_add_images(const struct clustering *c, const int64_t d[3],
                            int64_t from, struct list *list)
{
    const struct tree *t = c->t;
    for (int way = 0; way < 6; way++) {
        int a = way / 2;
        int64_t image[3] = {d[0], d[1], d[2]};
        double w[K];
        if (!t->periodic[a])
            continue;
        image[a] = clustering_image(t, a, d[a], way % 2 ? 1 : -1);
        clustering_weight(t, image, w);
        list_add(c, w, 0, from, list);
    }
}

/* The nearest far images of a root box's near boxes.  Where all sources are
 * near, the shell is empty, and only these remain. */
static void list_of_images(const struct clustering *c, int64_t box,
                           struct list *list)
{
    const struct tree *t = c->t;
    int64_t ws = t->ws, d[3], at[3];
    memset(list, 0, sizeof *list);
    tree_place(t, 0, box, at);
    for (d[2] = -ws; d[2] <= ws; d[2]++)
        for (d[1] = -ws; d[1] <= ws; d[1]++)
            for (d[0] = -ws; d[0] <= ws; d[0]++) {
                const int64_t place[3] = {at[0] - d[0], at[1] - d[1],
                                          at[2] - d[2]};
                int64_t from = tree_find(t, 0, place);
                if (from >= 0)
                    list_add_images(c, d, from, list);
            }
}

farsum_status clustering_images(const struct tree *t, int64_t n,
                                struct fmm_clustering *clustering)
{
    struct clustering c = {.t = t};
    double images[K] = {0}, w[K], h = tree_h(t, 0), all = (double)n;
    if (clustering->far[0][0] > 0)
        return FARSUM_OK;
    for (int a = 0; a < 3; a++) {
        int64_t d[3] = {0, 0, 0};
        if (!t->periodic[a])
            continue;
        d[a] = clustering_image(t, a, 0, 1);
        clustering_weight(t, d, w);
        for (int k = 0; k < K; k++)
            images[k] += 2 * w[k];
    }
    TRY(clustering_weights(&c));
    mem_free(c.weight);
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++)
            clustering->far[k][field] =
                all / pow(h, 2 + 2 * field) * images[k] / c.total[k];
    return FARSUM_OK;
}

/* Error of evenly filled boxes and octants over that of random points, per
 * charge: (10.26). */
double clustering_whole(int k)
{
    static const double of[K] = {0.7, 0.9, 0.27, 0.05, 0.03};
    return of[k];
}
double clustering_eighth(int k)
{
    static const double of[K] = {0.95, 1.8, 0.85, 0.35, 0.17};
    return of[k];
}

/* For both points near the rim, (10.25). */
double clustering_rims(int ws, int k)
{
    static const double of[K] = {0.2, 0.6, 4, 48, 1.5e4};
    return ws > 1 ? 0 : of[k];
}

/* (10.25) and (10.26) at n targets with the fill f. */
static void sums_of(const struct clustering *c, double n,
                    const struct clustering_fill *f, const struct list *list,
                    struct clustering_sums *to)
{
    for (int k = 0; k < K; k++) {
        const struct clustering_fill *even = &c->even;
        double w = c->total[k], both = clustering_rims(c->t->ws, k);
        double each = (list->rim[k] * f->lean[k] + list->lean[k] * f->rim[k]
                       + both * list->rim[k] * f->rim[k])
                      / (2 * even->rim[k] * even->lean[k]
                         + both * even->rim[k] * even->rim[k])
                      / w;
        double gaps =
            list->square[k] - list->n[k] * list->n[k] / w - list->n[k];
        to->far[k] += each;
        to->uneven[k] +=
            n / w
            * (clustering_whole(k) * clustering_whole(k) * fmax(gaps, 0)
               + clustering_eighth(k) * clustering_eighth(k)
                     * list->octants[k]);
    }
}

/* images: NULL, or counts where it is more than the list. */
static void sums_add(const struct clustering *c, int level, int64_t box,
                     const struct list *list, const struct list *images,
                     struct clustering_sums *to)
{
    struct clustering_fill fill;
    struct clustering_sums one = {0}, other = {0};
    double n = (double)c->aim[box];
    clustering_fill_of(c, c->t->separate, level, box, &fill);
    sums_of(c, n, &fill, list, &one);
    if (images)
        sums_of(c, n, &fill, images, &other);
    to->targets += n;
    for (int k = 0; k < K; k++) {
        to->far[k] += fmax(one.far[k], other.far[k]);
        to->uneven[k] += fmax(one.uneven[k], other.uneven[k]);
    }
}

void clustering_means(const struct tree *t, int64_t m, int level,
                      const struct clustering_sums *all, double here,
                      struct fmm_clustering *clustering)
{
    double h = tree_h(t, level), targets = (double)m;
    /* assumes that the skipped boxes are like the others */
    double share = all->targets > 0 ? here / (all->targets * targets) : 0;
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++) {
            double unit = share / pow(h, 2 + 2 * field);
            clustering->far[k][field] += unit * all->far[k];
            clustering->uneven[k][field] += unit * all->uneven[k];
        }
}

/* The sums of a level; with_images: of root boxes, those that images add. */
static farsum_status level_sums(const struct clustering *c, int level,
                                int64_t step, int with_images,
                                struct clustering_sums *all)
{
    const struct tree *t = c->t;
    int64_t boxes = tree_boxes(t, level);
    int64_t some = (boxes + step - 1) / step;
    int64_t blocks = (some + BLOCK - 1) / BLOCK;
    struct clustering_sums *part = NULL;
    struct tree_far *far = NULL;
    farsum_status status = FARSUM_OK;
    GO(MEM_NEW(part, blocks));
    GO(MEM_RAW(far, blocks * tree_far_most(t)));
    PAR_FOR(t->threads, schedule(dynamic))
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK && i < some;
             i++) {
            int64_t box = t->first[level] + i * step;
            struct list list, images;
            if (c->aim[box] == 0)
                continue;
            list_of(c, level, box, far + block * tree_far_most(t), &list);
            if (with_images)
                list_of_images(c, box, &images);
            sums_add(c, level, box, &list, with_images ? &images : NULL,
                     &part[block]);
        }
    for (int64_t block = 0; block < blocks; block++) {
        all->targets += part[block].targets;
        for (int k = 0; k < K; k++) {
            all->far[k] += part[block].far[k];
            all->uneven[k] += part[block].uneven[k];
        }
    }
done:
    mem_free(part);
    mem_free(far);
    return status;
}

/* The number of targets in every step-th box of a level. */
static double level_targets(const struct clustering *c, int level, int64_t step)
{
    const struct tree *t = c->t;
    double n = 0;
    for (int64_t b = t->first[level]; b < t->first[level + 1]; b += step)
        n += (double)c->aim[b];
    return n;
}

/* Means over the targets, from the sums of a level.  With one or two periodic
 * axes there are so few root boxes along them that images always count.  With
 * three they count where nothing else is far: here if all boxes are root boxes,
 * else by clustering_images. */
farsum_status clustering_level(const struct clustering *c, int level,
                               struct fmm_clustering *clustering)
{
    const struct tree *t = c->t;
    int axes = t->periodic[0] + t->periodic[1] + t->periodic[2];
    int roots = level == 0 && c->skip == 0; /* of one process */
    int64_t step =
        c->skip > 0 ? c->skip : clustering_skip(tree_boxes(t, level));
    struct clustering_sums all = {0};
    double here = level_targets(c, level, 1);
    while (!clustering_meets(level_targets(c, level, step), here, step))
        step /= 2;
    TRY(level_sums(c, level, step, roots && axes % 3 != 0, &all));
    if (roots && axes == 3 && t->depth == 0 && all.far[0] == 0) {
        memset(&all, 0, sizeof all);
        TRY(level_sums(c, level, step, 1, &all));
    }
    clustering_means(t, c->m, level, &all, here, clustering);
    return FARSUM_OK;
}

/* (10.16) for evenly filled boxes, from the boxes that a target lies in. */
void clustering_inside(const struct clustering *c,
                       struct fmm_clustering *clustering)
{
    const struct tree *t = c->t;
    const struct tree_points *targets = tree_targets(t);
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++) {
        double share = (double)(targets->begin[leaf + 1] - targets->begin[leaf])
                       / (double)c->m;
        double sum[2] = {0};
        int64_t box = tree_leaf_box(t, leaf);
        int level = tree_level(t, box);
        clustering->h += share * tree_h(t, level);
        for (; level >= c->first && share > 0;
             box = tree_parent(t, level--, box)) {
            double h = tree_h(t, level), n = (double)c->count[box];
            clustering->random[0] += share * n / (h * h);
            clustering->random[1] += share * n / (h * h * h * h);
            clustering->bend[0] += share * n / (h * h * h * h * h * h);
            clustering->bend[1] += share * n / (h * h * h * h * h * h * h * h);
            sum[0] += n / h;
            sum[1] += n / (h * h);
        }
        clustering->together[0] += share * sum[0] * sum[0];
        clustering->together[1] += share * sum[1] * sum[1];
    }
}

farsum_status fmm_clustering(const struct tree *tree, int first,
                             struct fmm_clustering *clustering)
{
    farsum_status status = FARSUM_OK;
    struct clustering *c = NULL;
    GO(MEM_NEW(c, 1));
    GO(clustering_begin(c, tree, first));
    GO(clustering_fills(c));
    *clustering = (struct fmm_clustering){
        .ws = tree->ws, .listed = 1, .sparse = !tree->dense};
    clustering_inside(c, clustering);
    for (int level = first; level <= tree->depth; level++)
        GO(clustering_level(c, level, clustering));
    GO(clustering_images(tree, tree->source.n, clustering));
done:
    if (c) {
        clustering_clear(c);
        mem_free(c);
    }
    return status;
}
