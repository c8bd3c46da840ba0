/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: planes are transformed where they are.  One kernel transposes their
 * kept columns to lines: those of own rows to the spectrum, the others to
 * blocks for their owners.  Blocks that arrive are copied to the lines, which
 * are then transformed along axis 0.  Backward goes the same way in reverse. */
#include "ranks/device/slab_inside.h"

#include <string.h>

#include "base/mem.h"
#include "stage/device.h"

int gpu_slab_aligns(const struct gpu_slab *s)
{
    return strcmp(s->args.device->backend->name, "opencl") == 0;
}

static farsum_status slab_fft_create(struct gpu_slab *s, struct slab_fft *fft,
                                     const struct fft_args *args)
{
    struct choice choice;
    TRY(choose(&fft_stage, args, &s->args.slab.choose, &choice));
    fft->variant = choice.row->variant;
    fft->reals = fft_batch(args, 0) * fft_step(args);
    return fft->variant->create(args, &fft->state);
}

static void slab_fft_clear(struct slab_fft *fft)
{
    if (fft->state)
        fft->variant->destroy(fft->state);
    memset(fft, 0, sizeof *fft);
}

static farsum_status slab_transforms(struct gpu_slab *s)
{
    const struct slab_args *a = &s->args.slab;
    const struct slab_shape *shape = &s->shape;
    struct fft_args fft = {.precision = a->precision,
                           .threads = a->threads,
                           .mesh = {1, a->mesh[1], a->mesh[2]},
                           .ldz = a->ldz,
                           .patient = a->patient,
                           .device = s->args.device};
    if (s->batch * shape->planes > INT32_MAX
        || s->batch * shape->lines > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "%lld planes and %lld lines are too many",
             (long long)shape->planes, (long long)shape->lines);
    fft.batch[0] = fft.batch[1] = (int)(s->batch * shape->planes);
    if (shape->planes > 0)
        TRY(slab_fft_create(s, &s->plane_fft, &fft));
    fft.mesh[1] = 1;
    fft.mesh[2] = shape->points;
    fft.ldz = 2 * shape->points;
    fft.is_complex = 1;
    fft.batch[0] = fft.batch[1] = (int)(s->batch * shape->lines);
    if (shape->lines > 0 && shape->points > 1) /* of one point: the identity */
        TRY(slab_fft_create(s, &s->line_fft, &fft));
    return FARSUM_OK;
}

static farsum_status slab_kernels(struct gpu_slab *s)
{
    jit_begin(&s->jit, s->args.device, "ranks/device/slab.k",
              s->args.slab.precision);
    jit_define(&s->jit, "PLANES", "%d", s->wide);
    jit_define(&s->jit, "LINES", "%d", s->tall);
    jit_define(&s->jit, "BATCH", "%d", s->batch);
    TRY(jit_build(&s->jit));
    TRY(jit_kernel(&s->jit, "slab_out", SLAB_GROUP, 0, &s->out));
    TRY(jit_kernel(&s->jit, "slab_in", SLAB_GROUP, 0, &s->in));
    TRY(jit_kernel(&s->jit, "slab_clear", SLAB_GROUP, 0, &s->clear));
    return jit_kernel(&s->jit, "slab_join", SLAB_GROUP, 0, &s->points);
}

static farsum_status slab_memory(struct gpu_slab *s)
{
    const struct slab_shape *shape = &s->shape;
    struct device *device = s->args.device;
    int64_t planes = s->plane_fft.reals, lines = s->line_fft.reals;
    int64_t number = 2 * s->real * s->batch;
    int64_t packed = number * shape->planes * (shape->all - shape->lines);
    int64_t arrived = number * (shape->known - shape->planes) * shape->lines;
    int64_t most = packed > arrived ? packed : arrived;
    int aside = s->args.channels > s->batch && s->args.slab.comm->size > 1;
    for (int b = 0; b < (aside ? 2 : 1); b++) {
        TRY(buf_alloc(&s->packed[b], device, packed));
        TRY(buf_alloc(&s->arrived[b], device, arrived));
    }
    if (gpu_slab_aligns(s))
        TRY(buf_alloc(&s->apart, device,
                      (planes > lines ? planes : lines) * s->real));
    if (aside)
        TRY(second_stream_create(&s->exchange, device));
    /* both ways */
    return transport_reserve(s->args.transport, most, most);
}

