/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_hybrid_mesh: the hybrid mesh.  The spreading operator is a table with one
 * row per mesh point, read column by column, and a list of the entries of
 * longer rows, added by atomics.  The table's width comes from the histogram of
 * row lengths, by the rule of Bell and Garland, SC '09, whose format it is.
 * Guo et al., Procedia Comput. Sci. 51 (2015) 120, found it best for very many
 * runs.  A set synchronises twice with the device to learn the sizes of its
 * arrays.  Not deterministic.  (comparison) */
#include "stage/spread/sparse_matrix/gpu_matrix.h"

#include "base/mem.h"

#include <math.h>

enum { GROUP = 256 };

struct state {
    struct spread_matrix matrix;
    struct jit jit;
    struct kernel table, list;
};

static farsum_status fits(const void *args)
{
    return spread_matrix_fits(args);
}

/* For uniformly random particles a tenth of the entries is in the list. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    double clustering = spread_clustering(args),
           n = spread_matrix_entries(args);
    double share = fmin(0.1 * clustering * clustering * clustering, 0.9);
    double points = (double)spread_gpu_rows(args);
    double reals = spread_gpu_reals(args);
    double longest = 1.6e-7 * n / points * clustering;
    return spread_matrix_product(args) + rates.launch
           + (share * n * reals * 1.2e-11 + longest) / rates.share
           + (spread_matrix_build(args) + 20 * rates.launch)
                 / spread_repeats(args);
}

/* The table is filled to at least a third, so three times the entries. */
static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    return (int64_t)sizeof(struct state) + 3 * spread_matrix_bytes(args)
           + 4 * spread_gpu_rows(args);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    spread_matrix_clear(&s->matrix);
    if (s->jit.device)
        jit_clear(&s->jit);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    GO(spread_matrix_create(&s->matrix, args, SPREAD_HYBRID));
    spread_gpu_channels(&s->jit, args,
                        "stage/spread/sparse_matrix/gpu_hybrid_mesh.k");
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "hybrid_table", GROUP, 0, &s->table));
    GO(jit_kernel(&s->jit, "hybrid_list", GROUP, 0, &s->list));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    (void)targets;
    return spread_matrix_set(&s->matrix, sources);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_matrix *m = &s->matrix;
    const struct spread_io *io = a;
    int64_t rows = spread_gpu_rows(&m->gpu.args);
    struct mesh_args mesh;
    TRY(spread_gpu_io(&m->gpu, io, &mesh));
    if (mesh.n == 0)
        return spread_gpu_zero(&m->gpu, io);
    TRY(LAUNCH(&s->table, kernel_groups(&s->table, rows), ARG_BUF(&m->width),
               ARG_BUF(&m->column), ARG_BUF(&m->value), ARG_BUF(io->q),
               ARG_BUF(io->mesh), ARG_STRUCT(mesh)));
    if (m->listed == 0)
        return FARSUM_OK;
    return LAUNCH(&s->list, kernel_groups(&s->list, m->listed),
                  ARG_BUF(&m->list_row), ARG_BUF(&m->list_column),
                  ARG_BUF(&m->list_value), ARG_BUF(io->q), ARG_BUF(io->mesh),
                  ARG_STRUCT(mesh), ARG_I64(m->listed));
}

const struct variant spread_gpu_hybrid_mesh = {.fits = fits,
                                               .cost = cost,
                                               .bytes = bytes,
                                               .create = create,
                                               .set = set,
                                               .run = run,
                                               .destroy = destroy,
                                               .deterministic = 0,
                                               .needs = "a device"};
