/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c: what follows from a set of boxes: the arguments of the stages, the
 * number of leaves, the points per leaf. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/fmm/kernels.h"
#include "stage/lattice/gpu_grid.h"

static const struct stage *const stages[FMM_STAGES] = {
#define BOXES_STAGE(NAME, name) &name##_stage,
#include "cost/stages.def"
};

/* The number of leaves of a dense tree. */
double shape_leaves(const struct fmm_shape *shape)
{
    double side = ldexp(1, shape->depth);
    return (double)(shape->root[0] * shape->root[1] * shape->root[2]) * side
           * side * side;
}

/* The number of sources in a leaf, mean over the targets. */
static double shape_filling(const struct fmm_shape *shape, int64_t n)
{
    if (shape->dense)
        return 1 + (double)n / shape_leaves(shape);
    return 0.6 * (double)shape->leaf;
}

/* The number of sources in a near list, mean over the targets. */
static double shape_neighbours(const struct task *task, const struct fmm *s,
                               const struct fmm_shape *shape, int64_t n)
{
    double side = 2 * shape->ws + 1, boxes = side * side * side;
    double even = shape_filling(shape, n) * boxes;
    if (!shape->dense || !s->input.periodic || task->sample.n_targets == 0)
        return even;
    /* clustered points: the sources within a ball of these boxes' volume */
    double volume = s->input.volume * boxes / shape_leaves(shape);
    double radius = cbrt(volume * 3 / (4 * M_PI));
    return fmax(even, sample_around(&task->sample, &s->cell, radius));
}

void fmm_shape_region(const struct fmm *s, const struct fmm_shape *shape,
                      double edge[3])
{
    int p = !s->input.open[0] ? 0 : !s->input.open[1] ? 1 : 2;
    double h = s->input.edge[p] / ((double)shape->root[p] * shape->box[p]);
    for (int d = 0; d < 3; d++)
        edge[d] = s->input.open[d] ? h * shape->box[d] * (double)shape->root[d]
                                   : s->input.edge[d];
}

void fmm_args(const struct task *task, const struct fmm *s,
              const struct fmm_shape *shape, int64_t n, int64_t m,
              struct boxes_args *boxes, struct p2p_args *pairs)
{
    double filling = shape_filling(shape, n);
    double targets = (double)(m > 0 ? m : n);
    double leaves = shape->dense
                        ? shape_leaves(shape)
                        : 4.5 * ((double)n + (double)m) / (double)shape->leaf;
    if (!shape->dense && s->learnt[1].many > 0)
        leaves *= s->learnt[1].many;
    *boxes = (struct boxes_args){
        .precision = task->problem.precision,
        .isa = task->isa,
        .threads = task->threads,
        .device = task->device,
        .p = shape->order,
        .moments = fmm_kernel_moments(s->input.kernel),
        .gradient = fmm_kernel_gradient(task),
        .ws = shape->ws,
        .dense = shape->dense,
        .depth = shape->depth,
        .n_boxes = (int64_t)(1 + leaves * (shape->depth ? 8.0 / 7 : 1)),
        .n_leaves = (int64_t)(1 + leaves),
        .n_sources = n,
        .n_targets = (int64_t)targets,
    };
    for (int d = 0; d < 3; d++) {
        boxes->periodic[d] = s->input.periodic && !s->input.open[d];
        boxes->root[d] = shape->root[d];
        boxes->box[d] = shape->box[d];
    }
    *pairs = (struct p2p_args){
        .precision = task->problem.precision,
        .isa = task->isa,
        .threads = task->threads,
        .pair =
            s->input.kernel != FMM_LAPLACE ? pair_find(task->pair.name) : NULL,
        .outputs = (s->input.kernel >= FMM_STOKESLET ? 0 : FARSUM_POTENTIAL)
                   | FARSUM_FIELD
                   | (fmm_kernel_gradient(task) ? FARSUM_GRADIENT : 0),
        .rhs = 1,
        .softening = task->problem.softening,
        .balls = s->input.periodic,
        .n_sources = n,
        .n_targets = m,
        .neighbours = shape_neighbours(task, s, shape, n),
        .filling = filling * targets / (double)n,
        .dense = shape->dense,
        .ws = shape->ws,
        .device = task->device,
    };
    if (s->input.periodic) {
        double edge[3];
        fmm_shape_region(s, shape, edge);
        pairs->skip = 4e-15 * fmax(edge[0], fmax(edge[1], edge[2]));
    }
}

/* The lattice over ranks with devices: the cheaper of the two variants there
 * are, unless one is named.
 *
 * There gpu_fft has planes and lines instead of transforms of three axes, and
 * both copy between boxes and planes.  On an H200 they take so many times as
 * long as in one process (80^3 to 96^3 boxes, order 11, f32). */
