/* SPDX-License-Identifier: Apache-2.0 */
/* symmetric_make.c: host code of the variants of
 * stage/m2l/papers/symmetric.k. */
#include "stage/m2l/papers/symmetric_make.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cost/expected_rates.h"

enum { ORDER_MOST = 20, GROUP = 64, KINDS = 4, ENTRY = 17 };

/* Entries with equally many images, 1, 2, 4, 8, stored one after another. */
struct symmetric_kind {
    struct jit jit; /* owned */
    struct kernel kernel;
    int first, count, rows;
    int64_t groups;
    int32_t begin[BOXES_LEVELS + 2];
};

struct symmetric {
    struct boxes_gpu gpu; /* owned; without kernels */
    struct symmetric_form form;
    struct kernel clear;
    struct buf pointers; /* owned */
    struct symmetric_kind kind[KINDS];
    int entries;
};

static int64_t symmetric_half(int p)
{
    return (int64_t)(p + 1) * (p + 2) / 2;
}

/* Number of differences without signs: 56 for ws = 1. */
static int64_t symmetric_operators(int ws)
{
    int64_t side = 2 * ws + 2, near = ws + 1;
    return side * side * side - near * near * near;
}

/* Number of those of a kind, and of the targets that they serve.  Axes with
 * both signs have one of 2 ws distances, the others 0 or 2 ws + 1. */
static int64_t symmetric_of_kind(int ws, int kind)
{
    static const int64_t choices[KINDS] = {1, 3, 3, 1};
    int64_t all = 1, near = 1;
    for (int a = 0; a < KINDS - 1; a++) {
        all *= a < kind ? 2 * ws : 2;
        near *= a < kind ? ws : 1;
    }
    return choices[kind] * (all - near);
}

static int64_t symmetric_entries(int ws, const struct symmetric_form *form)
{
    return form->merged ? symmetric_operators(ws) : boxes_gpu_far_most(ws);
}

/* Rows per thread block: the fewer images, the more rows, since a source's
 * coefficients are read once for all sums of a thread. */
static int symmetric_rows(const struct boxes_args *a,
                          const struct symmetric_form *form, int kind)
{
    int rows = form->sums || kind < 2 ? 4 : kind == 2 ? 2 : 1;
    return a->precision == FARSUM_F64 && rows > 1 ? rows / 2 : rows;
}

static int64_t symmetric_operator_reals(const struct boxes_args *a,
                                        const struct symmetric_form *form)
{
    int64_t half = symmetric_half(a->p), rows = symmetric_rows(a, form, 0);
    return 4 * half * ((half + rows - 1) / rows * rows);
}

static int64_t symmetric_operator_bytes(const struct boxes_args *a,
                                        const struct symmetric_form *form)
{
    return boxes_real(a) * symmetric_operators(a->ws)
           * symmetric_operator_reals(a, form);
}

static int64_t symmetric_pointer_bytes(const struct boxes_args *a,
                                       const struct symmetric_form *form)
{
    int64_t boxes = boxes_gpu_below(a);
    return form->pointers ? 4 * 8 * symmetric_entries(a->ws, form) * boxes : 4;
}

farsum_status symmetric_fits(const void *args,
                             const struct symmetric_form *form)
{
    const struct boxes_args *a = args;
    if (a->shape.images < 0 || a->shape.images > 8
        || (a->shape.images & (a->shape.images - 1)))
        FAIL(ERR_ARGUMENT, "an operator serves 1, 2, 4 or 8 targets");
    TRY(boxes_gpu_fits(a, ORDER_MOST));
    TRY(boxes_gpu_fits_memory(a, symmetric_operator_bytes(a, form)));
    return boxes_gpu_fits_memory(a, symmetric_pointer_bytes(a, form));
}

int64_t symmetric_bytes(const void *args, const struct symmetric_form *form)
{
    const struct boxes_args *a = args;
    return symmetric_operator_bytes(a, form) + boxes_gpu_list_bytes(a)
           + symmetric_pointer_bytes(a, form)
           + 4 * 8 * ENTRY * symmetric_entries(a->ws, form);
}

/* 1: the benchmark selects operators of this kind, or all. */
static int symmetric_asked(const struct boxes_args *a, int kind)
{
    return !a->shape.images || a->shape.images == 1 << kind;
}

