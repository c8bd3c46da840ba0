/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.c: stage arguments, memory and cost of a parameter set. */
#include "tune/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arrays.h"
#include "base/c_locale.h"
#include "tune/measured_choice.h"
#include "points/clustering.h"
#include "cost/expected_rates.h"

static const struct stage *const stages[STAGE_COUNT] = {
#define MESH_STAGE(NAME, name) &name##_stage,
#include "cost/stages.def"
};

/* The clustering factor of points/clustering.h, from the sample: the sources
 * within a ball of a tile's volume over those of a uniform system.  The ball
 * holds enough sources that a crystal's order has no effect. */
static double parameters_clustering(const struct parameters *t,
                                    const struct sample *s,
                                    const struct cell *cell)
{
    enum { ENOUGH = 16 };
    double points = (double)t->mesh[0] * (double)t->mesh[1]
                    * (double)t->mesh[2];
    double tile = CLUSTERING_EDGE * CLUSTERING_EDGE * CLUSTERING_EDGE,
           n = (double)s->n;
    double share = fmin(fmax(tile / fmax(points, 1), ENOUGH / n), 1);
    double radius = cbrt(share * cell->volume * 3 / (4 * M_PI));
    return fmax(sample_around(s, cell, radius) / (share * n), 1);
}

/* The outputs of the stages.  Along open axes the virial is sum F x, and its
 * trace the energy. */
static unsigned parameters_outputs(const struct task *task)
{
    unsigned outputs = task->problem.outputs;
    int open = task_is_slab(task) || task_is_truncated(task);
    if (open && outputs & FARSUM_VIRIAL)
        outputs |= FARSUM_FIELD | FARSUM_ENERGY;
    return outputs;
}

/* Outputs requested from interp, which sees a velocity as three potentials. */
static unsigned parameters_interp(const struct pair *pair, unsigned outputs)
{
    const unsigned all =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT | FARSUM_THIRD;
    /* moments: the virial contains the field, and with quadrupoles the
     * gradient */
    if (pair->kind->moments && outputs & FARSUM_VIRIAL)
        outputs |=
            FARSUM_FIELD | (pair->kind->moments > 1 ? FARSUM_GRADIENT : 0u);
    return outputs & FARSUM_VELOCITY ? FARSUM_POTENTIAL : outputs & all;
}

void parameters_args(const struct parameters *t, const struct task *task,
                     union stage_args args[STAGE_COUNT])
{
    const farsum_problem *p = &task->problem;
    const farsum_spectral_options *o = &task->options.spectral;
    const int64_t n = task->sample.n, m = task->sample.m;
    const int64_t *mesh = t->mesh;
    struct cell cell; /* the sample's radii are in the caller's units */
    cell_scale(&cell, &t->cell, t->rc);
    cell.volume *= t->fill;
    double around = sample_around(&task->sample, &cell, t->rc);
    double clustering = parameters_clustering(t, &task->sample, &cell);
    args[STAGE_NEAR].near = (struct near_args){
        .precision = task->pairs,
        .isa = task->isa,
        .threads = task->threads,
        .outputs = parameters_outputs(task) & ~(unsigned)FARSUM_PARTICLE_VIRIAL,
        .cell = &t->cell,
        .poly = &t->poly,
        .n_sources = n,
        .n_targets = m,
        .neighbours = around,
        .device = task->device,
        .pair = &t->pair,
        .split = &t->split,
        .team = {o->near_team[0], o->near_team[1]},
        .cells = o->near_cells,
        .wide = task_is_mixed(task),
        .allowed = t->near_error};
    args[STAGE_NEAR].near.skin = task->options.spectral.skin / t->rc;
    args[STAGE_NEAR].near.soft = p->softening / t->rc;
    args[STAGE_NEAR].near.repeats = task->options.repeats;
    if (!task->device) /* a device determines it itself */
        args[STAGE_NEAR].near.distinct = !p->exclude_coincident;
    args[STAGE_NEAR].near.exclusions =
        (struct exclusions *)(uintptr_t)&task->exclusions;
    args[STAGE_SPREAD].spread =
        (struct spread_args){.precision = p->precision,
                             .device = task->device,
                             .isa = task->isa,
                             .threads = task->threads,
                             .mesh = {mesh[0], mesh[1], mesh[2]},
                             .ldz = t->ldz,
                             .channels = task->pair.channels,
                             .slopes = task->pair.kind->moments,
                             .clustering = clustering,
                             .repeats = task->options.repeats,
                             .window = &t->window,
                             .n = n};
    args[STAGE_FFT].fft =
        (struct fft_args){p->precision,
                          task->threads,
                          {mesh[0], mesh[1], mesh[2]},
                          t->ldz,
                          task->options.measure,
                          task->device,
                          0,
                          {task->pair.channels, task->pair.values},
                          parameters_channel(t, task->device)};
    args[STAGE_SCALE].scale =
        (struct scale_args){.precision = p->precision,
                            .isa = task->isa,
                            .threads = task->threads,
                            .mesh = {mesh[0], mesh[1], mesh[2]},
                            .ldz = t->ldz,
                            .split = &t->split,
                            .window = &t->window,
                            .cell = &t->cell,
                            .device = task->device,
                            .pair = &t->pair,
                            .radius = t->radius};
    for (int d = 0; d < 3; d++)
        args[STAGE_SCALE].scale.open[d] = t->radius > 0 && !p->periodic[d];
    args[STAGE_INTERP].interp = (struct interp_args){
        .precision = p->precision,
        .device = task->device,
        .isa = task->isa,
        .threads = task->threads,
        .outputs = parameters_interp(&task->pair, parameters_outputs(task)),
        .channels = task->pair.values,
        .mesh = {mesh[0], mesh[1], mesh[2]},
        .ldz = t->ldz,
        .window = &t->window,
        .repeats = task->options.repeats,
        .clustering = m > 0 ? 1 : clustering,
        .cell = &t->cell,
        .n = m > 0 ? m : n};
}

