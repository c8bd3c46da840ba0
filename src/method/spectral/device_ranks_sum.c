/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks_sum.c: a sum of `spectral` over ranks with a device each.
 *
 * All calls are made on all ranks, in the same order, also after a failure. */
#include "method/spectral/device_ranks.h"

#include "base/arrays.h"

/* Arguments of one right-hand side's sum. */
struct part {
    const struct task *task;
    struct spectral *s;
    const struct spectral_units *units;
    int values; /* numbers of a potential or velocity; 0: not requested */
    int back;   /* 1: results come back from the mesh */
};

/* Runs a stage between two events. */
static farsum_status part_stage(const struct part *p, int stage, const void *io)
{
    struct spectral *s = p->s;
    return s->parameters.choice[stage].row->variant->run(s->states[stage], io);
}

static farsum_status watch_start(const struct part *p, int watch)
{
    return stopwatch_start(&p->s->gpu->watch[watch]);
}

static farsum_status watch_stop(const struct part *p, int watch)
{
    return stopwatch_stop(&p->s->gpu->watch[watch]);
}

/* The units of the owner's points. */
static struct spectral_units part_units(const struct part *p)
{
    struct spectral_units u = *p->units;
    u.n = p->s->n;
    u.targets = spectral_targets(p->s);
    u.beside = 1;
    return u;
}

static struct gpu_moments_arrays part_moments(const struct gpu_ranks *r)
{
    return (struct gpu_moments_arrays){.q = &r->q,
                                       .channel = &r->channel,
                                       .field = &r->field,
                                       .near_field = &r->near_field,
                                       .gradient = &r->gradient,
                                       .near_gradient = &r->near_gradient};
}

/* Scaled strengths from the givers to the owners, and from these to ghosts. */
static farsum_status part_strengths(const struct part *p)
{
    struct spectral_gpu *g = p->s->gpu;
    struct gpu_ranks *r = g->ranks;
    const struct pair *pair = &p->task->pair;
    farsum_status status = FARSUM_OK;
    const struct gpu_values given = {&g->q, 0, pair->strengths, 1};
    const struct gpu_values channel = {&g->channel, 0, pair->channels, 1};
    const struct gpu_values own = {&r->q, 0, pair->strengths, 1};
    KEEP_ON(
        gpu_sends_there(&r->route.sends, pair->strengths, &given, &r->q, 0));
    if (pair->kind->apart)
        KEEP_ON(gpu_sends_there(&r->route.sends, pair->channels, &channel,
                                &r->channel, 0));
    KEEP_ON(gpu_sends_there(&r->ghosts.sends, pair->strengths, &own, &r->q,
                            p->s->n * pair->strengths));
    KEEP_ON(ranks_exclusions_in(p->task, &r->exclude, &own));
    const struct spectral_units u = part_units(p);
    const struct gpu_moments_arrays arrays = part_moments(r);
    if (pair->kind->moments && (u.n > 0 || u.targets > 0))
        KEEP_ON(gpu_moments_in(p->s, g, &u, &arrays));
    if (task_is_mixed(p->task) && r->all.n > 0)
        KEEP_ON(gpu_mixed_in(p->task, g, r->all.n, &r->q));
    return status;
}

/* Zeroes the arrays to which stages add. */
static farsum_status part_clear(const struct part *p)
{
    struct gpu_ranks *r = p->s->gpu->ranks;
    int64_t real = array_size(p->task->problem.precision);
    int64_t targets = spectral_targets(p->s);
    farsum_status status = FARSUM_OK;
    KEEP_ON(buf_fill(&r->near_energy, 0));
    KEEP_ON(buf_fill(&r->near_virial, 0));
    if (targets == 0)
        return status;
    if (p->values) {
        int64_t bytes = targets * p->values * real;
        KEEP_ON(buf_fill_part(&r->potential, 0, 0, bytes));
        KEEP_ON(buf_fill_part(&r->near_potential, 0, 0, bytes));
    }
    if (p->units->field) {
        KEEP_ON(buf_fill_part(&r->field, 0, 0, 3 * targets * real));
        KEEP_ON(buf_fill_part(&r->near_field, 0, 0, 3 * targets * real));
    }
    return status;
}

