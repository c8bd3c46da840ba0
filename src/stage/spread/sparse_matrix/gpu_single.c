/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_single: the single mesh.  The spreading operator is stored as compressed
 * rows, built when points are set (count, sum, insert, with P^3 threads per
 * particle).  Units of 1 to 32 threads per mesh point multiply it by the
 * strengths and add by shuffles.  Guo, Liu, Xu, Du, Chow, Procedia Comput. Sci.
 * 51 (2015) 120, section 3.  It won for about twenty runs; now reading 12 bytes
 * per contribution bounds it.  Not deterministic: entries are in the order of
 * arrival.  (comparison) */
#include "stage/spread/sparse_matrix/gpu_single.h"

#include "base/mem.h"

#include <math.h>

enum { GROUP = 256 };

struct state {
    struct spread_matrix matrix;
    struct jit jit;
    struct kernel product;
    int unit;
};

/* The paper's rule: 2^t <= N P^3 / K^3 < 2^(t+1), 1 to 16. */
int spread_single_unit(const struct spread_args *args)
{
    double mesh =
        (double)args->mesh[0] * (double)args->mesh[1] * (double)args->mesh[2];
    double each = spread_matrix_entries(args) / mesh;
    int unit = 1;
    if (args->unit > 0)
        return args->unit;
    while (unit < 16 && 2 * unit <= each)
        unit *= 2;
    return unit;
}

farsum_status spread_single_fits(const struct spread_args *args)
{
    int unit = args->unit;
    TRY(spread_matrix_fits(args));
    if (unit < 0 || unit > 32 || (unit & (unit - 1)) != 0)
        FAIL(ERR_UNSUPPORTED,
             "%d threads per mesh point; use 1, 2, 4, 8, 16 or 32, or 0 for "
             "the variant's choice",
             unit);
    return FARSUM_OK;
}

/* Each unit has one row; the longest row ends last. */
double spread_single_cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    double each = spread_matrix_entries(args) / (double)spread_gpu_rows(args);
    double longest = 2e-7 * each * pow(spread_clustering(args), 1.2)
                     / spread_single_unit(args) / rates.share;
    /* units of several threads are not full for rows of few entries */
    double few = 2.4e-12 * spread_matrix_entries(args) / (1 + each / 16)
                 / rates.share;
    return spread_matrix_product(args) + 1e-6 + longest + few
           + spread_matrix_build(args) / spread_repeats(args);
}

int64_t spread_single_bytes(const void *args)
{
    return (int64_t)sizeof(struct state) + spread_matrix_bytes(args);
}

void spread_single_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    spread_matrix_clear(&s->matrix);
    if (s->jit.device)
        jit_clear(&s->jit);
    mem_free(s);
}

farsum_status spread_single_create(const struct spread_args *args, int local,
                                   void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->unit = spread_single_unit(args);
    GO(spread_matrix_create(&s->matrix, args, SPREAD_ROWS));
    spread_gpu_channels(&s->jit, args,
                        "stage/spread/sparse_matrix/gpu_single.k");
    jit_define(&s->jit, "UNIT", "%d", s->unit);
    jit_define(&s->jit, "LOCAL_SUM", "%d", local);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "single_product", GROUP, 0, &s->product));
    *state = s;
done:
    if (status != FARSUM_OK)
        spread_single_destroy(s);
    return status;
}

farsum_status spread_single_set(void *state, const struct points *sources,
                                const struct points *targets)
{
    struct state *s = state;
    (void)targets;
    return spread_matrix_set(&s->matrix, sources);
}

farsum_status spread_single_run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_matrix *m = &s->matrix;
    const struct spread_io *io = a;
    int64_t threads = spread_gpu_rows(&m->gpu.args) * s->unit;
    struct mesh_args mesh;
    TRY(spread_gpu_io(&m->gpu, io, &mesh));
    if (mesh.n == 0)
        return spread_gpu_zero(&m->gpu, io);
    return LAUNCH(&s->product, kernel_groups(&s->product, threads),
                  ARG_BUF(&m->start), ARG_BUF(&m->column), ARG_BUF(&m->value),
                  ARG_BUF(io->q), ARG_BUF(io->mesh), ARG_STRUCT(mesh));
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    TRY(spread_single_fits(args));
    if (!args->device->properties.shuffles)
        FAIL(ERR_UNSUPPORTED,
             "needs shuffles between threads, which %s does not have; use "
             "gpu_single_local",
             args->device->name);
    return FARSUM_OK;
}

static farsum_status create(const void *args, void **state)
{
    return spread_single_create(args, 0, state);
}

const struct variant spread_gpu_single = {.fits = fits,
                                          .cost = spread_single_cost,
                                          .bytes = spread_single_bytes,
                                          .create = create,
                                          .set = spread_single_set,
                                          .run = spread_single_run,
                                          .destroy = spread_single_destroy,
                                          .deterministic = 0,
                                          .needs = "a device with shuffles"};