/* Bytes of points on a device: sort keys and indices, and packed coordinates if
 * they exceed half of its cache. */
static int64_t parameters_sort_bytes(const struct device *device, int64_t n)
{
    int64_t cache = device->properties.cache;
    return n * (16 + (cache > 0 && 48 * n > cache ? 32 : 0));
}

/* Bytes that two stages count but that are allocated once. */
static int64_t parameters_twice(const struct parameters *t,
                                const union stage_args args[STAGE_COUNT])
{
    uint64_t key[STAGE_COUNT] = {0};
    int64_t bytes[STAGE_COUNT] = {0}, twice = 0;
    double cost;
    for (int r = 0; r < STAGE_COUNT; r++) {
        const struct variant_row *row = t->choice[r].row;
        if (row && row->variant->shared)
            bytes[r] = row->variant->shared(&args[r], &key[r], &cost);
        for (int k = 0; bytes[r] > 0 && k < r; k++)
            if (bytes[k] > 0 && key[k] == key[r]) {
                twice += bytes[r];
                break;
            }
    }
    return twice;
}

int parameters_beside(const struct task *task)
{
    return task->device != NULL && task->options.device.queues != 1;
}

int64_t parameters_points(const struct task *task, int64_t n, int64_t m)
{
    int64_t real = task->problem.precision == FARSUM_F32 ? 4 : 8;
    const struct pair *pair = &task->pair;
    int64_t in = pair->strengths + (pair->kind->apart ? pair->channels : 0);
    int64_t out = pair->kind->gradient ? 4 : pair->values;
    if (pair->kind->moments) { /* slopes, and the gradient */
        in += pair->strengths;
        out += pair->kind->moments > 1 ? 16 : 6;
    }
    /* per point: s, sorted s, order; strengths, results */
    int64_t bytes =
        (n + m) * (24 + 24 + 8) + n * in * real + (m > 0 ? m : n) * out * real;
    if (parameters_beside(task))
        bytes += (m > 0 ? m : n) * out * real;
    if (task_is_mixed(task))
        bytes += 4 * n * pair->strengths;
    if (task->device) { /* and copies of the caller's arrays */
        int64_t given = task->problem.arrays == FARSUM_F32 ? 4 : 8;
        bytes += parameters_sort_bytes(task->device, n)
                 + parameters_sort_bytes(task->device, m);
        if (task->problem.memory == FARSUM_HOST)
            bytes += (n * pair->strengths + (m > 0 ? m : n) * out) * given
                     + 24 * (n + m);
    }
    return bytes;
}

int64_t parameters_bytes(const struct parameters *t, const struct task *task)
{
    union stage_args args[STAGE_COUNT];
    int64_t real = task->problem.precision == FARSUM_F32 ? 4 : 8;
    int64_t n = task->sample.n, m = task->sample.m > 0 ? task->sample.m : 0;
    int64_t bytes =
        task->pair.channels * parameters_channel(t, task->device) * real
        + parameters_points(task, n, m);
    if (task->problem.outputs & FARSUM_PARTICLE_VIRIAL) /* spectral/each */
        bytes += task->device ? parameters_channel(t, task->device) * real
                                    + n * (4 * real + 96 + 3 * real + 4 + 72)
                              : parameters_channel(t, NULL) * (real + 8)
                                    + n * (4 * real + 72 + 8);
    parameters_args(t, task, args);
    for (int r = 0; r < STAGE_COUNT; r++) {
        const struct variant *v = t->choice[r].row ? t->choice[r].row->variant
                                                   : NULL;
        bytes += v && v->bytes ? v->bytes(&args[r]) : 0;
    }
    return bytes - (m > 0 ? 0 : parameters_twice(t, args));
}

