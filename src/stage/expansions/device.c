/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: common code of the far-field variants on devices: near boxes,
 * lists of far boxes, and the work of thread blocks. */
#include "stage/expansions/device.h"

#include <string.h>

#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/device.h"

enum { GROUP = 128 };

/* Host counterpart of the struct in stage/expansions/device.k. */
struct boxes_place {
    int32_t root[3], periodic[3];
    int32_t ws, level, boxes, unused;
    int64_t at;
};
_Static_assert(sizeof(struct boxes_place) == 48,
               "must match stage/expansions/device.k");

int64_t boxes_gpu_level(const struct boxes_args *a, int level)
{
    return (a->root[0] * a->root[1] * a->root[2]) << 3 * level;
}

int64_t boxes_gpu_boxes(const struct boxes_args *a)
{
    int64_t n = 0;
    if (!a->dense)
        return a->n_boxes;
    for (int level = 0; level <= a->depth; level++)
        n += boxes_gpu_level(a, level);
    return n;
}

int64_t boxes_gpu_leaves(const struct boxes_args *a)
{
    return a->dense ? boxes_gpu_level(a, a->depth) : a->n_leaves;
}

farsum_status boxes_gpu_fits(const struct boxes_args *a, int most)
{
    TRY(gpu_wanted(a->device));
    if (!a->dense)
        FAIL(ERR_UNSUPPORTED, "supports only dense trees");
    return boxes_gpu_fits_any(a, most);
}

farsum_status boxes_gpu_fits_any(const struct boxes_args *a, int most)
{
    TRY(gpu_wanted(a->device));
    if (a->p < 0 || a->p > most)
        FAIL(ERR_UNSUPPORTED, "supports orders up to %d", most);
    if (!a->dense)
        return FARSUM_OK;
    if (a->depth > BOXES_LEVELS)
        FAIL(ERR_UNSUPPORTED, "supports at most %d levels below the root",
             BOXES_LEVELS);
    double root = (double)a->root[0] * (double)a->root[1] * (double)a->root[2];
    if (root * (double)((int64_t)1 << 3 * a->depth) >= 0x1p30)
        FAIL(ERR_UNSUPPORTED, "supports fewer than 2^30 leaves");
    return FARSUM_OK;
}

farsum_status boxes_gpu_fits_memory(const struct boxes_args *a, int64_t bytes)
{
    const struct device_properties *f = &a->device->properties;
    if (bytes > f->alloc_max || bytes > f->memory / 2)
        FAIL(ERR_UNSUPPORTED,
             "operators need %lld bytes; a buffer of %s can hold %lld",
             (long long)bytes, a->device->name,
             (long long)(f->alloc_max < f->memory / 2 ? f->alloc_max
                                                      : f->memory / 2));
    return FARSUM_OK;
}

static int64_t near_boxes(const struct boxes_args *a)
{
    int64_t side = 2 * a->ws + 1;
    return side * side * side;
}

static int64_t near_bytes(const struct boxes_args *a)
{
    int64_t n = 0;
    for (int level = 0; a->dense && level < a->depth; level++)
        n += boxes_gpu_level(a, level);
    return 4 * near_boxes(a) * n;
}

static farsum_status near_fill(struct boxes_gpu *g)
{
    const struct boxes_args *a = &g->args;
    farsum_status status = FARSUM_OK;
    struct jit jit = {0};
    struct kernel kernel;
    GO(buf_alloc(&g->near, a->device, near_bytes(a)));
    jit_begin(&jit, a->device, "stage/expansions/device.k", a->precision);
    jit_define(&jit, "GROUP", "%d", GROUP);
    GO(jit_build(&jit));
    GO(jit_kernel(&jit, "boxes_neighbours", GROUP, 0, &kernel));
    for (int level = 0; level < a->depth; level++) {
        struct boxes_place place = {
            .ws = a->ws,
            .level = level,
            .boxes = (int32_t)boxes_gpu_level(a, level),
            .at = g->levels.near[level + 1],
        };
        for (int d = 0; d < 3; d++) {
            place.root[d] = (int32_t)a->root[d];
            place.periodic[d] = a->periodic[d];
        }
        GO(LAUNCH(&kernel, kernel_groups(&kernel, place.boxes),
                  ARG_BUF(&g->near), ARG_STRUCT(place)));
    }
    GO(device_finish(a->device));
done:
    if (jit.device)
        jit_clear(&jit);
    return status;
}

