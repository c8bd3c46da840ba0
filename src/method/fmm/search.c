/* SPDX-License-Identifier: Apache-2.0 */
/* search.c: search for the fastest set of boxes, by the costs of the stages'
 * variants. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "method/fmm/ranks.h"
#include "stage/lattice/fft_symbol.h"

/* Maximum ratio of the boxes' edges, where possible. */
#define BRICK 1.34
/* More root boxes of a sparse tree are used if their edges' ratio is smaller by
 * this factor. */
#define ROUNDER 1.05
/* Below this tolerance, and where points require this many orders more than
 * uniform ones, separation 2 is tried too. */
#define WIDER 1e-6
enum { LATE = 8 };
/* Above this order the effect of clusters one box away is extrapolated.
 * Separation 2 is then chosen unless it takes this many times as long. */
enum { KNOWN = 24, DEARER = 2 };
enum { LEVELS = 10, ROOTS = 7, GRID = 512 };
enum { RANKS_DEEPEST = 3 }; /* depth with more roots than ROOTS */
/* Supported separations; those above USUAL only if no other suffices. */
enum { SEPARATIONS = FMM_SEPARATIONS, USUAL = 4 };

/* Shapes whose fields take more seconds to make are left out. */
enum { MAKING_MOST = 300 };

/* The fastest shape so far, if its seconds are not 0, and the failure of the
 * others: the message of the one that comes nearest to the tolerance. */
struct shapes {
    struct fmm_shape best;
    farsum_status missed; /* OK: no other was tried */
    double left;
    char why[300];
};

/* The order that the tolerance requires in these boxes: that for even filling,
 * and the additional orders that the current points require. */
static farsum_status shape_order(const struct task *task, const struct fmm *s,
                                 int64_t n, struct fmm_shape *shape,
                                 double *left)
{
    struct fmm_clustering clustering;
    shape->order = task->options.fmm.order > 0 ? task->options.fmm.order : 0;
    shape->least = 0;
    if (task->options.fmm.order)
        return FARSUM_OK;
    fmm_shape_clustering(s, shape, n, &clustering);
    if (s->strict)
        TRY(fmm_strict_order(task, s, shape, n, &shape->order));
    else
        TRY(fmm_order(task, &s->input, shape->ws, shape->box, &clustering,
                      &shape->order, left));
    if (clustering.random[0] == 0) /* no far boxes */
        return FARSUM_OK;
    shape->order +=
        (int)nearbyint((double)s->learnt[!shape->dense].shift / shape->ws);
    shape->order = shape->order > 1 ? shape->order : 1;
    if (s->alike)
        TRY(fmm_strict_order(task, s, shape, n, &shape->least));
    if (shape->order < shape->least)
        shape->order = shape->least;
    if (shape->order > MULTIPOLE_MOST)
        return fmm_order_fails(task);
    return FARSUM_OK;
}

/* Seconds of the exchanges of ghosts and of the lattice, times the number of
 * ranks, as all other costs are those of the whole sum.  Devices exchange the
 * lattice concurrently with near pairs. */
static double shape_exchanges(const struct task *task, const struct fmm *s,
                              const struct fmm_shape *shape, int64_t n,
                              const struct choice choice[FMM_STAGES])
{
    const struct links *l = &task->links;
    double ranks = l->ranks, layers = (double)shape->root[0];
    double real = task->problem.precision == FARSUM_F32 ? 4 : 8;
    double reach = fmin(ceil(shape->ws * ranks / layers), ranks - 1);
    /* open grids are padded, but the padding along axis 0 is not sent */
    double boxes = (double)(shape->root[0] * shape->root[1] * shape->root[2])
                   * (s->input.periodic ? 1 : 4);
    double grid = 2 * real * multipole_size(shape->order) * boxes / ranks;
    double points = 2 * real * shape->ws * (double)n / layers;
    if (l->ranks <= 1)
        return 0;
    double lattice = ranks * links_all(l, 2, grid * (1 - 1 / ranks));
    if (!choice[FMM_LATTICE].row)
        lattice = 0;
    else if (l->beside)
        lattice = fmax(lattice - choice[FMM_P2P].cost, 0);
    return lattice + ranks * links_neighbours(l, 1, points, reach);
}

