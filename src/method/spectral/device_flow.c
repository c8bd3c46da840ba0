/* SPDX-License-Identifier: Apache-2.0 */
/* device_flow.c: strengths and velocities of a flow on a device. */
#include <math.h>

#include "method/spectral/device_ranks.h"

enum { GROUP = 256 };

farsum_status gpu_flow_create(const struct task *task, struct spectral_gpu *g)
{
    const struct pair *pair = &task->pair;
    const struct pair_kind *kind = pair->kind;
    struct jit *jit = &g->flow_jit;
    jit_begin(jit, g->device, "method/spectral/device_flow.k",
              task->problem.precision);
    jit_define(jit, "GROUP", "%d", GROUP);
    jit_define(jit, "PAIR", "%s", pair->name);
    jit_define(jit, "STRENGTHS", "%d", pair->strengths);
    jit_define(jit, "CHANNELS", "%d", pair->channels);
    jit_define(jit, "APART", "%d", kind->apart);
    jit_define(jit, "FLUX", "%d", kind->flux);
    jit_define(jit, "DEGREE", "%d", kind->degree);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "flow_strengths", GROUP, 0, &g->flow_strengths));
    TRY(jit_kernel(jit, "flow_in", GROUP, 0, &g->flow_in));
    if (kind->flux)
        TRY(jit_kernel(jit, "flow_flux", GROUP, 0, &g->flow_flux));
    TRY(jit_kernel(jit, "flow_fold", GROUP, 0, &g->flow_fold));
    TRY(jit_kernel(jit, "flow_range", GROUP, 0, &g->flow_range));
    return jit_kernel(jit, "flow_out", GROUP, 0, &g->flow_out);
}

struct spectral_units gpu_flow_units(const struct task *task,
                                     const struct spectral *s,
                                     const struct gpu_ends *e)
{
    double rc = s->parameters.rc,
           volume = s->parameters.cell.volume * rc * rc * rc;
    struct spectral_units u = {
        .coulomb = task_constant(task),
        .cutoff = pow(rc, task->pair.kind->power),
        .surface = 8 * M_PI / volume,
        .none = HUGE_VAL,
        .n = s->gpu->n,
        .targets = s->gpu->targets,
        .first_q = e->first_q,
        .first_out = e->first_out,
        .rhs = e->rhs,
        .wide = task->problem.arrays != FARSUM_F32,
        .apart = spectral_apart(s),
        .potential = e->velocity != NULL,
        .beside = s->gpu->beside,
        .number = s->gpu->ranks ? s->gpu->ranks->route.first : 0,
    };
    gpu_units_set(task, &u);
    return u;
}

farsum_status gpu_flow_in(const struct task *task, struct spectral_gpu *g,
                          const struct spectral_units *u,
                          const struct gpu_ends *e)
{
    const struct pair_kind *kind = task->pair.kind;
    farsum_status status = FARSUM_OK;
    int64_t groups = gpu_given_records(g, &g->flow_strengths, u->n);
    int64_t all = gpu_all_records(g, groups);
    KEEP_ON(LAUNCH(&g->flow_strengths, groups, ARG_BUF(e->q), ARG_BUF(e->q),
                   ARG_BUF(&g->record), ARG_STRUCT(*u)));
    KEEP_ON(gpu_records_gather(g, task, groups));
    KEEP_ON(LAUNCH(
        &g->flow_in,
        gpu_records(&g->flow_in, u->n > u->targets ? u->n : u->targets),
        ARG_BUF(e->q), ARG_BUF(e->q), ARG_BUF(gpu_all_record(g)), ARG_I64(all),
        ARG_BUF(&g->fact), ARG_BUF(&g->q),
        ARG_BUF(kind->apart ? &g->channel : &g->q), ARG_BUF(&g->potential),
        ARG_BUF(u->beside ? &g->near_potential : &g->record), ARG_STRUCT(*u)));
    if (!kind->flux)
        return status;
    KEEP_ON(LAUNCH(&g->flow_flux, groups, ARG_BUF(e->q), ARG_BUF(e->q),
                   ARG_BUF(&g->x), ARG_BUF(&g->x), ARG_BUF(&g->fact),
                   ARG_BUF(&g->record), ARG_STRUCT(*u)));
    KEEP_ON(gpu_records_gather(g, task, groups));
    KEEP_ON(LAUNCH(&g->flow_fold, 1, ARG_BUF(gpu_all_record(g)),
                   ARG_BUF(&g->fact), ARG_I64(all), ARG_I32(FACT_DIPOLE),
                   ARG_I32(3)));
    return status;
}

farsum_status gpu_flow_out(const struct task *task, struct spectral_gpu *g,
                           const struct spectral_units *u,
                           const struct gpu_ends *e)
{
    /* positions are read only where the kernel has a flux */
    const struct buf *x = !task->pair.kind->flux ? &g->record
                          : u->apart             ? &g->y
                                                 : &g->x;
    farsum_status status = FARSUM_OK;
    int64_t groups = gpu_given_records(g, &g->flow_out, u->targets);
    KEEP_ON(LAUNCH(&g->flow_out, groups, ARG_BUF(x), ARG_BUF(x),
                   ARG_BUF(&g->fact), ARG_BUF(&g->potential),
                   ARG_BUF(u->beside ? &g->near_potential : &g->potential),
                   ARG_BUF(e->velocity), ARG_BUF(e->velocity),
                   ARG_BUF(&g->record), ARG_STRUCT(*u)));
    KEEP_ON(gpu_records_gather(g, task, groups));
    return status;
}
