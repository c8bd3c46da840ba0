/* gpu_columns.c: points by the columns of mesh points that they touch. */
#include "points/gpu_columns.h"

enum { GROUP = 256, CAP = 2048 };

/* The most pieces that `edge` tiles and mesh ends cut a window into. */
static int pieces(int64_t mesh, int open, int edge, int support)
{
    int most = 1;
    for (int64_t m = 0; m < mesh; m++) {
        int n = 0;
        for (int64_t pos = m, next; pos < m + support; pos = next) {
            int64_t w = pos % mesh, end = (w / edge + 1) * edge;
            next = pos + (end < mesh ? end : mesh) - w;
            n++;
            if (open && next - pos + w == mesh)
                break;
        }
        most = n > most ? n : most;
        /* what lies between the ends repeats with the tiles */
        if (m > edge + support && mesh - m > 2 * (edge + support))
            m += (mesh - m - 2 * (edge + support)) / edge * edge;
    }
    return most;
}

void gpu_columns_shape_set(struct gpu_columns_shape *s)
{
    s->most_y = pieces(s->mesh[1], s->open[1], s->tile_y, s->support);
    s->most_z = pieces(s->mesh[2], s->open[2], s->tile_z, s->support);
}

int64_t gpu_columns_count(const struct gpu_columns_shape *s)
{
    return (s->mesh[1] + s->tile_y - 1) / s->tile_y
           * ((s->mesh[2] + s->tile_z - 1) / s->tile_z);
}

static int64_t first_planes(const struct gpu_columns_shape *s)
{
    return s->mesh[0] + (s->open[0] ? s->support - 1 : 0);
}

farsum_status gpu_columns_fits(const struct gpu_columns_shape *s, int64_t n)
{
    int64_t entries = n * s->most_y * s->most_z;
    int64_t lists = gpu_columns_count(s) * first_planes(s);
    if (entries > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED, "lists of %lld entries, at most %lld",
             (long long)entries, (long long)GPU_POINTS_MOST);
    if (lists >= GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld lists, at most %lld", (long long)lists,
             (long long)GPU_BINS_MOST);
    return FARSUM_OK;
}

int64_t gpu_columns_bytes(const struct gpu_columns_shape *s, int64_t n,
                          int has_inverse)
{
    int64_t real = s->precision == FARSUM_F32 ? 4 : 8;
    return n * s->most_y * s->most_z * (3 * real + 12 + 4 * has_inverse)
           + 4 * (gpu_columns_count(s) * first_planes(s) + 2);
}

void gpu_columns_clear(struct gpu_columns *c)
{
    struct buf *all[] = {&c->order, &c->start,   &c->t,    &c->place,
                         &c->item,  &c->inverse, &c->part, &c->of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    gpu_scan_destroy(c->scan);
    if (c->jit.device)
        jit_clear(&c->jit);
    *c = (struct gpu_columns){0};
}

static farsum_status compile(struct gpu_columns *c)
{
    const struct gpu_columns_shape *s = &c->shape;
    struct jit *jit = &c->jit;
    jit_begin(jit, c->device, "points/gpu_columns.k", s->precision);
    jit_define(jit, "SUPPORT", "%d", s->support);
    jit_define(jit, "TILE_Y", "%d", s->tile_y);
    jit_define(jit, "TILE_Z", "%d", s->tile_z);
    jit_define(jit, "RING", "%d", s->ring);
    jit_define(jit, "MOST_Y", "%d", s->most_y);
    jit_define(jit, "MOST_Z", "%d", s->most_z);
    jit_define(jit, "GROUP", "%d", GROUP);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "columns_keys", GROUP, 0, &c->keys));
    TRY(jit_kernel(jit, "columns_entries", GROUP, 0, &c->fill));
    TRY(jit_kernel(jit, "columns_parts", GROUP, 0, &c->parts));
    return jit_kernel(jit, "columns_part_tasks", GROUP, 0, &c->part_tasks);
}

farsum_status gpu_columns_create(struct gpu_columns *c, struct device *device,
                                 const struct gpu_columns_shape *shape,
                                 int has_inverse)
{
    farsum_status status = FARSUM_OK;
    *c = (struct gpu_columns){.device = device, .shape = *shape,
                              .has_inverse = has_inverse};
    GO(compile(c));
    GO(gpu_scan_create(device, GPU_SCAN_U32, &c->scan));
done:
    if (status != FARSUM_OK)
        gpu_columns_clear(c);
    return status;
}

/* Segments: several tasks for each warp that the device holds at once, so that
 * uneven ones even out, but none shorter than half a window's reach. */
