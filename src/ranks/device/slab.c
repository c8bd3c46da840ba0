/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: planes are transformed where they are.  One kernel transposes their
 * kept columns to lines: those of own rows to the spectrum, the others to
 * blocks for their owners.  Blocks that arrive are copied to the lines, which
 * are then transformed along axis 0.  Backward goes the same way in reverse. */
#include "ranks/device/slab_inside.h"

#include <string.h>

#include "base/mem.h"
#include "stage/device.h"

/* OpenCL makes views at aligned offsets only. */
static int slab_aligns(const struct gpu_slab *s)
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
    if (shape->planes > INT32_MAX || shape->lines > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "%lld planes and %lld lines are too many",
             (long long)shape->planes, (long long)shape->lines);
    fft.batch[0] = fft.batch[1] = (int)shape->planes;
    if (shape->planes > 0)
        TRY(slab_fft_create(s, &s->plane_fft, &fft));
    fft.mesh[1] = 1;
    fft.mesh[2] = shape->points;
    fft.ldz = 2 * shape->points;
    fft.is_complex = 1;
    fft.batch[0] = fft.batch[1] = (int)shape->lines;
    if (shape->lines > 0 && shape->points > 1) /* of one point: the identity */
        TRY(slab_fft_create(s, &s->line_fft, &fft));
    return FARSUM_OK;
}

static farsum_status slab_kernels(struct gpu_slab *s)
{
    jit_begin(&s->jit, s->args.device, "ranks/device/slab.k",
              s->args.slab.precision);
    jit_define(&s->jit, "PLANES", "%d", s->wide);
    jit_define(&s->jit, "LINES", "%d", SLAB_TILE / s->wide);
    TRY(jit_build(&s->jit));
    TRY(jit_kernel(&s->jit, "slab_out", SLAB_GROUP, 0, &s->out));
    TRY(jit_kernel(&s->jit, "slab_in", SLAB_GROUP, 0, &s->in));
    TRY(jit_kernel(&s->jit, "slab_clear", SLAB_GROUP, 0, &s->clear));
    return jit_kernel(&s->jit, "slab_points", SLAB_GROUP, 0, &s->points);
}

static farsum_status slab_memory(struct gpu_slab *s)
{
    const struct slab_shape *shape = &s->shape;
    struct device *device = s->args.device;
    int64_t planes = s->plane_fft.reals, lines = s->line_fft.reals;
    int64_t packed = 2 * s->real * shape->planes * (shape->all - shape->lines);
    int64_t arrived =
        2 * s->real * (shape->points - shape->planes) * shape->lines;
    int64_t most = packed > arrived ? packed : arrived;
    int aside = s->args.channels > 1 && s->args.slab.comm->size > 1;
    for (int b = 0; b < (aside ? 2 : 1); b++) {
        TRY(buf_alloc(&s->packed[b], device, packed));
        TRY(buf_alloc(&s->arrived[b], device, arrived));
    }
    if (slab_aligns(s))
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
    s->args.slab.begin0 = s->args.slab.begin1 = s->args.slab.columns = NULL;
    *slab = s;
    return FARSUM_OK;
}

static int64_t slab_blocks(int64_t n, int64_t per)
{
    return (n + per - 1) / per;
}

/* The reals of a transform, where it runs: in place, or copied to `apart`. */
struct place {
    struct buf *whole; /* borrowed: the caller's array */
    int64_t first;     /* bytes before the part */
    int apart;         /* 1: in slab->apart */
};

static struct place slab_place(const struct gpu_slab *s, struct buf *whole,
                               int64_t first_real)
{
    int64_t first = first_real * s->real;
    /* no view of a view */
    int apart = slab_aligns(s) && whole
                && (first % BUF_ALIGN != 0 || whole->owned == 2);
    return (struct place){whole, first, apart};
}

/* Transforms the numbers at a place. */
static farsum_status slab_transform(struct gpu_slab *s,
                                    const struct slab_fft *fft,
                                    const struct place *at, int backward)
{
    struct buf view = {0};
    struct fft_io io = {&s->apart, backward};
    if (!fft->state)
        return FARSUM_OK;
    if (!at->apart) {
        TRY(buf_view(&view, at->whole, at->first, fft->reals * s->real));
        io.data = &view;
    }
    farsum_status status = fft->variant->run(fft->state, &io);
    buf_clear(&view);
    return status;
}

