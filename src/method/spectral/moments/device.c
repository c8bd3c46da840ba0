/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: sources with charge and dipole on a device: their spread, and the
 * outputs that only they have (math.md 7.6, 9.6). */
#include "base/arrays.h"
#include "method/spectral/device.h"

enum { GROUP = 256, VIRIAL = 9 };

/* Must equal the struct in method/spectral/moments/device.k. */
struct moments_frame {
    double to[9];
};

farsum_status gpu_moments_create(struct spectral_gpu *g, farsum_precision type)
{
    struct gpu_moments *m = &g->moments;
    jit_begin(&m->jit, g->device, "method/spectral/moments/device.k", type);
    jit_define(&m->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&m->jit));
    TRY(jit_kernel(&m->jit, "moments_in", GROUP, 0, &m->in));
    TRY(jit_kernel(&m->jit, "moments_virial", GROUP, 0, &m->virial));
    TRY(jit_kernel(&m->jit, "moments_fold", GROUP, 0, &m->fold));
    TRY(jit_kernel(&m->jit, "moments_out", GROUP, 0, &m->out));
    return buf_alloc(&m->record, g->device, 8 * VIRIAL * SUM_RECORDS);
}

void gpu_moments_clear(struct gpu_moments *m)
{
    buf_clear(&m->gradient);
    buf_clear(&m->near_gradient);
    buf_clear(&m->record);
    if (m->jit.device)
        jit_clear(&m->jit);
}

farsum_status gpu_moments_reserve(const struct task *task,
                                  struct spectral_gpu *g, int64_t targets)
{
    struct gpu_moments *m = &g->moments;
    int64_t bytes = 6 * targets * array_size(task->problem.precision);
    if (!(task->problem.outputs & FARSUM_GRADIENT))
        return FARSUM_OK;
    TRY(buf_reserve(&m->gradient, g->device, bytes));
    return g->beside ? buf_reserve(&m->near_gradient, g->device, bytes)
                     : FARSUM_OK;
}

/* An array, or a placeholder that is neither read nor written. */
static const struct buf *wanted(const struct spectral_gpu *g, int is,
                                const struct buf *buf)
{
    return is ? buf : &g->fact;
}

struct gpu_moments_arrays gpu_moments_arrays(const struct spectral_gpu *g)
{
    return (struct gpu_moments_arrays){.q = &g->q,
                                       .channel = &g->channel,
                                       .field = &g->field,
                                       .near_field = &g->near_field,
                                       .gradient = &g->moments.gradient,
                                       .near_gradient =
                                           &g->moments.near_gradient};
}

/* u_d = mesh_d sum_a x_a inv[3a + d], so p.grad is g.d/du. */
farsum_status gpu_moments_in(const struct spectral *s, struct spectral_gpu *g,
                             const struct spectral_units *u,
                             const struct gpu_moments_arrays *at)
{
    const struct parameters *t = &s->parameters;
    struct gpu_moments *m = &g->moments;
    struct moments_frame frame;
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 3; a++)
            frame.to[3 * d + a] = (double)t->mesh[d] * t->cell.inv[3 * a + d];
    return LAUNCH(
        &m->in, gpu_records(&m->in, u->n > u->targets ? u->n : u->targets),
        ARG_BUF(wanted(g, u->n > 0, at->q)),
        ARG_BUF(wanted(g, u->n > 0, at->channel)),
        ARG_BUF(wanted(g, u->gradient && u->targets > 0, at->gradient)),
        ARG_BUF(wanted(g, u->gradient && u->targets > 0 && u->beside,
                       at->near_gradient)),
        ARG_STRUCT(*u), ARG_STRUCT(frame));
}

farsum_status gpu_moments_virial(struct spectral_gpu *g,
                                 const struct spectral_units *u,
                                 const struct gpu_moments_arrays *at)
{
    struct gpu_moments *m = &g->moments;
    int64_t groups = gpu_records(&m->virial, u->n);
    TRY(LAUNCH(&m->virial, groups, ARG_BUF(at->q), ARG_BUF(at->field),
               ARG_BUF(wanted(g, u->beside, at->near_field)), ARG_BUF(&g->fact),
               ARG_BUF(&m->record), ARG_STRUCT(*u)));
    return LAUNCH(&m->fold, 1, ARG_BUF(&m->record), ARG_BUF(&g->virial_sum),
                  ARG_I64(groups));
}

farsum_status gpu_moments_out(struct spectral_gpu *g,
                              const struct spectral_units *u,
                              const struct gpu_ends *e, int64_t groups)
{
    struct gpu_moments *m = &g->moments;
    const struct buf *gradient = wanted(g, u->gradient, e->gradient);
    return LAUNCH(
        &m->out, groups, ARG_BUF(&g->q),
        ARG_BUF(wanted(g, u->field, &g->field)),
        ARG_BUF(wanted(g, u->field && u->beside, &g->near_field)),
        ARG_BUF(wanted(g, u->gradient, &m->gradient)),
        ARG_BUF(wanted(g, u->gradient && u->beside, &m->near_gradient)),
        ARG_BUF(&g->fact), ARG_BUF(gradient), ARG_BUF(gradient),
        ARG_BUF(&g->record), ARG_STRUCT(*u));
}