/* Seconds of the slowest rank, in layers and pairs.  Hosts cut the layers again
 * where that pays, as set_points does, devices evenly. */
static farsum_status
shape_slowest(const struct task *task, const struct fmm_shape *shape,
              const struct boxes_args *boxes, const struct load_costs *costs,
              const struct p2p_args *pairs, double *seconds)
{
    farsum_status status = FARSUM_OK;
    int64_t layers = shape->root[0], *begin = NULL, *best = NULL;
    int ranks = task->links.ranks;
    double *work = NULL, all = fmax(pairs->neighbours, 1) * p2p_targets(pairs);
    struct heights_part *part = NULL;
    struct ranks_found found;
    GO(MEM_RAW(begin, ranks + 1));
    GO(MEM_RAW(best, ranks + 1));
    GO(MEM_RAW(work, layers));
    GO(MEM_RAW(part, layers));
    heights_layers(&task->heights, layers, ldexp((double)layers, shape->depth),
                   part);
    for (int64_t k = 0; k < layers; k++)
        work[k] = costs->plane + costs->pair * all * part[k].pairs
                  + (costs->source * (double)boxes->n_sources
                     + costs->target * (double)boxes->n_targets)
                        * part[k].points;
    for (int r = 0; r <= ranks; r++)
        begin[r] = layers * r / ranks;
    const struct cuts_work cuts = {layers, work, costs->slab};
    *seconds = cuts_most(&cuts, ranks, begin);
    if (!task->device && task->heights.n > 0) {
        GO(ranks_cuts_find(&cuts, ranks, shape->ws, begin, best, &found));
        if (found.better)
            *seconds = found.best * found.mean;
    }
done:
    mem_free(begin);
    mem_free(best);
    mem_free(work);
    mem_free(part);
    return status;
}

/* Sets shape->seconds to those of the whole sum if ranks share it: the slowest
 * rank's times their number. */
static farsum_status shape_shared(const struct task *task, const struct fmm *s,
                                  int64_t n, const struct boxes_args *boxes,
                                  const struct p2p_args *pairs,
                                  const struct choice choice[FMM_STAGES],
                                  struct fmm_shape *shape)
{
    double slowest = 0;
    const struct load_costs costs =
        fmm_ranks_costs(task, shape, boxes, pairs, choice);
    TRY(shape_slowest(task, shape, boxes, &costs, pairs, &slowest));
    shape->seconds = task->links.ranks * slowest + fmm_ranks_modes(choice)
                     + shape_exchanges(task, s, shape, n, choice);
    return FARSUM_OK;
}

/* Predicts the time of an execute with the shape; *left: its error, if above
 * the tolerance. */
static farsum_status shape_cost(const struct task *task, const struct fmm *s,
                                int64_t n, int64_t m, struct fmm_shape *shape,
                                double *left)
{
    struct choice choice[FMM_STAGES];
    struct boxes_args boxes;
    struct p2p_args pairs;
    double bytes;
    TRY(fmm_soften_fits(task, s, shape));
    TRY(shape_order(task, s, n, shape, left));
    fmm_args(task, s, shape, n, m, &boxes, &pairs);
    TRY(fmm_choose(task, s, &boxes, &pairs, choice));
    shape->seconds = 0;
    for (int r = 0; r < FMM_STAGES; r++)
        shape->seconds += choice[r].cost;
    shape->making = lattice_making(&boxes);
    if (shape->making > MAKING_MOST)
        FAIL(ERR_UNSUPPORTED,
             "the fields of %lld x %lld x %lld root boxes and their images "
             "would take %.2g s to sum, more than %d s; use method spectral",
             (long long)shape->root[0], (long long)shape->root[1],
             (long long)shape->root[2], shape->making, (int)MAKING_MOST);
    if (task->links.ranks > 0) {
        TRY(shape_shared(task, s, n, &boxes, &pairs, choice, shape));
        fmm_ranks_slab(fmm_ranks_most(&boxes, task->links.ranks), &boxes, NULL);
    }
    bytes = 2.0 * multipole_size(shape->order) * (double)boxes.n_boxes * 8;
    if (bytes > 0.7 * (double)task->options.memory_limit)
        FAIL(ERR_MEMORY, "expansions of %lld boxes of order %d need %.3g bytes",
             (long long)boxes.n_boxes, shape->order, bytes);
    return FARSUM_OK;
}

