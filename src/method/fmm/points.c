/* SPDX-License-Identifier: Apache-2.0 */
/* points.c: extent, tree and order for points, and the stages' set calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "method/fmm/bound/bound.h"
#include "method/fmm/device/set_points.h"
#include "method/fmm/kernels.h"
#include "points/clustering.h"

enum {
    CLOSE = 2, /* orders by which a tree may be off */
    SHIFT = 80,
    SPARE = 64, /* consecutive sets whose order may be one less than the
                   stages' */
    MESH = FMM_CELL * CLUSTERING_EDGE, /* grid on which clusters are sought */
};

void fmm_extent(struct fmm *s, const double low[3], const double high[3])
{
    struct fmm_input *f = &s->input;
    double most = 0;
    s->placed = 1;
    for (int d = 0; d < 3; d++) {
        f->edge[d] = high[d] - low[d];
        most = fmax(most, f->edge[d]);
    }
    most = most > 0 ? most : 1;
    f->volume = 1;
    for (int d = 0; d < 3; d++) {
        f->edge[d] = fmax(f->edge[d], 1e-3 * most);
        f->volume *= f->edge[d];
    }
    for (int d = 0; d < 3; d++)
        s->middle[d] = low[d] / 2 + high[d] / 2;
    if (!s->sampled && f->kernel != FMM_LAPLACE) {
        fmm_kernel_guess(f, (double)s->all_n);
    } else if (!s->sampled) {
        double n = (double)s->all_n;
        f->force = f->q2 * pow(n / f->volume, 2.0 / 3);
        f->potential = sqrt(f->q2) * cbrt(n / f->volume);
    }
}

struct tree_given fmm_given(const struct fmm *s, const struct points *p)
{
    return (struct tree_given){
        p->n, {p->s[0], p->s[1], p->s[2]}, 1, s->input.periodic};
}

struct tree_args fmm_tree_args(const struct task *task, const struct fmm *s)
{
    struct tree_args args = {
        .dense = s->shape.dense,
        .depth = s->shape.depth,
        .ws = s->shape.ws,
        .leaf = s->shape.leaf ? s->shape.leaf : 1,
        .precision = task->problem.precision,
        .threads = task->threads,
    };
    for (int d = 0; d < 3; d++) {
        args.periodic[d] = s->input.periodic && !s->input.open[d];
        args.root[d] = s->shape.root[d];
        args.edge[d] = s->input.edge[d];
    }
    if (s->input.periodic)
        fmm_shape_region(s, &s->shape, args.edge);
    return args;
}

/* Turns fractions along open axes into those of the tree's region. */
static void points_stretch(struct fmm *s, const struct tree_args *args)
{
    struct points *const all[] = {&s->source, &s->target};
    for (int d = 0; d < 3; d++) {
        double ratio = s->span[d] / args->edge[d];
        if (!s->input.open[d] || ratio == 1)
            continue;
        for (int k = 0; k < 2; k++)
            for (int64_t i = 0; i < all[k]->n; i++)
                all[k]->s[d][i] *= ratio;
        s->span[d] = args->edge[d];
    }
}

/* Builds a tree of s->shape and computes its statistics. */
static farsum_status points_tree(const struct task *task, struct fmm *s,
                                 int64_t m)
{
    if (s->ranks)
        return fmm_ranks_tree(s);
    if (s->gpu)
        return fmm_gpu_sparse_tree(task, s, m);
    const struct tree_given source = fmm_given(s, &s->source);
    const struct tree_given target = fmm_given(s, &s->target);
    const struct tree_given *targets = m > 0 ? &target : NULL;
    struct tree_args args = fmm_tree_args(task, s);
    if (!s->input.periodic)
        TRY(tree_region(&args, &source, targets));
    points_stretch(s, &args);
    TRY(tree_set(&s->tree, &args, &source, targets));
    fmm_near(task, s, &s->tree);
    return fmm_clustering(&s->tree, fmm_shape_first(s, &s->shape),
                          &s->clustering);
}

/* Stores what the current tree shows about the points, for other boxes. */
static void points_learn(const struct task *task, struct fmm *s, int order,
                         int64_t n, int64_t m)
{
    struct boxes_args boxes;
    struct p2p_args pairs;
    struct fmm_learnt *learnt = &s->learnt[!s->shape.dense];
    int shift = learnt->shift + (order - s->shape.order) * s->shape.ws;
    learnt->shift = shift < -SHIFT ? -SHIFT : shift > SHIFT ? SHIFT : shift;
    if (s->shape.dense)
        return;
    learnt->many = 0;
    fmm_args(task, s, &s->shape, n, m, &boxes, &pairs);
    learnt->many = (double)s->tree.n_boxes / (double)boxes.n_boxes;
}

/* The order that the current tree requires. */
static farsum_status points_need(const struct task *task, struct fmm *s,
                                 int *order)
{
    double left;
    if (s->strict)
        return fmm_strict_points(task, s, order);
    TRY(fmm_order(task, &s->input, s->shape.ws, s->shape.box, &s->clustering,
                  order, &left));
    *order = *order > s->shape.least ? *order : s->shape.least;
    return FARSUM_OK;
}

/* The same; leaves *order unchanged if there is none. */
static farsum_status points_order(const struct task *task, struct fmm *s,
                                  int *order)
{
    int found = *order;
    farsum_status status = points_need(task, s, &found);
    if (status == FARSUM_OK)
        *order = found;
    if (s->strict) /* checked once */
        s->strict->known = status == FARSUM_OK;
    return status == FARSUM_ERR_TOLERANCE ? FARSUM_OK : status;
}