/* Variants of spread or interp with their costs, cheapest first; only the named
 * variant if one is named. */
struct ranked {
    const struct variant_row *row[CHOOSE_MOST];
    double cost[CHOOSE_MOST];
    int n;
};

static void parameters_rank(const struct choice *choice, const char *name,
                            const void *args, int deterministic,
                            struct ranked *ranked)
{
    struct choose_options how = {.deterministic = deterministic};
    *ranked = (struct ranked){{choice->row}, {choice->cost}, 1};
    if (!name)
        ranked->n = choose_rank(choice->stage, args, &how, ranked->row,
                                ranked->cost);
}

/* Lists common to a spread and an interp variant are built once.  Chooses the
 * cheapest pair of variants, with that cost subtracted. */
static void parameters_together(struct parameters *t, const struct task *task,
                                const union stage_args args[STAGE_COUNT])
{
    const farsum_options *o = &task->options;
    struct choice *spread = &t->choice[STAGE_SPREAD];
    struct choice *interp = &t->choice[STAGE_INTERP];
    const void *of[2] = {&args[STAGE_SPREAD], &args[STAGE_INTERP]};
    double now = spread->cost + interp->cost, least = now;
    struct ranked s, i;
    if (!task->device || task->sample.m > 0 || spread->measured
        || interp->measured)
        return;
    parameters_rank(spread, o->spectral.spread, of[0], o->deterministic, &s);
    parameters_rank(interp, o->spectral.interp, of[1], o->deterministic, &i);
    for (int a = 0; a < s.n; a++) {
        const struct variant *v = s.row[a]->variant;
        uint64_t key[2];
        double once[2];
        if (!v->shared || v->shared(of[0], &key[0], &once[0]) == 0)
            continue;
        for (int b = 0; b < i.n; b++) {
            const struct variant *w = i.row[b]->variant;
            if (!w->shared || w->shared(of[1], &key[1], &once[1]) == 0
                || key[0] != key[1])
                continue;
            double saved = fmin(once[0], once[1]);
            if (s.cost[a] + i.cost[b] - saved >= least)
                continue;
            least = s.cost[a] + i.cost[b] - saved;
            spread->row = s.row[a];
            spread->cost = s.cost[a];
            interp->row = i.row[b];
            interp->cost = i.cost[b] - saved;
        }
    }
    if (least < now && !o->spectral.spread)
        c_locale_text(spread->reason, sizeof spread->reason,
                      "est %.3g ms; lists shared with interp",
                      1e3 * spread->cost);
    if (least < now && !o->spectral.interp)
        c_locale_text(interp->reason, sizeof interp->reason,
                      "est %.3g ms; lists shared with spread",
                      1e3 * interp->cost);
}

/* Seconds in which a rank exchanges ghosts; and in *mesh planes and columns.
 * Pencils exchange columns twice: of a spectrum a fraction of 1/sigma travels
 * along axis 1, and of pi/4 sigma^-2 along axis 0. */
static double exchanges_of(const struct parameters *t, const struct task *task,
                           const int shape[2], double *mesh)
{
    const struct links *l = &task->links;
    double meshes = task->pair.channels + task->pair.values, ghosts = 0;
    double real = (double)array_size(task->problem.precision);
    double row = (double)t->ldz * real;
    double points = (double)task->problem.n_sources
                    / ((double)t->mesh[0] * (double)t->mesh[1])
                    * task->pair.strengths * (double)array_size(task->pairs);
    const double part[2] = {fmin(M_PI / 4 / (t->sigma * t->sigma), 1),
                            fmin(1 / t->sigma, 1)};
    double planes[2], halo[2];
    for (int d = 0; d < 2; d++) {
        planes[d] = (double)t->mesh[d] / shape[d];
        halo[d] = fmax((double)t->window.support / 2,
                       (double)t->mesh[d] / t->cell.height[d]);
    }
    *mesh = 0;
    for (int d = 0; d < 2; d++) {
        int size = shape[d], step = d == 0 ? shape[1] : 1;
        double reach = fmin(ceil(halo[d] / planes[d]), size - 1);
        double across = planes[1 - d]; /* a pencil's planes have halos */
        if (d == 0 && shape[1] > 1)
            across += 2 * halo[1];
        ghosts += links_group_neighbours(l, 1, 2 * halo[d] * across * points,
                                         reach, size, step);
        *mesh +=
            links_group_all(l, meshes,
                            meshes * part[d] * planes[0] * planes[1] * row
                                * (1 - 1.0 / size),
                            size, step)
            + links_group_neighbours(l, 2, meshes * 2 * halo[d] * across * row,
                                     reach, size, step);
    }
    return ghosts;
}

