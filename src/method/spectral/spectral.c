/* SPDX-License-Identifier: Apache-2.0 */
/* spectral.c: method `spectral`: near pairs and a mesh, for any split and
 * window (Lindbo and Tornberg, J. Comput. Phys. 230 (2011) 8744; prolate split:
 * Liang et al.  2025).  The main method. */
#include "method/spectral/spectral.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "base/progress.h"
#include "method/open_axis/open_axis.h"
#include "method/spectral/each/each.h"
#include "method/spectral/exclude.h"
#include "method/spectral/part/part.h"
#include "method/spectral/device_ranks.h"
#include "method/spectral/ranks.h"
#include "method/spectral/ranks_model.h"
#include "method/truncated/truncated.h"

static farsum_status spectral_fits(const struct task *task)
{
    double best = task->pairs == FARSUM_F32 ? 4e-7 : 3e-15;
    TRY(spectral_moments_fits(task));
    if (task->pair.kind->moments > 1) /* third derivatives of the window */
        best = 3e-9;
    TRY(spectral_part_fits(task));
    TRY(spectral_each_fits(task));
    if (task_axes(task) != 3)
        TRY(task_axes(task) == 2 ? open_axis_fits(task) : truncated_fits(task));
    if (task->device && !task->device->properties.f64)
        FAIL(ERR_UNSUPPORTED,
             "positions are double precision, which %s does not have",
             task->device->name);
    if (task->problem.error != FARSUM_ERROR_ABSOLUTE
        && task->problem.tolerance < best)
        FAIL(ERR_TOLERANCE,
             "tolerance %g is below %g, the best that %s reaches",
             task->problem.tolerance, best,
             task_is_mixed(task)         ? "mixed"
             : task->pairs == FARSUM_F32 ? "f32"
                                         : "f64");
    return FARSUM_OK;
}

/* A tenth of the time that a host or GPU takes at low accuracy. */
static double spectral_least(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    double points = (double)(p->n_sources + p->n_targets);
    return task->device ? 5e-11 * points : 5e-8 * points / task->threads;
}

static void spectral_about(const struct task *task, const struct parameters *t)
{
    farsum_plan_info *i = &task->report->info;
    i->split = split_name(&t->split);
    i->window = window_name(&t->window);
    i->cutoff = t->rc;
    i->bandwidth = t->split.c;
    i->upsampling = t->sigma;
    i->shape = t->window.shape;
    memcpy(i->mesh, t->mesh, sizeof i->mesh);
    i->support = t->window.support;
    i->near_coefficients = t->poly.n;
    i->estimated_error = t->error;
    i->norm = parameters_norm(task);
    i->bytes = (uint64_t)t->bytes;
    if (t->choice[STAGE_NEAR].row->variant->lists)
        i->skin = task->options.spectral.skin;
    i->queues = !task->device ? 0 : parameters_beside(task) ? 2 : 1;
    i->n_stages = STAGE_COUNT;
    for (int r = 0; r < STAGE_COUNT; r++)
        i->stages[r] = (farsum_stage_info){
            t->choice[r].stage->name, t->choice[r].row->name,
            t->choice[r].reason, 0, t->choice[r].row->variant->deterministic};
}

static void spectral_destroy(void *state)
{
    struct spectral *s = state;
    if (!s)
        return;
    if (s->gpu) /* it uses the stages' kernels */
        graph_clear(&s->gpu->recording);
    for (int r = 0; r < STAGE_COUNT; r++)
        if (s->states[r])
            s->parameters.choice[r].row->variant->destroy(s->states[r]);
    spectral_ranks_destroy(s);
    open_axis_destroy(s->open_axis);
    spectral_each_destroy(s->each);
    points_clear(&s->source);
    points_clear(&s->target);
    mem_free(s->near_q);
    mem_free(s->q);
    mem_free(s->channel);
    mem_free(s->potential);
    mem_free(s->field);
    mem_free(s->gradient);
    mem_free(s->third);
    mem_free(s->mesh);
    mem_free(s->x);
    mem_free(s->y);
    spectral_gpu_destroy(s->gpu);
    mem_free(s);
}

