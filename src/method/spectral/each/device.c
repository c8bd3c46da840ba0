/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: the virial of each particle on a device.  The near pairs come from
 * variant `gpu_cells` of near. */
#include <math.h>

#include "base/arrays.h"
#include "method/spectral/device.h"
#include "method/spectral/each/each.h"
#include "stage/near/device/device.h"
#include "stage/scale/scale.h"

enum { GROUP = 256, SHARE = 8 * EACH_COMPONENTS };

farsum_status gpu_each_create(const struct task *task, struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_each *e = &g->each;
    union stage_args args[STAGE_COUNT];
    if (!(task->problem.outputs & FARSUM_PARTICLE_VIRIAL))
        return FARSUM_OK;
    parameters_args(&s->parameters, task, args);
    struct near_args near = args[STAGE_NEAR].near;
    near.outputs = FARSUM_VIRIAL | FARSUM_PARTICLE_VIRIAL;
    near.wide = near.precision == FARSUM_F32;
    near.team[0] = near.team[1] = near.cells = 0;
    near.lists = NULL;
    TRY(near_gpu_cells.create(&near, &e->near));
    jit_begin(&e->jit, g->device, "method/spectral/each/device.k",
              task->problem.precision);
    jit_define(&e->jit, "GROUP", "%d", GROUP);
    jit_define(&e->jit, "MOMENTS", "%d", task->pair.kind->moments);
    TRY(jit_build(&e->jit));
    TRY(jit_kernel(&e->jit, "each_add", GROUP, 0, &e->add));
    TRY(jit_kernel(&e->jit, "each_out", GROUP, 0, &e->out));
    TRY(jit_kernel(&e->jit, "each_range", GROUP, 0, &e->range));
    TRY(buf_alloc(&e->record, g->device, 8 * SUM_RECORDS));
    return buf_alloc(&e->spectrum, g->device,
                     parameters_channel(&s->parameters, g->device)
                         * array_size(task->problem.precision));
}

void gpu_each_clear(struct gpu_each *e)
{
    buf_clear(&e->spectrum);
    buf_clear(&e->near_shares);
    buf_clear(&e->far_shares);
    buf_clear(&e->value);
    buf_clear(&e->slope);
    buf_clear(&e->record);
    if (e->near)
        near_gpu_cells.destroy(e->near);
    if (e->jit.device)
        jit_clear(&e->jit);
}

farsum_status gpu_each_set(const struct task *task, struct spectral *s,
                           int64_t n)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_each *e = &g->each;
    int64_t real = array_size(task->problem.precision);
    if (!e->near)
        return FARSUM_OK;
    TRY(near_gpu_cells.set(e->near, &s->source, NULL));
    TRY(buf_reserve(&e->near_shares, g->device, SHARE * n));
    TRY(buf_reserve(&e->far_shares, g->device, SHARE * n));
    TRY(buf_reserve(&e->value, g->device, n * real));
    return buf_reserve(&e->slope, g->device, 3 * n * real);
}

farsum_status gpu_each_near(const struct task *task, struct spectral *s,
                            const struct buf *q)
{
    struct gpu_each *e = &s->gpu->each;
    const struct near_io io = {.q = q, .each = (void *)&e->near_shares};
    TRY(buf_fill_part(&e->near_shares, 0, 0, SHARE * s->gpu->n));
    return task->part == FARSUM_FAR ? FARSUM_OK
                                    : near_gpu_cells.run(e->near, &io);
}

farsum_status gpu_each_keep(const struct task *task, struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_each *e = &g->each;
    int64_t real = array_size(task->problem.precision);
    TRY(buf_fill_part(&e->value, 0, 0, g->n * real));
    if (task->pair.kind->moments)
        TRY(buf_fill_part(&e->slope, 0, 0, 3 * g->n * real));
    return buf_copy(&e->spectrum, 0, &g->mesh, 0,
                    parameters_channel(&s->parameters, g->device) * real);
}

farsum_status gpu_each_far(const struct task *task, struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_each *e = &g->each;
    int64_t channel = parameters_channel(&s->parameters, g->device);
    const struct fft_io home = {&g->mesh, 1};
    const struct interp_io interp = {
        .mesh = &g->mesh,
        .potential = &e->value,
        .field = task->pair.kind->moments ? &e->slope : NULL,
        .mesh_channel = channel};
    const struct choice *choice = s->parameters.choice;
    for (int c = 0; c < EACH_COMPONENTS; c++) {
        const struct scale_io scale = {
            .spectrum = &g->mesh, .charges = &e->spectrum, .component = c};
        TRY(choice[STAGE_SCALE].row->variant->run(s->states[STAGE_SCALE],
                                                  &scale));
        TRY(choice[STAGE_FFT].row->variant->run(s->states[STAGE_FFT], &home));
        TRY(choice[STAGE_INTERP].row->variant->run(s->states[STAGE_INTERP],
                                                   &interp));
        TRY(LAUNCH(&e->add, kernel_groups(&e->add, g->n), ARG_BUF(&g->q),
                   ARG_BUF(&e->value), ARG_BUF(&e->slope),
                   ARG_BUF(&e->far_shares), ARG_I64(g->n), ARG_I32(c)));
    }
    return FARSUM_OK;
}

farsum_status gpu_each_out(struct spectral_gpu *g,
                           const struct spectral_units *u,
                           const struct gpu_ends *ends)
{
    struct gpu_each *e = &g->each;
    const struct buf *none = &g->record; /* neither read nor written */
    const struct buf *x = u->surface > 0 ? &g->x : none;
    const struct buf *out = ends->particle_virial;
    int64_t groups = gpu_records(&e->out, u->n);
    TRY(LAUNCH(&e->out, groups, ARG_BUF(&g->q), ARG_BUF(x), ARG_BUF(x),
               ARG_BUF(u->field ? &g->field : none),
               ARG_BUF(u->field && u->beside ? &g->near_field : none),
               ARG_BUF(&e->near_shares), ARG_BUF(&e->far_shares),
               ARG_BUF(&g->fact), ARG_BUF(out), ARG_BUF(out),
               ARG_BUF(&e->record), ARG_STRUCT(*u)));
    return LAUNCH(&e->range, 1, ARG_BUF(&e->record), ARG_BUF(&g->fact),
                  ARG_I64(groups), ARG_I32(u->wide), ARG_I64(u->rhs),
                  ARG_F64(HUGE_VAL));
}
