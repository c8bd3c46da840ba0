/* SPDX-License-Identifier: Apache-2.0 */
/* bound_tree.c: (10.38): bound of the errors from the far lists of all boxes
 * that contain a target, for the target with the largest bound. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "method/fmm/bound/bound.h"

enum { W = STRICT_WINDOW, BLOCK = 32, LAST = STRICT_ORDERS - W };

/* Assumed excess of a box's strengths over the mean, in standard deviations. */
#define SIGMAS 2.5

/* A walk through the tree for orders lo to lo + W - 1. */
struct walk {
    const struct tree *t;
    const struct fmm_strict *strict;
    int first, field;
    double (*pair)[W]; /* owned, see strict_boxes */
    double rest[W];    /* level 0: distant boxes */
    double *aim;       /* borrowed, [n_boxes]: number of targets */
};

/* Sums over a box's points, from the sums over its leaves. */
static void tree_up(const struct tree *t, double *sum)
{
    for (int level = t->depth; level > 0; level--)
        for (int64_t b = t->first[level]; b < t->first[level + 1]; b++)
            sum[tree_parent(t, level, b)] += sum[b];
}

static void tree_counts(const struct tree *t, const struct tree_points *points,
                        double *sum)
{
    memset(sum, 0, (size_t)t->n_boxes * sizeof *sum);
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++)
        sum[tree_leaf_box(t, leaf)] =
            (double)(points->begin[leaf + 1] - points->begin[leaf]);
    tree_up(t, sum);
}

static farsum_status tree_capacity(struct fmm_strict *s, int64_t boxes)
{
    s->n_boxes = boxes;
    if (boxes <= s->capacity)
        return FARSUM_OK;
    s->capacity = 0;
    mem_free(s->weight);
    mem_free(s->size);
    mem_free(s->sum);
    s->weight = s->size = s->sum = NULL;
    TRY(MEM_RAW(s->weight, boxes));
    TRY(MEM_RAW(s->size, boxes));
    TRY(MEM_RAW(s->sum, W * boxes));
    s->capacity = boxes;
    return FARSUM_OK;
}

/* Replaces counts by assumed sums of |q|. */
static void tree_weights(struct fmm_strict *s)
{
    s->over = 0;
    for (int64_t b = 0; b < s->n_boxes; b++) {
        double n = s->weight[b];
        if (n == 0)
            continue;
        s->weight[b] = fmin(s->most * n, s->mean * n + s->most - s->mean
                                             + SIGMAS * s->spread * sqrt(n));
        s->over = fmax(s->over, n / s->weight[b]);
    }
}

static void walk_add(const struct walk *w, int64_t from, const int32_t d[3],
                     double sum[W])
{
    const double *one = w->pair[strict_at(w->t->ws, d)];
    double q = w->strict->weight[from];
    for (int k = 0; k < W && q > 0; k++)
        sum[k] += q * one[k];
}

/* Level 0: adds boxes and images that are not near. */
static void walk_top(const struct walk *w, int64_t box, double sum[W])
{
    const struct tree *t = w->t;
    int32_t d[3], ws = t->ws, most = 2 * ws + 1;
    int64_t at[3];
    tree_place(t, 0, box, at);
    for (int k = 0; k < W; k++)
        sum[k] += w->rest[k];
    for (d[2] = -most; d[2] <= most; d[2]++)
        for (d[1] = -most; d[1] <= most; d[1]++)
            for (d[0] = -most; d[0] <= most; d[0]++) {
                const int64_t place[3] = {at[0] - d[0], at[1] - d[1],
                                          at[2] - d[2]};
                if (!boxes_far(ws, d))
                    continue;
                int64_t from = tree_find(t, 0, place);
                if (from >= 0)
                    walk_add(w, from, d, sum);
            }
}

static void walk_box(const struct walk *w, int level, int64_t box,
                     struct tree_far *far)
{
    const struct tree *t = w->t;
    double sum[W] = {0}, *to = w->strict->sum + W * box;
    double h = tree_h(t, level), unit = w->field ? 1 / (h * h) : 1 / h;
    int64_t above = tree_parent(t, level, box);
    for (int k = 0; k < W; k++)
        to[k] = above >= 0 ? w->strict->sum[W * above + k] : 0;
    if (level < w->first || w->aim[box] == 0)
        return;
    if (level == 0) {
        walk_top(w, box, sum);
    } else {
        int64_t n = tree_far(t, level, box, far);
        for (int64_t i = 0; i < n; i++)
            walk_add(w, far[i].box, far[i].d, sum);
    }
    for (int k = 0; k < W; k++)
        to[k] += unit * sum[k];
}

