/* SPDX-License-Identifier: Apache-2.0 */
/* host.c: common code of the host variants: operators of the octants, tiles of
 * boxes to which they are applied, and the loop over leaves. */
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "stage/expansions/host_kern.h"

farsum_status boxes_args_create(const void *args, void **state)
{
    struct boxes_args *a = NULL;
    TRY(MEM_NEW(a, 1));
    *a = *(const struct boxes_args *)args;
    *state = a;
    return FARSUM_OK;
}

void boxes_args_destroy(void *state)
{
    mem_free(state);
}

int64_t boxes_args_bytes(const void *args)
{
    (void)args;
    return 0;
}

double boxes_shifts_cost(const void *args)
{
    const struct boxes_args *a = args;
    double size = multipole_size(a->p);
    return boxes_plain_cost((double)a->n_boxes * size * size);
}

int64_t boxes_shifts_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p);
    return 64 * size * size;
}

void boxes_shifts_destroy(void *state)
{
    struct boxes_shifts *s = state;
    if (!s)
        return;
    mem_free(s->shift);
    mem_free(s);
}

farsum_status boxes_shifts_create(const void *args, boxes_shift *shift,
                                  void **state)
{
    farsum_status status = FARSUM_OK;
    struct boxes_shifts *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    int64_t size = multipole_size(s->args.p);
    GO(MEM_RAW(s->shift, 8 * size * size));
    for (int octant = 0; octant < 8; octant++) {
        double d[3];
        boxes_child(&s->args, octant, d);
        shift(s->args.p, d, 0.5, s->shift + octant * size * size);
    }
    *state = s;
    s = NULL;
done:
    boxes_shifts_destroy(s);
    return status;
}

void boxes_shifts_add(const struct boxes_shifts *s, int octant,
                      const double *from, double *sum)
{
    int64_t size = multipole_size(s->args.p);
    const double *t = s->shift + octant * size * size;
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++)
            sum[i] += t[i * size + j] * from[j];
}

double boxes_tiles_cost(const void *args)
{
    const struct boxes_args *a = args;
    double size = multipole_size(a->p);
    /* boxes of a sparse tree have to be found, those of a tile are scattered */
    double each = a->dense ? size * 3e-9 : size * 4.5e-9 + 40e-9;
    return (double)a->n_boxes * (size * size * 0.45e-9 / boxes_lanes(a) + each)
               / a->threads
           + 1e-6;
}

int64_t boxes_tiles_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p), tile = boxes_kern(a)->tile;
    return 8 * boxes_padded((int)size) * size * boxes_real(a)
           + a->threads * tile * ((2 * size + BOXES_ROWS) * boxes_real(a) + 16);
}

void boxes_tiles_destroy(void *state)
{
    struct boxes_tiles *s = state;
    if (!s)
        return;
    for (int octant = 0; octant < 8; octant++)
        mem_free(s->shift[octant]);
    for (int t = 0; s->tile && t < s->args.threads; t++) {
        mem_free(s->tile[t].from);
        mem_free(s->tile[t].to);
        mem_free(s->tile[t].box);
        mem_free(s->tile[t].other);
    }
    mem_free(s->tile);
    mem_free(s);
}

static farsum_status tiles_threads(struct boxes_tiles *s)
{
    int size = multipole_size(s->args.p);
    int64_t tile = s->kern->tile;
    size_t real = (size_t)boxes_real(&s->args);
    TRY(MEM_NEW(s->tile, s->args.threads));
    for (int i = 0; i < s->args.threads; i++) {
        struct boxes_tile *t = &s->tile[i];
        TRY(mem_alloc(&t->from, size * tile, real, 1));
        TRY(mem_alloc(&t->to, boxes_padded(size) * tile, real, 1));
        TRY(MEM_RAW(t->box, tile));
        TRY(MEM_RAW(t->other, tile));
    }
    return FARSUM_OK;
}

