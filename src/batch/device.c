/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: a batch's device, kernels and tables, and the systems' positions.
 */
#include "batch/device.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "cost/expected_rates.h"
#include "plan/options.h"

/* As in batch/waves.kh. */
enum { LEVEL = 2 * NEAR_MAX + 2 * (BATCH_TABLE + 1) };
/* Multiply-adds per pair, and per source and mode. */
#define PAIR 35
#define MODE 120
/* A plan's sum in launches, and multiply-adds per source and square of the
 * digits. */
#define PLAN 50
#define PLAN_DIGITS 40

static farsum_status gpu_open(struct farsum_batch *b,
                              const farsum_device_options *device)
{
    struct batch_gpu *gpu = NULL;
    TRY(MEM_NEW(gpu, 1));
    b->gpu = gpu;
    if (device->handle) {
        gpu->device = device->handle->device;
        TRY(device_usable(gpu->device));
    } else {
        TRY(device_open(device->name, &gpu->device));
        gpu->owns_device = 1;
    }
    if (!gpu->device->properties.f64)
        FAIL(ERR_UNSUPPORTED, "%s has no double precision, which sums require",
             gpu->device->name);
    gpu->shared.device = gpu->device;
    b->options.device.handle = &gpu->shared;
    return FARSUM_OK;
}

static farsum_status gpu_build(struct farsum_batch *b)
{
    struct batch_gpu *gpu = b->gpu;
    struct jit *waves = &gpu->waves;
    int virial = (b->problem.outputs & FARSUM_VIRIAL) != 0;
    for (int f32 = 0; f32 < 2; f32++) {
        struct jit *near = &gpu->near[f32];
        jit_begin(near, gpu->device, "batch/near.k",
                  f32 ? FARSUM_F32 : FARSUM_F64);
        jit_define(near, "VIRIAL", "%d", virial);
        TRY(jit_build(near));
        TRY(jit_kernel(near, "batch_near", 128, 0, &gpu->pairs[f32]));
    }
    jit_begin(waves, gpu->device, "batch/waves.k", FARSUM_F64);
    TRY(jit_build(waves));
    TRY(jit_kernel(waves, "batch_begin", 256, 0, &gpu->begin));
    TRY(jit_kernel(waves, "batch_factors", 128, 0, &gpu->factors));
    TRY(jit_kernel(waves, "batch_targets", 128, 0, &gpu->targets));
    return jit_kernel(waves, "batch_end", 256, 0, &gpu->end);
}

farsum_status batch_gpu_create(struct farsum_batch *b,
                               const farsum_options *given)
{
    TRY(options_check_device(given));
    if (!given->device.handle && device_is_host(given->device.name)) {
        if (b->problem.memory == FARSUM_DEVICE)
            FAIL(ERR_ARGUMENT, "memory is FARSUM_DEVICE, and the options name "
                               "no device");
        return FARSUM_OK;
    }
    TRY(gpu_open(b, &given->device));
    if (!b->small)
        return FARSUM_OK;
    TRY(buf_alloc(&b->gpu->tables, b->gpu->device,
                  (int64_t)BATCH_LEVELS * LEVEL * 8));
    device_gather(b->gpu->device);
    return device_settle(b->gpu->device, gpu_build(b));
}

void batch_gpu_destroy(struct batch_gpu *gpu)
{
    if (!gpu)
        return;
    struct buf *all[] = {&gpu->tables, &gpu->x,       &gpu->system, &gpu->s,
                         &gpu->q,      &gpu->value,   &gpu->mode,   &gpu->part,
                         &gpu->record, &gpu->given_q, &gpu->given_x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    for (int i = 0; i < 6; i++)
        buf_clear(&gpu->out[i]);
    struct jit *jits[] = {&gpu->waves, &gpu->near[0], &gpu->near[1]};
    for (int i = 0; i < 3; i++)
        if (jits[i]->device)
            jit_clear(jits[i]);
    if (gpu->owns_device)
        device_close(gpu->device);
    mem_free(gpu->systems);
    mem_free(gpu->records);
    mem_free(gpu);
}

farsum_status batch_gpu_room(struct batch_gpu *gpu, struct buf *buf,
                             int64_t bytes)
{
    if (buf->device && buf->bytes >= bytes)
        return FARSUM_OK;
    return buf_alloc(buf, gpu->device, bytes + bytes / 4);
}

farsum_status batch_gpu_points(struct farsum_batch *b, const void *x)
{
    struct batch_gpu *gpu = b->gpu;
    int64_t bytes = 3 * b->sources * array_size(b->problem.arrays);
    struct buf given;
    TRY(device_usable(gpu->device));
    TRY(batch_gpu_room(gpu, &gpu->x, bytes));
    if (bytes == 0)
        return FARSUM_OK;
    if (b->problem.memory == FARSUM_DEVICE) {
        TRY(buf_given(&given, gpu->device, x, bytes, "positions"));
        return buf_copy(&gpu->x, 0, &given, 0, bytes);
    }
    return buf_upload(&gpu->x, 0, x, bytes);
}

farsum_status batch_gpu_level(struct farsum_batch *b,
                              const struct batch_level *level)
{
    struct batch_gpu *gpu = b->gpu;
    int index = batch_level_index(level);
    double *table = NULL;
    farsum_status status;
    if (gpu->sent[index])
        return FARSUM_OK;
    TRY(MEM_NEW(table, LEVEL));
    for (int k = 0; k < level->poly.n; k++) {
        table[2 * k] = level->poly.p[k];
        table[2 * k + 1] = level->poly.g[k];
    }
    memcpy(table + 2 * NEAR_MAX, level->gamma,
           (BATCH_TABLE + 1) * sizeof *level->gamma);
    GO(buf_upload(&gpu->tables, (int64_t)index * LEVEL * 8, table, LEVEL * 8));
    gpu->sent[index] = 1;
done:
    mem_free(table);
    return status;
}

double batch_gpu_seconds(const struct farsum_batch *b,
                         const struct batch_system *s)
{
    const struct device *device = b->gpu->device;
    const struct batch_choice *c = &s->chosen;
    double n = (double)s->n, u = c->level->c / c->rc;
    double modes = s->cell.volume * u * u * u / (12 * M_PI * M_PI);
    double pairs = n * n * c->images * PAIR;
    farsum_precision near = c->f32 ? FARSUM_F32 : FARSUM_F64;
    return pairs / gpu_rates(device, near).flops
           + n * modes * MODE / gpu_rates(device, FARSUM_F64).flops;
}

double batch_gpu_plan_seconds(const struct farsum_batch *b, int64_t n,
                              double digits)
{
    struct gpu_rates rates = gpu_rates(b->gpu->device, FARSUM_F64);
    return PLAN * rates.launch
           + (double)n * digits * digits * PLAN_DIGITS / rates.flops;
}

double batch_gpu_pair_seconds(const struct farsum_batch *b)
{
    return PAIR / gpu_rates(b->gpu->device, FARSUM_F32).flops;
}