farsum_status boxes_gpu_begin(struct boxes_gpu *g, const struct boxes_args *a,
                              int width, int parts)
{
    struct boxes_levels *l = &g->levels;
    g->args = *a;
    g->width = width;
    g->parts = parts;
    l->depth = a->depth;
    l->sparse = !a->dense;
    l->list = (int32_t)boxes_gpu_far_most(a->ws);
    if (!a->dense)
        return FARSUM_OK;
    for (int level = 1; level <= a->depth; level++) {
        int64_t parents = boxes_gpu_level(a, level - 1);
        l->first[level] = l->first[level - 1] + parents;
        l->parents[level] = (int32_t)parents;
        if (level > 1)
            l->near[level] = l->near[level - 1]
                             + near_boxes(a) * l->parents[level - 1];
        l->begin[level] = (int32_t)g->groups;
        g->groups += 8 * parts * ((parents + width - 1) / width);
        if (g->groups > INT32_MAX)
            FAIL(ERR_UNSUPPORTED, "m2l: too many thread blocks");
    }
    return near_fill(g);
}

/* Runs of a tree: octant, first box, end, 0; written unless `to` is NULL.
 * Returns their number. */
static int64_t set_runs(const struct boxes_gpu *g, const struct tree *t,
                        int32_t *to)
{
    const int64_t *octant = t->gpu->sparse.octant;
    int64_t n = 0;
    for (int part = 8; part < 8 * (t->depth + 1); part++)
        for (int64_t b = octant[part]; b < octant[part + 1]; b += g->width) {
            if (to) {
                int64_t end = b + g->width;
                to[4 * n] = part % 8;
                to[4 * n + 1] = (int32_t)b;
                to[4 * n + 2] =
                    (int32_t)(end < octant[part + 1] ? end : octant[part + 1]);
                to[4 * n + 3] = 0;
            }
            n++;
        }
    return n;
}

farsum_status boxes_gpu_set(struct boxes_gpu *g, const struct tree *t)
{
    farsum_status status = FARSUM_OK;
    struct boxes_levels *l = &g->levels;
    int64_t near = near_boxes(&g->args);
    int32_t *runs = NULL;
    if (g->args.dense)
        return FARSUM_OK;
    g->groups = 0;
    if (t->dense || !t->gpu || t->ws != g->args.ws)
        FAIL(ERR_ARGUMENT,
             "the tree is not the one that the variant was created for");
    const struct tree_gpu_sparse *s = &t->gpu->sparse;
    int64_t n = set_runs(g, t, NULL);
    if (n * g->parts > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "too many thread blocks");
    GO(MEM_RAW(runs, 4 * n));
    (void)set_runs(g, t, runs);
    GO(buf_reserve(&g->runs, g->args.device, 16 * n));
    if (n > 0)
        GO(buf_upload(&g->runs, 0, runs, 16 * n));
    l->first[1] = t->first[1];
    l->slots = s->slots;
    l->child = near * s->slots;
    l->above = (near + 9) * s->slots;
    g->groups = n * g->parts;
done:
    mem_free(runs);
    return status;
}

const struct buf *boxes_gpu_near(const struct boxes_gpu *g,
                                 const struct tree *t)
{
    return t->dense ? &g->near : &t->gpu->sparse.slot;
}

struct boxes_family boxes_gpu_family(const struct tree *t, int level)
{
    const int64_t side = 2 * t->ws + 1;
    if (t->dense)
        return (struct boxes_family){t->first[level], t->first[level + 1],
                                     tree_boxes(t, level), 0};
    const struct tree_gpu_sparse *s = &t->gpu->sparse;
    return (struct boxes_family){s->first[level], side * side * side * s->slots,
                                 s->first[level + 1] - s->first[level],
                                 s->slots};
}

void boxes_gpu_clear(struct boxes_gpu *g)
{
    buf_clear(&g->near);
    buf_clear(&g->runs);
    buf_clear(&g->list);
    buf_clear(&g->operators);
    if (g->jit.device)
        jit_clear(&g->jit);
}

farsum_status boxes_gpu_same(const struct boxes_args *a,
                             const struct boxes_io *io)
{
    const struct tree *t = io->tree;
    int same = t->dense == a->dense && t->ws == a->ws;
    if (t->dense)
        same = same && t->depth == a->depth;
    else
        same = same && t->gpu && t->gpu->device == a->device;
    for (int d = 0; d < 3; d++)
        same = same && t->root[d] == a->root[d]
               && !t->periodic[d] == !a->periodic[d];
    if (!same || io->stride < t->n_boxes)
        FAIL(ERR_ARGUMENT,
             "the tree is not the one that the variant was created for");
    return FARSUM_OK;
}

farsum_status boxes_gpu_io(struct boxes_gpu *g, const struct boxes_io *io)
{
    TRY(boxes_gpu_same(&g->args, io));
    g->levels.stride = io->stride;
    return FARSUM_OK;
}

int boxes_gpu_thread(const struct boxes_args *a, int most, int parts)
{
    int64_t parents = a->n_boxes / 8 + 1;
    int boxes = most;
    if (a->dense)
        parents = a->depth ? boxes_gpu_level(a, a->depth - 1) : 1;
    while (boxes > 1
           && 8 * parts * parents / (boxes * BOXES_LANES)
                  < 2 * a->device->properties.units)
        boxes /= 2;
    return boxes;
}

