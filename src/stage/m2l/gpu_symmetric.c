/* gpu_symmetric: presorted lists and the 56 (ws = 1) operators of one octant of
 * differences, each for 1, 2, 4 or 8 targets of a source, whose signs are bits
 * (Kohnke et al., IJHPCA 2020).  Saves products and loads, not sums: what
 * gpu_walsh is to be compared with.  Sums are atomic: they do not repeat
 * bitwise. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stage/boxes_gpu.h"
#include "stage/gpu_rates.h"

enum { ORDER_MOST = 20, GROUP = 64, KINDS = 4 };

/* Operators with so many images, 1, 2, 4, 8: one after another. */
struct symmetric_kind {
    struct kernel kernel;
    int first, count;
    int64_t groups;
    int32_t begin[BOXES_LEVELS + 2];
};

struct state {
    struct boxes_gpu gpu; /* owned */
    struct kernel clear;
    struct symmetric_kind kind[KINDS];
    int operators;
};

static int64_t real_bytes(const struct boxes_args *a)
{
    return a->precision == FARSUM_F32 ? 4 : 8;
}

static int64_t symmetric_half(int p)
{
    return (int64_t)(p + 1) * (p + 2) / 2;
}

static int64_t symmetric_operators(int ws)
{
    int64_t side = 2 * ws + 2, near = ws + 1;
    return side * side * side - near * near * near;
}

static int64_t symmetric_operator_reals(const struct boxes_args *a)
{
    return 2 * symmetric_half(a->p) * multipole_size(a->p);
}

static int64_t symmetric_operator_bytes(const struct boxes_args *a)
{
    return real_bytes(a) * symmetric_operators(a->ws)
           * symmetric_operator_reals(a);
}

static farsum_status symmetric_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, ORDER_MOST));
    return boxes_gpu_room(a, symmetric_operator_bytes(a));
}

static int64_t symmetric_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return symmetric_operator_bytes(a) + boxes_gpu_list_bytes(a)
           + 64 * 8 * symmetric_operators(a->ws);
}

/* Complex terms of a box, all (n, m) with m >= 0 and all (k, l). */
static double symmetric_terms(const struct boxes_args *a)
{
    double boxes = (double)(boxes_gpu_boxes(a) - boxes_gpu_level(a, 0));
    return boxes * (double)symmetric_half(a->p) * multipole_size(a->p);
}

/* A model, not measured: half of what the units do; four products an operator,
 * four sums and as many changes of sign a target. */
static double symmetric_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double each = 4 * (double)symmetric_operators(a->ws)
                  + 8 * (double)boxes_gpu_far_most(a->ws);
    return symmetric_terms(a) * each / (0.5 * rates.flops) + 4e-5;
}

static void symmetric_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)boxes_gpu_boxes(a), size = multipole_size(a->p);
    double terms = symmetric_terms(a);
    count_calls(&work->count, COUNT_MUL,
                4 * terms * (double)symmetric_operators(a->ws));
    count_calls(&work->count, COUNT_ADD,
                4 * terms * (double)boxes_gpu_far_most(a->ws));
    work->read += (double)real_bytes(a) * boxes * size
                  + (double)symmetric_operator_bytes(a);
    work->written += (double)real_bytes(a) * boxes * size;
    work->sums += boxes * size * (double)boxes_gpu_far_most(a->ws);
    work->launches += 1 + KINDS;
}

static void symmetric_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    boxes_gpu_clear(&s->gpu);
    mem_free(s);
}

/* Axes along which a difference has both signs in every list: images. */
static int symmetric_kind_of(int ws, const int32_t d[3])
{
    int both = 0;
    for (int a = 0; a < 3; a++)
        both += d[a] > 0 && d[a] <= 2 * ws;
    return both;
}

/* Differences without signs, those with fewer images first, and the number of
 * each place, (z side + y) side + x. */
static void symmetric_number(struct state *s, int32_t *number, int32_t (*d)[3])
{
    int ws = s->gpu.args.ws, side = 2 * ws + 2, n = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        s->kind[kind].first = n;
        for (int i = 0; i < side * side * side; i++) {
            int32_t at[3] = {i % side, i / side % side, i / side / side};
            if (!boxes_far(ws, at) || symmetric_kind_of(ws, at) != kind)
                continue;
            for (int a = 0; a < 3; a++)
                d[n][a] = at[a];
            number[i] = n++;
        }
        s->kind[kind].count = n - s->kind[kind].first;
    }
    s->operators = n;
}

/* A source's targets: the far list with signs changed. */
static farsum_status symmetric_list(struct state *s, const int32_t *number)
{
    int ws = s->gpu.args.ws, side = 2 * ws + 2;
    int64_t all = s->operators;
    farsum_status status = FARSUM_OK;
    struct boxes_far *far = NULL;
    int32_t *list = NULL, *have = NULL;
    GO(MEM_RAW(far, boxes_gpu_far_most(ws)));
    GO(MEM_NEW(list, 8 * 16 * all));
    GO(MEM_NEW(have, 8 * all));
    for (int octant = 0; octant < 8; octant++) {
        int64_t n = boxes_gpu_far(ws, octant, far);
        for (int64_t l = 0; l < n; l++) {
            const int32_t *d = far[l].d;
            int64_t op = octant * all
                         + number[(abs(d[2]) * side + abs(d[1])) * side
                                  + abs(d[0])];
            int32_t *to = list + 16 * op + 2 * have[op]++;
            to[0] = far[l].octant + 8 * far[l].near;
            to[1] = (d[0] > 0) | (d[1] > 0) << 1 | (d[2] > 0) << 2;
        }
    }
    GO(buf_alloc(&s->gpu.list, s->gpu.args.device, 4 * 8 * 16 * all));
    GO(buf_upload(&s->gpu.list, 0, list, 4 * 8 * 16 * all));
done:
    mem_free(far);
    mem_free(list);
    mem_free(have);
    return status;
}