/* Stores a failure that comes nearer to the tolerance than all before. */
static void shapes_miss(struct shapes *all, farsum_status missed, double left,
                        const char *why)
{
    int nearer = missed == FARSUM_ERR_TOLERANCE
                 && (all->missed != FARSUM_ERR_TOLERANCE || left < all->left);
    /* an unknown name fails with every shape */
    if (missed == FARSUM_OK || all->missed == FARSUM_ERR_UNKNOWN
        || (all->missed != FARSUM_OK && !nearer
            && missed != FARSUM_ERR_UNKNOWN))
        return;
    all->missed = missed;
    all->left = left;
    snprintf(all->why, sizeof all->why, "%s", why);
}

/* What a shape is chosen by. */
static double shape_time(const struct fmm_shape *shape)
{
    return shape->seconds + shape->making / FMM_PLAN_SUMS;
}

/* Keeps the shape if it is the fastest so far. */
static void shape_try(const struct task *task, const struct fmm *s, int64_t n,
                      int64_t m, struct fmm_shape *shape, struct shapes *all)
{
    double left = INFINITY;
    if (progress_step(0, 0, "tuning fmm") != FARSUM_OK)
        return; /* the end of the search reports it too */
    farsum_status status = shape_cost(task, s, n, m, shape, &left);
    if (status != FARSUM_OK)
        shapes_miss(all, status, left, farsum_message());
    else if (all->best.seconds == 0
             || shape_time(shape) < shape_time(&all->best))
        all->best = *shape;
}

static farsum_status shapes_end(const struct shapes *all)
{
    TRY(progress_step(0, 0, "tuning fmm"));
    if (all->best.seconds > 0)
        return FARSUM_OK;
    return status_fail(all->missed, "%s", all->why);
}

/* Takes another search's best shape if its time is less than `slower` times
 * that of the present best. */
static void shapes_join(struct shapes *all, const struct shapes *more,
                        double slower)
{
    if (more->best.seconds > 0
        && (all->best.seconds == 0
            || shape_time(&more->best) < slower * shape_time(&all->best)))
        all->best = more->best;
    shapes_miss(all, more->missed, more->left, more->why);
}

/* 1: an axis without images. */
static int shape_open(const struct fmm *s, int d)
{
    return !s->input.periodic || s->input.open[d];
}

/* Root boxes: k along the longest axis, nearly cubic. */
static int shape_root(const struct fmm *s, int64_t k, struct fmm_shape *shape)
{
    const double *edge = s->input.edge;
    double most = fmax(edge[0], fmax(edge[1], edge[2])), least = INFINITY;
    double longest = s->input.periodic ? 0 : most / (double)k;
    for (int d = 0; d < 3; d++) {
        int64_t whole = (int64_t)nearbyint((double)k * edge[d] / most);
        shape->root[d] = whole > 1 ? whole : 1;
        shape->box[d] = edge[d] / (double)shape->root[d];
        if (!shape_open(s, d))
            longest = fmax(longest, shape->box[d]);
    }
    for (int d = 0; d < 3; d++) /* as many as the region's shape requires */
        if (shape_open(s, d)) {
            int64_t whole = (int64_t)ceil(edge[d] / (longest * (1 + 1e-9)));
            shape->root[d] = whole > 1 ? whole : 1;
            shape->box[d] = longest;
        }
    most = fmax(shape->box[0], fmax(shape->box[1], shape->box[2]));
    for (int d = 0; d < 3; d++) {
        shape->box[d] /= most;
        least = fmin(least, shape->box[d]);
    }
    return least * BRICK >= 1;
}

