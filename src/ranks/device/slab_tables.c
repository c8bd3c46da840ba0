/* SPDX-License-Identifier: Apache-2.0 */
/* slab_tables.c: which numbers of a plane are columns that travel, and where
 * they go. */
#include "base/mem.h"
#include "ranks/device/slab_inside.h"

static int64_t slab_half(const struct slab_args *args)
{
    return args->mesh[2] / 2 + 1;
}

/* Columns of row k1. */
static int64_t slab_kept(const struct slab_args *args, int64_t k1)
{
    return args->columns ? args->columns[k1] : slab_half(args);
}

/* k1 of a row of the spectrum. */
static int64_t slab_order(const struct slab_args *args, int64_t row)
{
    return args->order ? args->order[row] : row;
}

int64_t gpu_slab_lines(const struct slab_args *args, int rank)
{
    int64_t sum = 0;
    for (int64_t i = args->begin1[rank]; i < args->begin1[rank + 1]; i++)
        sum += slab_kept(args, slab_order(args, i));
    return sum;
}

/* Bytes for and from each rank.  The own part stays here. */
static void slab_bytes(struct gpu_slab *s)
{
    const struct slab_args *a = &s->args.slab;
    int64_t number = s->batch * 2 * s->real;
    for (int r = 0; r < a->comm->size; r++) {
        int64_t planes = a->begin0[r + 1] - a->begin0[r];
        int other = r != a->comm->rank;
        s->packed_bytes[r] =
            other * s->shape.planes * gpu_slab_lines(a, r) * number;
        s->arrived_bytes[r] = other * planes * s->shape.lines * number;
    }
}

/* Planes per tile.  Many, so that a tile's part of a line is long, unless the
 * tiles would contain a quarter more planes than narrow ones. */
static int slab_wide(int64_t planes)
{
    int64_t least = (planes + 7) / 8 * 8;
    for (int wide = SLAB_EDGE; wide > 8; wide /= 2)
        if (4 * ((planes + wide - 1) / wide * wide) <= 5 * least)
            return wide;
    return 8;
}

farsum_status gpu_slab_shape(struct gpu_slab *s)
{
    const struct slab_args *a = &s->args.slab;
    struct slab_shape *shape = &s->shape;
    int rank = a->comm->rank;
    for (int64_t k1 = 0; k1 < a->mesh[1]; k1++)
        if (slab_kept(a, k1) < 0 || slab_kept(a, k1) > slab_half(a))
            FAIL(ERR_INTERNAL, "row %lld keeps %lld of %lld columns",
                 (long long)k1, (long long)slab_kept(a, k1),
                 (long long)slab_half(a));
    shape->own = a->begin0[rank];
    shape->planes = a->begin0[rank + 1] - shape->own;
    shape->plane = a->mesh[1] * (a->ldz / 2);
    shape->points = a->mesh[0];
    shape->known = a->begin0[a->comm->size];
    shape->lines = gpu_slab_lines(a, rank);
    for (int r = 0; r < a->comm->size; r++) {
        shape->first += r < rank ? gpu_slab_lines(a, r) : 0;
        shape->all += gpu_slab_lines(a, r);
    }
    shape->zeros = shape->plane - shape->all;
    if (shape->plane > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "a plane of %lld x %lld numbers is too large",
             (long long)a->mesh[1], (long long)a->ldz);
    s->wide = slab_wide(shape->planes);
    s->tall = SLAB_TILE / (int)(2 * s->real) / s->wide;
    slab_bytes(s);
    return FARSUM_OK;
}

/* place and zero. */
static farsum_status slab_places(struct gpu_slab *s)
{
    const struct slab_args *a = &s->args.slab;
    const struct slab_shape *shape = &s->shape;
    int64_t kept = 0, zeros = 0, row = a->ldz / 2;
    farsum_status status = FARSUM_OK;
    int32_t *place = NULL, *zero = NULL;
    GO(MEM_RAW(place, shape->all));
    GO(MEM_RAW(zero, shape->zeros));
    for (int64_t i = 0; i < a->mesh[1]; i++)
        for (int64_t k2 = 0; k2 < row; k2++) {
            int64_t k1 = slab_order(a, i);
            int32_t at = (int32_t)(k1 * row + k2);
            if (k2 < slab_kept(a, k1))
                place[kept++] = at;
            else
                zero[zeros++] = at;
        }
    GO(buf_alloc(&s->place, s->args.device, 4 * shape->all));
    GO(buf_alloc(&s->zero, s->args.device, 4 * shape->zeros));
    GO(buf_upload(&s->place, 0, place, 4 * shape->all));
    GO(buf_upload(&s->zero, 0, zero, 4 * shape->zeros));
done:
    mem_free(place);
    mem_free(zero);
    return status;
}

/* part: the other ranks' planes, in order. */
static farsum_status slab_parts(struct gpu_slab *s)
{
    const struct slab_args *a = &s->args.slab;
    int64_t others = s->shape.known - s->shape.planes, x = 0;
    farsum_status status = FARSUM_OK;
    int64_t *part = NULL;
    GO(MEM_RAW(part, 2 * others));
    for (int r = 0; r < a->comm->size; r++) {
        int64_t planes = a->begin0[r + 1] - a->begin0[r];
        int64_t block = x * s->shape.lines;
        for (int64_t p = 0; r != a->comm->rank && p < planes; p++, x++) {
            part[2 * x] = s->batch * block + p;
            part[2 * x + 1] = s->batch * planes;
        }
    }
    GO(buf_alloc(&s->part, s->args.device, 16 * others));
    GO(buf_upload(&s->part, 0, part, 16 * others));
done:
    mem_free(part);
    return status;
}

farsum_status gpu_slab_tables(struct gpu_slab *s)
{
    TRY(slab_places(s));
    return slab_parts(s);
}