static farsum_status part_near(const struct part *p)
{
    struct spectral_gpu *g = p->s->gpu;
    struct gpu_ranks *r = g->ranks;
    farsum_status status = FARSUM_OK;
    const struct buf *q = task_is_mixed(p->task) ? &g->mixed.q : &r->q;
    const struct near_io near = {
        .q = q,
        .potential = p->values ? &r->near_potential : NULL,
        .field = p->units->field ? &r->near_field : NULL,
        .gradient = p->units->gradient ? &r->near_gradient : NULL,
        .energy = p->units->energy ? &r->near_energy : NULL,
        .virial = p->units->virial ? &r->near_virial : NULL,
        .q_targets = q}; /* the own sources, which come first */
    KEEP_ON(watch_start(p, STAGE_NEAR));
    if (spectral_targets(p->s) > 0 && r->all.n > 0)
        KEEP_ON(part_stage(p, STAGE_NEAR, &near));
    KEEP_ON(watch_stop(p, STAGE_NEAR));
    return status;
}

static int64_t part_channel(const struct part *p)
{
    const struct ranks_cut *cut = &p->s->gpu->ranks->mesh.cut;
    const struct parameters *t = &p->s->parameters;
    return domain_planes(&cut->domain, cut->domain.rank) * t->mesh[1] * t->ldz;
}

static farsum_status part_spread(const struct part *p)
{
    struct gpu_ranks *r = p->s->gpu->ranks;
    const struct pair *pair = &p->task->pair;
    farsum_status status = FARSUM_OK;
    int moments = pair->kind->moments;
    const struct spread_io spread = {
        .q = pair->kind->apart || moments ? &r->channel : &r->q,
        .mesh = &r->mesh.mesh,
        .q_channel = pair->channels > 1 ? 1 : 0,
        .q_point = moments ? pair->strengths : pair->channels,
        .mesh_channel = part_channel(p)};
    KEEP_ON(watch_start(p, STAGE_SPREAD));
    if (p->s->n > 0)
        KEEP_ON(part_stage(p, STAGE_SPREAD, &spread));
    else
        KEEP_ON(buf_fill(&r->mesh.mesh, 0));
    KEEP_ON(watch_stop(p, STAGE_SPREAD));
    return status;
}

static farsum_status part_mesh(void *data)
{
    const struct part *p = data;
    struct spectral_gpu *g = p->s->gpu;
    struct gpu_ranks_mesh *m = &g->ranks->mesh;
    const struct pair *pair = &p->task->pair;
    farsum_status status = FARSUM_OK;
    int64_t channel = part_channel(p);
    int64_t lines = 2 * m->lines * p->s->parameters.mesh[0];
    struct gpu_slab_io slab = {&m->mesh, channel, &m->spectrum, lines,
                               pair->channels};
    const struct scale_io scale = {
        .spectrum = &m->spectrum,
        .keep = p->back,
        .energy = p->units->energy ? &g->energy_sum : NULL,
        .virial = p->units->virial ? &g->virial_sum : NULL,
        .mesh_channel = lines};
    const struct interp_io interp = {
        .mesh = &m->mesh,
        .potential = p->values ? &g->ranks->potential : NULL,
        .field = p->units->field ? &g->ranks->field : NULL,
        .gradient = p->units->gradient ? &g->ranks->gradient : NULL,
        .mesh_channel = channel};
    KEEP_ON(part_spread(p));
    KEEP_ON(watch_start(p, STAGE_FFT));
    KEEP_ON(gpu_planes_add(m->planes, &m->mesh, channel, pair->channels));
    KEEP_ON(gpu_slab_forward(m->slab, &slab));
    KEEP_ON(watch_stop(p, STAGE_FFT));
    KEEP_ON(watch_start(p, STAGE_SCALE));
    if (m->lines > 0)
        KEEP_ON(part_stage(p, STAGE_SCALE, &scale));
    KEEP_ON(watch_stop(p, STAGE_SCALE));
    if (!p->back) /* energy and virial come from the spectrum */
        return status;
    slab.channels = pair->values;
    KEEP_ON(watch_start(p, GPU_BACK));
    KEEP_ON(gpu_slab_backward(m->slab, &slab));
    KEEP_ON(gpu_planes_fill(m->planes, &m->mesh, channel, pair->values));
    KEEP_ON(watch_stop(p, GPU_BACK));
    KEEP_ON(watch_start(p, STAGE_INTERP));
    if (spectral_targets(p->s) > 0)
        KEEP_ON(part_stage(p, STAGE_INTERP, &interp));
    KEEP_ON(watch_stop(p, STAGE_INTERP));
    return status;
}