/* A rank's limit is for its part: rank 0 chooses by the fullest rank's. */
static farsum_status spectral_memory(const struct task *task,
                                     struct spectral *s)
{
    struct parameters *t = &s->parameters;
    struct ranks_model m;
    if (task->comm)
        return FARSUM_OK;
    if (task->links.ranks > 0) {
        TRY(spectral_model(task, s, &task->links, &m));
        t->bytes = (int64_t)m.held;
    }
    if ((uint64_t)t->bytes > task->options.memory_limit)
        FAIL(ERR_MEMORY,
             "a mesh of %lld x %lld x %lld needs %lld bytes in all, "
             "memory_limit is %llu",
             (long long)t->mesh[0], (long long)t->mesh[1],
             (long long)t->mesh[2], (long long)t->bytes,
             (unsigned long long)task->options.memory_limit);
    return FARSUM_OK;
}

static farsum_status spectral_stages(const struct task *task,
                                     struct spectral *s)
{
    union stage_args args[STAGE_COUNT];
    struct parameters *t = &s->parameters;
    if (task->device)
        TRY(task_agree(task, spectral_gpu_create(task, s)));
    if (task->comm)
        return task->device ? gpu_ranks_create(task, s)
                            : spectral_ranks_create(task, s);
    if (!task->device)
        TRY(mem_alloc(&s->mesh,
                      task->pair.channels * parameters_channel(t, NULL),
                      (size_t)array_size(task->problem.precision), 1));
    parameters_args(t, task, args);
    args[STAGE_NEAR].near.lists = &s->lists;
    for (int r = 0; r < STAGE_COUNT; r++) {
        TRY(progress_step(r, STAGE_COUNT, "making %s",
                          t->choice[r].stage->name));
        TRY(t->choice[r].row->variant->create(&args[r], &s->states[r]));
    }
    return spectral_each_create(task, s, args, t->mesh[0],
                                parameters_channel(t, NULL));
}

static farsum_status spectral_tune(const struct task *task, void **state,
                                   double *seconds)
{
    farsum_status status = FARSUM_OK;
    struct spectral *s = NULL;
    GO(MEM_NEW(s, 1));
    GO(tune(task, &s->parameters));
    GO(spectral_memory(task, s));
    *seconds = s->parameters.seconds;
    if (task_axes(task) == 2)
        *seconds += open_axis_seconds(task, &s->parameters);
    *state = s;
    s = NULL;
done:
    spectral_destroy(s);
    return status;
}

static farsum_status spectral_create(struct task *task, void *state)
{
    struct spectral *s = state;
    s->zero = pair_zero(&s->parameters.pair, &s->parameters.split);
    if (s->parameters.cell.reduced)
        task_log(task, "the cell is tilted: a shorter basis of its lattice is "
                       "used");
    if (!task->dry)
        TRY(spectral_stages(task, s));
    spectral_about(task, &s->parameters);
    return FARSUM_OK;
}

static farsum_status spectral_unwrapped(double **to, int64_t n, const void *x,
                                        farsum_precision type, double per)
{
    mem_free(*to);
    TRY(MEM_RAW(*to, 3 * n));
    for (int64_t i = 0; i < 3 * n; i++)
        (*to)[i] = per * array_get(x, type, i);
    return FARSUM_OK;
}