farsum_status fmm_points_boxes(const struct task *task, struct fmm *s,
                               int clustered, int64_t n, int64_t m)
{
    for (int turn = 1;; turn++) {
        int order = MULTIPOLE_MOST + 4;
        farsum_status status =
            progress_step(turn, FMM_TURNS, "placing points: tree");
        s->input.near = 0; /* shapes are reused for other points */
        if (status == FARSUM_OK)
            status = fmm_shape(task, s, clustered, n, m, &s->shape);
        TRY(task_agree(task, status));
        TRY(points_tree(task, s, m));
        if (s->strict)
            s->strict->known = 0;
        if (task->options.fmm.order || s->clustering.random[0] == 0
            || turn == FMM_TURNS)
            return FARSUM_OK;
        /* if there is none, boxes that require a lower order are sought */
        TRY(points_order(task, s, &order));
        if (abs(order - s->shape.order) <= CLOSE)
            return FARSUM_OK;
        points_learn(task, s, order, n, m);
    }
}

/* The points of successive steps may require alternating orders.  Stages of the
 * higher order serve both, and new ones take a device longer than many sums.
 * So the existing stages are kept until SPARE consecutive sets have required
 * the lower order. */
static int points_may_keep(const struct task *task, const struct fmm *s)
{
    return !task->options.fmm.order && !task->options.deterministic
           && !s->strict && s->spare < SPARE;
}

farsum_status fmm_points_stages(const struct task *task, struct fmm *s,
                                int64_t n, int64_t m)
{
    struct boxes_args boxes;
    struct p2p_args pairs;
    int order;
    if (s->strict && s->strict->known)
        order = s->strict->order;
    else if (s->strict || !task->options.fmm.order)
        TRY(points_need(task, s, &order));
    if (s->strict)
        s->strict->known = 0;
    if (!task->options.fmm.order) {
        if (s->shape.dense && order < s->shape.order)
            order = s->shape.order;
        s->shape.order = order;
    }
    fmm_args(task, s, &s->shape, n, m, &boxes, &pairs);
    if (s->ranks)
        fmm_ranks_part(s, &boxes, &pairs);
    int keep = points_may_keep(task, s) && fmm_order_there(s, &boxes);
    s->spare = keep ? s->spare + 1 : 0;
    if (keep) {
        s->shape.order++;
        fmm_args(task, s, &s->shape, n, m, &boxes, &pairs);
        if (s->ranks)
            fmm_ranks_part(s, &boxes, &pairs);
    }
    boxes.n_boxes = s->tree.n_boxes;
    boxes.n_leaves = s->tree.n_leaves;
    if (!s->tree.dense)
        boxes.n_parents = s->tree.n_boxes - s->tree.n_leaves;
    farsum_status status = fmm_states(task, s, &boxes, &pairs);
    return s->ranks ? fmm_ranks_states(task, s, status) : status;
}

farsum_status fmm_points_set(const struct task *task, struct fmm *s)
{
    s->source.tree = &s->tree;
    for (int r = 0; r < FMM_STAGES; r++)
        if (s->states[r] && s->choice[r].row->variant->set)
            TRY(s->choice[r].row->variant->set(s->states[r], &s->source,
                                               &s->source));
    fmm_about(task, s);
    return fmm_strict_about(task, s);
}

/* Sets *uneven to 1 if the points require a sparse tree. */
farsum_status fmm_points_uneven(const struct task *task, struct fmm *s,
                                int64_t n, int64_t m, int *uneven)
{
    const int64_t mesh[3] = {MESH, MESH, MESH};
    const struct fmm_places places = {
        n, {s->source.s[0], s->source.s[1], s->source.s[2]}, 1, FARSUM_F64, 1};
    double crowding = 1, seconds;
    *uneven = 0;
    if (!s->input.periodic)
        return fmm_uneven(&places, s->input.edge, task->threads, uneven);
    if (s->names.tree)
        return FARSUM_OK;
    if (task->sample.n_targets == 0)
        TRY(clustering_measure(&s->source, mesh, &crowding));
    return fmm_uneven_cell(task, s, crowding, n, m, 0, &seconds, uneven);
}

/* A dense tree replaces a sparse one that is slower, or whose many levels cause
 * an error above the tolerance, rounding included. */
farsum_status fmm_points_tree(const struct task *task, struct fmm *s,
                              int uneven, int64_t n, int64_t m)
{
    const struct fmm_learnt learnt[2] = {s->learnt[0], s->learnt[1]};
    int worth = 1;
    farsum_status status = fmm_points_boxes(task, s, uneven, n, m);
    if (status == FARSUM_OK && fmm_either(s))
        status = fmm_uneven_worth(task, s, n, m, &worth);
    if (status == FARSUM_OK && worth)
        status = fmm_points_stages(task, s, n, m);
    if (status == FARSUM_ERR_TOLERANCE) /* due to this tree */
        memcpy(s->learnt, learnt, sizeof learnt);
    if (status == FARSUM_OK ? worth
                            : status != FARSUM_ERR_TOLERANCE || !fmm_either(s))
        return status;
    TRY(fmm_points_boxes(task, s, 0, n, m));
    return fmm_points_stages(task, s, n, m);
}

int fmm_points_wider(const struct task *task, struct fmm *s)
{
    if (task->options.fmm.separation || task->options.fmm.order || s->strict
        || s->learnt[0].wide || s->shape.ws > 1)
        return 0;
    for (int k = 0; k < 2; k++)
        s->learnt[k] = (struct fmm_learnt){.wide = 1};
    return 1;
}
