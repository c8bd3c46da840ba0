/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c: making lists of points by the mesh columns that they touch. */
#include "points/device/columns.h"

#include "base/mem.h"
#include "points/device/ordering.h"

enum { GROUP = 256 };

/* Data that depends only on points and shape. */
struct gpu_columns_lists {
    struct gpu_columns_lists *next; /* next lists of the same points */
    struct points_gpu *points;      /* borrowed; NULL: the points were
                                       destroyed */
    struct gpu_columns_shape shape;
    int users;                      /* number of variants; the last one to leave
                                       frees the lists */
    int64_t version;                /* version of the positions; 0: lists not
                                       made */
    int64_t inverted;               /* version for which inverse is valid */
    int wants_inverse;              /* 1: one of the variants needs it */
    struct buf order, start;        /* order and start of the entries */
    struct buf t, place, item, inverse;
};

static void lists_leave(struct gpu_columns *c)
{
    struct gpu_columns_lists *l = c->lists;
    c->lists = NULL;
    if (!l || --l->users > 0)
        return;
    struct gpu_columns_lists **at = l->points ? &l->points->lists : NULL;
    while (at && *at != l)
        at = &(*at)->next;
    if (at)
        *at = l->next;
    struct buf *all[] = {&l->order, &l->start, &l->t,
                         &l->place, &l->item,  &l->inverse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    mem_free(l);
}

static int same_shape(const struct gpu_columns_shape *a,
                      const struct gpu_columns_shape *b)
{
    int same = a->precision == b->precision && a->support == b->support
               && a->tile_y == b->tile_y && a->tile_z == b->tile_z
               && a->by_first == b->by_first && a->ring == b->ring;
    for (int d = 0; d < 3; d++)
        same &= a->mesh[d] == b->mesh[d] && !a->open[d] == !b->open[d];
    return same;
}

/* Joins the lists of these points and this shape, which may not be made yet. */
static farsum_status lists_join(struct gpu_columns *c,
                                struct points_gpu *points)
{
    struct gpu_columns_lists *l = c->lists;
    if (l && l->points == points)
        return FARSUM_OK;
    lists_leave(c);
    for (l = points->lists; l; l = l->next)
        if (same_shape(&l->shape, &c->shape))
            break;
    if (!l) {
        TRY(MEM_NEW(l, 1));
        l->shape = c->shape;
        l->points = points;
        l->next = points->lists;
        points->lists = l;
    }
    l->users++;
    l->wants_inverse |= c->has_inverse;
    c->lists = l;
    return FARSUM_OK;
}

void gpu_columns_forget(struct points_gpu *points)
{
    for (struct gpu_columns_lists *l = points->lists, *next; l; l = next) {
        next = l->next;
        l->points = NULL;
        l->next = NULL;
    }
    points->lists = NULL;
}

void gpu_columns_clear(struct gpu_columns *c)
{
    lists_leave(c);
    buf_clear(&c->part);
    buf_clear(&c->of);
    gpu_scan_destroy(c->scan);
    if (c->jit.device)
        jit_clear(&c->jit);
    *c = (struct gpu_columns){0};
}

static farsum_status compile(struct gpu_columns *c)
{
    const struct gpu_columns_shape *s = &c->shape;
    struct jit *jit = &c->jit;
    jit_begin(jit, c->device, "points/device/columns.k", s->precision);
    jit_define(jit, "SUPPORT", "%d", s->support);
    jit_define(jit, "TILE_Y", "%d", s->tile_y);
    jit_define(jit, "TILE_Z", "%d", s->tile_z);
    jit_define(jit, "BY_FIRST", "%d", s->by_first);
    jit_define(jit, "WALK", "%d", s->walk);
    jit_define(jit, "SOURCES_Y", "%d", s->sources_y);
    jit_define(jit, "SOURCES_Z", "%d", s->sources_z);
    jit_define(jit, "RING", "%d", s->ring);
    jit_define(jit, "MOST_Y", "%d", s->most_y);
    jit_define(jit, "MOST_Z", "%d", s->most_z);
    jit_define(jit, "GROUP", "%d", GROUP);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "columns_keys", GROUP, 0, &c->keys));
    TRY(jit_kernel(jit, "columns_entries", GROUP, 0, &c->fill));
    TRY(jit_kernel(jit, "columns_invert", GROUP, 0, &c->invert));
    TRY(jit_kernel(jit, "columns_parts", GROUP, 0, &c->parts));
    return jit_kernel(jit, "columns_part_tasks", GROUP, 0, &c->part_tasks);
}

