/* gpu_naive: (10.7) with its loops mapped to threads as they stand: a thread
 * finds out its box, the other box, n, m and k from its number, and sums over
 * orders (Kohnke et al., IJHPCA 2020, section 3.3.1).  Most of what it does is
 * integers.  For comparison; wins never. */
#include "stage/gpu_rates.h"
#include "stage/m2l/gpu_naive_fields.h"

enum { GROUP = 128 };

static int64_t naive_threads(const struct boxes_args *a, int level)
{
    int64_t side = 4 * a->ws + 2, p1 = a->p + 1;
    return boxes_gpu_level(a, level) * side * side * side * p1 * p1 * p1;
}

static farsum_status naive_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, naive_order_most(a->precision)));
    if (naive_threads(a, a->depth) / GROUP >= INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "it is for fewer than 2^38 threads");
    return FARSUM_OK;
}

static int64_t naive_bytes(const void *args)
{
    return naive_fields_bytes(args) + boxes_gpu_list_bytes(args);
}

/* A model, not measured: a fiftieth of what the units multiply. */
static double naive_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    return 4 * naive_terms(a) / (0.02 * rates.flops) + 4e-5;
}

static void naive_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    naive_count(a, a->p + 1.0, work);
    work->launches += 1 + a->depth;
}

static farsum_status naive_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct naive_row *s = NULL;
    GO(naive_row_begin(a, GROUP, "stage/m2l/gpu_naive.k", &s));
    struct jit *jit = &s->gpu.jit;
    jit_define(jit, "GROUP", "%d", GROUP);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "m2l_clear", GROUP, 0, &s->clear));
    GO(jit_kernel(jit, "m2l_naive", GROUP, 0, &s->kernel));
    *state = s;
    s = NULL;
done:
    naive_row_destroy(s);
    return status;
}

static farsum_status naive_run(void *state, const void *data)
{
    struct naive_row *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    const struct boxes_args *a = &g->args;
    TRY(boxes_gpu_io(g, io));
    if (boxes_gpu_below(a) == 0)
        return FARSUM_OK;
    TRY(boxes_gpu_zero(g, &s->clear, io));
    for (int level = 1; level <= a->depth; level++)
        TRY(LAUNCH(&s->kernel,
                   kernel_groups(&s->kernel, naive_threads(a, level)),
                   ARG_BUF(io->multipole), ARG_BUF(io->local),
                   ARG_BUF(&g->operators), ARG_BUF(&s->scale),
                   ARG_BUF(&g->near), ARG_I32(level), ARG_STRUCT(g->levels)));
    return FARSUM_OK;
}

const struct variant m2l_gpu_naive = {
    .fits = naive_fits,
    .cost = naive_cost,
    .bytes = naive_bytes,
    .create = naive_create,
    .run = naive_run,
    .destroy = naive_row_destroy,
    .deterministic = 0,
    .needs = "a device",
    .work = naive_work,
};
