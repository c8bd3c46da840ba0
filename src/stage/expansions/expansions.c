/* SPDX-License-Identifier: Apache-2.0 */
/* expansions.c: common code of the far-field stages. */
#include "stage/expansions/host_kern.h"

#include "stage/device.h"

void boxes_get(const struct boxes_args *args, const void *array,
               int64_t stride, int64_t box, double *expansion)
{
    for (int k = 0; k < multipole_size(args->p); k++)
        expansion[k] = boxes_number(args, array, k * stride + box);
}

void boxes_put(const struct boxes_args *args, void *array, int64_t stride,
               int64_t box, const double *expansion)
{
    for (int k = 0; k < multipole_size(args->p); k++)
        boxes_set(args, array, k * stride + box, expansion[k]);
}

farsum_status boxes_host_fits(const void *args)
{
    const struct boxes_args *a = args;
    return gpu_not_wanted(a->device);
}

void boxes_moments(const struct boxes_args *args, double h, double *sums)
{
    int size = multipole_size(args->p);
    double sum[MULTIPOLE_SIZE] = {0};
    for (int d = 0; d < 3 && args->moments; d++)
        multipole_raise(args->p, sums + (1 + d) * size, d, sum);
    for (int k = 0; k < size && args->moments; k++)
        sums[k] += sum[k] / h; /* a dipole's length in units of h */
}

void boxes_outputs(const struct boxes_args *args, double h, int outputs,
                   double (*out)[MULTIPOLE_SIZE], double unit[BOXES_OUTPUTS])
{
    int at = 4;
    unit[0] = 1 / h;
    for (int a = 0; a < 3 && outputs > 1; a++) {
        multipole_slope(args->p, out[0], a, out[1 + a]);
        unit[1 + a] = -1 / (h * h);
    }
    for (int a = 0; a < 3 && outputs > 4; a++)
        for (int b = a; b < 3; b++, at++) {
            multipole_slope(args->p, out[1 + a], b, out[at]);
            unit[at] = 1 / (h * h * h);
        }
}

int boxes_arrays(const struct boxes_args *args, const struct boxes_io *io,
                 int64_t i, void *to[BOXES_OUTPUTS])
{
    int64_t n = tree_targets(io->tree)->n, real = boxes_real(args);
    to[0] = io->potential ? (char *)io->potential + real * i : NULL;
    for (int a = 0; a < 3; a++)
        to[1 + a] = io->field ? (char *)io->field + real * (a * n + i) : NULL;
    for (int a = 0; a < 6; a++)
        to[4 + a] =
            io->gradient ? (char *)io->gradient + real * (a * n + i) : NULL;
    return io->gradient ? BOXES_OUTPUTS : io->field ? 4 : 1;
}

double boxes_plain_cost(double operations)
{
    return 1.5e-9 * operations;
}

double boxes_lanes(const struct boxes_args *a)
{
    static const double bytes[ISA_COUNT] = {16, 32, 64};
    return bytes[a->isa] / (double)boxes_real(a);
}

static double expansion(const struct boxes_args *a)
{
    return multipole_size(a->p);
}

/* Three products and sums per coefficient of a harmonic, one more to add it. */
void boxes_p2m_ops(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double n = (double)a->n_sources, k = expansion(a);
    double sums = a->moments ? 4 : 1;
    count_calls(&work->count, COUNT_FMA, (3 + sums) * n * k);
    work->read += (3 + sums) * (double)boxes_real(a) * n;
    work->written += (double)boxes_real(a) * k * (double)a->n_leaves;
    work->launches += a->device ? 1 : 0;
}

/* Each (n, m) from all degrees up to n, or from n on. */
void boxes_shift_ops(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)a->n_boxes, k = expansion(a), shifts = 0;
    for (int n = 0; n <= a->p; n++)
        shifts += (2.0 * n + 1) * (n + 1.0) * (n + 1.0);
    count_calls(&work->count, COUNT_FMA, boxes * shifts);
    work->read += (double)boxes_real(a) * boxes * k;
    work->written += (double)boxes_real(a) * boxes * k;
    work->launches += a->device ? a->depth : 0;
}

void boxes_m2l_ops(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)a->n_boxes, k = expansion(a);
    double side = 2 * a->ws + 1, list = 7 * side * side * side;
    count_calls(&work->count, COUNT_FMA, boxes * list * k * k);
    work->read += (double)boxes_real(a) * boxes * k;
    work->written += (double)boxes_real(a) * boxes * k;
    work->launches += a->device ? a->depth : 0;
}

void boxes_lattice_ops(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)(a->root[0] * a->root[1] * a->root[2]);
    double k = expansion(a);
    count_calls(&work->count, COUNT_FMA, boxes * boxes * k * k);
    work->read += (double)boxes_real(a) * boxes * k;
    work->written += (double)boxes_real(a) * boxes * k;
    work->launches += a->device ? 1 : 0;
}

void boxes_l2p_ops(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double n = (double)a->n_targets, k = expansion(a);
    double sums = a->gradient ? BOXES_OUTPUTS : 4;
    count_calls(&work->count, COUNT_FMA, (3 + sums) * n * k);
    work->read += 3 * (double)boxes_real(a) * n
                  + (double)boxes_real(a) * k * (double)a->n_leaves;
    work->written += sums * (double)boxes_real(a) * n;
    work->launches += a->device ? 1 : 0;
}

ISA_TABLE(struct boxes_kern, boxes)

const struct boxes_kern *boxes_kern(const struct boxes_args *args)
{
    return isa_boxes[args->isa][args->precision == FARSUM_F32];
}

void boxes_pack(const struct boxes_args *args, const double *t, void *packed)
{
    int64_t size = multipole_size(args->p), at = 0;
    for (int64_t i = 0; i < size; i += BOXES_ROWS)
        for (int64_t j = 0; j < size; j++)
            for (int64_t r = i; r < i + BOXES_ROWS; r++)
                boxes_set(args, packed, at++, r < size ? t[r * size + j] : 0);
}

void boxes_load(const struct boxes_args *args, const void *array,
                int64_t stride, const int64_t *at, int tile, void *from)
{
    for (int k = 0; k < multipole_size(args->p); k++)
        for (int b = 0; b < tile; b++)
            boxes_set(args, from, (int64_t)k * tile + b,
                      at[b] < 0 ? 0
                                : boxes_number(args, array,
                                               k * stride + at[b]));
}

void boxes_store(const struct boxes_args *args, void *array, int64_t stride,
                 const int64_t *at, int tile, const void *from, int add)
{
    for (int k = 0; k < multipole_size(args->p); k++)
        for (int b = 0; b < tile; b++) {
            int64_t to = k * stride + at[b];
            double v = boxes_number(args, from, (int64_t)k * tile + b);
            if (at[b] >= 0)
                boxes_set(args, array, to,
                          v + (add ? boxes_number(args, array, to) : 0));
        }
}