farsum_status boxes_tiles_create(const void *args, boxes_shift *shift,
                                 void **state)
{
    farsum_status status = FARSUM_OK;
    struct boxes_tiles *s = NULL;
    double *t = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    s->kern = boxes_kern(&s->args);
    int64_t size = multipole_size(s->args.p);
    GO(MEM_RAW(t, size * size));
    for (int octant = 0; octant < 8; octant++) {
        double d[3];
        boxes_child(&s->args, octant, d);
        shift(s->args.p, d, 0.5, t);
        GO(mem_alloc(&s->shift[octant], boxes_padded((int)size) * size,
                     (size_t)boxes_real(&s->args), 0));
        boxes_pack(&s->args, t, s->shift[octant]);
    }
    GO(tiles_threads(s));
    *state = s;
    s = NULL;
done:
    mem_free(t);
    boxes_tiles_destroy(s);
    return status;
}

void boxes_tiles_level(const struct boxes_tiles *s, const struct boxes_io *io,
                       int level, boxes_tile_work *work)
{
    int64_t tile = s->kern->tile, end = io->tree->first[level + 1];
    PAR_FOR(s->args.threads, schedule(dynamic))
    for (int64_t b = io->tree->first[level]; b < end; b += tile)
        work(s, io, level, b, end - b < tile ? end - b : tile,
             &s->tile[omp_get_thread_num()]);
}

int boxes_tile_children(const struct boxes_tiles *s, const struct boxes_io *io,
                        int level, int64_t first, int64_t n, int octant,
                        struct boxes_tile *t)
{
    int any = 0;
    for (int b = 0; b < s->kern->tile; b++) {
        t->other[b] =
            b < n ? tree_child(io->tree, level, first + b, octant) : -1;
        any |= t->other[b] >= 0;
    }
    return any;
}

void boxes_tile_clear(const struct boxes_tiles *s, struct boxes_tile *t)
{
    int64_t numbers =
        (int64_t)boxes_padded(multipole_size(s->args.p)) * s->kern->tile;
    memset(t->to, 0, (size_t)(numbers * boxes_real(&s->args)));
}

void boxes_tile_shift(const struct boxes_tiles *s, int octant,
                      struct boxes_tile *t)
{
    s->kern->product(multipole_size(s->args.p), s->shift[octant], t->from,
                     t->to);
}

/* Workspace of a thread. */
static int64_t leaves_capacity(const struct boxes_args *a)
{
    return (a->gradient ? BOXES_OUTPUTS : 4) * (int64_t)multipole_size(a->p)
           * boxes_real(a);
}

double boxes_leaves_cost(const struct boxes_args *a, int64_t n_points,
                         double each)
{
    double points = (double)n_points, leaves = (double)a->n_leaves;
    /* a leaf's last vector is half full */
    return multipole_size(a->p)
               * ((points / boxes_lanes(a) + leaves / 2) * each + leaves * 3e-9)
               / a->threads
           + 1e-6;
}

int64_t boxes_leaves_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return 16 * (int64_t)multipole_size(a->p) + a->threads * leaves_capacity(a);
}

void boxes_leaves_destroy(void *state)
{
    struct boxes_leaves *s = state;
    if (!s)
        return;
    mem_free(s->table);
    mem_free(s->workspace);
    mem_free(s);
}

farsum_status boxes_leaves_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct boxes_leaves *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    s->kern = boxes_kern(&s->args);
    GO(MEM_RAW(s->table, 2 * multipole_size(s->args.p)));
    multipole_table(s->args.p, s->table);
    GO(mem_alloc(&s->workspace, s->args.threads * leaves_capacity(&s->args), 1,
                 1));
    *state = s;
    s = NULL;
done:
    boxes_leaves_destroy(s);
    return status;
}

void boxes_leaves_run(const struct boxes_leaves *s, const struct boxes_io *io,
                      boxes_leaf_work *work)
{
    int64_t each = leaves_capacity(&s->args);
    PAR_FOR(s->args.threads, schedule(dynamic, 64))
    for (int64_t leaf = 0; leaf < io->tree->n_leaves; leaf++)
        work(s, io, leaf, (char *)s->workspace + omp_get_thread_num() * each);
}
