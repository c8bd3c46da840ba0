/* host_simd: a thread a leaf, SIMD over its points. */
#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "stage/boxes_kern.h"

struct state {
    struct boxes_args args;
    const struct boxes_kern *kern;
    double *table; /* owned: recursions */
    void *room;    /* owned: [threads][4][size] */
};

static size_t simd_real(const struct boxes_args *a)
{
    return a->precision == FARSUM_F32 ? 4 : 8;
}

static double simd_cost(const void *args)
{
    const struct boxes_args *a = args;
    static const double width[ISA_COUNT] = {16, 32, 64};
    double lanes = width[a->isa] / (double)simd_real(a);
    double points = (double)a->n_sources, leaves = (double)a->n_leaves;
    /* a leaf's last vector is half full */
    return multipole_size(a->p)
               * ((points / lanes + leaves / 2) * 1.0e-9 + leaves * 3e-9)
               / a->threads
           + 1e-6;
}

static int64_t simd_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p);
    return 16 * size + a->threads * 4 * size * (int64_t)simd_real(a);
}

static void simd_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    mem_free(s->table);
    mem_free(s->room);
    mem_free(s);
}

static farsum_status simd_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    s->kern = boxes_kern(&s->args);
    GO(MEM_RAW(s->table, 2 * multipole_size(s->args.p)));
    multipole_table(s->args.p, s->table);
    GO(mem_alloc(&s->room, s->args.threads * 4 * multipole_size(s->args.p),
                 simd_real(&s->args), 1));
    *state = s;
    s = NULL;
done:
    simd_destroy(s);
    return status;
}

static void simd_leaf(const struct state *s, const struct boxes_io *io,
                      int64_t leaf, char *sum)
{
    const struct tree_points *points = &io->tree->source;
    const struct boxes_args *a = &s->args;
    size_t real = simd_real(a);
    int64_t first = points->begin[leaf], n = points->begin[leaf + 1] - first;
    int64_t box = tree_leaf_box(io->tree, leaf);
    const void *x[3];
    for (int d = 0; d < 3; d++)
        x[d] = (const char *)points->x[d] + real * (size_t)first;
    s->kern->multipole(a->p, s->table, x,
                       (const char *)io->q + real * (size_t)first, n, sum);
    for (int k = 0; k < multipole_size(a->p); k++)
        boxes_set(a, io->multipole, k * io->stride + box,
                  boxes_number(a, sum, k));
}

static farsum_status simd_run(void *state, const void *data)
{
    const struct state *s = state;
    const struct boxes_io *io = data;
    size_t each = 4 * (size_t)multipole_size(s->args.p) * simd_real(&s->args);
#pragma omp parallel for num_threads(s->args.threads) schedule(dynamic, 64)
    for (int64_t leaf = 0; leaf < io->tree->n_leaves; leaf++)
        simd_leaf(s, io, leaf,
                  (char *)s->room + (size_t)omp_get_thread_num() * each);
    return FARSUM_OK;
}

const struct variant p2m_host_simd = {
    .fits = boxes_host_fits,
    .cost = simd_cost,
    .bytes = simd_bytes,
    .create = simd_create,
    .run = simd_run,
    .destroy = simd_destroy,
    .deterministic = 1,
    .needs = "",
};