/* (10.7) but for the field: real numbers [(n, m)][(k, l)]. */
static void symmetric_factors(int p, double *factor)
{
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++)
            for (int k = 0; k <= p; k++)
                for (int l = -k; l <= k; l++)
                    *factor++ =
                        (n % 2 ? -1 : 1) * multipole_factor(n, m, k, l);
}

static void symmetric_operator(int p, const double *factor, const double *field,
                               double *to)
{
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++)
            for (int k = 0; k <= p; k++)
                for (int l = -k; l <= k; l++, to += 2) {
                    int order = abs(m + l);
                    double re = field[multipole_at(n + k, order)];
                    double im = order ? field[multipole_at(n + k, -order)] : 0;
                    if (m + l < 0 && order % 2)
                        re = -re;
                    if (m + l < 0 && order % 2 == 0)
                        im = -im;
                    to[0] = *factor * re;
                    to[1] = *factor++ * im;
                }
}

static farsum_status symmetric_prepare(struct state *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t n = symmetric_operators(a->ws), side = 2 * a->ws + 2;
    int64_t reals = symmetric_operator_reals(a);
    farsum_status status = FARSUM_OK;
    int32_t(*d)[3] = NULL, *number = NULL;
    double *factor = NULL, *field = NULL, *to = NULL;
    GO(MEM_RAW(d, n));
    GO(MEM_NEW(number, side * side * side));
    GO(MEM_RAW(factor, reals / 2));
    GO(MEM_RAW(field, multipole_size(2 * a->p)));
    GO(MEM_RAW(to, reals));
    symmetric_number(s, number, d);
    GO(symmetric_list(s, number));
    symmetric_factors(a->p, factor);
    GO(buf_alloc(&s->gpu.operators, a->device, symmetric_operator_bytes(a)));
    for (int64_t i = 0; i < n; i++) {
        const double r[3] = {d[i][0] * a->box[0], d[i][1] * a->box[1],
                             d[i][2] * a->box[2]};
        multipole_singular(2 * a->p, r, field);
        symmetric_operator(a->p, factor, field, to);
        GO(boxes_gpu_upload(&s->gpu.operators, a->precision, i * reals, to,
                            reals));
    }
done:
    mem_free(d);
    mem_free(number);
    mem_free(factor);
    mem_free(field);
    mem_free(to);
    return status;
}

/* Groups of a kind's launch over all levels. */
static farsum_status symmetric_groups(struct state *s,
                                      struct symmetric_kind *kind)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t parts = kind->count * symmetric_half(a->p);
    for (int level = 1; level <= a->depth; level++) {
        kind->begin[level] = (int32_t)kind->groups;
        kind->groups +=
            8 * parts * ((boxes_gpu_level(a, level - 1) + GROUP - 1) / GROUP);
        if (kind->groups > INT32_MAX)
            FAIL(ERR_UNSUPPORTED, "m2l: too many groups of threads");
    }
    return FARSUM_OK;
}

static farsum_status symmetric_kernels(struct state *s)
{
    static const char *const names[KINDS] = {
        "m2l_symmetric_1", "m2l_symmetric_2", "m2l_symmetric_4",
        "m2l_symmetric_8"};
    const struct boxes_args *a = &s->gpu.args;
    struct jit *jit = &s->gpu.jit;
    jit_begin(jit, a->device, "stage/m2l/gpu_symmetric.k", a->precision);
    jit_define(jit, "ORDER", "%d", a->p);
    jit_define(jit, "GROUP", "%d", GROUP);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "m2l_clear", GROUP, 0, &s->clear));
    for (int k = 0; k < KINDS; k++) {
        TRY(symmetric_groups(s, &s->kind[k]));
        TRY(jit_kernel(jit, names[k], GROUP, 0, &s->kind[k].kernel));
    }
    return FARSUM_OK;
}

static farsum_status symmetric_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    GO(boxes_gpu_begin(&s->gpu, args, GROUP, 1));
    GO(symmetric_prepare(s));
    GO(symmetric_kernels(s));
    *state = s;
    s = NULL;
done:
    symmetric_destroy(s);
    return status;
}

static farsum_status symmetric_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    const struct boxes_args *a = &g->args;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    int64_t boxes = boxes_gpu_boxes(a) - boxes_gpu_level(a, 0);
    TRY(LAUNCH(&s->clear,
               kernel_groups(&s->clear, boxes * multipole_size(a->p)),
               ARG_BUF(io->local), ARG_I64(boxes), ARG_STRUCT(g->levels)));
    for (int k = 0; k < KINDS; k++) {
        struct boxes_levels levels = g->levels;
        memcpy(levels.begin, s->kind[k].begin, sizeof levels.begin);
        TRY(LAUNCH(&s->kind[k].kernel, s->kind[k].groups,
                   ARG_BUF(io->multipole), ARG_BUF(io->local),
                   ARG_BUF(&g->operators), ARG_BUF(&g->list),
                   ARG_BUF(&g->near), ARG_I32(s->kind[k].first),
                   ARG_I32(s->kind[k].count), ARG_I32(s->operators),
                   ARG_STRUCT(levels)));
    }
    return FARSUM_OK;
}

const struct variant m2l_gpu_symmetric = {
    .fits = symmetric_fits,
    .cost = symmetric_cost,
    .bytes = symmetric_bytes,
    .create = symmetric_create,
    .run = symmetric_run,
    .destroy = symmetric_destroy,
    .deterministic = 0,
    .needs = "a device",
    .work = symmetric_work,
};
