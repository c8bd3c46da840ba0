/* SPDX-License-Identifier: Apache-2.0 */
/* dynamic_make.c: host code of the variants by kernels that launch kernels. */
#include "stage/m2l/papers/dynamic_make.h"

#include "stage/device.h"
#include "cost/expected_rates.h"

enum { CLEAR = 128 };

/* Boxes near a parent: threads of the launching kernel, and number of
 * launches. */
static int64_t dynamic_near(const struct boxes_args *a)
{
    int64_t side = 2 * a->ws + 1;
    return side * side * side;
}

/* Threads of the launched kernel. */
static int dynamic_child(const struct boxes_args *a, int split)
{
    return (a->p + 1) * (a->p + 1 + split);
}

farsum_status dynamic_fits(const void *args, int split)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, naive_order_most(a->precision)));
    int most = a->device->properties.group_max;
    if (dynamic_near(a) > most || dynamic_child(a, split) > most)
        FAIL(ERR_UNSUPPORTED,
             "needs thread blocks of %lld and %d threads; %s has %d at most",
             (long long)dynamic_near(a), dynamic_child(a, split),
             a->device->name, most);
    TRY(gpu_local_fits(
        a->device,
        2 * boxes_real(a) * (multipole_size(2 * a->p) + multipole_size(a->p))));
    TRY(device_nested(a->device));
    if (a->device->properties.pending < dynamic_near(a))
        FAIL(ERR_UNSUPPORTED,
             "%s allows %lld pending launches; %lld are needed",
             a->device->name, (long long)a->device->properties.pending,
             (long long)dynamic_near(a));
    return FARSUM_OK;
}

int64_t dynamic_bytes(const void *args)
{
    return naive_fields_bytes(args) + boxes_gpu_list_bytes(args);
}

/* No more launches than may be pending if none of them begins. */
static int64_t dynamic_batch(const struct boxes_args *a)
{
    return a->device->properties.pending / dynamic_near(a);
}

static double dynamic_launches(const struct boxes_args *a)
{
    double launches = 0;
    for (int level = 1; level <= a->depth; level++)
        launches +=
            (double)(1 + (boxes_gpu_level(a, level) - 1) / dynamic_batch(a));
    return launches;
}

/* Kernels launched on the device: for all near boxes except the parent
 * itself. */
static double dynamic_children(const struct boxes_args *a)
{
    return (double)boxes_gpu_below(a) * (double)(dynamic_near(a) - 1);
}

/* Measured on an H200, depths 4 and 5, orders 0 to 16: the launches, for any
 * kernel size, and the products in addition. */
double dynamic_cost(const void *args, int split)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    return 4 * naive_terms(a) / ((split ? 0.18 : 0.17) * rates.flops)
           + 2.5e-7 * dynamic_children(a) + 1e-4;
}

void dynamic_work(const void *args, int split, struct work *work)
{
    const struct boxes_args *a = args;
    naive_count(a, split ? 2 : 1, work);
    work->launches += 1 + dynamic_launches(a) + dynamic_children(a);
}

farsum_status dynamic_create(const void *args, int split, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct naive_row *s = NULL;
    GO(naive_row_begin(a, CLEAR, "stage/m2l/papers/dynamic.k", 0, &s));
    struct jit *jit = &s->gpu.jit;
    s->batch = dynamic_batch(a);
    jit_nested(jit);
    jit_define(jit, "SPLIT", "%d", split);
    jit_define(jit, "CHILD", "%d", dynamic_child(a, split));
    GO(jit_build(jit));
    GO(jit_kernel(jit, "m2l_clear", CLEAR, 0, &s->clear));
    GO(jit_kernel(jit, "m2l_parent", (int32_t)dynamic_near(a), 0, &s->kernel));
    *state = s;
    s = NULL;
done:
    naive_row_destroy(s);
    return status;
}

farsum_status dynamic_run(void *state, const void *data)
{
    struct naive_row *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    TRY(boxes_gpu_io(g, io));
    if (boxes_gpu_below(&g->args) == 0)
        return FARSUM_OK;
    TRY(boxes_gpu_zero(g, &s->clear, io));
    for (int level = 1; level <= g->args.depth; level++) {
        int64_t boxes = boxes_gpu_level(&g->args, level);
        for (int64_t b = 0; b < boxes; b += s->batch)
            TRY(LAUNCH(&s->kernel, boxes - b < s->batch ? boxes - b : s->batch,
                       ARG_BUF(io->multipole), ARG_BUF(io->local),
                       ARG_BUF(&g->operators), ARG_BUF(&s->scale),
                       ARG_BUF(&g->near), ARG_I32(level), ARG_I64(b),
                       ARG_STRUCT(g->levels)));
    }
    return FARSUM_OK;
}
