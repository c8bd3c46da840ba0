/* SPDX-License-Identifier: Apache-2.0 */
/* device_sum.c: stages of one right-hand side on a device, in units of the
 * cutoff.  With two queues, near pairs run concurrently with the mesh. */
#include "method/spectral/device.h"

/* Arguments of one right-hand side's sum. */
struct part {
    const struct task *task;
    struct spectral *s;
    const struct spectral_units *units;
};

/* Arrays that results are added to, initially zero. */
struct totals {
    /* NULL: not requested */
    struct buf *potential, *field, *gradient, *energy, *virial;
};

static struct totals sum_wanted(const struct spectral_units *u,
                                struct buf *potential, struct buf *field,
                                struct buf *gradient, struct buf *energy,
                                struct buf *virial)
{
    return (struct totals){
        u->potential ? potential : NULL, u->field ? field : NULL,
        u->gradient ? gradient : NULL, u->energy ? energy : NULL,
        u->virial ? virial : NULL};
}

static farsum_status sum_stage(struct spectral *s, int r, int watch,
                               const void *io)
{
    struct spectral_gpu *g = s->gpu;
    TRY(stopwatch_start(&g->watch[watch]));
    TRY(s->parameters.choice[r].row->variant->run(s->states[r], io));
    return stopwatch_stop(&g->watch[watch]);
}

/* The far part: the self term instead of near pairs. */
static farsum_status sum_self(const struct part *p, const struct totals *t)
{
    struct stopwatch *watch = &p->s->gpu->watch[STAGE_NEAR];
    TRY(stopwatch_start(watch));
    TRY(gpu_part_self(p->task, p->s, t->potential, t->energy));
    return stopwatch_stop(watch);
}

static farsum_status sum_near(const struct part *p, const struct totals *t)
{
    if (p->task->part == FARSUM_FAR)
        return sum_self(p, t);
    struct near_io near = {.q = &p->s->gpu->q,
                           .potential = t->potential,
                           .field = t->field,
                           .gradient = t->gradient,
                           .energy = t->energy,
                           .virial = t->virial};
    if (task_is_mixed(p->task)) {
        TRY(gpu_mixed_in(p->task, p->s->gpu, p->s->n, &p->s->gpu->q));
        near.q = &p->s->gpu->mixed.q;
    }
    return sum_stage(p->s, STAGE_NEAR, STAGE_NEAR, &near);
}

/* The near pairs, and their part of the particles' virials. */
static farsum_status sum_pairs(const struct part *p, const struct totals *t)
{
    struct spectral_gpu *g = p->s->gpu;
    TRY(sum_near(p, t));
    return p->units->each ? gpu_each_near(
               p->task, p->s, task_is_mixed(p->task) ? &g->mixed.q : &g->q)
                          : FARSUM_OK;
}

static farsum_status sum_mesh(const struct part *p, const struct totals *t)
{
    struct spectral *s = p->s;
    struct spectral_gpu *g = s->gpu;
    const struct pair *pair = &p->task->pair;
    int64_t channel = parameters_channel(&s->parameters, p->task->device);
    int back = t->potential || t->field || t->gradient;
    int moments = pair->kind->moments;
    const struct spread_io spread = {
        .q = pair->kind->apart || moments ? &g->channel : &g->q,
        .mesh = &g->mesh,
        .q_channel = pair->channels > 1 ? 1 : 0,
        .q_point = moments ? pair->strengths : pair->channels,
        .mesh_channel = channel};
    const struct fft_io there = {&g->mesh, 0}, home = {&g->mesh, 1};
    const struct scale_io scale = {.spectrum = &g->mesh,
                                   .keep = back,
                                   .energy = t->energy,
                                   .virial = t->virial,
                                   .mesh_channel = channel};
    const struct interp_io interp = {.mesh = &g->mesh,
                                     .potential = t->potential,
                                     .field = t->field,
                                     .gradient = t->gradient,
                                     .mesh_channel = channel};
    TRY(sum_stage(s, STAGE_SPREAD, STAGE_SPREAD, &spread));
    TRY(sum_stage(s, STAGE_FFT, STAGE_FFT, &there));
    if (p->units->each)
        TRY(gpu_each_keep(p->task, s));
    TRY(sum_stage(s, STAGE_SCALE, STAGE_SCALE, &scale));
    g->ran_back = back;
    if (back) { /* energy and virial come from the spectrum */
        TRY(sum_stage(s, STAGE_FFT, GPU_BACK, &home));
        TRY(sum_stage(s, STAGE_INTERP, STAGE_INTERP, &interp));
    }
    return p->units->each ? gpu_each_far(p->task, s) : FARSUM_OK;
}

/* The mesh's results. */
static struct totals sum_far(const struct part *p)
{
    struct spectral_gpu *g = p->s->gpu;
    return sum_wanted(p->units, &g->potential, &g->field, &g->moments.gradient,
                      &g->energy_sum, &g->virial_sum);
}

static farsum_status sum_beside(void *data)
{
    const struct part *p = data;
    const struct totals far = sum_far(p);
    return sum_mesh(p, &far);
}

/* Runs near pairs in the device's own queue, which they keep busy for long.
 * The mesh's kernels have priority whenever one of them is ready. */
static farsum_status sum_at_once(struct part *p)
{
    struct spectral_gpu *g = p->s->gpu;
    const struct totals near =
        sum_wanted(p->units, &g->near_potential, &g->near_field,
                   &g->moments.near_gradient, &g->near_energy, &g->near_virial);
    TRY(second_stream_fork(&g->aside));
    TRY(sum_pairs(p, &near));
    TRY(second_stream_run(&g->aside, sum_beside, p));
    return second_stream_join(&g->aside);
}

static farsum_status sum_in_turn(struct part *p)
{
    const struct totals all = sum_far(p);
    TRY(sum_pairs(p, &all));
    return sum_mesh(p, &all);
}

farsum_status gpu_sum(const struct task *task, struct spectral *s,
                      const struct spectral_units *units)
{
    struct spectral_gpu *g = s->gpu;
    struct part part = {task, s, units};
    TRY(stopwatch_start(&g->watch[GPU_ALL]));
    TRY(g->beside ? sum_at_once(&part) : sum_in_turn(&part));
    g->timed = 1;
    return stopwatch_stop(&g->watch[GPU_ALL]);
}
