/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: common host code of the spread variants on devices. */
#include "stage/spread/device.h"

#include <math.h>

farsum_status spread_gpu_fits(const struct spread_args *args)
{
    TRY(spread_gpu_slopes_fit(args));
    if (args->slopes)
        FAIL(ERR_UNSUPPORTED, "does not spread slopes");
    return FARSUM_OK;
}

farsum_status spread_gpu_slopes_fit(const struct spread_args *args)
{
    TRY(gpu_wanted(args->device));
    if (!args->device->properties.f64)
        FAIL(ERR_UNSUPPORTED,
             "needs double precision for positions, which %s does not have",
             args->device->name);
    if (spread_parts(args) > 2)
        FAIL(ERR_UNSUPPORTED, "parts is %d; use 1 (real) or 2 (complex)",
             args->parts);
    for (int d = 0; d < 3; d++)
        if (args->mesh[d] > 1 << 30)
            FAIL(ERR_UNSUPPORTED,
                 "%lld mesh points along axis %d; at most %d are possible",
                 (long long)args->mesh[d], d, 1 << 30);
    if (args->ldz > INT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "rows of %lld mesh points; at most %d are possible",
             (long long)args->ldz, INT32_MAX);
    if (args->n > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld points; at most %lld are possible",
             (long long)args->n, (long long)GPU_POINTS_MOST);
    return FARSUM_OK;
}

void spread_gpu_channels(struct jit *jit, const struct spread_args *args,
                         const char *file)
{
    jit_begin(jit, args->device, file, args->precision);
    jit_define(jit, "CHANNELS", "%d", spread_channels(args));
    jit_define(jit, "PARTS", "%d", spread_parts(args));
    jit_define(jit, "SLOPES", "%d", args->slopes);
}

void spread_gpu_begin(struct spread_gpu *gpu, const struct spread_args *args,
                      const char *file)
{
    gpu->args = *args;
    spread_gpu_channels(&gpu->jit, args, file);
    gpu_define_window(&gpu->jit, args->window);
}

void spread_gpu_clear(struct spread_gpu *gpu)
{
    if (gpu->jit.device)
        jit_clear(&gpu->jit);
}

farsum_status spread_gpu_set(struct spread_gpu *gpu,
                             const struct points *points)
{
    const struct device *device = gpu->args.device;
    if (!points->gpu || points->gpu->device != device)
        FAIL(ERR_INTERNAL, "the points are not on %s", device->name);
    gpu->points = points;
    gpu->n = points->gpu->n;
    return FARSUM_OK;
}

struct mesh_args spread_gpu_mesh(const struct spread_gpu *gpu)
{
    const struct spread_args *args = &gpu->args;
    struct mesh_args mesh = {.n = gpu->n, .ldz = (int32_t)args->ldz};
    for (int d = 0; d < 3; d++) {
        mesh.mesh[d] = (int32_t)args->mesh[d];
        mesh.open[d] = args->open[d] != 0;
    }
    return mesh;
}

static int64_t reals(const struct spread_args *args)
{
    return spread_gpu_rows(args) * spread_parts(args);
}

static farsum_status io_buf(const struct spread_gpu *gpu, const struct buf *buf,
                            int64_t last, const char *what)
{
    const struct device *device = gpu->args.device;
    int64_t bytes = last * gpu_real(gpu->args.precision);
    if (!buf || buf->device != device)
        FAIL(ERR_ARGUMENT, "spread: the %s is not on %s", what, device->name);
    if (buf->bytes < bytes)
        FAIL(ERR_ARGUMENT, "spread: the %s has %lld bytes; %lld are needed",
             what, (long long)buf->bytes, (long long)bytes);
    return FARSUM_OK;
}

farsum_status spread_gpu_io(const struct spread_gpu *gpu,
                            const struct spread_io *given,
                            struct mesh_args *mesh)
{
    const struct spread_args *args = &gpu->args;
    struct spread_io io = spread_strides(args, given, gpu->n);
    int64_t more = spread_channels(args) - 1;
    TRY(io_buf(gpu, io.mesh, more * io.mesh_channel + reals(args), "mesh"));
    if (gpu->n > 0)
        TRY(io_buf(gpu, io.q,
                   more * io.q_channel + (gpu->n - 1) * io.q_point
                       + (args->slopes ? 4 : spread_parts(args)),
                   "array of strengths"));
    *mesh = spread_gpu_mesh(gpu);
    mesh->q_channel = io.q_channel;
    mesh->q_point = io.q_point;
    mesh->mesh_channel = io.mesh_channel;
    return FARSUM_OK;
}

farsum_status spread_gpu_zero(const struct spread_gpu *gpu,
                              const struct spread_io *given)
{
    const struct spread_args *args = &gpu->args;
    struct spread_io io = spread_strides(args, given, gpu->n);
    int64_t size = gpu_real(args->precision), n = reals(args);
    int channels = spread_channels(args);
    if (io.mesh_channel == n)
        return buf_fill_part(io.mesh, 0, 0, channels * n * size);
    for (int c = 0; c < channels; c++)
        TRY(buf_fill_part(io.mesh, c * io.mesh_channel * size, 0, n * size));
    return FARSUM_OK;
}

int64_t spread_gpu_rows(const struct spread_args *args)
{
    return args->mesh[0] * args->mesh[1] * args->ldz;
}

double spread_gpu_cube(const struct spread_args *args)
{
    double p = args->window->support;
    return p * p * p;
}

double spread_gpu_reals(const struct spread_args *args)
{
    return spread_channels(args) * spread_parts(args);
}

double spread_gpu_bytes(const struct spread_args *args)
{
    return (double)spread_gpu_rows(args) * spread_gpu_reals(args)
           * gpu_real(args->precision);
}

struct gpu_rates spread_gpu_rates(const struct spread_args *args)
{
    return gpu_rates(args->device, args->precision);
}

/* The middle of a cluster is about three times as full as the mean over its
 * points. */
double spread_gpu_peak(const struct spread_args *args)
{
    double n = (double)args->n, points = (double)spread_gpu_rows(args);
    return fmin(n, 3.5 * n * spread_gpu_cube(args) / points
                       * (spread_clustering(args) - 1));
}

double spread_gpu_write(const struct spread_args *args)
{
    struct gpu_rates rates = spread_gpu_rates(args);
    return spread_gpu_bytes(args) / rates.bytes + rates.launch;
}
