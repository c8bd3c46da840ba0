/* SPDX-License-Identifier: Apache-2.0 */
/* rotation_device.c: host code of the device variants that translate axis by
 * axis. */
#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/shift/rotation.h"
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

enum { BLOCK = 32, QUAD = 4, STEPS = 4, EXCHANGE = 3, GROUP_MOST = 256 };

/* As in stage/shift/rotation.k. */
struct axes_args {
    int64_t stride, parent, child, parents, slots;
};
_Static_assert(sizeof(struct axes_args) == 40, "must match the kernel's "
                                               "struct");

/* A row of a step, as in the kernel. */
struct row {
    int to, from, odd, count, step, more;
    int n, m, k; /* of the first term; m < 0: imaginary part */
    int sign;
};

static int axes_rows(int p)
{
    return (multipole_size(p) + BLOCK - 1) / BLOCK * BLOCK;
}

/* The minimum number of threads that need as few rounds over all rows as
 * GROUP_MOST threads. */
static int axes_group(int p)
{
    int rows = axes_rows(p), rounds = (rows + GROUP_MOST - 1) / GROUP_MOST;
    return (rows / BLOCK + rounds - 1) / rounds * BLOCK;
}

static int64_t axes_numbers(int p)
{
    int rows = axes_rows(p);
    return STEPS * (2 * (int64_t)rows + rows / BLOCK) + multipole_size(p);
}

/* Upper bound: all rows of a block as long as the longest. */
static int64_t axes_reals(int p)
{
    return STEPS * (int64_t)axes_rows(p) * (p + 1);
}

/* Bytes of shared memory per thread block. */
static int64_t axes_arena(const struct boxes_args *a, int up)
{
    return (up ? 7 : 8) * (int64_t)multipole_size(a->p) * QUAD * boxes_real(a);
}

farsum_status axes_gpu_fits(const void *args, int up)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_shifts_fits(a, axes_reals(a->p)));
    return gpu_local_fits(a->device, axes_arena(a, up) + 256);
}

int64_t axes_gpu_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_gpu_shifts_bytes(a, axes_numbers(a->p), axes_reals(a->p));
}

/* A model: bound by loads from shared memory, four numbers and a factor for
 * four multiply-adds; a level's steps wait for each other. */
double axes_gpu_cost(const void *args, int up)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double boxes = (double)boxes_gpu_above(a), size = multipole_size(a->p);
    return boxes * (axes_work(a->p) + 40 * size) / (0.08 * rates.flops)
           + boxes * (up ? 9 : 17) * size * gpu_real(a->precision)
                 / (0.5 * rates.bytes)
           + a->depth * (rates.launch + 12e-6);
}

/* Row `to` of a step. */
static struct row row_of(const struct boxes_args *a, int up, int step, int n,
                         int m)
{
    int am = m < 0 ? -m : m, odd = (n + am) % 2;
    struct row r = {.to = multipole_at(n, m), .odd = odd, .n = n, .m = m};
    r.sign = 1;
    if (step == EXCHANGE) {
        r.k = odd + (m < 0);
        r.step = m < 0 ? -2 : 2;
        r.from = multipole_at(n, m < 0 ? -r.k : r.k);
        r.count = r.k > n ? 0 : (n - r.k) / 2 + 1;
        return r;
    }
    r.k = up ? am : n;
    r.step = 2 * (r.k + 1);
    r.more = 2;
    r.from = multipole_at(r.k, m) + (up ? odd * multipole_size(a->p) : 0);
    r.count = up ? n - am + 1 : a->p - n + 1;
    if (step != 2) /* along z no exchange follows or precedes */
        r.to = axes_exchanged(n, am, m < 0, &r.sign);
    return r;
}

/* The factor of its term i; swap: the exchange matrix of the degree. */
static double factor_of(const struct boxes_args *a, int up, int step,
                        const struct row *r, const double *swap, int i)
{
    int n = r->n, side = r->m < 0 ? -1 : 1;
    if (step == EXCHANGE)
        return swap[(n + r->m) * (2 * n + 1) + n + side * (r->k + 2 * i)];
    return r->sign * axes_shift(a, up, step, n, side * r->m, r->k + i);
}

/* Rows of a step, long ones first: row[rows]; padding rows have to = -1. */
static void rows_of(const struct boxes_args *a, int up, int step,
                    struct row *row)
{
    int n_rows = 0;
    for (int count = a->p + 1; count >= 0; count--)
        for (int m = -a->p; m <= a->p; m++)
            for (int n = m < 0 ? -m : m; n <= a->p; n++) {
                struct row r = row_of(a, up, step, n, m);
                if (r.count == count)
                    row[n_rows++] = r;
            }
    for (; n_rows < axes_rows(a->p); n_rows++)
        row[n_rows] = (struct row){.to = -1};
}