static farsum_status choose_over_ranks(const struct boxes_args *boxes,
                                       const struct choose_options *options,
                                       struct choice *best)
{
    static const char *const names[] = {"gpu_fft", "gpu_grid"};
    static const double longer[] = {1.35, 1.45};
    struct choose_options o = *options;
    struct boxes_args turned = *boxes; /* as in gpu_grid.h */
    const char *name = options->name;
    farsum_status status = FARSUM_OK;
    struct choice choice[2];
    int found = -1;
    turned.root[0] = boxes->root[2];
    turned.root[2] = boxes->root[0];
    /* rank 0 has chosen the name, but orders may grow with the points */
    if (name && boxes->p > GRID_ORDER_MOST)
        name = names[0];
    for (int k = 0; k < 2; k++) {
        if (name && strcmp(name, names[k]) != 0)
            continue;
        o.name = names[k];
        choice[k] = *best;
        status = choose(best->stage, k ? &turned : boxes, &o, &choice[k]);
        choice[k].cost *= longer[k];
        if (status == FARSUM_OK
            && (found < 0 || choice[k].cost < choice[found].cost))
            found = k;
    }
    if (found < 0)
        return status;
    *best = choice[found];
    return FARSUM_OK;
}

farsum_status fmm_choose(const struct task *task, const struct fmm *s,
                         const struct boxes_args *boxes,
                         const struct p2p_args *pairs,
                         struct choice choice[FMM_STAGES])
{
    for (int r = 0; r < FMM_STAGES; r++) {
        const struct choose_options options = {
            .name = s->names.name[r][0] ? s->names.name[r] : NULL,
            .deterministic = task->options.deterministic,
            .exact = task->options.strict,
        };
        choice[r] = (struct choice){.stage = stages[r]};
        if (!options.name && boxes->depth == 0
            && (r == FMM_M2M || r == FMM_M2L || r == FMM_L2L))
            continue; /* one level: no shifts */
        if (r == FMM_LATTICE && task->links.ranks > 0 && task->device)
            TRY(choose_over_ranks(boxes, &options, &choice[r]));
        else
            TRY(choose(stages[r], r == FMM_P2P ? (const void *)pairs : boxes,
                       &options, &choice[r]));
        choice[r].cost *= task->machine.factor[MACHINE_FMM + r];
        if (r != FMM_P2P)
            choice[r].cost *= fmm_kernel_passes(s->input.kernel);
        if (r == FMM_LATTICE && task->links.ranks > 0 && !s->names.lattice)
            snprintf(choice[r].reason, sizeof choice[r].reason, "%s",
                     task->device ? "cheaper of the two that ranks have"
                                  : "the one that ranks have on hosts");
    }
    return FARSUM_OK;
}

int fmm_shape_first(const struct fmm *s, const struct fmm_shape *shape)
{
    int64_t most = 0;
    int level = 0;
    for (int d = 0; d < 3; d++)
        most = shape->root[d] > most ? shape->root[d] : most;
    while (!s->input.periodic && most << level <= shape->ws + 1)
        level++;
    return level;
}

double fmm_shape_filling(const struct fmm *s, const struct fmm_shape *shape,
                         int64_t n, int *depth)
{
    double filling = shape_filling(shape, n);
    *depth =
        shape->dense ? shape->depth : (int)(log2(1 + (double)n / filling) / 3);
    /* clustered points are in deeper leaves */
    if (!shape->dense && n > shape->leaf && *depth < fmm_shape_first(s, shape))
        *depth = fmm_shape_first(s, shape);
    return filling;
}

void fmm_shape_clustering(const struct fmm *s, const struct fmm_shape *shape,
                          int64_t n, struct fmm_clustering *clustering)
{
    int depth;
    double filling = fmm_shape_filling(s, shape, n, &depth), sum[2] = {0};
    double h = cbrt(s->input.volume * filling / (double)n);
    *clustering = (struct fmm_clustering){
        .h = h, .ws = shape->ws, .sparse = !shape->dense};
    for (int level = depth; level >= fmm_shape_first(s, shape);
         level--, h *= 2, filling *= 8) {
        clustering->random[0] += filling / (h * h);
        clustering->random[1] += filling / (h * h * h * h);
        clustering->bend[0] += filling / (h * h * h * h * h * h);
        clustering->bend[1] += filling / (h * h * h * h * h * h * h * h);
        sum[0] += filling / h;
        sum[1] += filling / (h * h);
    }
    for (int k = 0; k < 2; k++)
        clustering->together[k] = sum[k] * sum[k];
}