farsum_status spectral_reserve(const struct task *task, struct spectral *s,
                               int64_t n, int64_t targets)
{
    size_t size = (size_t)array_size(task->problem.precision);
    const struct pair *pair = &task->pair;
    TRY(mem_reserve(&s->q, &s->have_q, n * pair->strengths, size));
    if (task_is_mixed(task))
        TRY(spectral_mixed_reserve(task, s, n));
    int64_t channels = pair->kind->moments ? pair->strengths
                       : pair->kind->apart ? pair->channels
                                           : 0;
    if (channels > 0)
        TRY(mem_reserve(&s->channel, &s->have_channel, n * channels, size));
    if (s->have_out >= targets)
        return FARSUM_OK;
    s->have_out = 0;
    mem_free(s->potential);
    mem_free(s->field);
    mem_free(s->gradient);
    mem_free(s->third);
    s->potential = s->field = s->gradient = s->third = NULL;
    TRY(mem_alloc(&s->potential, targets * pair->values, size, 0));
    if (pair->kind->gradient)
        TRY(mem_alloc(&s->field, 3 * targets, size, 0));
    if (pair->kind->moments)
        TRY(mem_alloc(&s->gradient, 6 * targets, size, 0));
    if (pair->kind->moments > 1)
        TRY(mem_alloc(&s->third, 10 * targets, size, 0));
    s->have_out = targets;
    return FARSUM_OK;
}

static farsum_status spectral_bins(const struct task *task, struct spectral *s,
                                   int64_t m)
{
    union stage_args args[STAGE_COUNT];
    int32_t nb[3];
    parameters_args(&s->parameters, task, args);
    spread_tiles(&args[STAGE_SPREAD].spread, nb);
    TRY(bins_build(&s->source, nb, task->threads));
    if (m > 0)
        TRY(bins_build(&s->target, nb, task->threads));
    return FARSUM_OK;
}

static farsum_status spectral_wrap(const struct task *task, struct spectral *s,
                                   int64_t n, const void *x, int64_t m,
                                   const void *y)
{
    farsum_precision type = task->problem.arrays;
    struct cell cell;
    cell_scale(&cell, &s->parameters.cell, s->parameters.rc);
    cell.unit = task_per(task);
    TRY(points_set(&s->source, &cell, n, x, type, "source", task->threads));
    if (m > 0)
        TRY(points_set(&s->target, &cell, m, y, type, "target", task->threads));
    if (!spectral_unwraps(task))
        return FARSUM_OK;
    TRY(spectral_unwrapped(&s->x, n, x, type, cell.unit));
    return m > 0 ? spectral_unwrapped(&s->y, m, y, type, cell.unit) : FARSUM_OK;
}

static farsum_status spectral_host_points(struct task *task, struct spectral *s,
                                          int64_t n, const void *x, int64_t m,
                                          const void *y)
{
    const struct points *targets = m > 0 ? &s->target : &s->source;
    int grown = 0;
    TRY(spectral_wrap(task, s, n, x, m, y));
    TRY(truncated_follow(task, s, n, m, spectral_stages, &grown));
    if (grown) {
        spectral_about(task, &s->parameters);
        TRY(spectral_wrap(task, s, n, x, m, y));
    }
    TRY(spectral_reserve(task, s, n, m > 0 ? m : n));
    if (task_axes(task) == 2)
        TRY(open_axis_set_points(task, s, n, m));
    TRY(spectral_bins(task, s, m));
    for (int r = 0; r < STAGE_COUNT; r++) {
        const struct variant *v = s->parameters.choice[r].row->variant;
        /* spread reads the sources, interp writes the targets */
        const struct points *a = r == STAGE_INTERP ? targets : &s->source;
        TRY(progress_step(r, STAGE_COUNT, "placing points: %s",
                          s->parameters.choice[r].stage->name));
        if (v->set && s->states[r]) /* a part lacks some stages */
            TRY(v->set(s->states[r], a, targets));
    }
    s->n = n;
    s->m = m;
    return spectral_each_set(task, s);
}

static farsum_status spectral_set_points(struct task *task, void *state,
                                         int64_t n, const void *x, int64_t m,
                                         const void *y)
{
    struct spectral *s = state;
    TRY(task_agree(task, progress_step(0, 0, "placing points")));
    TRY(s->ranks                  ? spectral_ranks_points(task, s, n, x, m, y)
        : s->gpu && s->gpu->ranks ? gpu_ranks_points(task, s, n, x, m, y)
        : s->gpu                  ? spectral_gpu_set_points(task, s, n, x, m, y)
                                  : spectral_host_points(task, s, n, x, m, y));
    if (!task->comm) {
        s->all_n = s->n;
        s->all_m = s->m;
    }
    task->report->info.lists_made = s->lists.made;
    task->report->info.lists_kept = s->lists.kept;
    return FARSUM_OK;
}