/* Number of active operators, and of additions to a target, per source. */
static void symmetric_counts(const struct boxes_args *a,
                             const struct symmetric_form *form, double *entries,
                             double *far)
{
    *entries = *far = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        double n = (double)symmetric_of_kind(a->ws, kind);
        if (!symmetric_asked(a, kind))
            continue;
        *far += n * (1 << kind);
        *entries += form->merged ? n : n * (1 << kind);
    }
}

/* Multiply-adds of a run: complex terms of all (n, m), m >= 0, and all (k, l);
 * with `sums` real and imaginary parts of l and -l together. */
static double symmetric_fma(const struct boxes_args *a,
                            const struct symmetric_form *form)
{
    double boxes = (double)boxes_gpu_below(a);
    double half = (double)symmetric_half(a->p), far, entries;
    symmetric_counts(a, form, &entries, &far);
    if (form->sums)
        return boxes * half * (4 * half * entries + 16 * far);
    return boxes * half * multipole_size(a->p) * 4 * (entries + far);
}

/* A model, not measured: a third of the units' rate. */
double symmetric_cost(const void *args, const struct symmetric_form *form)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    return symmetric_fma(a, form) / (0.3 * rates.flops) + 4e-5;
}

void symmetric_work(const void *args, const struct symmetric_form *form,
                    struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)boxes_gpu_boxes(a), size = multipole_size(a->p);
    double entries, far;
    symmetric_counts(a, form, &entries, &far);
    count_calls(&work->count, COUNT_FMA, symmetric_fma(a, form));
    work->read += (double)boxes_real(a) * boxes * size
                  + (double)symmetric_operator_bytes(a, form);
    work->written += (double)boxes_real(a) * boxes * size;
    work->sums += boxes * size * far;
    work->launches += 1 + (form->merged && !a->shape.images ? KINDS : 1);
}

void symmetric_destroy(void *state)
{
    struct symmetric *s = state;
    if (!s)
        return;
    for (int k = 0; k < KINDS; k++)
        if (s->kind[k].jit.device)
            jit_clear(&s->kind[k].jit);
    buf_clear(&s->pointers);
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

/* Lists the differences without signs, those with fewer images first, and the
 * index of each position, (z side + y) side + x. */
static void symmetric_number(struct symmetric *s, int32_t *number,
                             int32_t (*d)[3])
{
    int ws = s->gpu.args.ws, side = 2 * ws + 2, n = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        int first = n;
        for (int i = 0; i < side * side * side; i++) {
            int32_t at[3] = {i % side, i / side % side, i / side / side};
            if (!boxes_far(ws, at) || symmetric_kind_of(ws, at) != kind)
                continue;
            for (int a = 0; a < 3; a++)
                d[n][a] = at[a];
            number[i] = n++;
        }
        s->kind[kind].first = first;
        s->kind[kind].count = n - first;
    }
}

/* Begin of an operator's entries in the lists: one entry, or one per target;
 * these all belong to one kernel, the first kind's. */
static void symmetric_sort(struct symmetric *s, int *begin)
{
    int n = 0, at = 0, wanted = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        struct symmetric_kind *k = &s->kind[kind];
        int targets = s->form.merged ? 1 : 1 << kind;
        if (symmetric_asked(&s->gpu.args, kind)) {
            at = wanted ? at : n;
            wanted += k->count * targets;
        }
        for (int i = 0; i < k->count; i++, n += targets)
            begin[k->first + i] = n;
        if (!s->form.merged)
            k->count = 0;
    }
    if (s->form.merged)
        return;
    s->kind[0].first = at;
    s->kind[0].count = wanted;
}

/* A source's targets: the far list with signs changed. */
static farsum_status symmetric_list(struct symmetric *s, const int32_t *number)
{
    int ws = s->gpu.args.ws, side = 2 * ws + 2, all = s->entries;
    int64_t reals = (int64_t)8 * ENTRY * all;
    farsum_status status = FARSUM_OK;
    struct boxes_far *far = NULL;
    int32_t *list = NULL, *have = NULL;
    int *begin = NULL;
    GO(MEM_RAW(begin, symmetric_operators(ws)));
    GO(MEM_RAW(far, boxes_gpu_far_most(ws)));
    GO(MEM_RAW(list, reals));
    GO(MEM_NEW(have, 8 * (int64_t)all));
    for (int64_t i = 0; i < reals; i++)
        list[i] = -1;
    symmetric_sort(s, begin);
    for (int octant = 0; octant < 8; octant++) {
        int64_t n = boxes_gpu_far(ws, octant, far);
        for (int64_t l = 0; l < n; l++) {
            const int32_t *d = far[l].d;
            int op = number[(abs(d[2]) * side + abs(d[1])) * side + abs(d[0])];
            int64_t entry = (int64_t)octant * all + begin[op];
            int image = have[entry]++;
            int32_t *to = list + ENTRY * (entry + (s->form.merged ? 0 : image));
            to[0] = op;
            to += 1 + (s->form.merged ? 2 * image : 0);
            to[0] = far[l].octant + 8 * far[l].near;
            to[1] = (d[0] > 0) | (d[1] > 0) << 1 | (d[2] > 0) << 2;
        }
    }
    GO(buf_alloc(&s->gpu.list, s->gpu.args.device, 4 * reals));
    GO(buf_upload(&s->gpu.list, 0, list, 4 * reals));
done:
    mem_free(far);
    mem_free(list);
    mem_free(have);
    mem_free(begin);
    return status;
}