/* Copies the numbers to `apart` if they are transformed there, or back. */
static farsum_status slab_move(struct gpu_slab *s, const struct slab_fft *fft,
                               const struct place *at, int back)
{
    int64_t bytes = fft->reals * s->real;
    if (!at->apart || !fft->state)
        return FARSUM_OK;
    return back ? buf_copy(at->whole, at->first, &s->apart, 0, bytes)
                : buf_copy(&s->apart, 0, at->whole, at->first, bytes);
}

/* The planes of a channel, its lines, and their parts that travel. */
struct channel {
    struct place mesh, spectrum;
    struct buf *packed, *arrived; /* borrowed */
};

static struct channel slab_channel(struct gpu_slab *s,
                                   const struct gpu_slab_io *io, int c)
{
    int64_t halo = s->args.halo * 2 * s->shape.plane;
    int buffer = s->exchange.device ? c % 2 : 0;
    return (struct channel){
        slab_place(s, io->mesh, c * io->mesh_channel + halo),
        slab_place(s, io->spectrum, c * io->spectrum_channel),
        &s->packed[buffer], &s->arrived[buffer]};
}

/* Fails if the arrays end before the channel does. */
static farsum_status slab_holds(const struct gpu_slab *s,
                                const struct channel *c)
{
    const struct slab_shape *a = &s->shape;
    int64_t planes = 2 * a->planes * a->plane * s->real;
    int64_t lines = 2 * a->lines * a->points * s->real;
    if ((planes > 0 && c->mesh.first + planes > c->mesh.whole->bytes)
        || (lines > 0 && c->spectrum.first + lines > c->spectrum.whole->bytes))
        FAIL(ERR_INTERNAL,
             "the mesh of %lld bytes or the spectrum of %lld is too small",
             (long long)(planes > 0 ? c->mesh.whole->bytes : 0),
             (long long)(lines > 0 ? c->spectrum.whole->bytes : 0));
    return FARSUM_OK;
}

/* The transposing kernel, forward `out` and backward `in`.  The planes are
 * where they are transformed; the lines are in the spectrum. */
static farsum_status slab_turn(struct gpu_slab *s, const struct kernel *kernel,
                               const struct channel *c)
{
    struct slab_shape a = s->shape;
    int64_t lines = SLAB_TILE / s->wide;
    a.mesh = c->mesh.apart ? 0 : c->mesh.first / (2 * s->real);
    a.spectrum = c->spectrum.first / (2 * s->real);
    if (a.planes == 0 || a.all == 0)
        return FARSUM_OK;
    /* a rank without lines may have no spectrum */
    return LAUNCH(
        kernel, slab_blocks(a.all, lines) * slab_blocks(a.planes, s->wide),
        ARG_BUF(c->mesh.apart ? &s->apart : c->mesh.whole), ARG_BUF(&s->place),
        ARG_BUF(c->packed), ARG_BUF(a.lines ? c->spectrum.whole : c->packed),
        ARG_STRUCT(a));
}

/* Sets the numbers that did not travel to 0. */
static farsum_status slab_zero(struct gpu_slab *s, const struct channel *c)
{
    struct slab_shape a = s->shape;
    a.mesh = c->mesh.apart ? 0 : c->mesh.first / (2 * s->real);
    if (a.planes == 0 || a.zeros == 0)
        return FARSUM_OK;
    return LAUNCH(&s->clear,
                  slab_blocks(a.zeros, SLAB_GROUP)
                      * slab_blocks(a.planes, SLAB_COPIES),
                  ARG_BUF(c->mesh.apart ? &s->apart : c->mesh.whole),
                  ARG_BUF(&s->zero), ARG_STRUCT(a));
}