/* Seconds of the exchanges, times the number of ranks, as all other costs are
 * those of the whole sum: with the parts that are wanted, else the fastest.
 * Devices exchange planes and columns concurrently with near pairs. */
static double parameters_exchanges(const struct parameters *t,
                                   const struct task *task, double near)
{
    const struct links *l = &task->links;
    const int *wanted = task->shape.ranks;
    double ranks = l->ranks, least = INFINITY, mesh;
    int shape[2] = {l->ranks, 1};
    if (l->ranks <= 1)
        return 0;
    if (wanted[0] > 0)
        memcpy(shape, wanted, sizeof shape);
    do {
        double ghosts = exchanges_of(t, task, shape, &mesh);
        double apart = l->beside ? fmax(ranks * mesh - near, 0) : ranks * mesh;
        least = fmin(least, ranks * ghosts + apart);
    } while (wanted[0] == 0 && ranks_shape_next(shape));
    return least;
}

/* Seconds of one sum.  With two queues, the shorter one is hidden as far as the
 * points leave threads of the device idle. */
static double parameters_seconds(const struct parameters *t,
                                 const struct task *task)
{
    const double *factor = task->machine.factor;
    double near = 0, mesh = 0;
    for (int r = 0; r < STAGE_COUNT; r++) {
        double both = r == STAGE_FFT /* forward and inverse */
                          ? task->pair.channels + task->pair.values
                          : 1;
        double cost =
            both * t->choice[r].cost * (t->choice[r].measured ? 1 : factor[r]);
        *(r == STAGE_NEAR ? &near : &mesh) += cost;
    }
    mesh += parameters_exchanges(t, task, near);
    if (!parameters_beside(task) || task->device->properties.subgroup <= 1)
        return near + mesh;
    double threads = gpu_threads(task->device);
    double points = fmax((double)task->sample.n, (double)task->sample.m);
    return fmax(near, mesh) + fmin(near, mesh) * fmin(points / threads, 1);
}

static farsum_status parameters_rows(struct parameters *t,
                                     const struct task *task, int brief)
{
    const farsum_options *o = &task->options;
    const farsum_spectral_options *given = &o->spectral;
    const char *names[STAGE_COUNT] = {given->near, given->spread, given->fft,
                                      given->scale, given->interp};
    union stage_args args[STAGE_COUNT];
    parameters_args(t, task, args);
    for (int r = 0; r < STAGE_COUNT; r++) {
        struct choose_options how = {.name = names[r],
                                     .deterministic = o->deterministic,
                                     .brief = brief};
        TRY(choose(stages[r], &args[r], &how, &t->choice[r]));
    }
    parameters_together(t, task, args);
    t->seconds = parameters_seconds(t, task);
    return FARSUM_OK;
}

farsum_status parameters_cost(struct parameters *t, const struct task *task)
{
    return parameters_rows(t, task, 1);
}

farsum_status parameters_choose(struct parameters *t, const struct task *task)
{
    TRY(parameters_rows(t, task, 0));
    t->bytes = parameters_bytes(t, task);
    return FARSUM_OK;
}

farsum_status parameters_measured(struct parameters *t, const struct task *task)
{
    static const int kept[] = {STAGE_SPREAD, STAGE_INTERP};
    const farsum_options *o = &task->options;
    union stage_args args[STAGE_COUNT];
    parameters_args(t, task, args);
    for (int k = 0; k < 2; k++) {
        int r = kept[k];
        struct planner how = {.name = r == STAGE_SPREAD ? o->spectral.spread
                                                        : o->spectral.interp,
                              .deterministic = o->deterministic,
                              .measure = o->measure,
                              .device = task->device,
                              .isa = task->isa,
                              .threads = task->threads};
        TRY(planner_choose(&how, stages[r], &args[r], &t->choice[r]));
    }
    parameters_together(t, task, args);
    t->seconds = parameters_seconds(t, task);
    t->bytes = parameters_bytes(t, task);
    return FARSUM_OK;
}