void gpu_slab_destroy(struct gpu_slab *slab)
{
    if (!slab)
        return;
    slab_fft_clear(&slab->plane_fft);
    slab_fft_clear(&slab->line_fft);
    if (slab->jit.device)
        jit_clear(&slab->jit);
    second_stream_clear(&slab->exchange);
    struct buf *all[] = {&slab->place,      &slab->zero,      &slab->part,
                         &slab->packed[0],  &slab->packed[1], &slab->arrived[0],
                         &slab->arrived[1], &slab->apart};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    mem_free(slab->packed_bytes);
    mem_free(slab->arrived_bytes);
    mem_free(slab);
}

farsum_status gpu_slab_create(const struct gpu_slab_args *args,
                              struct gpu_slab **slab)
{
    farsum_status status = FARSUM_OK;
    struct gpu_slab *s = NULL;
    struct comm *comm = args->slab.comm;
    GO(MEM_NEW(s, 1));
    s->args = *args;
    s->real = gpu_real(args->slab.precision);
    s->batch = args->slab.batch > 1 ? args->slab.batch : 1;
    if (s->batch > 1 && (args->halo > 0 || args->channels % s->batch))
        GO_FAIL(ERR_INTERNAL, "%d channels and halo %lld in groups of %d",
                args->channels, (long long)args->halo, s->batch);
    GO(MEM_NEW(s->packed_bytes, comm->size));
    GO(MEM_NEW(s->arrived_bytes, comm->size));
    GO(gpu_slab_shape(s));
    GO(gpu_slab_tables(s));
    GO(slab_kernels(s));
    GO(slab_transforms(s));
    GO(slab_memory(s));
done:
    status = comm_agree(comm, status);
    if (status != FARSUM_OK) {
        gpu_slab_destroy(s);
        return status;
    }
    s->args.slab.begin0 = s->args.slab.begin1 = NULL;
    s->args.slab.order = s->args.slab.columns = NULL;
    *slab = s;
    return FARSUM_OK;
}

/* The group whose exchange is next. */
struct run {
    struct gpu_slab *slab;
    const struct gpu_slab_io *io;
    int backward, c;
};

static farsum_status run_trade(void *data)
{
    struct run *run = data;
    struct gpu_slab *s = run->slab;
    const struct slab_channel c = gpu_slab_channel(s, run->io, run->c);
    if (run->backward)
        return transport_trade(s->args.transport, COMM_TRANSFORM, c.arrived,
                               s->arrived_bytes, c.packed, s->packed_bytes);
    return transport_trade(s->args.transport, COMM_TRANSFORM, c.packed,
                           s->packed_bytes, c.arrived, s->arrived_bytes);
}

/* If the exchange fails, it has joined the queues. */
static farsum_status run_aside(struct run *run)
{
    TRY(second_stream_run(&run->slab->exchange, run_trade, run));
    return second_stream_join(&run->slab->exchange);
}

/* A group travels on the second queue while the next one is transformed
 * before its exchange, and the last one after.  The exchange waits for the fork
 * only, so the kernels that follow it may be enqueued first. */
static farsum_status run_channels(struct run *run)
{
    farsum_status status = FARSUM_OK;
    struct second_stream *aside = &run->slab->exchange;
    int n = run->io->channels / run->slab->batch;
    KEEP_ON(gpu_slab_before(run->slab, run->io, 0, run->backward));
    KEEP_ON(second_stream_fork(aside));
    for (run->c = 0; run->c < n; run->c++) {
        if (run->c + 1 < n)
            KEEP_ON(
                gpu_slab_before(run->slab, run->io, run->c + 1, run->backward));
        KEEP_ON(run_aside(run));
        if (run->c + 1 < n)
            KEEP_ON(second_stream_fork(aside));
        KEEP_ON(gpu_slab_after(run->slab, run->io, run->c, run->backward));
    }
    return status;
}

static farsum_status slab_run(struct gpu_slab *s, const struct gpu_slab_io *io,
                              int backward)
{
    farsum_status status = FARSUM_OK;
    struct run run = {s, io, backward, 0};
    if (io->channels > s->batch && s->exchange.device)
        return run_channels(&run);
    for (; run.c < io->channels / s->batch; run.c++) {
        KEEP_ON(gpu_slab_before(s, io, run.c, backward));
        if (s->args.slab.comm->size > 1)
            KEEP_ON(run_trade(&run));
        KEEP_ON(gpu_slab_after(s, io, run.c, backward));
    }
    return status;
}

farsum_status gpu_slab_forward(struct gpu_slab *s, const struct gpu_slab_io *io)
{
    return slab_run(s, io, 0);
}

farsum_status gpu_slab_backward(struct gpu_slab *s,
                                const struct gpu_slab_io *io)
{
    return slab_run(s, io, 1);
}