/* The other ranks' points between `arrived` and the lines. */
static farsum_status slab_points(struct gpu_slab *s, const struct channel *c,
                                 int back)
{
    struct slab_shape a = s->shape;
    int64_t rows = SLAB_GROUP / SLAB_EDGE * SLAB_COPIES;
    a.spectrum = c->spectrum.first / (2 * s->real);
    if (a.lines == 0 || a.points == a.planes)
        return FARSUM_OK;
    return LAUNCH(&s->points,
                  slab_blocks(a.points - a.planes, SLAB_EDGE)
                      * slab_blocks(a.lines, rows),
                  ARG_BUF(c->arrived), ARG_BUF(&s->part),
                  ARG_BUF(c->spectrum.whole), ARG_I32(back), ARG_STRUCT(a));
}

static farsum_status planes_forward(struct gpu_slab *s, const struct channel *c)
{
    TRY(slab_move(s, &s->plane_fft, &c->mesh, 0));
    TRY(slab_transform(s, &s->plane_fft, &c->mesh, 0));
    return slab_turn(s, &s->out, c);
}

static farsum_status planes_backward(struct gpu_slab *s,
                                     const struct channel *c)
{
    TRY(slab_turn(s, &s->in, c));
    TRY(slab_zero(s, c));
    TRY(slab_transform(s, &s->plane_fft, &c->mesh, 1));
    return slab_move(s, &s->plane_fft, &c->mesh, 1);
}

static farsum_status lines_transform(struct gpu_slab *s,
                                     const struct channel *c, int backward)
{
    TRY(slab_move(s, &s->line_fft, &c->spectrum, 0));
    TRY(slab_transform(s, &s->line_fft, &c->spectrum, backward));
    return slab_move(s, &s->line_fft, &c->spectrum, 1);
}

static farsum_status lines_forward(struct gpu_slab *s, const struct channel *c)
{
    TRY(slab_points(s, c, 0));
    return lines_transform(s, c, 0);
}

static farsum_status lines_backward(struct gpu_slab *s, const struct channel *c)
{
    TRY(lines_transform(s, c, 1));
    return slab_points(s, c, 1);
}

/* A channel's way: before its exchange, the exchange, and after it. */
struct run {
    struct gpu_slab *slab;
    const struct gpu_slab_io *io;
    int backward, c;
};

static farsum_status run_before(struct run *run, int c)
{
    const struct channel channel = slab_channel(run->slab, run->io, c);
    TRY(slab_holds(run->slab, &channel));
    return run->backward ? lines_backward(run->slab, &channel)
                         : planes_forward(run->slab, &channel);
}

static farsum_status run_after(struct run *run, int c)
{
    const struct channel channel = slab_channel(run->slab, run->io, c);
    TRY(slab_holds(run->slab, &channel));
    return run->backward ? planes_backward(run->slab, &channel)
                         : lines_forward(run->slab, &channel);
}

static farsum_status run_trade(void *data)
{
    struct run *run = data;
    struct gpu_slab *s = run->slab;
    const struct channel c = slab_channel(s, run->io, run->c);
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

/* A channel travels on the second queue while the next one is transformed
 * before its exchange, and the last one after.  The exchange waits for the fork
 * only, so the kernels that follow it may be enqueued first. */
static farsum_status run_channels(struct run *run)
{
    farsum_status status = FARSUM_OK;
    struct second_stream *aside = &run->slab->exchange;
    int n = run->io->channels;
    KEEP_ON(run_before(run, 0));
    KEEP_ON(second_stream_fork(aside));
    for (run->c = 0; run->c < n; run->c++) {
        if (run->c + 1 < n)
            KEEP_ON(run_before(run, run->c + 1));
        KEEP_ON(run_aside(run));
        if (run->c + 1 < n)
            KEEP_ON(second_stream_fork(aside));
        KEEP_ON(run_after(run, run->c));
    }
    return status;
}

static farsum_status slab_run(struct gpu_slab *s, const struct gpu_slab_io *io,
                              int backward)
{
    farsum_status status = FARSUM_OK;
    struct run run = {s, io, backward, 0};
    if (io->channels > 1 && s->exchange.device)
        return run_channels(&run);
    for (; run.c < io->channels; run.c++) {
        KEEP_ON(run_before(&run, run.c));
        if (s->args.slab.comm->size > 1)
            KEEP_ON(run_trade(&run));
        KEEP_ON(run_after(&run, run.c));
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