/* The largest number along the longest axis that is tried. */
static int64_t shape_roots_most(const struct fmm *s)
{
    const double *edge = s->input.edge;
    double most = fmax(edge[0], fmax(edge[1], edge[2])), least = most;
    for (int d = 0; d < 3; d++)
        if (!s->input.open[d])
            least = fmin(least, edge[d]);
    return (int64_t)fmin(256, fmax(ROOTS, 4 * most / least));
}

static void shape_given(const struct task *task, const struct fmm *s,
                        struct fmm_shape *shape)
{
    const farsum_fmm_options *o = &task->options.fmm;
    double most = 0, longest = 0;
    for (int d = 0; d < 3; d++) {
        shape->root[d] = o->boxes[d];
        shape->box[d] =
            s->input.periodic ? s->input.edge[d] / (double)o->boxes[d] : 1;
        most = fmax(most, shape->box[d]);
        if (!shape_open(s, d))
            longest = fmax(longest, shape->box[d]);
    }
    for (int d = 0; d < 3; d++) /* along open axes no thin ones */
        shape->box[d] =
            (shape_open(s, d) ? fmax(shape->box[d], longest) : shape->box[d])
            / most;
}

static int shape_step(int64_t k)
{
    return k < 16 ? 1 : k < 128 ? 2 : k < 256 ? 4 : 8;
}

/* Many root boxes, whose far field is computed by transforms of their grid.
 * Ranks share layers of root boxes, so that they may need many of several
 * levels; one process has one level then. */
static void shape_grids(const struct task *task, const struct fmm *s, int64_t n,
                        int64_t m, struct fmm_shape *shape, struct shapes *all)
{
    int levels = task->options.fmm.levels;
    int deepest = task->links.ranks > 0 && !levels ? RANKS_DEEPEST : 0;
    int first = task->links.ranks > 0 && levels ? levels - 1 : 0;
    deepest = deepest > first ? deepest : first;
    for (shape->depth = first; shape->depth <= deepest; shape->depth++)
        for (int64_t k = ROOTS + 1; k <= GRID; k += shape_step(k)) {
            if (!shape_root(s, k, shape) || shape_leaves(shape) > (double)n)
                continue;
            shape_try(task, s, n, m, shape, all);
        }
}

static void shape_dense(const struct task *task, const struct fmm *s, int64_t n,
                        int64_t m, struct fmm_shape *shape, struct shapes *all)
{
    const farsum_fmm_options *o = &task->options.fmm;
    int64_t roots = shape_roots_most(s);
    int levels = task->options.fmm.levels;
    for (int brick = 0; brick < 2 && all->best.seconds == 0; brick++)
        for (int64_t k = 1; k <= (o->boxes[0] ? 1 : roots); k++) {
            if (o->boxes[0])
                shape_given(task, s, shape);
            else if (!shape_root(s, k, shape) && !brick)
                continue; /* long boxes only if there are no others */
            int first = levels ? levels - 1 : 0;
            for (int depth = first; depth <= (levels ? first : LEVELS);
                 depth++) {
                shape->depth = depth;
                /* empty boxes increase the cost */
                if (!levels && depth > 0 && shape_leaves(shape) > (double)n)
                    break;
                shape_try(task, s, n, m, shape, all);
            }
        }
    if (!o->boxes[0] && (levels <= 1 || task->links.ranks > 0))
        shape_grids(task, s, n, m, shape, all);
}

/* The largest depth of a sparse tree: root boxes take some bits of a box's
 * index. */
static int shape_deepest(const struct fmm_shape *shape)
{
    int bits = 0;
    for (int d = 0; d < 3; d++)
        while ((int64_t)1 << bits < shape->root[d])
            bits++;
    return TREE_BITS - bits < TREE_DEPTH ? TREE_BITS - bits : TREE_DEPTH;
}

