/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: common host code of the interp variants on devices. */
#include "stage/interp/device.h"

farsum_status interp_gpu_fits(const struct interp_args *args)
{
    TRY(interp_gpu_bends_fit(args));
    if (args->outputs & FARSUM_GRADIENT)
        FAIL(ERR_UNSUPPORTED, "has no second derivatives");
    return FARSUM_OK;
}

farsum_status interp_gpu_bends_fit(const struct interp_args *args)
{
    enum { MOST = 1 << 30 };
    TRY(gpu_wanted(args->device));
    if (!args->device->properties.f64)
        FAIL(ERR_UNSUPPORTED,
             "needs double precision for positions, which %s does not have",
             args->device->name);
    if (interp_parts(args) > 2)
        FAIL(ERR_UNSUPPORTED, "parts is %d; use 1 (real) or 2 (complex)",
             args->parts);
    for (int d = 0; d < 3; d++)
        if (args->mesh[d] > MOST)
            FAIL(ERR_UNSUPPORTED,
                 "%lld mesh points along axis %d; at most %d are possible",
                 (long long)args->mesh[d], d, MOST);
    if (args->ldz > MOST)
        FAIL(ERR_UNSUPPORTED,
             "rows of %lld mesh points; at most %d are possible",
             (long long)args->ldz, MOST);
    if (args->outputs & FARSUM_GRADIENT && interp_gpu_values(args) > 1)
        FAIL(ERR_UNSUPPORTED,
             "%d channels of %d parts; second derivatives are of one real "
             "channel",
             interp_channels(args), interp_parts(args));
    if (args->n > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld points; at most %lld are possible",
             (long long)args->n, (long long)GPU_POINTS_MOST);
    return FARSUM_OK;
}

void interp_gpu_begin(struct interp_gpu *s, const struct interp_args *args,
                      const char *file)
{
    s->args = *args;
    jit_begin(&s->jit, args->device, file, args->precision);
    gpu_define_window(&s->jit, args->window);
    jit_define(&s->jit, "CHANNELS", "%d", interp_channels(args));
    jit_define(&s->jit, "PARTS", "%d", interp_parts(args));
    int gradient = (args->outputs & FARSUM_GRADIENT) != 0;
    jit_define(&s->jit, "FIELD", "%d",
               gradient || (args->outputs & FARSUM_FIELD) != 0);
    jit_define(&s->jit, "GRADIENT", "%d", gradient);
}

farsum_status interp_gpu_build(struct interp_gpu *s, const char *kernel,
                               int32_t group, int64_t arena)
{
    TRY(jit_build(&s->jit));
    return jit_kernel(&s->jit, kernel, group, arena, &s->kernel);
}

void interp_gpu_clear(struct interp_gpu *s)
{
    gpu_ordering_release(&s->ordering);
    if (s->jit.device)
        jit_clear(&s->jit);
}

farsum_status interp_gpu_set(struct interp_gpu *s, const struct points *sources,
                             const struct points *targets)
{
    const struct points *points = targets ? targets : sources;
    const struct device *device = s->args.device;
    if (!points->gpu || points->gpu->device != device)
        FAIL(ERR_INTERNAL, "the points are not on %s", device->name);
    s->points = points;
    const unsigned slopes = FARSUM_FIELD | FARSUM_GRADIENT;
    for (int k = 0; k < 9 && s->args.outputs & slopes; k++)
        s->metric[k] = -(double)s->args.mesh[k % 3] * s->args.cell->inv[k];
    return FARSUM_OK;
}

static farsum_status io_buf(const struct interp_gpu *s, const struct buf *buf,
                            int64_t reals, const char *what)
{
    const struct device *device = s->args.device;
    int64_t bytes = reals * gpu_real(s->args.precision);
    if (!buf || buf->device != device)
        FAIL(ERR_ARGUMENT, "interp: the %s is not on %s", what, device->name);
    if (buf->bytes < bytes)
        FAIL(ERR_ARGUMENT, "interp: the %s has %lld bytes; %lld are needed",
             what, (long long)buf->bytes, (long long)bytes);
    return FARSUM_OK;
}

static farsum_status io_check(const struct interp_gpu *s,
                              const struct interp_io *io)
{
    const struct interp_args *args = &s->args;
    int64_t more = interp_channels(args) - 1, parts = interp_parts(args);
    int64_t n = s->points->n;
    int64_t mesh = args->mesh[0] * args->mesh[1] * args->ldz;
    TRY(io_buf(s, io->mesh, more * io->mesh_channel + mesh * parts, "mesh"));
    if (io->field && !(args->outputs & FARSUM_FIELD))
        FAIL(ERR_INTERNAL, "interp: the field is not among the plan's outputs");
    if (io->gradient && !(args->outputs & FARSUM_GRADIENT))
        FAIL(ERR_INTERNAL,
             "interp: the gradient is not among the plan's outputs");
    if (io->gradient)
        TRY(io_buf(s, io->gradient, 6 * n, "gradient"));
    if (io->potential)
        TRY(io_buf(s, io->potential, more * io->potential_channel + n * parts,
                   "potential"));
    if (io->field)
        TRY(io_buf(s, io->field, more * io->field_channel + 3 * n * parts,
                   "field"));
    return FARSUM_OK;
}

farsum_status interp_gpu_io(const struct interp_gpu *s,
                            const struct interp_io *given,
                            struct interp_gpu_args *args,
                            const struct buf *results[2])
{
    struct interp_io io = interp_strides(&s->args, given, s->points->n);
    TRY(io_check(s, &io));
    *args = (struct interp_gpu_args){
        .mesh = {.n = s->points->n,
                 .mesh_channel = io.mesh_channel,
                 .ldz = (int32_t)s->args.ldz},
        .potential_channel = io.potential_channel,
        .field_channel = io.field_channel,
        .potential = io.potential != NULL,
        .field = io.field != NULL,
        .gradient = io.gradient != NULL,
    };
    for (int d = 0; d < 3; d++) {
        args->mesh.mesh[d] = (int32_t)s->args.mesh[d];
        args->mesh.open[d] = s->args.open[d] != 0;
    }
    for (int k = 0; k < 9; k++)
        args->metric[k] = s->metric[k];
    results[0] = io.potential ? io.potential : io.mesh;
    results[1] = io.field ? io.field : io.mesh;
    return FARSUM_OK;
}

double interp_gpu_bytes(const struct interp_args *args)
{
    return (double)args->mesh[0] * (double)args->mesh[1] * (double)args->ldz
           * gpu_real(args->precision) * interp_gpu_values(args);
}

struct gpu_rates interp_gpu_rates(const struct interp_args *args)
{
    return gpu_rates(args->device, args->precision);
}
