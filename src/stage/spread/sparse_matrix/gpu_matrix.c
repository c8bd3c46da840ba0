/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_matrix.c: builds the spreading operator as a sparse matrix on a
 * device. */
#include "stage/spread/sparse_matrix/gpu_matrix.h"

#include <math.h>

enum { GROUP = 256 };

double spread_matrix_entries(const struct spread_args *args)
{
    return (double)args->n * spread_gpu_cube(args);
}

int64_t spread_matrix_bytes(const struct spread_args *args)
{
    int64_t P = args->window->support;
    return args->n * P * P * P * (4 + gpu_real(args->precision))
           + 16 * (spread_gpu_rows(args) + 1) + (1 << 16);
}

/* On an H200 1.4e-10 s per entry, each written to its own sector, and a fifth
 * of that if the last-level cache holds them. */
double spread_matrix_build(const struct spread_args *args)
{
    struct gpu_rates rates = spread_gpu_rates(args);
    double n = spread_matrix_entries(args);
    double bytes = n * (4 + gpu_real(args->precision));
    struct gpu_rate entries = {38e9 * rates.share, 7e9 * rates.share};
    return 9 * rates.launch
           + n * gpu_seconds(&rates, entries, bytes)
           + 40 * (double)spread_gpu_rows(args) / rates.bytes;
}

/* Reads the entries in order, and their strengths from the cache if it holds
 * them, else one sector each. */
double spread_matrix_product(const struct spread_args *args)
{
    struct gpu_rates rates = spread_gpu_rates(args);
    double size = gpu_real(args->precision), reals = spread_gpu_reals(args);
    double strengths = (double)args->n * size * reals;
    /* some are already in the cache */
    double at_hand = args->precision == FARSUM_F32 ? 0.85 : 0.65;
    double strength = strengths < 2 * (double)args->device->properties.cache
                          ? at_hand * size
                          : 1.7 * size;
    double passes = (spread_channels(args) + 3) / 4;
    return spread_gpu_write(args)
           + (spread_matrix_entries(args)
                  * (passes * (4 + size) + reals * strength)
              + 14 * (double)spread_gpu_rows(args))
                 / rates.bytes;
}

farsum_status spread_matrix_fits(const struct spread_args *args)
{
    TRY(spread_gpu_fits(args));
    if (spread_gpu_rows(args) > UINT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "the matrix has %lld rows, one per mesh point; at most %lld are "
             "possible",
             (long long)spread_gpu_rows(args), (long long)UINT32_MAX);
    return FARSUM_OK;
}

void spread_matrix_clear(struct spread_matrix *m)
{
    gpu_scan_destroy(m->scan);
    buf_clear(&m->count);
    buf_clear(&m->start);
    buf_clear(&m->column);
    buf_clear(&m->value);
    buf_clear(&m->width);
    buf_clear(&m->list_row);
    buf_clear(&m->list_column);
    buf_clear(&m->list_value);
    spread_gpu_clear(&m->gpu);
}

static int64_t starts(const struct spread_matrix *m)
{
    int64_t rows = spread_gpu_rows(&m->gpu.args);
    if (m->layout == SPREAD_SLICED)
        return (rows + SPREAD_SLICE - 1) / SPREAD_SLICE + 1;
    return rows + 1;
}

farsum_status spread_matrix_create(struct spread_matrix *m,
                                   const struct spread_args *args,
                                   enum spread_layout layout)
{
    struct jit *jit = &m->gpu.jit;
    int64_t rows = spread_gpu_rows(args);
    m->layout = layout;
    m->batch = args->window->support > 8 ? 4 : 16;
    m->gpu.args = *args; /* one text for any channels and layout */
    jit_begin(jit, args->device,
              "stage/spread/sparse_matrix/gpu_matrix.k", args->precision);
    gpu_define_window(jit, args->window);
    jit_define(jit, "BATCH", "%d", m->batch);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "matrix_count", GROUP, 0, &m->count_entries));
    TRY(jit_kernel(jit, "matrix_insert", GROUP, 0, &m->insert));
    TRY(jit_kernel(jit, "matrix_narrow", GROUP, 0, &m->narrow));
    TRY(jit_kernel(jit, "matrix_histogram", GROUP, 0, &m->histogram));
    TRY(jit_kernel(jit, "matrix_split", GROUP, 0, &m->split));
    TRY(jit_kernel(jit, "matrix_slices", GROUP, 0, &m->slices));
    TRY(gpu_scan_create(args->device, GPU_SCAN_U64, &m->scan));
    TRY(gpu_scan_reserve(m->scan, rows + 1));
    TRY(buf_alloc(&m->count, args->device, 8 * (rows + 1)));
    return buf_alloc(&m->start, args->device, 8 * starts(m));
}

static farsum_status reserve(struct spread_matrix *m, int64_t words)
{
    struct device *device = m->gpu.args.device;
    m->words = words;
    TRY(buf_reserve(&m->column, device, 4 * words));
    return buf_reserve(&m->value, device,
                       words * gpu_real(m->gpu.args.precision));
}

/* The word at index `at` of the starts; synchronises with the device. */
static farsum_status start_at(const struct spread_matrix *m, int64_t at,
                              int64_t *value)
{
    uint64_t word = 0;
    TRY(buf_download(&m->start, 8 * at, &word, 8));
    *value = (int64_t)word;
    return FARSUM_OK;
}

