/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream_run.c: lists of gpu_stream's columns, and its launches. */
#include "stage/spread/stream/gpu_stream.h"

#include "base/mem.h"

struct state {
    struct spread_gpu gpu; /* its jit: the main kernel */
    struct stream_shape shape;
    struct gpu_columns columns;
    struct jit tail_jit;
    struct kernel main, add_parts, add_tail;
    struct buf tail, extra, range;
};

void stream_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->tail);
    buf_clear(&s->extra);
    buf_clear(&s->range);
    gpu_columns_clear(&s->columns);
    if (s->tail_jit.device)
        jit_clear(&s->tail_jit);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status compile(struct state *s, const struct spread_args *args)
{
    const struct stream_shape *shape = &s->shape;
    const struct gpu_columns_shape *c = &shape->columns;
    struct spread_args some = *args;
    int group = c->tile_y * c->tile_z;
    some.channels = shape->channels;
    spread_gpu_begin(&s->gpu, &some, "stage/spread/stream/gpu_stream.k");
    s->gpu.args = *args;
    jit_define(&s->gpu.jit, "TILE_Y", "%d", c->tile_y);
    jit_define(&s->gpu.jit, "MMA", "%d", shape->mma);
    jit_define(&s->gpu.jit, "WALK", "%d", shape->walk);
    jit_define(&s->gpu.jit, "SOURCES_Y", "%d", c->sources_y);
    jit_define(&s->gpu.jit, "SOURCES_Z", "%d", c->sources_z);
    jit_define(&s->gpu.jit, "WARPS", "%d", shape->warps);
    jit_define(&s->gpu.jit, "BLOCKS", "%d", shape->blocks);
    TRY(jit_build(&s->gpu.jit));
    TRY(jit_kernel(&s->gpu.jit, "spread_stream", 32 * shape->warps,
                   shape->arena, &s->main));
    jit_begin(&s->tail_jit, args->device,
              "stage/spread/stream/gpu_stream_tail.k",
              args->precision);
    jit_define(&s->tail_jit, "TILE_Y", "%d", c->tile_y);
    jit_define(&s->tail_jit, "TILE_Z", "%d", c->tile_z);
    jit_define(&s->tail_jit, "SUPPORT", "%d", c->support);
    jit_define(&s->tail_jit, "CHANNELS", "%d", shape->channels);
    jit_define(&s->tail_jit, "PARTS", "%d", spread_parts(args));
    TRY(jit_build(&s->tail_jit));
    TRY(jit_kernel(&s->tail_jit, "spread_stream_parts", group, 0,
                   &s->add_parts));
    return jit_kernel(&s->tail_jit, "spread_stream_tail", group, 0,
                      &s->add_tail);
}

farsum_status stream_create(const struct spread_args *args,
                            struct stream_kind kind, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    stream_shape_set(&s->shape, args, kind);
    GO(compile(s, args));
    GO(gpu_columns_create(&s->columns, args->device, &s->shape.columns, 0));
    *state = s;
done:
    if (status != FARSUM_OK)
        stream_destroy(s);
    return status;
}

farsum_status stream_set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    const struct spread_args *args = &s->gpu.args;
    struct device *device = args->device;
    const struct gpu_columns *c = &s->columns;
    int64_t tail = args->window->support - 1;
    int64_t plane = (int64_t)s->shape.channels * spread_parts(args)
                    * c->shape.tile_y * c->shape.tile_z
                    * gpu_real(args->precision);
    (void)targets;
    TRY(spread_gpu_set(&s->gpu, sources));
    TRY(gpu_columns_set(&s->columns, sources->gpu,
                        (int64_t)device->properties.units * s->shape.blocks
                            * s->shape.warps));
    TRY(buf_reserve(&s->range, device, 8 * c->extras));
    TRY(buf_reserve(&s->tail, device, c->tasks * tail * plane));
    return buf_reserve(&s->extra, device,
                       c->extras * (c->args.length + tail) * plane);
}

farsum_status stream_run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    const struct spread_args *args = &s->gpu.args;
    const struct gpu_columns *c = &s->columns;
    struct columns_args list = c->args;
    struct mesh_args mesh;
    int64_t warps = s->shape.warps, tail = args->window->support - 1;
    int64_t planes = list.length < tail ? list.length : tail;
    int all = spread_channels(args);
    TRY(spread_gpu_io(&s->gpu, io, &mesh));
    /* without points no strengths are read */
    const struct buf *q = mesh.n > 0 ? io->q : &s->tail;
    for (int k = 0; k < all; k += s->shape.channels) {
        list.channel = k;
        TRY(LAUNCH(&s->main, (c->tasks + c->extras + warps - 1) / warps,
                   ARG_BUF(&c->t), ARG_BUF(&c->place), ARG_BUF(&c->item),
                   ARG_BUF(&c->start), ARG_BUF(&c->of), ARG_BUF(&c->part),
                   ARG_BUF(q), ARG_BUF(io->mesh), ARG_BUF(&s->tail),
                   ARG_BUF(&s->extra), ARG_BUF(&s->range), ARG_STRUCT(mesh),
                   ARG_STRUCT(list)));
        if (c->extras > 0)
            TRY(LAUNCH(&s->add_parts, c->tasks, ARG_BUF(io->mesh),
                       ARG_BUF(&s->tail), ARG_BUF(&s->extra),
                       ARG_BUF(&s->range), ARG_BUF(&c->part),
                       ARG_STRUCT(mesh), ARG_STRUCT(list)));
        TRY(LAUNCH(&s->add_tail, c->tasks * planes, ARG_BUF(io->mesh),
                   ARG_BUF(&s->tail), ARG_STRUCT(mesh), ARG_STRUCT(list)));
    }
    return FARSUM_OK;
}
