/* SPDX-License-Identifier: Apache-2.0 */
/* naive_operators.c: common code of the device variants that apply (10.7)
 * directly: singular harmonics (fields) of each difference of boxes, without
 * the scaling of (10.4), and the factors of that scaling. */
#include "stage/m2l/papers/naive_operators.h"

#include <math.h>

#include "base/mem.h"

enum { MOST_32 = 16, MOST_64 = 20 };

int naive_order_most(farsum_precision precision)
{
    return precision == FARSUM_F32 ? MOST_32 : MOST_64;
}

static int64_t naive_offsets(const struct boxes_args *a)
{
    int64_t side = boxes_far_side(a->ws);
    return side * side * side;
}

int64_t naive_fields_bytes(const struct boxes_args *a)
{
    return boxes_real(a)
           * (naive_offsets(a) * multipole_size(2 * a->p)
              + multipole_size(a->p));
}

double naive_terms(const struct boxes_args *a)
{
    return (double)boxes_gpu_below(a) * (double)boxes_gpu_far_most(a->ws)
           * ((a->p + 1.0) * (a->p + 2.0) / 2) * multipole_size(a->p);
}

void naive_count(const struct boxes_args *a, double adders, struct work *work)
{
    double boxes = (double)boxes_gpu_boxes(a), size = multipole_size(a->p);
    count_calls(&work->count, COUNT_FMA, 4 * naive_terms(a));
    work->read += (double)boxes_real(a) * boxes * size;
    work->written += (double)boxes_real(a) * boxes * size;
    work->sums += boxes * size * adders * (double)boxes_gpu_far_most(a->ws);
}

/* 1/sqrt((n - m)!  (n + m)!), (10.4), which fields do not include. */
static void naive_scale(int p, double *scale)
{
    for (int n = 0; n <= p; n++)
        for (int m = -n; m <= n; m++)
            scale[multipole_at(n, m)] = (double)expl(
                -(lgammal(n - m + 1.0L) + lgammal(n + m + 1.0L)) / 2);
}

/* Copies numbers into memory of the device, or shared memory of both. */
static farsum_status naive_put(const struct boxes_args *a, int managed,
                               const double *values, int64_t n, struct buf *to)
{
    if (!managed) {
        TRY(buf_alloc(to, a->device, boxes_real(a) * n));
        return boxes_gpu_upload(to, a->precision, 0, values, n);
    }
    TRY(buf_alloc_managed(to, a->device, boxes_real(a) * n));
    for (int64_t i = 0; i < n; i++)
        boxes_set(a, to->host, i, values[i]);
    return FARSUM_OK;
}

farsum_status naive_fields(const struct boxes_args *a, int managed,
                           struct buf *fields, struct buf *scales)
{
    int64_t n = naive_offsets(a), size = multipole_size(2 * a->p);
    int most = 2 * a->ws + 1;
    farsum_status status = FARSUM_OK;
    double *field = NULL, *scale = NULL;
    int32_t d[3];
    GO(MEM_NEW(field, n * size));
    GO(MEM_RAW(scale, size));
    naive_scale(2 * a->p, scale);
    for (d[2] = -most; d[2] <= most; d[2]++)
        for (d[1] = -most; d[1] <= most; d[1]++)
            for (d[0] = -most; d[0] <= most; d[0]++) {
                double *to = field + boxes_far_number(a->ws, d) * size, r[3];
                if (!boxes_far(a->ws, d))
                    continue;
                for (int x = 0; x < 3; x++)
                    r[x] = d[x] * a->box[x];
                multipole_singular(2 * a->p, r, to);
                for (int64_t k = 0; k < size; k++)
                    to[k] /= scale[k];
            }
    GO(naive_put(a, managed, field, n * size, fields));
    GO(naive_put(a, managed, scale, multipole_size(a->p), scales));
done:
    mem_free(field);
    mem_free(scale);
    return status;
}

void naive_row_destroy(void *row)
{
    struct naive_row *s = row;
    if (!s)
        return;
    buf_clear(&s->scale);
    buf_clear(&s->multipole);
    buf_clear(&s->local);
    boxes_gpu_clear(&s->gpu);
    mem_free(s);
}

farsum_status naive_row_begin(const struct boxes_args *a, int group,
                              const char *file, int managed,
                              struct naive_row **row)
{
    farsum_status status = FARSUM_OK;
    struct naive_row *s = NULL;
    GO(MEM_NEW(s, 1));
    GO(boxes_gpu_begin(&s->gpu, a, group, 1));
    GO(naive_fields(a, managed, &s->gpu.operators, &s->scale));
    jit_begin(&s->gpu.jit, a->device, file, a->precision);
    jit_define(&s->gpu.jit, "ORDER", "%d", a->p);
    jit_define(&s->gpu.jit, "WS", "%d", a->ws);
    *row = s;
    s = NULL;
done:
    naive_row_destroy(s);
    return status;
}