/* (10.7) without M: real and imaginary part of a factor. */
static void symmetric_number_of(int n, int m, int k, int l, const double *field,
                                double *u, double *v)
{
    int order = abs(m + l);
    double f = (n % 2 ? -1 : 1) * multipole_factor(n, m, k, l);
    double re = field[multipole_at(n + k, order)];
    double im = order ? field[multipole_at(n + k, -order)] : 0;
    if (m + l < 0 && order % 2)
        re = -re;
    if (m + l < 0 && order % 2 == 0)
        im = -im;
    *u = f * re;
    *v = f * im;
}

static void symmetric_operator(const struct symmetric *s, int rows,
                               const double *field, double *to)
{
    int p = s->gpu.args.p, half = (int)symmetric_half(p);
    for (int h = 0, n = 0; h < half; h++) {
        n += h == (n + 1) * (n + 2) / 2;
        int m = h - n * (n + 1) / 2;
        for (int k = 0; k <= p; k++)
            for (int l = 0; l <= k; l++) {
                int64_t at =
                    ((int64_t)(h / rows) * half + k * (k + 1) / 2 + l) * rows
                    + h % rows;
                double u, v, u1 = 0, v1 = 0, sign = l % 2 ? -1 : 1;
                symmetric_number_of(n, m, k, l, field, &u, &v);
                if (l > 0)
                    symmetric_number_of(n, m, k, -l, field, &u1, &v1);
                const double sums[4] = {u + sign * u1, v - sign * v1,
                                        v + sign * v1, u - sign * u1};
                const double each[4] = {u, v, u1, v1};
                memcpy(to + 4 * at, s->form.sums ? sums : each, sizeof sums);
            }
    }
}

static farsum_status symmetric_operators_make(struct symmetric *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t n = symmetric_operators(a->ws), side = 2 * a->ws + 2;
    int64_t reals = symmetric_operator_reals(a, &s->form);
    farsum_status status = FARSUM_OK;
    int32_t(*d)[3] = NULL, *number = NULL;
    double *field = NULL, *to = NULL;
    GO(MEM_RAW(d, n));
    GO(MEM_NEW(number, side * side * side));
    GO(MEM_RAW(field, multipole_size(2 * a->p)));
    GO(MEM_NEW(to, reals));
    symmetric_number(s, number, d);
    GO(symmetric_list(s, number));
    GO(buf_alloc(&s->gpu.operators, a->device,
                 symmetric_operator_bytes(a, &s->form)));
    for (int64_t i = 0; i < n; i++) {
        const double r[3] = {d[i][0] * a->box[0], d[i][1] * a->box[1],
                             d[i][2] * a->box[2]};
        int kind = s->form.merged ? symmetric_kind_of(a->ws, d[i]) : 0;
        multipole_singular(2 * a->p, r, field);
        symmetric_operator(s, s->kind[kind].rows, field, to);
        GO(boxes_gpu_upload(&s->gpu.operators, a->precision, i * reals, to,
                            reals));
    }
done:
    mem_free(d);
    mem_free(number);
    mem_free(field);
    mem_free(to);
    return status;
}

/* Thread blocks of a launch over all levels, `parts` for each run of boxes.  A
 * block has boxes of several octants if their parents are few. */