/* Bounds [W] of the orders from lo on. */
static farsum_status walk_run(struct walk *w, int lo, double bound[W])
{
    farsum_status status = FARSUM_OK;
    const struct tree *t = w->t;
    const struct strict_boxes *b = &w->strict->boxes;
    int64_t side = 2 * t->ws + 2, most = tree_far_most(t);
    struct tree_far *far = NULL;
    double all = 0;
    w->pair = NULL;
    GO(MEM_RAW(w->pair, side * side * side));
    GO(MEM_RAW(far, t->threads * most));
    for (int64_t i = 0; i < side * side * side; i++)
        for (int k = 0; k < W; k++)
            w->pair[i][k] = b->pair[i][w->field][lo + k];
    for (int64_t i = 0; i < tree_boxes(t, 0); i++)
        all += w->strict->weight[i];
    for (int k = 0; k < W; k++) {
        w->rest[k] = all > 0 ? all * b->rest[w->field][lo + k] : 0;
        bound[k] = 0;
    }
    for (int level = 0; level <= t->depth; level++) {
        PAR_FOR(t->threads, schedule(dynamic, BLOCK))
        for (int64_t i = t->first[level]; i < t->first[level + 1]; i++)
            walk_box(w, level, i, far + omp_get_thread_num() * most);
    }
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++) {
        int64_t box = tree_leaf_box(t, leaf);
        for (int k = 0; k < W && w->aim[box] > 0; k++)
            bound[k] = fmax(bound[k], w->strict->sum[W * box + k]);
    }
done:
    mem_free(w->pair);
    mem_free(far);
    return status;
}

/* The smallest order >= least whose bound is within the limit; windows of
 * orders start at lo.  0: none, and *bound is that of the last order. */
static farsum_status walk_order(struct walk *w, double limit, int least, int lo,
                                int *order, double *bound)
{
    double b[W];
    *order = 0;
    for (;;) {
        int k = 0, down = *order > 0;
        TRY(walk_run(w, lo, b));
        while (k < W && !(b[k] <= limit))
            k++;
        if (k < W) {
            *order = lo + k;
            *bound = b[k];
        } else if (!down) {
            *bound = b[W - 1];
        }
        if (k == 0 && lo > least)
            lo = lo - W > least ? lo - W : least;
        else if (k == W && !down && lo < LAST)
            lo = lo + W < LAST ? lo + W : LAST;
        else
            return FARSUM_OK;
    }
}

farsum_status strict_tree(const struct task *task, struct fmm *s,
                          const struct tree *tree, int *order)
{
    struct fmm_strict *t = s->strict;
    struct walk w = {.t = tree,
                     .strict = t,
                     .first = fmm_shape_first(s, &s->shape),
                     .field = strict_field(task)};
    int least = s->input.periodic ? 2 : 1, lo = s->shape.order - 1;
    double b[W];
    t->order = -1;
    TRY(strict_rounded(task, s, tree, NULL, sqrt(s->input.q2), &t->near));
    double limit = strict_limit(task, s, &s->clustering);
    TRY(strict_boxes_set(&t->boxes, s, &s->shape));
    TRY(tree_capacity(t, tree->n_boxes));
    w.aim = t->size;
    tree_counts(tree, &tree->source, t->weight);
    tree_counts(tree, tree_targets(tree), t->size);
    tree_weights(t);
    lo = lo < least ? least : lo > LAST ? LAST : lo;
    if (task->options.fmm.order) {
        lo = s->shape.order < LAST ? s->shape.order : LAST;
        TRY(walk_run(&w, lo, b));
        t->bound = b[s->shape.order - lo];
        t->order = *order = s->shape.order;
        return FARSUM_OK;
    }
    TRY(walk_order(&w, limit, least, lo, order, &t->bound));
    if (*order == 0) /* rounding only, if rounding is what exceeds the limit */
        return strict_fails(task, limit,
                            strict_error(task, &s->input, &s->clustering,
                                         t->most, limit > 0 ? t->bound : 0,
                                         t->near));
    t->order = *order;
    return FARSUM_OK;
}

double strict_ratio(const struct fmm *s)
{
    const struct fmm_strict *t = s->strict;
    const struct tree_points *from = &s->tree.source;
    double ratio = 0;
    memset(t->size, 0, (size_t)t->n_boxes * sizeof *t->size);
    for (int64_t leaf = 0; leaf < s->tree.n_leaves; leaf++) {
        double sum = 0;
        for (int64_t i = from->begin[leaf]; i < from->begin[leaf + 1]; i++)
            sum += fabs(s->caller.q[from->order[i]]);
        t->size[tree_leaf_box(&s->tree, leaf)] = sum;
    }
    tree_up(&s->tree, t->size);
    for (int64_t b = 0; b < t->n_boxes; b++)
        if (t->size[b] > 0)
            ratio = fmax(ratio, t->size[b] / t->weight[b]);
    return ratio;
}
