/* SPDX-License-Identifier: Apache-2.0 */
/* naive_make.c: host code of the variants that map (10.7)'s loops to
 * threads. */
#include "stage/m2l/papers/naive_make.h"

#include <string.h>

#include "cost/expected_rates.h"

enum { GROUP = 128 };

static int64_t naive_threads(const struct boxes_args *a, int level)
{
    int64_t side = 4 * a->ws + 2, p1 = a->p + 1;
    return boxes_gpu_level(a, level) * side * side * side * p1 * p1 * p1;
}

static int64_t naive_stride(const struct boxes_args *a)
{
    return (boxes_gpu_boxes(a) + 31) / 32 * 32;
}

/* Bytes of a variant's own multipoles, or locals. */
static int64_t naive_array(const struct boxes_args *a)
{
    return boxes_real(a) * multipole_size(a->p) * naive_stride(a);
}

/* The method's arrays and the variant's own must fit together. */
static farsum_status naive_managed_fits(const struct boxes_args *a)
{
    int64_t bytes = naive_fields_bytes(a) + 2 * naive_array(a);
    TRY(device_managed(a->device));
    if (bytes > a->device->properties.memory / 2)
        FAIL(ERR_UNSUPPORTED,
             "needs %lld bytes of managed memory, more than half of the %lld "
             "of %s",
             (long long)bytes, (long long)a->device->properties.memory,
             a->device->name);
    return FARSUM_OK;
}

farsum_status naive_fits(const void *args, int managed)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, naive_order_most(a->precision)));
    if (naive_threads(a, a->depth) / GROUP >= INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "supports fewer than 2^38 threads");
    return managed ? naive_managed_fits(a) : FARSUM_OK;
}

int64_t naive_bytes(const void *args, int managed)
{
    return naive_fields_bytes(args) + boxes_gpu_list_bytes(args)
           + (managed ? 2 * naive_array(args) : 0);
}

/* Bytes read and written by the copies of both arrays. */
static double naive_moved(const struct boxes_args *a)
{
    return 2 * (double)boxes_real(a) * multipole_size(a->p)
           * (double)boxes_gpu_boxes(a);
}

/* A model, not measured: a fiftieth of the units' multiplication rate. */
double naive_cost(const void *args, int managed)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double seconds = 4 * naive_terms(a) / (0.02 * rates.flops) + 4e-5;
    if (managed)
        seconds += 2 * naive_moved(a) / rates.bytes + 2 * rates.launch;
    return seconds;
}

void naive_work(const void *args, int managed, struct work *work)
{
    const struct boxes_args *a = args;
    naive_count(a, a->p + 1.0, work);
    work->launches += 1 + a->depth;
    if (!managed)
        return;
    work->read += naive_moved(a);
    work->written += naive_moved(a);
    work->launches += 2;
}

/* Zeroes written by the host, so that the pages are there first. */
static farsum_status naive_own(struct naive_row *s, const struct boxes_args *a)
{
    struct buf *own[] = {&s->multipole, &s->local};
    s->stride = naive_stride(a);
    for (int k = 0; k < 2; k++) {
        TRY(buf_alloc_managed(own[k], a->device, naive_array(a)));
        memset(own[k]->host, 0, (size_t)naive_array(a));
    }
    return FARSUM_OK;
}

farsum_status naive_create(const void *args, int managed, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct naive_row *s = NULL;
    GO(naive_row_begin(a, GROUP, "stage/m2l/papers/naive.k", managed, &s));
    struct jit *jit = &s->gpu.jit;
    jit_define(jit, "GROUP", "%d", GROUP);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "m2l_clear", GROUP, 0, &s->clear));
    GO(jit_kernel(jit, "m2l_naive", GROUP, 0, &s->kernel));
    if (managed) {
        GO(jit_kernel(jit, "m2l_move", GROUP, 0, &s->move));
        GO(naive_own(s, a));
    }
    *state = s;
    s = NULL;
done:
    naive_row_destroy(s);
    return status;
}

static farsum_status naive_levels(struct naive_row *s,
                                  const struct boxes_io *io)
{
    struct boxes_gpu *g = &s->gpu;
    const struct boxes_args *a = &g->args;
    TRY(boxes_gpu_io(g, io));
    TRY(boxes_gpu_zero(g, &s->clear, io));
    for (int level = 1; level <= a->depth; level++)
        TRY(LAUNCH(&s->kernel,
                   kernel_groups(&s->kernel, naive_threads(a, level)),
                   ARG_BUF(io->multipole), ARG_BUF(io->local),
                   ARG_BUF(&g->operators), ARG_BUF(&s->scale),
                   ARG_BUF(&g->near), ARG_I32(level), ARG_STRUCT(g->levels)));
    return FARSUM_OK;
}

/* Copies expansions of the boxes from `first` on into the other array. */
static farsum_status naive_move(const struct naive_row *s,
                                const struct buf *from, int64_t from_stride,
                                const struct buf *to, int64_t to_stride,
                                int64_t first)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t boxes = boxes_gpu_boxes(a) - first;
    return LAUNCH(&s->move,
                  kernel_groups(&s->move, boxes * multipole_size(a->p)),
                  ARG_BUF(from), ARG_BUF(to), ARG_I64(first), ARG_I64(boxes),
                  ARG_I64(from_stride), ARG_I64(to_stride));
}

farsum_status naive_run(void *state, const void *data)
{
    struct naive_row *s = state;
    const struct boxes_io *io = data;
    const struct boxes_args *a = &s->gpu.args;
    struct boxes_io own = *io;
    TRY(boxes_gpu_same(a, io));
    if (boxes_gpu_below(a) == 0)
        return FARSUM_OK;
    if (!s->stride)
        return naive_levels(s, io);
    own.multipole = &s->multipole;
    own.local = &s->local;
    own.stride = s->stride;
    TRY(naive_move(s, io->multipole, io->stride, own.multipole, s->stride, 0));
    TRY(naive_levels(s, &own));
    return naive_move(s, own.local, s->stride, io->local, io->stride,
                      io->tree->first[1]);
}