static farsum_status symmetric_groups(const struct boxes_args *a, int64_t parts,
                                      int32_t *begin, int64_t *groups)
{
    *groups = 0;
    for (int level = 1; level <= a->depth; level++) {
        begin[level] = (int32_t)*groups;
        int64_t parents = boxes_gpu_level(a, level - 1);
        int64_t octants = parents < GROUP ? GROUP / parents : 1;
        octants = octants < 8 ? octants : 8;
        *groups += (8 + octants - 1) / octants * parts
                   * ((parents + GROUP - 1) / GROUP);
        if (*groups > INT32_MAX)
            FAIL(ERR_UNSUPPORTED, "m2l: too many thread blocks");
    }
    return FARSUM_OK;
}

static farsum_status symmetric_kernel(struct symmetric *s, int k)
{
    const struct boxes_args *a = &s->gpu.args;
    struct symmetric_kind *kind = &s->kind[k];
    struct jit *jit = &kind->jit;
    int64_t tiles = (symmetric_half(a->p) + kind->rows - 1) / kind->rows;
    if (kind->count == 0)
        return FARSUM_OK;
    jit_begin(jit, a->device, "stage/m2l/papers/symmetric.k", a->precision);
    jit_define(jit, "ORDER", "%d", a->p);
    jit_define(jit, "GROUP", "%d", GROUP);
    jit_define(jit, "ROWS", "%d", kind->rows);
    jit_define(jit, "STRIDE", "%d",
               (int)(symmetric_operator_reals(a, &s->form) / 4));
    jit_define(jit, "SUMS", "%d", s->form.sums);
    jit_define(jit, "POINTERS", "%d", s->form.pointers);
    jit_define(jit, "IMAGES", "%d", 1 << k);
    TRY(jit_build(jit));
    if (!s->form.merged || symmetric_asked(a, k))
        TRY(symmetric_groups(a, kind->count * tiles, kind->begin,
                             &kind->groups));
    return jit_kernel(jit, "m2l_symmetric", GROUP, 0, &kind->kernel);
}

static farsum_status symmetric_pointers(struct symmetric *s)
{
    const struct boxes_args *a = &s->gpu.args;
    struct boxes_levels levels = s->gpu.levels;
    struct kernel kernel;
    int64_t groups = 0;
    TRY(buf_alloc(&s->pointers, a->device,
                  symmetric_pointer_bytes(a, &s->form)));
    TRY(symmetric_groups(a, s->entries, levels.begin, &groups));
    if (!s->form.pointers || groups == 0)
        return FARSUM_OK;
    TRY(jit_kernel(&s->kind[0].jit, "m2l_pointers", GROUP, 0, &kernel));
    TRY(LAUNCH(&kernel, groups, ARG_BUF(&s->gpu.list), ARG_BUF(&s->gpu.near),
               ARG_BUF(&s->pointers), ARG_I32(s->entries), ARG_STRUCT(levels)));
    return device_finish(a->device);
}

farsum_status symmetric_create(const void *args,
                               const struct symmetric_form *form, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct symmetric *s = NULL;
    GO(MEM_NEW(s, 1));
    s->form = *form;
    s->entries = (int)symmetric_entries(a->ws, form);
    for (int k = 0; k < KINDS; k++)
        s->kind[k].rows = symmetric_rows(a, form, k);
    GO(boxes_gpu_begin(&s->gpu, a, GROUP, 1));
    GO(symmetric_operators_make(s));
    for (int k = 0; k < KINDS; k++)
        GO(symmetric_kernel(s, k));
    GO(jit_kernel(&s->kind[0].jit, "m2l_clear", GROUP, 0, &s->clear));
    GO(symmetric_pointers(s));
    *state = s;
    s = NULL;
done:
    symmetric_destroy(s);
    return status;
}

farsum_status symmetric_run(void *state, const void *data)
{
    struct symmetric *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    TRY(boxes_gpu_zero(g, &s->clear, io));
    for (int k = 0; k < KINDS; k++) {
        struct boxes_levels levels = g->levels;
        if (s->kind[k].groups == 0)
            continue;
        memcpy(levels.begin, s->kind[k].begin, sizeof levels.begin);
        TRY(LAUNCH(&s->kind[k].kernel, s->kind[k].groups,
                   ARG_BUF(io->multipole), ARG_BUF(io->local),
                   ARG_BUF(&g->operators), ARG_BUF(&g->list), ARG_BUF(&g->near),
                   ARG_BUF(&s->pointers), ARG_I32(s->kind[k].first),
                   ARG_I32(s->kind[k].count), ARG_I32(s->entries),
                   ARG_STRUCT(levels)));
    }
    return FARSUM_OK;
}