static void segment(struct gpu_columns *c, int64_t n, int64_t warps)
{
    const struct gpu_columns_shape *s = &c->shape;
    struct columns_args *a = &c->args;
    int64_t columns = gpu_columns_count(s), bins = first_planes(s);
    int64_t wanted = (3 * warps + columns - 1) / columns;
    int64_t length = bins / (wanted > 0 ? wanted : 1);
    length = length < s->support / 2 ? s->support / 2 : length;
    length = length > GPU_COLUMNS_LENGTH ? GPU_COLUMNS_LENGTH : length;
    *a = (struct columns_args){
        .columns_y = (int32_t)((s->mesh[1] + s->tile_y - 1) / s->tile_y),
        .columns_z = (int32_t)((s->mesh[2] + s->tile_z - 1) / s->tile_z),
        .bins = (int32_t)bins,
        .shift = s->open[0] ? 1 - s->support : 0,
        .entries = n * s->most_y * s->most_z,
    };
    a->segments = (int32_t)((bins + length - 1) / length);
    a->length = (int32_t)((bins + a->segments - 1) / a->segments);
    a->segments = (a->bins + a->length - 1) / a->length;
    c->tasks = columns * a->segments;
    /* a part is no less than four times the mean task */
    int64_t mean = a->entries / c->tasks;
    int64_t cap = 4 * mean > CAP ? 4 * mean : CAP;
    a->cap = cap > INT32_MAX ? INT32_MAX : (int32_t)cap;
    c->extras = a->entries / a->cap;
}

static farsum_status reserve(struct gpu_columns *c)
{
    int64_t real = c->shape.precision == FARSUM_F32 ? 4 : 8;
    int64_t n = c->args.entries;
    TRY(buf_reserve(&c->t, c->device, 3 * n * real));
    TRY(buf_reserve(&c->place, c->device, 4 * n));
    TRY(buf_reserve(&c->item, c->device, 4 * n));
    TRY(buf_reserve(&c->inverse, c->device, c->has_inverse ? 4 * n : 1));
    TRY(buf_reserve(&c->part, c->device, 4 * (c->tasks + 1)));
    TRY(buf_reserve(&c->of, c->device, 4 * c->extras));
    return gpu_scan_reserve(c->scan, c->tasks + 1);
}

/* As leaf/mesh.h; what the lists want of it. */
struct columns_mesh {
    int64_t n, strides[3];
    int32_t mesh[3], ldz, open[3], more;
};
_Static_assert(sizeof(struct columns_mesh) == 64, "as leaf/mesh.h has it");

farsum_status gpu_columns_set(struct gpu_columns *c, struct points_gpu *points,
                              int64_t warps)
{
    const struct columns_args *a = &c->args;
    struct columns_mesh mesh = {.n = points->n};
    struct buf *key = NULL;
    for (int d = 0; d < 3; d++) {
        mesh.mesh[d] = (int32_t)c->shape.mesh[d];
        mesh.open[d] = c->shape.open[d] != 0;
    }
    TRY(gpu_columns_fits(&c->shape, points->n));
    segment(c, points->n, warps);
    TRY(reserve(c));
    /* one key more than lists: places that a point does not use */
    int64_t n = a->entries;
    int64_t keys = gpu_columns_count(&c->shape) * a->bins + 1;
    TRY(gpu_keys_room(points, n, keys, &key));
    if (n > 0)
        TRY(LAUNCH(&c->keys, kernel_groups(&c->keys, mesh.n),
                   ARG_BUF(&points->s), ARG_BUF(key), ARG_STRUCT(mesh),
                   ARG_STRUCT(*a)));
    TRY(gpu_keys_sort(points, n, keys, &c->order, &c->start));
    if (n > 0)
        TRY(LAUNCH(&c->fill, kernel_groups(&c->fill, n), ARG_BUF(&points->s),
                   ARG_BUF(&c->order), ARG_BUF(&c->start), ARG_BUF(&c->t),
                   ARG_BUF(&c->place), ARG_BUF(&c->item), ARG_BUF(&c->inverse),
                   ARG_I32(c->has_inverse), ARG_STRUCT(mesh),
                   ARG_STRUCT(*a)));
    TRY(buf_fill(&c->part, 0));
    if (c->extras == 0)
        return FARSUM_OK;
    TRY(LAUNCH(&c->parts, kernel_groups(&c->parts, c->tasks),
               ARG_BUF(&c->start), ARG_BUF(&c->part), ARG_I64(c->tasks),
               ARG_STRUCT(*a)));
    TRY(gpu_scan_run(c->scan, &c->part, &c->part, c->tasks + 1, NULL));
    return LAUNCH(&c->part_tasks, c->tasks, ARG_BUF(&c->part), ARG_BUF(&c->of),
                  ARG_I64(c->tasks));
}