farsum_status gpu_columns_create(struct gpu_columns *c, struct device *device,
                                 const struct gpu_columns_shape *shape,
                                 int has_inverse)
{
    farsum_status status = FARSUM_OK;
    *c = (struct gpu_columns){.device = device,
                              .shape = *shape,
                              .has_inverse = has_inverse};
    GO(compile(c));
    GO(gpu_scan_create(device, GPU_SCAN_U32, &c->scan));
done:
    if (status != FARSUM_OK)
        gpu_columns_clear(c);
    return status;
}

static void segment(struct gpu_columns *c, int64_t n, int64_t warps)
{
    const struct gpu_columns_shape *s = &c->shape;
    struct columns_args *a = &c->args;
    int64_t columns = gpu_columns_count(s), bins = gpu_columns_bins(s);
    int64_t length = gpu_columns_length(s, warps);
    *a = (struct columns_args){
        .columns_y = (int32_t)gpu_columns_along(s, 1),
        .columns_z = (int32_t)gpu_columns_along(s, 2),
        .lists_y = (int32_t)gpu_columns_lists_along(s, 1),
        .lists_z = (int32_t)gpu_columns_lists_along(s, 2),
        .bins = (int32_t)bins,
        .shift = s->open[0] ? 1 - s->support : 0,
        .entries = n * s->most_y * s->most_z,
    };
    a->segments = (int32_t)((bins + length - 1) / length);
    a->length = (int32_t)((bins + a->segments - 1) / a->segments);
    a->segments = (a->bins + a->length - 1) / a->length;
    c->tasks = columns * a->segments;
    /* a part holds at least four times the mean task's entries */
    int64_t visits = a->entries * s->sources_y * s->sources_z;
    int64_t mean = visits / c->tasks;
    int64_t cap = 4 * mean > GPU_COLUMNS_CAP ? 4 * mean : GPU_COLUMNS_CAP;
    a->cap = cap > INT32_MAX ? INT32_MAX : (int32_t)cap;
    c->extras = visits / a->cap;
}

/* As in points/device/mesh.kh; only the fields that the lists need. */
struct columns_mesh {
    int64_t n, strides[3];
    int32_t mesh[3], ldz, open[3], more;
};
_Static_assert(sizeof(struct columns_mesh) == 64,
               "as points/device/mesh.kh has it");

