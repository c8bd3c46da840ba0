/* SPDX-License-Identifier: Apache-2.0 */
/* measure_device.c: rates of a device, with the whole device at work. */
#include "cost/measured_rates.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "device/buf.h"
#include "device/compile/jit.h"

enum { GROUP = 256, CHAINS = 8, GROUPS_A_UNIT = 16 };
enum { FAR = 64 << 20, TRANSFERRED = 32 << 20, LEAST_CACHED = 256 << 10 };

struct gpu {
    struct device *device;
    int f32, kind;
    struct jit jit;
    struct kernel operations, stream;
    struct stopwatch watch;
    struct buf x;
    int64_t groups, bytes; /* bytes: memory per pass */
};

/* A real argument by value. */
static struct arg arg_real(const struct gpu *g, const double *wide,
                           const float *narrow)
{
    return g->f32 ? (struct arg){narrow, 4} : (struct arg){wide, 8};
}

/* Returns the time measured by the queue, or by the host if the queue has no
 * timer. */
static farsum_status gpu_stop(struct gpu *g, double start, double *seconds)
{
    TRY(stopwatch_stop(&g->watch));
    TRY(device_finish(g->device));
    double here = clock_seconds() - start;
    TRY(stopwatch_seconds(&g->watch, seconds));
    if (!(*seconds > 0))
        *seconds = here;
    return FARSUM_OK;
}

static farsum_status run_operations(void *data, int64_t amount, double *seconds)
{
    struct gpu *g = data;
    const double wide[3] = {1 - 2e-7, 1e-7, 4};
    const float narrow[3] = {1 - 2e-7f, 1e-7f, 4};
    double start = clock_seconds();
    TRY(stopwatch_start(&g->watch));
    TRY(LAUNCH(&g->operations, g->groups, ARG_BUF(&g->x), ARG_I32(g->kind),
               ARG_I64(amount), arg_real(g, &wide[0], &narrow[0]),
               arg_real(g, &wide[1], &narrow[1]),
               arg_real(g, &wide[2], &narrow[2])));
    return gpu_stop(g, start, seconds);
}

static farsum_status run_stream(void *data, int64_t amount, double *seconds)
{
    struct gpu *g = data;
    const double wide = 1;
    const float narrow = 1;
    double start = clock_seconds();
    TRY(stopwatch_start(&g->watch));
    TRY(LAUNCH(&g->stream, g->groups, ARG_BUF(&g->x),
               ARG_I64(g->bytes / (g->f32 ? 4 : 8)), ARG_I64(amount),
               arg_real(g, &wide, &narrow)));
    return gpu_stop(g, start, seconds);
}

/* Launches empty kernels one after another. */
static farsum_status run_launches(void *data, int64_t amount, double *seconds)
{
    struct gpu *g = data;
    const double wide = 1;
    const float narrow = 1;
    double start = clock_seconds();
    TRY(stopwatch_start(&g->watch));
    for (int64_t k = 0; k < amount; k++)
        TRY(LAUNCH(&g->stream, 1, ARG_BUF(&g->x), ARG_I64(0), ARG_I64(1),
                   arg_real(g, &wide, &narrow)));
    return gpu_stop(g, start, seconds);
}

static farsum_status measure_streams(struct gpu *g, struct model_rates *rates)
{
    const struct device_properties *properties = &g->device->properties;
    double cached = rates->cache / 4, pass;
    int64_t most = (int64_t)fmax(4 * rates->cache, FAR);
    if (most > properties->memory / 8 && properties->memory > 0)
        most = properties->memory / 8;
    if (most > properties->alloc_max && properties->alloc_max > 0)
        most = properties->alloc_max;
    TRY(buf_alloc(&g->x, g->device, most));
    TRY(buf_fill(&g->x, 0));
    g->bytes = most;
    TRY(model_time(run_stream, g, 0.004, &pass));
    rates->byte = pass / (2 * (double)most);
    if (cached < LEAST_CACHED)
        return FARSUM_OK;
    g->bytes = (int64_t)cached;
    TRY(model_time(run_stream, g, 0.002, &pass));
    rates->cache_byte = fmin(pass / (2 * cached), rates->byte);
    return FARSUM_OK;
}

/* Copies to the device and back, from memory as the callers of plans have
 * it. */
static farsum_status measure_transfer(struct gpu *g, struct model_rates *rates)
{
    farsum_status status = FARSUM_OK;
    char *host = NULL;
    int64_t bytes = g->x.bytes < TRANSFERRED ? g->x.bytes : TRANSFERRED;
    double best = INFINITY;
    GO(MEM_RAW(host, bytes));
    memset(host, 0, (size_t)bytes);
    for (int k = 0; k < 3; k++) {
        double start = clock_seconds();
        GO(buf_upload(&g->x, 0, host, bytes));
        GO(buf_download(&g->x, 0, host, bytes));
        best = fmin(best, clock_seconds() - start);
    }
    rates->transfer = best / (2 * (double)bytes);
done:
    mem_free(host);
    return status;
}

static farsum_status gpu_make(struct gpu *g, farsum_precision precision)
{
    struct jit *jit = &g->jit;
    int units = g->device->properties.units;
    g->groups = (int64_t)GROUPS_A_UNIT * (units > 0 ? units : 1);
    jit_begin(jit, g->device, "cost/measured_rates.k", precision);
    jit_define(jit, "GROUP", "%d", GROUP);
    jit_define(jit, "CHAINS", "%d", CHAINS);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "model_operations", GROUP, 0, &g->operations));
    TRY(jit_kernel(jit, "model_stream", GROUP, 0, &g->stream));
    return stopwatch_create(&g->watch, g->device);
}

farsum_status model_measure_gpu(const struct machine_place *place,
                                struct model_rates *rates)
{
    farsum_status status = FARSUM_OK;
    struct gpu g = {.device = place->device,
                    .f32 = place->precision == FARSUM_F32};
    rates->cache = (double)g.device->properties.cache;
    GO(gpu_make(&g, place->precision));
    GO(measure_streams(&g, rates));
    for (int k = 0; k < COUNT_KINDS; k++) {
        g.kind = k;
        GO(model_time(run_operations, &g, 0.004, &rates->seconds[k]));
        rates->seconds[k] /= (double)CHAINS * GROUP * (double)g.groups;
    }
    GO(model_time(run_launches, &g, 0.001, &rates->launch));
    GO(measure_transfer(&g, rates));
done:
    buf_clear(&g.x);
    stopwatch_clear(&g.watch);
    jit_clear(&g.jit);
    return status;
}
