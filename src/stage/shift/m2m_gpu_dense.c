/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dense: one dense operator for all octants, which are mirror images of
 * each other.  The children's multipoles are combined by signs first; (p +
 * 1)^4/2 multiply-adds per box with children. */
#include "base/mem.h"
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

enum { TEAMS_MOST = 8, ROWS = 8, SMALL = 4 };

/* Parameters of the kernel. */
struct m2m_cut {
    int rows, tiles;
};

static struct m2m_cut m2m_cut(const struct boxes_args *a)
{
    struct m2m_cut how = {.rows = a->p < 3 ? SMALL : ROWS};
    int size[8] = {0};
    for (int n = 0; n <= a->p; n++)
        for (int m = -n; m <= n; m++)
            size[boxes_class(n, m)]++;
    for (int c = 0; c < 8; c++)
        how.tiles += (size[c] + how.rows - 1) / how.rows;
    return how;
}

static int64_t m2m_operator_reals(const struct boxes_args *a)
{
    struct m2m_cut how = m2m_cut(a);
    return (int64_t)how.tiles * how.rows * multipole_size(a->p);
}

static int64_t m2m_cut_numbers(const struct boxes_args *a,
                               const struct m2m_cut *how)
{
    return how->tiles * (3 + (int64_t)how->rows) + multipole_size(a->p);
}

static farsum_status m2m_fits(const void *args)
{
    return boxes_gpu_shifts_fits(args, m2m_operator_reals(args));
}

static int64_t m2m_bytes(const void *args)
{
    const struct m2m_cut how = m2m_cut(args);
    return boxes_gpu_shifts_bytes(args, m2m_cut_numbers(args, &how),
                                  m2m_operator_reals(args));
}

static double m2m_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double boxes = (double)boxes_gpu_above(a);
    double size = multipole_size(a->p), reals = (double)m2m_operator_reals(a);
    /* a column is read and combined for each tile */
    double work = boxes * (0.7 * reals + 12 * size * m2m_cut(a).tiles);
    return work / (0.1 * rates.flops) /* as measured */
           + boxes * 9 * size * gpu_real(a->precision) / (0.7 * rates.bytes)
           /* in a level of few boxes columns are read one by one */
           + a->depth * (rates.launch + 4e-6 + size * 3e-7);
}

/* One tile's rows, columns and operator. */
static int64_t m2m_tile(const struct boxes_args *a, const struct m2m_cut *how,
                        int tile, const double *t, const int32_t *row,
                        int32_t *cut, double *packed)
{
    int size = multipole_size(a->p), last = 0;
    for (int i = 0; i < how->rows; i++)
        last = row[i] > last ? row[i] : last;
    int degree = multipole_degree(last), end = multipole_size(degree);
    cut[how->tiles + tile] = end;
    for (int j = 0; j < end; j++)
        for (int i = 0; i < how->rows; i++)
            *packed++ = row[i] < 0 ? 0 : t[(int64_t)row[i] * size + j];
    return (int64_t)end * how->rows;
}

static farsum_status m2m_make(struct boxes_gpu_shifts *s,
                              const struct m2m_cut *how, const double *t)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int64_t numbers = m2m_cut_numbers(a, how), at = 0;
    int64_t reals = m2m_operator_reals(a);
    int32_t *cut = NULL, *row;
    double *packed = NULL;
    GO(MEM_RAW(cut, numbers));
    GO(MEM_RAW(packed, reals));
    row = cut + 3 * how->tiles;
    for (int i = 0; i < how->tiles * how->rows; i++)
        row[i] = -1;
    int tile = -1;
    for (int c = 0; c < 8; c++) {
        int some = 0;
        for (int n = 0; n <= a->p; n++)
            for (int m = -n; m <= n; m++) {
                if (boxes_class(n, m) != c)
                    continue;
                if (some % how->rows == 0)
                    cut[++tile] = c;
                row[tile * how->rows + some++ % how->rows] =
                    multipole_at(n, m);
            }
    }
    for (tile = 0; tile < how->tiles; tile++) {
        cut[2 * how->tiles + tile] = (int32_t)(at / 4);
        at += m2m_tile(a, how, tile, t, row + tile * how->rows, cut,
                       packed + at);
    }
    int32_t *column = row + how->tiles * how->rows;
    for (int n = 0; n <= a->p; n++)
        for (int m = -n; m <= n; m++)
            column[multipole_at(n, m)] = boxes_class(n, m);
    GO(boxes_gpu_shifts_send(s, cut, numbers, packed, at));
done:
    mem_free(cut);
    mem_free(packed);
    return status;
}

static farsum_status m2m_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    const struct m2m_cut how = m2m_cut(a);
    int64_t size = multipole_size(a->p);
    farsum_status status = FARSUM_OK;
    struct boxes_gpu_shifts *s = NULL;
    double *t = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->deal = boxes_gpu_deal(a, how.tiles, TEAMS_MOST);
    GO(MEM_RAW(t, size * size));
    boxes_gpu_shifts_operator(a, multipole_m2m, t);
    GO(m2m_make(s, &how, t));
    jit_begin(&s->jit, a->device, "stage/shift/m2m_gpu_dense.k", a->precision);
    jit_define(&s->jit, "ROWS", "%d", how.rows);
    GO(boxes_gpu_shifts_build(s, "m2m_dense"));
    *state = s;
    s = NULL;
done:
    mem_free(t);
    boxes_gpu_shifts_destroy(s);
    return status;
}

static farsum_status m2m_run(void *state, const void *data)
{
    const struct boxes_gpu_shifts *s = state;
    const struct boxes_io *io = data;
    TRY(boxes_gpu_same(&s->args, io));
    for (int level = io->tree->depth - 1; level >= 0; level--)
        TRY(boxes_gpu_shifts_level(s, io, level, io->multipole));
    return FARSUM_OK;
}

const struct variant m2m_gpu_dense = {
    .fits = m2m_fits,
    .cost = m2m_cost,
    .bytes = m2m_bytes,
    .create = m2m_create,
    .run = m2m_run,
    .destroy = boxes_gpu_shifts_destroy,
    .deterministic = 1,
    .needs = "a device",
};