/* Sets *trial to the parameters in another cell. */
static farsum_status cell_trial(const struct task *task,
                                const struct spectral *s, const double rows[9],
                                struct parameters *trial)
{
    double old[9], fresh[9];
    *trial = s->parameters;
    memcpy(old, task->problem.cell, sizeof old);
    memcpy(fresh, rows, sizeof fresh);
    truncated_rows(task, &s->parameters, old);
    truncated_rows(task, &s->parameters, fresh);
    TRY(cell_follow(&trial->cell, &s->parameters.cell, old, fresh,
                    1 / s->parameters.rc));
    parameters_error(trial, task);
    if (trial->error > task->problem.tolerance)
        FAIL(ERR_TOLERANCE,
             "in this cell the plan's estimated error is %.3g, its tolerance "
             "%.3g: make a new plan",
             task_error(task, trial->error), task->given.tolerance);
    return FARSUM_OK;
}

static farsum_status spectral_set_cell(struct task *task, void *state,
                                       const double rows[9])
{
    struct spectral *s = state;
    struct parameters trial;
    TRY(task_agree(task, cell_trial(task, s, rows, &trial)));
    if (task->comm)
        TRY(s->gpu ? gpu_ranks_cell(task, s, &trial)
                   : spectral_ranks_cell(task, s, &trial));
    /* the stages hold pointers into s->parameters */
    s->parameters.cell = trial.cell;
    s->parameters.field = trial.field;
    s->parameters.potential = trial.potential;
    s->parameters.square = trial.square;
    s->parameters.error = trial.error;
    task->report->info.estimated_error = trial.error;
    return FARSUM_OK;
}

struct spread_io spectral_spread(const struct task *task,
                                 const struct spectral *s, int64_t channel)
{
    const struct pair *pair = &task->pair;
    int moments = pair->kind->moments, apart = pair->kind->apart || moments;
    return (struct spread_io){.q = apart ? s->channel : s->q,
                              .mesh = s->mesh,
                              .q_channel = 1,
                              .q_point =
                                  moments ? pair->strengths : pair->channels,
                              .mesh_channel = channel};
}

/* Sums one right-hand side in the task's units. */
static farsum_status spectral_sum(const struct task *task, struct spectral *s,
                                  const farsum_result *result,
                                  struct spectral_sums *sums)
{
    int64_t channel = parameters_channel(&s->parameters, NULL);
    void *potential = result->potential || result->velocity ? s->potential
                                                            : NULL;
    void *field = result->field ? s->field : NULL;
    void *gradient = result->gradient ? s->gradient : NULL;
    void *third = result->third ? s->third : NULL;
    double *energy = result->energy ? &sums->energy : NULL;
    double *virial = result->virial ? sums->virial : NULL;
    struct near_io near = {.q = s->q,
                           .potential = potential,
                           .field = field,
                           .gradient = gradient,
                           .third = third,
                           .energy = energy,
                           .virial = virial};
    const struct spread_io spread = spectral_spread(task, s, channel);
    int back = potential || field || gradient || third;
    const struct fft_io there = {s->mesh, 0}, home = {s->mesh, 1};
    struct scale_io scale = {.spectrum = s->mesh,
                             .keep = back,
                             .energy = energy,
                             .virial = virial,
                             .mesh_channel = channel};
    struct interp_io interp = {.mesh = s->mesh,
                               .potential = potential,
                               .field = field,
                               .gradient = gradient,
                               .third = third,
                               .mesh_channel = channel};
    if (task_is_mixed(task))
        near.q = spectral_mixed_in(task, s);
    if (task->part != FARSUM_FAR)
        TRY(spectral_stage(s, STAGE_NEAR, &near));
    if (result->particle_virial)
        TRY(spectral_each_near(task, s, near.q, NULL));
    if (task->part != FARSUM_WHOLE)
        spectral_part_self(task, s, result, sums);
    if (task->part == FARSUM_NEAR)
        return FARSUM_OK;
    TRY(spectral_stage(s, STAGE_SPREAD, &spread));
    TRY(spectral_stage(s, STAGE_FFT, &there));
    if (result->particle_virial)
        spectral_each_keep(task, s, s->mesh);
    TRY(spectral_stage(s, STAGE_SCALE, &scale));
    double before = s->seconds[STAGE_FFT];
    if (back) {
        TRY(spectral_stage(s, STAGE_FFT, &home));
        s->seconds_back += s->seconds[STAGE_FFT] - before;
        TRY(spectral_stage(s, STAGE_INTERP, &interp));
    }
    return result->particle_virial ? spectral_each_far(task, s) : FARSUM_OK;
}