/* Tries leaf sizes for these root boxes. */
static void shape_leaf(const struct task *task, const struct fmm *s, int64_t n,
                       int64_t m, struct fmm_shape *shape, struct shapes *all)
{
    const farsum_fmm_options *o = &task->options.fmm;
    int64_t first = o->leaf ? o->leaf : 8, last = o->leaf ? o->leaf : 1024;
    shape->depth = shape_deepest(shape);
    shape->depth = o->levels ? o->levels - 1 : fmm_soften_depth(task, s, shape);
    for (shape->leaf = first; shape->leaf <= last; shape->leaf *= 2)
        shape_try(task, s, n, m, shape, all);
}

/* Tries root boxes of a cell: one, or as many as have a smaller ratio of edges
 * than fewer would.  Still more would be boxes of another level. */
static void shape_sparse(const struct task *task, const struct fmm *s,
                         int64_t n, int64_t m, struct fmm_shape *shape,
                         struct shapes *all)
{
    double round = 0;
    if (task->options.fmm.boxes[0] || !s->input.periodic) {
        for (int d = 0; d < 3; d++)
            shape->root[d] = 1, shape->box[d] = 1;
        if (task->options.fmm.boxes[0])
            shape_given(task, s, shape);
        shape_leaf(task, s, n, m, shape, all);
        return;
    }
    for (int64_t k = 1; k <= shape_roots_most(s); k++) {
        (void)shape_root(s, k, shape);
        double least = fmin(shape->box[0], fmin(shape->box[1], shape->box[2]));
        if (least < round * ROUNDER)
            continue;
        round = least;
        shape_leaf(task, s, n, m, shape, all);
    }
}

static void shape_search(const struct task *task, const struct fmm *s,
                         int64_t n, int64_t m, struct fmm_shape *one,
                         struct shapes *all)
{
    if (one->dense)
        shape_dense(task, s, n, m, one, all);
    else
        shape_sparse(task, s, n, m, one, all);
}

/* Bounds require larger separations than estimates do. */
static void shape_strict(const struct task *task, const struct fmm *s,
                         int64_t n, int64_t m, struct fmm_shape *one,
                         struct shapes *all)
{
    int given = task->options.fmm.separation;
    for (one->ws = given ? given : 1; one->ws <= (given ? given : SEPARATIONS)
                                      && (one->ws <= USUAL
                                          || !all->best.seconds);
         one->ws++) {
        struct shapes wide = {.missed = FARSUM_OK};
        shape_search(task, s, n, m, one, &wide);
        shapes_join(all, &wide, 1);
    }
}

farsum_status fmm_shape_find(const struct task *task, const struct fmm *s,
                             int sparse, int64_t n, int64_t m,
                             struct fmm_shape *shape)
{
    struct fmm_shape one = {0};
    struct shapes all = {.missed = FARSUM_OK}, wide = all;
    const struct fmm_shape *best = &all.best;
    const struct fmm_learnt *learnt = &s->learnt[sparse ? 1 : 0];
    TRY(fmm_keeps(task, sparse));
    one.dense = !sparse;
    if (s->strict || s->alike) {
        shape_strict(task, s, n, m, &one, &all);
        *shape = all.best;
        return shapes_end(&all);
    }
    one.ws = task->options.fmm.separation ? task->options.fmm.separation
             : learnt->wide               ? 2
                                          : 1;
    shape_search(task, s, n, m, &one, &all);
    if (!task->options.fmm.separation && !learnt->wide
        && (task->problem.tolerance < WIDER || learnt->shift > LATE
            || best->seconds == 0)) {
        one.ws = 2;
        shape_search(task, s, n, m, &one, &wide);
        shapes_join(&all, &wide, best->order > KNOWN ? DEARER : 1);
    }
    *shape = all.best;
    return shapes_end(&all);
}
