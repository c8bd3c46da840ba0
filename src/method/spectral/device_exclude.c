/* SPDX-License-Identifier: Apache-2.0 */
/* device_exclude.c: exclusions of a plan on a device. */
#include "method/spectral/exclude.h"
#include "method/spectral/device.h"
#include "points/device/set.h"

enum { GROUP = 128, RECORD = 10 };

/* Must equal the struct in method/spectral/exclude.k. */
struct exclude_units {
    struct exclude_cell cell;
    double kappa, soft;
    int64_t rows, sources, targets, point, source_axis, target_axis;
    int32_t potential, field, sums, gradient, each, pad;
};
_Static_assert(sizeof(struct exclude_units) == 176, "as the kernels have it");

void gpu_exclude_clear(struct gpu_exclude *x)
{
    gpu_excluded_clear(&x->excluded);
    buf_clear(&x->record);
    if (x->jit.device)
        jit_clear(&x->jit);
}

farsum_status gpu_exclude_kernels(const struct task *task,
                                  struct spectral_gpu *g)
{
    struct gpu_exclude *x = &g->exclude;
    struct device *device = g->device;
    const struct pair *pair = &task->pair;
    if (x->ready)
        return FARSUM_OK;
    if (x->jit.device)
        jit_clear(&x->jit);
    jit_begin(&x->jit, device, "method/spectral/exclude.k",
              task->problem.precision);
    jit_define(&x->jit, "GROUP", "%d", GROUP);
    jit_define(&x->jit, "PAIR", "%s", pair->name);
    jit_define(&x->jit, "STRENGTHS", "%d", pair->strengths);
    jit_define(&x->jit, "VALUES", "%d", pair->values);
    jit_define(&x->jit, "GRADIENT", "%d", pair->kind->gradient);
    jit_define(&x->jit, "MOMENTS", "%d", pair->kind->moments);
    TRY(jit_build(&x->jit));
    TRY(jit_kernel(&x->jit, "exclude_rows", GROUP, 0, &x->run));
    TRY(jit_kernel(&x->jit, "exclude_end", GROUP, 0, &x->end));
    TRY(buf_reserve(&x->record, device, 8 * RECORD * SUM_RECORDS));
    x->ready = 1;
    return FARSUM_OK;
}

farsum_status spectral_gpu_exclude(const struct task *task, struct spectral *s)
{
    struct gpu_exclude *x = &s->gpu->exclude;
    if (task->part != FARSUM_WHOLE && task->exclusions.rows > 0)
        FAIL(ERR_UNSUPPORTED,
             "exclusions of part far are not summed on devices yet");
    if (gpu_excluded_same(&x->excluded, task))
        return FARSUM_OK;
    x->excluded.version = 0;
    if (task->exclusions.rows > 0)
        TRY(gpu_exclude_kernels(task, s->gpu));
    return gpu_excluded_send(&x->excluded, task->device, &task->exclusions);
}

farsum_status gpu_exclude_ready(const struct task *task,
                                const struct spectral *s)
{
    return gpu_excluded_ready(&s->gpu->exclude.excluded, task, 1);
}

farsum_status gpu_exclude_sides(struct spectral *s,
                                const struct spectral_units *u,
                                const struct gpu_exclude_sides *sides)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_exclude *x = &g->exclude;
    const struct gpu_excluded *e = sides->excluded;
    const struct exclude_units units = {
        .cell = sides->cell,
        .kappa = s->parameters.pair.kappa,
        .soft = sides->soft,
        .rows = e->rows,
        .sources = sides->sources,
        .targets = sides->targets,
        .point = sides->by_point ? 3 : 1,
        .source_axis = sides->by_point ? 1 : sides->sources,
        .target_axis = sides->by_point ? 1 : sides->targets,
        .potential = u->potential,
        .field = u->field,
        .sums = u->energy || u->virial || u->each,
        .gradient = u->gradient,
        .each = u->each,
    };
    if (e->rows == 0)
        return FARSUM_OK;
    int64_t groups = gpu_records(&x->run, e->rows);
    TRY(LAUNCH(&x->run, groups, ARG_BUF(&e->target), ARG_BUF(&e->start),
               ARG_BUF(&e->source), ARG_BUF(&e->lost), ARG_BUF(sides->x),
               ARG_BUF(sides->far_x), ARG_BUF(sides->y), ARG_BUF(sides->q),
               ARG_BUF(sides->far_q),
               ARG_BUF(u->potential ? sides->potential : &g->fact),
               ARG_BUF(u->field ? sides->field : &g->fact),
               ARG_BUF(u->gradient ? sides->gradient : &g->fact),
               ARG_BUF(u->each ? &g->each.near_shares : &g->fact),
               ARG_BUF(&x->record), ARG_STRUCT(units)));
    if (!u->energy && !u->virial)
        return FARSUM_OK;
    return LAUNCH(&x->end, 1, ARG_BUF(&x->record), ARG_BUF(&g->energy_sum),
                  ARG_BUF(&g->virial_sum), ARG_I64(groups), ARG_I32(u->energy),
                  ARG_I32(u->virial));
}

farsum_status gpu_exclude_run(const struct task *task, struct spectral *s,
                              const struct spectral_units *u)
{
    struct spectral_gpu *g = s->gpu;
    const struct points *targets = s->m > 0 ? &s->target : &s->source;
    const struct gpu_exclude_sides sides = {
        .excluded = &g->exclude.excluded,
        .cell = exclude_cell(task, &s->parameters.cell),
        .soft = task->problem.softening / s->parameters.rc,
        .sources = s->n,
        .targets = u->targets,
        .x = &s->source.gpu->s,
        .far_x = &s->source.gpu->s, /* a placeholder, as the next one */
        .far_q = &g->q,
        .y = &targets->gpu->s,
        .q = &g->q,
        .potential = &g->potential,
        .field = &g->field,
        .gradient = &g->moments.gradient};
    return gpu_exclude_sides(s, u, &sides);
}