static farsum_status spectral_host_execute(struct task *task,
                                           struct spectral *s, int rhs,
                                           const void *q,
                                           farsum_result *result)
{
    s->all = (STAGE_COUNT + 1) * (int64_t)rhs; /* fft forward and backward */
    for (int r = 0; r < rhs; r++) {
        farsum_result wanted = spectral_moments_wanted(task, result);
        struct spectral_sums sums = {0};
        TRY(spectral_in(task, s, r, q, &sums.q1, &sums.q2));
        if (s->open_axis)
            open_axis_wanted(&wanted);
        truncated_wanted(task, s, &wanted);
        spectral_zero(task, s, &wanted);
        TRY(spectral_sum(task, s, &wanted, &sums));
        spectral_exclude(task, s, &wanted, &sums);
        if (s->open_axis)
            TRY(open_axis_add(task, s, &wanted, &sums));
        truncated_virial(task, s, &wanted, &sums);
        if (result->velocity)
            TRY(spectral_out_flow(task, s, r, q, &sums, result));
        else
            TRY(spectral_out(task, s, r, q, &sums, result));
    }
    return FARSUM_OK;
}

static farsum_status spectral_execute(struct task *task, void *state, int rhs,
                                      const void *q, farsum_result *result)
{
    struct spectral *s = state;
    if (s->gpu)
        return spectral_gpu_execute(task, s, rhs, q, result);
    memset(s->seconds, 0, sizeof s->seconds);
    s->seconds_back = 0;
    s->done = 0;
    TRY(s->ranks ? spectral_ranks_execute(task, s, rhs, q, result)
                 : spectral_host_execute(task, s, rhs, q, result));
    task->report->info.seconds_stages = 0;
    for (int r = 0; r < STAGE_COUNT; r++) {
        task->report->info.stages[r].seconds = s->seconds[r];
        task->report->info.seconds_stages += s->seconds[r];
    }
    return FARSUM_OK;
}

static farsum_status spectral_finish(struct task *task, void *state)
{
    struct spectral *s = state;
    return s->gpu ? spectral_gpu_finish(task, s) : FARSUM_OK;
}

static farsum_status spectral_excludes(struct task *task, void *state)
{
    struct spectral *s = state;
    return s->ranks                  ? spectral_ranks_exclusions(task, s)
           : s->gpu && s->gpu->ranks ? gpu_ranks_exclusions(task, s)
           : s->gpu                  ? spectral_gpu_exclude(task, s)
                                     : FARSUM_OK;
}

const struct method method_spectral = {
    .fits = spectral_fits,
    .least = spectral_least,
    .tune = spectral_tune,
    .create = spectral_create,
    .set_points = spectral_set_points,
    .set_cell = spectral_set_cell,
    .execute = spectral_execute,
    .finish = spectral_finish,
    .destroy = spectral_destroy,
    .exclude = spectral_excludes,
    .part = spectral_part,
    .near = spectral_near,
    .model = spectral_model,
    .options = METHOD_CUTOFF | METHOD_MESH,
    .mixed = 1,
};