/* Near pairs fill the device while the mesh waits for exchanges. */
static farsum_status part_stages(struct part *p)
{
    struct spectral_gpu *g = p->s->gpu;
    farsum_status status = FARSUM_OK;
    if (!g->aside.device) {
        KEEP_ON(part_near(p));
        KEEP_ON(part_mesh(p));
        return status;
    }
    KEEP_ON(second_stream_fork(&g->aside));
    KEEP_ON(part_near(p));
    KEEP_ON(second_stream_run(&g->aside, part_mesh, p));
    KEEP_ON(second_stream_join(&g->aside));
    return status;
}

/* Energy and virial of all ranks. */
static farsum_status part_totals(const struct part *p)
{
    struct spectral_gpu *g = p->s->gpu;
    struct gpu_ranks *r = g->ranks;
    farsum_status status = FARSUM_OK;
    if (!p->units->energy && !p->units->virial)
        return FARSUM_OK;
    const struct spectral_units u = part_units(p);
    const struct gpu_moments_arrays arrays = part_moments(r);
    if (p->task->pair.kind->moments && u.virial && u.n > 0)
        KEEP_ON(gpu_moments_virial(g, &u, &arrays));
    KEEP_ON(LAUNCH(&r->part_of, 1, ARG_BUF(&g->energy_sum),
                   ARG_BUF(&g->virial_sum), ARG_BUF(&r->near_energy),
                   ARG_BUF(&r->near_virial), ARG_BUF(&r->part)));
    KEEP_ON(transport_gather(r->transport, &r->part, &r->parts, 80));
    KEEP_ON(LAUNCH(&r->total, 1, ARG_BUF(&r->parts), ARG_BUF(&g->energy_sum),
                   ARG_BUF(&g->virial_sum), ARG_I32(r->comm->size)));
    return status;
}

/* Results from the owners to the givers. */
static farsum_status part_home(const struct part *p)
{
    struct spectral_gpu *g = p->s->gpu;
    struct gpu_ranks *r = g->ranks;
    farsum_status status = FARSUM_OK;
    int64_t own = spectral_targets(p->s), given = g->targets;
    struct gpu_sends *sends =
        spectral_apart(p->s) ? &r->target_route.sends : &r->route.sends;
    const struct gpu_values mesh = {&r->potential, 0, 1, own};
    const struct gpu_values near = {&r->near_potential, 0, 1, own};
    const struct gpu_values to = {&g->potential, 0, 1, given};
    const struct gpu_values mesh_field = {&r->field, 0, 3, 1};
    const struct gpu_values near_field = {&r->near_field, 0, 3, 1};
    const struct gpu_values to_field = {&g->field, 0, 3, 1};
    const struct gpu_values mesh_gradient = {&r->gradient, 0, 6, 1};
    const struct gpu_values near_gradient = {&r->near_gradient, 0, 6, 1};
    const struct gpu_values to_gradient = {&g->moments.gradient, 0, 6, 1};
    if (p->values)
        KEEP_ON(gpu_sends_back(sends, p->values, &mesh, &near, &to));
    if (p->units->field)
        KEEP_ON(gpu_sends_back(sends, 3, &mesh_field, &near_field, &to_field));
    if (p->units->gradient)
        KEEP_ON(gpu_sends_back(sends, 6, &mesh_gradient, &near_gradient,
                               &to_gradient));
    return status;
}

farsum_status gpu_ranks_sum(const struct task *task, struct spectral *s,
                            const struct spectral_units *units)
{
    struct spectral_gpu *g = s->gpu;
    farsum_status status = FARSUM_OK;
    struct part part = {.task = task, .s = s, .units = units};
    part.values = units->potential ? task->pair.values : 0;
    part.back = part.values || units->field || units->gradient;
    g->ran_back = part.back;
    KEEP_ON(stopwatch_start(&g->watch[GPU_ALL]));
    KEEP_ON(part_strengths(&part));
    KEEP_ON(part_clear(&part));
    KEEP_ON(part_stages(&part));
    KEEP_ON(gpu_ranks_exclude_run(task, s, units));
    KEEP_ON(part_totals(&part));
    KEEP_ON(part_home(&part));
    g->timed = status == FARSUM_OK;
    KEEP_ON(stopwatch_stop(&g->watch[GPU_ALL]));
    return status;
}
