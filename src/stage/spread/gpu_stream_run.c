/* gpu_stream_run.c: lists of gpu_stream's columns, and its launches. */
#include "stage/spread/gpu_stream.h"

#include "base/mem.h"

enum { GROUP = 256, LENGTH = 64, CAP = 2048 };

struct state {
    struct spread_gpu gpu; /* its jit: the main kernel */
    struct stream_shape shape;
    struct stream_args list;
    int64_t tasks, extras;
    struct jit list_jit, tail_jit;
    struct kernel main, keys, fill, parts, part_tasks, add_parts, add_tail;
    struct gpu_scan *scan;
    struct buf order, start;   /* of the entries */
    struct buf t, place, item; /* of each entry */
    struct buf part, of;       /* where a task's extras begin; their task */
    struct buf tail, extra, range;
};

void stream_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    struct buf *all[] = {&s->order, &s->start, &s->t,     &s->place, &s->item,
                         &s->part,  &s->of,    &s->tail,  &s->extra, &s->range};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    gpu_scan_destroy(s->scan);
    if (s->list_jit.device)
        jit_clear(&s->list_jit);
    if (s->tail_jit.device)
        jit_clear(&s->tail_jit);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static void define(struct jit *jit, const struct stream_shape *shape)
{
    jit_define(jit, "TILE_Y", "%d", shape->tile_y);
    jit_define(jit, "TILE_Z", "%d", shape->tile_z);
}

static farsum_status compile(struct state *s, const struct spread_args *args)
{
    const struct stream_shape *shape = &s->shape;
    struct spread_args some = *args;
    int group = 32 * shape->warps;
    some.channels = shape->channels;
    spread_gpu_begin(&s->gpu, &some, "stage/spread/gpu_stream.k");
    s->gpu.args = *args;
    jit_define(&s->gpu.jit, "TILE_Y", "%d", shape->tile_y);
    jit_define(&s->gpu.jit, "MMA", "%d", shape->mma);
    jit_define(&s->gpu.jit, "WARPS", "%d", shape->warps);
    jit_define(&s->gpu.jit, "BLOCKS", "%d", shape->blocks);
    TRY(jit_build(&s->gpu.jit));
    TRY(jit_kernel(&s->gpu.jit, "spread_stream", group, shape->arena,
                   &s->main));
    jit_begin(&s->list_jit, args->device, "stage/spread/gpu_stream_list.k",
              args->precision);
    define(&s->list_jit, shape);
    jit_define(&s->list_jit, "SUPPORT", "%d", args->window->support);
    jit_define(&s->list_jit, "RING", "%d", shape->ring);
    jit_define(&s->list_jit, "MOST_Y", "%d", shape->most_y);
    jit_define(&s->list_jit, "MOST_Z", "%d", shape->most_z);
    jit_define(&s->list_jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&s->list_jit));
    TRY(jit_kernel(&s->list_jit, "stream_keys", GROUP, 0, &s->keys));
    TRY(jit_kernel(&s->list_jit, "stream_entries", GROUP, 0, &s->fill));
    TRY(jit_kernel(&s->list_jit, "stream_parts", GROUP, 0, &s->parts));
    TRY(jit_kernel(&s->list_jit, "stream_part_tasks", GROUP, 0,
                   &s->part_tasks));
    jit_begin(&s->tail_jit, args->device, "stage/spread/gpu_stream_tail.k",
              args->precision);
    define(&s->tail_jit, shape);
    jit_define(&s->tail_jit, "SUPPORT", "%d", args->window->support);
    jit_define(&s->tail_jit, "CHANNELS", "%d", shape->channels);
    jit_define(&s->tail_jit, "PARTS", "%d", spread_parts(args));
    TRY(jit_build(&s->tail_jit));
    group = shape->tile_y * shape->tile_z;
    TRY(jit_kernel(&s->tail_jit, "spread_stream_parts", group, 0,
                   &s->add_parts));
    return jit_kernel(&s->tail_jit, "spread_stream_tail", group, 0,
                      &s->add_tail);
}

farsum_status stream_create(const struct spread_args *args, int mma,
                            void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    stream_shape_set(&s->shape, args, mma);
    GO(compile(s, args));
    GO(gpu_scan_create(args->device, GPU_SCAN_U32, &s->scan));
    *state = s;
done:
    if (status != FARSUM_OK)
        stream_destroy(s);
    return status;
}

/* Segments: several tasks for each warp that the device holds at once, so that
 * uneven ones even out, but none shorter than half a window's reach. */
static void segment(struct state *s, int64_t n)
{
    const struct spread_args *args = &s->gpu.args;
    const struct device_facts *facts = &args->device->facts;
    struct stream_args *list = &s->list;
    int64_t P = args->window->support;
    *list = (struct stream_args){
        .columns_y = (int32_t)((args->mesh[1] + s->shape.tile_y - 1)
                               / s->shape.tile_y),
        .columns_z = (int32_t)((args->mesh[2] + s->shape.tile_z - 1)
                               / s->shape.tile_z),
        .bins = (int32_t)(args->mesh[0] + (args->open[0] ? P - 1 : 0)),
        .shift = args->open[0] ? (int32_t)(1 - P) : 0,
        .entries = n * s->shape.most_y * s->shape.most_z,
    };
    int64_t columns = (int64_t)list->columns_y * list->columns_z;
    int64_t held = (int64_t)facts->units * s->shape.blocks * s->shape.warps;
    int64_t wanted = (3 * held + columns - 1) / columns;
    int64_t length = list->bins / wanted;
    length = length < P / 2 ? P / 2 : length;
    length = length > LENGTH ? LENGTH : length;
    list->segments = (int32_t)((list->bins + length - 1) / length);
    list->length = (int32_t)((list->bins + list->segments - 1)
                             / list->segments);
    list->segments = (list->bins + list->length - 1) / list->length;
    s->tasks = columns * list->segments;
    /* a part is no less than four times the mean task */
    int64_t mean = list->entries / s->tasks;
    int64_t cap = 4 * mean > CAP ? 4 * mean : CAP;
    list->cap = cap > INT32_MAX ? INT32_MAX : (int32_t)cap;
    s->extras = list->entries / list->cap;
}