int64_t boxes_gpu_far_most(int ws)
{
    int64_t side = 2 * ws + 1;
    return 7 * side * side * side;
}

int64_t boxes_gpu_far(int ws, int octant, struct boxes_far *far)
{
    int64_t n = 0;
    int32_t s[3], near = 0;
    for (s[2] = -ws; s[2] <= ws; s[2]++)
        for (s[1] = -ws; s[1] <= ws; s[1]++)
            for (s[0] = -ws; s[0] <= ws; s[0]++, near++)
                for (int o = 0; o < 8; o++) {
                    struct boxes_far f = {.octant = o, .near = near};
                    for (int d = 0; d < 3; d++)
                        f.d[d] = (octant >> d & 1) - (o >> d & 1) - 2 * s[d];
                    if (boxes_far(ws, f.d))
                        far[n++] = f;
                }
    return n;
}

int64_t boxes_gpu_differences(int ws)
{
    int64_t side = boxes_far_side(ws), near = 2 * ws + 1;
    return side * side * side - near * near * near;
}

int64_t boxes_gpu_list_bytes(const struct boxes_args *a)
{
    return near_bytes(a) + 8 * 12 * boxes_gpu_far_most(a->ws);
}

farsum_status boxes_gpu_lists(struct boxes_gpu *g, int32_t (**d)[3], int64_t *n)
{
    int ws = g->args.ws;
    int64_t most = boxes_gpu_far_most(ws), made = 0;
    int64_t side = boxes_far_side(ws);
    farsum_status status = FARSUM_OK;
    struct boxes_far *far = NULL;
    int32_t *list = NULL, *number = NULL;
    int32_t(*found)[3] = NULL;
    GO(MEM_RAW(far, most));
    GO(MEM_RAW(list, 8 * 3 * most));
    GO(MEM_NEW(number, side * side * side));
    GO(MEM_RAW(found, boxes_gpu_differences(ws)));
    for (int octant = 0; octant < 8; octant++) {
        boxes_gpu_far(ws, octant, far);
        for (int64_t l = 0; l < most; l++) {
            int32_t *at = &number[boxes_far_number(ws, far[l].d)];
            int32_t *to = list + 3 * (octant * most + l);
            if (*at == 0) {
                memcpy(found[made], far[l].d, sizeof *found);
                *at = (int32_t)++made;
            }
            to[0] = *at - 1;
            to[1] = far[l].octant;
            to[2] = far[l].near;
        }
    }
    GO(buf_alloc(&g->list, g->args.device, 8 * 12 * most));
    GO(buf_upload(&g->list, 0, list, 8 * 12 * most));
    *d = found;
    *n = made;
    found = NULL;
done:
    mem_free(far);
    mem_free(list);
    mem_free(number);
    mem_free(found);
    return status;
}

farsum_status boxes_gpu_zero(const struct boxes_gpu *g,
                             const struct kernel *kernel,
                             const struct boxes_io *io)
{
    int64_t boxes = io->tree->n_boxes - io->tree->first[1];
    int64_t n = boxes * multipole_size(g->args.p);
    return LAUNCH(kernel, kernel_groups(kernel, n), ARG_BUF(io->local),
                  ARG_I64(boxes), ARG_STRUCT(g->levels));
}

void boxes_gpu_operator(const struct boxes_args *a, const int32_t d[3],
                        double *field, double *t)
{
    double r[3];
    for (int x = 0; x < 3; x++)
        r[x] = d[x] * a->box[x];
    multipole_singular(2 * a->p, r, field);
    multipole_m2l(a->p, field, t);
}

struct boxes_gpu_deal boxes_gpu_deal(const struct boxes_args *a, int tiles,
                                     int most)
{
    int capacity =
        a->device ? a->device->properties.group_max / BOXES_LANES : 1;
    if (capacity < most)
        most = capacity < 1 ? 1 : capacity;
    struct boxes_gpu_deal deal = {.tiles = tiles,
                                  .parts = (tiles + most - 1) / most};
    deal.teams = (tiles + deal.parts - 1) / deal.parts;
    return deal;
}

farsum_status boxes_gpu_upload(struct buf *buf, farsum_precision precision,
                               int64_t at, const double *values, int64_t n)
{
    farsum_status status = FARSUM_OK;
    float *narrow = NULL;
    if (precision == FARSUM_F64)
        return buf_upload(buf, 8 * at, values, 8 * n);
    GO(MEM_RAW(narrow, n));
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)values[i];
    GO(buf_upload(buf, 4 * at, narrow, 4 * n));
done:
    mem_free(narrow);
    return status;
}