/* Makes keys, sorts them, and makes the entries in that order. */
static farsum_status lists_make(struct gpu_columns *c,
                                struct points_gpu *points,
                                const struct columns_mesh *mesh)
{
    struct gpu_columns_lists *l = c->lists;
    const struct columns_args *a = &c->args;
    int64_t n = a->entries, real = c->shape.precision == FARSUM_F32 ? 4 : 8;
    /* one more key than lists, for unused entries */
    int64_t keys = (int64_t)a->lists_y * a->lists_z * a->bins + 1;
    struct buf *key = NULL;
    const struct gpu_ordering *by = gpu_ordering_current(points, 1);
    const struct buf *x = by ? &by->s : &points->s;
    l->version = 0;
    TRY(buf_reserve(&l->t, c->device, 3 * n * real));
    TRY(buf_reserve(&l->place, c->device, 4 * n));
    TRY(buf_reserve(&l->item, c->device, 4 * n));
    TRY(gpu_keys_reserve(points, n, keys, &key));
    if (n > 0)
        TRY(LAUNCH(&c->keys, kernel_groups(&c->keys, mesh->n), ARG_BUF(x),
                   ARG_BUF(key), ARG_STRUCT(*mesh), ARG_STRUCT(*a)));
    TRY(gpu_keys_sort(points, n, keys, &l->order, &l->start));
    if (n > 0)
        TRY(LAUNCH(&c->fill, kernel_groups(&c->fill, n), ARG_BUF(x),
                   ARG_BUF(by ? &by->item : &l->start), ARG_BUF(&l->order),
                   ARG_BUF(&l->start), ARG_BUF(&l->t), ARG_BUF(&l->place),
                   ARG_BUF(&l->item), ARG_STRUCT(*mesh), ARG_STRUCT(*a),
                   ARG_I32(by != NULL)));
    l->version = points->version;
    return FARSUM_OK;
}

static farsum_status lists_invert(struct gpu_columns *c)
{
    struct gpu_columns_lists *l = c->lists;
    int64_t n = c->args.entries;
    l->inverted = 0;
    TRY(buf_reserve(&l->inverse, c->device, 4 * n));
    if (n > 0)
        TRY(LAUNCH(&c->invert, kernel_groups(&c->invert, n),
                   ARG_BUF(&l->order), ARG_BUF(&l->start),
                   ARG_BUF(&l->inverse), ARG_STRUCT(c->args)));
    l->inverted = l->version;
    return FARSUM_OK;
}

/* Makes a buffer that refers to another without owning it. */
static void lend(struct buf *to, const struct buf *from)
{
    buf_borrow(to, from->device, from->handle, from->bytes);
}

static farsum_status tasks_make(struct gpu_columns *c,
                                const struct columns_mesh *mesh)
{
    TRY(buf_reserve(&c->part, c->device, 4 * (c->tasks + 1)));
    TRY(buf_reserve(&c->of, c->device, 4 * c->extras));
    TRY(gpu_scan_reserve(c->scan, c->tasks + 1));
    TRY(buf_fill(&c->part, 0));
    if (c->extras == 0)
        return FARSUM_OK;
    TRY(LAUNCH(&c->parts, kernel_groups(&c->parts, c->tasks),
               ARG_BUF(&c->start), ARG_BUF(&c->part), ARG_I64(c->tasks),
               ARG_STRUCT(*mesh), ARG_STRUCT(c->args)));
    TRY(gpu_scan_run(c->scan, &c->part, &c->part, c->tasks + 1, NULL));
    return LAUNCH(&c->part_tasks, c->tasks, ARG_BUF(&c->part), ARG_BUF(&c->of),
                  ARG_I64(c->tasks));
}

farsum_status gpu_columns_set(struct gpu_columns *c, struct points_gpu *points,
                              int64_t warps)
{
    struct columns_mesh mesh = {.n = points->n};
    for (int d = 0; d < 3; d++) {
        mesh.mesh[d] = (int32_t)c->shape.mesh[d];
        mesh.open[d] = c->shape.open[d] != 0;
    }
    if (points->version == 0)
        FAIL(ERR_STATE, "no positions were set");
    TRY(points_gpu_fractions(points));
    TRY(gpu_columns_fits(&c->shape, points->n));
    TRY(lists_join(c, points));
    segment(c, points->n, warps);
    struct gpu_columns_lists *l = c->lists;
    if (l->version != points->version)
        TRY(lists_make(c, points, &mesh));
    if (l->wants_inverse && l->inverted != l->version)
        TRY(lists_invert(c));
    lend(&c->start, &l->start);
    lend(&c->t, &l->t);
    lend(&c->place, &l->place);
    lend(&c->item, &l->item);
    lend(&c->inverse, &l->inverse);
    return tasks_make(c, &mesh);
}