/* The widest table in which each column is filled by at least a third of the
 * rows: Bell and Garland, SC '09, who measured that a table's entry costs a
 * third of a list's. */
static farsum_status hybrid_width(struct spread_matrix *m,
                                  struct mesh_args *mesh)
{
    int64_t bins[SPREAD_HISTOGRAM], rows = spread_gpu_rows(&m->gpu.args);
    int64_t groups = kernel_groups(&m->histogram, rows);
    int64_t most = 8 * (int64_t)m->gpu.args.device->properties.units;
    struct buf counts = {0};
    farsum_status status = FARSUM_OK;
    GO(buf_alloc(&counts, m->gpu.args.device, (int64_t)sizeof bins));
    GO(buf_fill(&counts, 0));
    GO(LAUNCH(&m->histogram, groups < most ? groups : most, ARG_BUF(&m->count),
              ARG_BUF(&counts), ARG_STRUCT(*mesh)));
    GO(buf_download(&counts, 0, bins, (int64_t)sizeof bins));
    int64_t longer = rows;
    mesh->more = 0;
    for (int k = 0; k < SPREAD_HISTOGRAM - 1; k++) {
        longer -= bins[k]; /* rows of more than k entries */
        if (3 * longer < rows)
            break;
        mesh->more = k + 1;
    }
done:
    buf_clear(&counts);
    return status;
}

static farsum_status set_hybrid(struct spread_matrix *m, struct mesh_args *mesh)
{
    struct device *device = m->gpu.args.device;
    int64_t rows = spread_gpu_rows(&m->gpu.args);
    TRY(hybrid_width(m, mesh));
    TRY(buf_reserve(&m->width, device, 4 * rows));
    TRY(LAUNCH(&m->split, kernel_groups(&m->split, rows + 1),
               ARG_BUF(&m->count), ARG_BUF(&m->width), ARG_BUF(&m->start),
               ARG_STRUCT(*mesh)));
    TRY(gpu_scan_run(m->scan, &m->start, &m->start, rows + 1, NULL));
    TRY(start_at(m, rows, &m->listed));
    TRY(buf_reserve(&m->list_row, device, 4 * m->listed));
    TRY(buf_reserve(&m->list_column, device, 4 * m->listed));
    TRY(buf_reserve(&m->list_value, device,
                    m->listed * gpu_real(m->gpu.args.precision)));
    return reserve(m, rows * mesh->more);
}

/* Columns of unused entries are -1. */
static farsum_status set_sliced(struct spread_matrix *m,
                                const struct mesh_args *mesh)
{
    int64_t n = starts(m), words = 0;
    TRY(LAUNCH(&m->slices, kernel_groups(&m->slices, n), ARG_BUF(&m->count),
               ARG_BUF(&m->start), ARG_STRUCT(*mesh)));
    TRY(gpu_scan_run(m->scan, &m->start, &m->start, n, NULL));
    TRY(start_at(m, n - 1, &words));
    TRY(reserve(m, words));
    TRY(buf_fill(&m->value, 0));
    return buf_fill(&m->column, 0xff);
}

static farsum_status set_rows(struct spread_matrix *m)
{
    int64_t P = m->gpu.args.window->support;
    TRY(gpu_scan_run(m->scan, &m->count, &m->start,
                     spread_gpu_rows(&m->gpu.args) + 1, NULL));
    return reserve(m, m->gpu.n * P * P * P);
}

farsum_status spread_matrix_set(struct spread_matrix *m,
                                const struct points *points)
{
    TRY(spread_gpu_set(&m->gpu, points));
    struct mesh_args mesh = spread_gpu_mesh(&m->gpu);
    const struct buf *s = &points->gpu->s;
    int64_t groups = (mesh.n + m->batch - 1) / m->batch;
    TRY(buf_fill(&m->count, 0));
    if (mesh.n > 0)
        TRY(LAUNCH(&m->count_entries, groups, ARG_BUF(s), ARG_BUF(&m->count),
                   ARG_STRUCT(mesh)));
    if (m->layout == SPREAD_HYBRID)
        TRY(set_hybrid(m, &mesh));
    else if (m->layout == SPREAD_SLICED)
        TRY(set_sliced(m, &mesh));
    else
        TRY(set_rows(m));
    if (mesh.n == 0)
        return FARSUM_OK;
    const struct buf *none = &m->count; /* not written to */
    int hybrid = m->layout == SPREAD_HYBRID;
    return LAUNCH(&m->insert, groups, ARG_BUF(s), ARG_BUF(&m->count),
                  ARG_BUF(&m->start), ARG_BUF(&m->column), ARG_BUF(&m->value),
                  ARG_BUF(hybrid ? &m->list_row : none),
                  ARG_BUF(hybrid ? &m->list_column : none),
                  ARG_BUF(hybrid ? &m->list_value : none), ARG_STRUCT(mesh),
                  ARG_I32(m->layout));
}

farsum_status spread_matrix_narrow(struct spread_matrix *m, int64_t n,
                                   struct buf *narrow)
{
    TRY(buf_reserve(narrow, m->gpu.args.device, 4 * n));
    return LAUNCH(&m->narrow, kernel_groups(&m->narrow, n), ARG_BUF(&m->start),
                  ARG_BUF(narrow), ARG_I64(n));
}