static farsum_status reserve(struct state *s)
{
    const struct spread_args *args = &s->gpu.args;
    struct device *device = args->device;
    const struct stream_args *list = &s->list;
    int64_t real = gpu_real(args->precision), n = list->entries;
    int64_t plane = (int64_t)s->shape.channels * spread_parts(args)
                    * s->shape.tile_y * s->shape.tile_z * real;
    int64_t tail = args->window->support - 1;
    TRY(buf_reserve(&s->t, device, 3 * n * real));
    TRY(buf_reserve(&s->place, device, 4 * n));
    TRY(buf_reserve(&s->item, device, 4 * n));
    TRY(buf_reserve(&s->part, device, 4 * (s->tasks + 1)));
    TRY(buf_reserve(&s->of, device, 4 * s->extras));
    TRY(buf_reserve(&s->range, device, 8 * s->extras));
    TRY(buf_reserve(&s->tail, device, s->tasks * tail * plane));
    TRY(buf_reserve(&s->extra, device,
                    s->extras * (list->length + tail) * plane));
    return gpu_scan_reserve(s->scan, s->tasks + 1);
}

farsum_status stream_set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    struct buf *key = NULL;
    (void)targets;
    TRY(spread_gpu_set(&s->gpu, sources));
    segment(s, s->gpu.n);
    TRY(reserve(s));
    const struct stream_args *list = &s->list;
    struct mesh_args mesh = spread_gpu_mesh(&s->gpu);
    struct buf *x = &sources->gpu->s;
    int64_t n = list->entries;
    /* one key more than lists: places that a particle does not use */
    int64_t keys
        = (int64_t)list->columns_y * list->columns_z * list->bins + 1;
    TRY(gpu_keys_room(sources->gpu, n, keys, &key));
    if (n > 0)
        TRY(LAUNCH(&s->keys, kernel_groups(&s->keys, mesh.n), ARG_BUF(x),
                   ARG_BUF(key), ARG_STRUCT(mesh), ARG_STRUCT(*list)));
    TRY(gpu_keys_sort(sources->gpu, n, keys, &s->order, &s->start));
    if (n > 0)
        TRY(LAUNCH(&s->fill, kernel_groups(&s->fill, n), ARG_BUF(x),
                   ARG_BUF(&s->order), ARG_BUF(&s->start), ARG_BUF(&s->t),
                   ARG_BUF(&s->place), ARG_BUF(&s->item), ARG_STRUCT(mesh),
                   ARG_STRUCT(*list)));
    TRY(buf_fill(&s->part, 0));
    if (s->extras == 0)
        return FARSUM_OK;
    TRY(LAUNCH(&s->parts, kernel_groups(&s->parts, s->tasks),
               ARG_BUF(&s->start), ARG_BUF(&s->part), ARG_I64(s->tasks),
               ARG_STRUCT(*list)));
    TRY(gpu_scan_run(s->scan, &s->part, &s->part, s->tasks + 1, NULL));
    return LAUNCH(&s->part_tasks, s->tasks, ARG_BUF(&s->part), ARG_BUF(&s->of),
                  ARG_I64(s->tasks));
}

farsum_status stream_run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    const struct spread_args *args = &s->gpu.args;
    struct stream_args list = s->list;
    struct mesh_args mesh;
    int64_t warps = s->shape.warps, tail = args->window->support - 1;
    int64_t planes = list.length < tail ? list.length : tail;
    int all = spread_channels(args);
    TRY(spread_gpu_io(&s->gpu, io, &mesh));
    /* without points there are no strengths, and none are read */
    const struct buf *q = mesh.n > 0 ? io->q : &s->tail;
    for (int c = 0; c < all; c += s->shape.channels) {
        list.channel = c;
        TRY(LAUNCH(&s->main, (s->tasks + s->extras + warps - 1) / warps,
                   ARG_BUF(&s->t), ARG_BUF(&s->place), ARG_BUF(&s->item),
                   ARG_BUF(&s->start), ARG_BUF(&s->of), ARG_BUF(&s->part),
                   ARG_BUF(q), ARG_BUF(io->mesh), ARG_BUF(&s->tail),
                   ARG_BUF(&s->extra), ARG_BUF(&s->range), ARG_STRUCT(mesh),
                   ARG_STRUCT(list)));
        if (s->extras > 0)
            TRY(LAUNCH(&s->add_parts, s->tasks, ARG_BUF(io->mesh),
                       ARG_BUF(&s->tail), ARG_BUF(&s->extra),
                       ARG_BUF(&s->range), ARG_BUF(&s->part),
                       ARG_STRUCT(mesh), ARG_STRUCT(list)));
        TRY(LAUNCH(&s->add_tail, s->tasks * planes, ARG_BUF(io->mesh),
                   ARG_BUF(&s->tail), ARG_STRUCT(mesh), ARG_STRUCT(list)));
    }
    return FARSUM_OK;
}
