/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dense: one dense operator for all octants, which are mirror images of
 * each other.  Sums by the class of columns are combined by signs; (p + 1)^4/2
 * multiply-adds per box with children. */
#include "base/mem.h"
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

enum { TEAMS_MOST = 8, ROWS = 4 };

static int l2l_tiles(const struct boxes_args *a)
{
    return (multipole_size(a->p) + ROWS - 1) / ROWS;
}

/* Space for all columns, though most tiles have fewer. */
static int64_t l2l_operator_reals(const struct boxes_args *a)
{
    return (int64_t)l2l_tiles(a) * ROWS * multipole_size(a->p);
}

static int64_t l2l_cut_numbers(const struct boxes_args *a)
{
    return l2l_tiles(a) * 9 + 8 + 2 * (int64_t)multipole_size(a->p);
}

static farsum_status l2l_fits(const void *args)
{
    return boxes_gpu_shifts_fits(args, l2l_operator_reals(args));
}

static int64_t l2l_bytes(const void *args)
{
    return boxes_gpu_shifts_bytes(args, l2l_cut_numbers(args),
                                  l2l_operator_reals(args));
}

static double l2l_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double boxes = (double)boxes_gpu_above(a);
    double size = multipole_size(a->p), reals = (double)l2l_operator_reals(a);
    /* columns are read for each tile, and children are added to */
    double work = boxes * (1.2 * reals + 40 * size);
    return work / (0.12 * rates.flops) /* as measured */
           + boxes * 17 * size * gpu_real(a->precision) / (0.7 * rates.bytes)
           /* in a level of few boxes columns are read one by one */
           + a->depth * (rates.launch + 4e-6 + size * 1.3e-7);
}

/* Sorts the columns by class, and by degree in a class. */
static void l2l_columns(const struct boxes_args *a, int32_t *end,
                        int32_t *column, int32_t *class)
{
    int at = 0;
    for (int c = 0; c < 8; c++) {
        for (int n = 0; n <= a->p; n++)
            for (int m = -n; m <= n; m++)
                if (boxes_class(n, m) == c) {
                    class[multipole_at(n, m)] = c;
                    column[at++] = multipole_at(n, m);
                }
        end[c] = at;
    }
}

/* One tile's columns and operator; returns the number of its elements. */
static int64_t l2l_tile(const struct boxes_args *a, int tile, const double *t,
                        const int32_t *end, const int32_t *column,
                        int32_t *begin, double *packed)
{
    int size = multipole_size(a->p), degree = multipole_degree(ROWS * tile);
    int64_t n = 0;
    for (int c = 0; c < 8; c++) {
        int j = c ? end[c - 1] : 0;
        while (j < end[c] && column[j] < degree * degree)
            j++;
        begin[c] = j;
        for (; j < end[c]; j++)
            for (int i = ROWS * tile; i < ROWS * tile + ROWS; i++)
                packed[n++] = i < size ? t[(int64_t)i * size + column[j]] : 0;
    }
    return n;
}

static farsum_status l2l_make(struct boxes_gpu_shifts *s, const double *t)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int64_t numbers = l2l_cut_numbers(a), at = 0;
    int64_t reals = l2l_operator_reals(a);
    int tiles = s->deal.tiles;
    int32_t *cut = NULL;
    double *packed = NULL;
    GO(MEM_RAW(cut, numbers));
    GO(MEM_RAW(packed, reals));
    int32_t *end = cut + 9 * tiles, *column = end + 8;
    l2l_columns(a, end, column, column + multipole_size(a->p));
    for (int tile = 0; tile < tiles; tile++) {
        cut[tile] = (int32_t)(at / ROWS);
        at += l2l_tile(a, tile, t, end, column, cut + tiles + 8 * tile,
                       packed + at);
    }
    GO(boxes_gpu_shifts_send(s, cut, numbers, packed, at));
done:
    mem_free(cut);
    mem_free(packed);
    return status;
}

static farsum_status l2l_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p);
    farsum_status status = FARSUM_OK;
    struct boxes_gpu_shifts *s = NULL;
    double *t = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->deal = boxes_gpu_deal(a, l2l_tiles(a), TEAMS_MOST);
    GO(MEM_RAW(t, size * size));
    boxes_gpu_shifts_operator(a, multipole_l2l, t);
    GO(l2l_make(s, t));
    jit_begin(&s->jit, a->device, "stage/shift/l2l_gpu_dense.k", a->precision);
    jit_define(&s->jit, "K", "%d", (int)size);
    GO(boxes_gpu_shifts_build(s, "l2l_dense"));
    *state = s;
    s = NULL;
done:
    mem_free(t);
    boxes_gpu_shifts_destroy(s);
    return status;
}

static farsum_status l2l_run(void *state, const void *data)
{
    const struct boxes_gpu_shifts *s = state;
    const struct boxes_io *io = data;
    TRY(boxes_gpu_same(&s->args, io));
    for (int level = 0; level < io->tree->depth; level++)
        TRY(boxes_gpu_shifts_level(s, io, level, io->local));
    return FARSUM_OK;
}

const struct variant l2l_gpu_dense = {
    .fits = l2l_fits,
    .cost = l2l_cost,
    .bytes = l2l_bytes,
    .create = l2l_create,
    .run = l2l_run,
    .destroy = boxes_gpu_shifts_destroy,
    .deterministic = 1,
    .needs = "a device",
};