/* swap: the matrix of degree n begins at n (4 n^2 - 1)/3. */
static int64_t swap_at(int64_t n)
{
    return n * (4 * n * n - 1) / 3;
}

/* Writes a step's words and factors; returns where the factors end. */
static int64_t step_of(const struct boxes_args *a, int up, int step,
                       const double *swap, struct row *row, int32_t *cut,
                       double *factor, int64_t at)
{
    int rows = axes_rows(a->p);
    rows_of(a, up, step, row);
    for (int i = 0; i < rows; i++) {
        const struct row *r = &row[i];
        if (i % BLOCK == 0)
            cut[2 * rows + i / BLOCK] = (int32_t)at;
        cut[i] = r->to < 0
                     ? 0
                     : r->to | r->from << 11 | r->count << 23 | r->odd << 29;
        cut[rows + i] = (r->step + 2) << 2 | r->more;
        for (int k = 0; k < r->count && r->to >= 0; k++)
            factor[at + k * BLOCK + i % BLOCK] =
                factor_of(a, up, step, r, swap + swap_at(r->n), k);
        if (i % BLOCK == BLOCK - 1)
            at += (int64_t)row[i - BLOCK + 1].count * BLOCK;
    }
    return at;
}

static void turned_of(int p, int32_t *to)
{
    for (int n = 0; n <= p; n++)
        for (int m = -n; m <= n; m++) {
            int sign, am = m < 0 ? -m : m;
            int other = axes_exchanged(n, am, m < 0, &sign);
            to[multipole_at(n, m)] =
                other << 2 | (n + am) % 2 << 1 | (sign < 0);
        }
}

static farsum_status axes_gpu_make(struct boxes_gpu_shifts *s, int up)
{
    const struct boxes_args *a = &s->args;
    int rows = axes_rows(a->p);
    farsum_status status = FARSUM_OK;
    struct row *row = NULL;
    double *swap = NULL, *factor = NULL;
    int32_t *cut = NULL;
    int64_t at = 0, step_words = 2 * rows + rows / BLOCK;
    GO(MEM_NEW(row, rows));
    GO(MEM_RAW(swap, swap_at(a->p + 1)));
    GO(MEM_NEW(factor, axes_reals(a->p)));
    GO(MEM_NEW(cut, axes_numbers(a->p)));
    for (int n = 0; n <= a->p; n++)
        multipole_swap(n, swap + swap_at(n));
    for (int step = 0; step < STEPS; step++)
        at = step_of(a, up, step, swap, row, cut + step * step_words, factor,
                     at);
    turned_of(a->p, cut + STEPS * step_words);
    GO(boxes_gpu_shifts_send(s, cut, axes_numbers(a->p), factor, at));
done:
    mem_free(row);
    mem_free(swap);
    mem_free(factor);
    mem_free(cut);
    return status;
}

farsum_status axes_gpu_create(const void *args, int up, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct boxes_gpu_shifts *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    GO(axes_gpu_make(s, up));
    jit_begin(&s->jit, a->device, "stage/shift/rotation.k", a->precision);
    jit_define(&s->jit, "UP", "%d", up);
    jit_define(&s->jit, "K", "%d", multipole_size(a->p));
    jit_define(&s->jit, "ROWS", "%d", axes_rows(a->p));
    jit_define(&s->jit, "GROUP", "%d", axes_group(a->p));
    jit_define(&s->jit, "SPARSE", "%d", !a->dense);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "boxes_axes", axes_group(a->p), axes_arena(a, up),
                  &s->kernel));
    *state = s;
    s = NULL;
done:
    boxes_gpu_shifts_destroy(s);
    return status;
}

void axes_gpu_destroy(void *state)
{
    boxes_gpu_shifts_destroy(state);
}

farsum_status axes_gpu_same(const void *state, const struct boxes_io *io)
{
    const struct boxes_gpu_shifts *s = state;
    return boxes_gpu_same(&s->args, io);
}

farsum_status axes_gpu_level(const void *state, const struct boxes_io *io,
                             int level, const void *array)
{
    const struct boxes_gpu_shifts *s = state;
    const struct tree *tree = io->tree;
    const struct boxes_family f = boxes_gpu_family(tree, level);
    const struct axes_args args = {io->stride, f.parent, f.child, f.parents,
                                   f.slots};
    return LAUNCH(&s->kernel, (args.parents + QUAD - 1) / QUAD, ARG_BUF(array),
                  ARG_BUF(&s->operators), ARG_BUF(&s->cut),
                  ARG_BUF(tree->dense ? &s->cut : &tree->gpu->sparse.slot),
                  ARG_STRUCT(args));
}
