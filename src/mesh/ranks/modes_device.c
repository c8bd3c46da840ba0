/* SPDX-License-Identifier: Apache-2.0 */
/* modes_device.c: exchange of modes between devices.  Tables hold, for one k0,
 * where each number of a message comes from or goes to. */
#include "mesh/ranks/modes_device.h"

#include "base/mem.h"
#include "device/compile/jit.h"
#include "mesh/ranks/modes_inside.h"
#include "stage/device.h"

enum { GROUP = 256 };

/* As in modes_device.k. */
struct modes_args {
    int64_t total, each, re, im, plane, own, base;
    int32_t modes0, mesh0, turn, back;
};
struct modes_from {
    double scale;
    int32_t line, conj;
};
struct modes_to {
    int64_t base, count, mode;
};
struct modes_line {
    double scale;
    int32_t plus, minus;
};
_Static_assert(sizeof(struct modes_args) == 72
                   && sizeof(struct modes_from) == 16
                   && sizeof(struct modes_to) == 24
                   && sizeof(struct modes_line) == 16,
               "must match mesh/ranks/modes_device.k");

struct rank_modes_gpu {
    struct rank_modes *lists;
    struct device *device; /* borrowed, as the next one */
    struct transport *transport;
    int64_t all;   /* numbers of all messages at the modes, per k0 */
    int64_t lines; /* of this rank */
    struct jit jit;
    struct kernel collect, copy, place;
    struct buf rows;  /* [count] struct modes_from, or [lines] modes_line */
    struct buf to;    /* [all] */
    struct buf scale; /* [N0/2 + 1] f64 */
    struct buf by_row, by_mode; /* messages, as struct rank_modes has them */
};

static int64_t modes_half(const struct rank_modes *m)
{
    return m->args.modes[2] / 2 + 1;
}

static int64_t modes_size(int64_t k)
{
    return k < 0 ? -k : k;
}

/* Type 1: the numbers of this rank's messages. */
static farsum_status table_from(struct rank_modes_gpu *g)
{
    const struct rank_modes *m = g->lists;
    const struct rank_modes_args *a = &m->args;
    int rank = a->comm->rank;
    int64_t count = m->count[rank], n = 0, bytes;
    farsum_status status = FARSUM_OK;
    struct modes_from *from = NULL;
    GO(MEM_RAW(from, count));
    for (int64_t u = m->used[rank]; u < m->used[rank + 1]; u++) {
        struct rank_part part[2];
        rank_modes_parts(m, u, part);
        double scale = a->scale[1][modes_size(rank_modes_k1(a, u))];
        for (int j = 0; j < 2; j++)
            for (int64_t k2 = part[j].first; k2 < part[j].end; k2++) {
                int64_t line =
                    (u - m->used[rank]) * modes_half(m) + modes_size(k2);
                from[n++] = (struct modes_from){
                    scale * a->scale[2][modes_size(k2)], (int32_t)line, j};
            }
    }
    bytes = count * (int64_t)sizeof *from;
    GO(buf_alloc(&g->rows, g->device, bytes));
    GO(buf_upload(&g->rows, 0, from, bytes));
done:
    mem_free(from);
    return status;
}

/* Type 2: the lines of this rank. */
static farsum_status table_lines(struct rank_modes_gpu *g)
{
    const struct rank_modes *m = g->lists;
    const struct rank_modes_args *a = &m->args;
    int rank = a->comm->rank;
    int64_t n = 0, bytes = g->lines * (int64_t)sizeof(struct modes_line);
    int64_t last = (a->modes[2] - 1) / 2;
    farsum_status status = FARSUM_OK;
    struct modes_line *line = NULL;
    GO(MEM_RAW(line, g->lines));
    for (int64_t u = m->used[rank]; u < m->used[rank + 1]; u++) {
        struct rank_part part[2];
        rank_modes_parts(m, u, part);
        double scale = a->scale[1][modes_size(rank_modes_k1(a, u))];
        int64_t plus = m->at[u] - part[0].first;
        int64_t minus = m->at[u] + rank_part_count(&part[0]) - part[1].first;
        for (int64_t k = 0; k < modes_half(m); k++) {
            /* an even count has the mode -N/2, but not N/2 */
            int has_plus = part[0].i1 >= 0 && (k <= last || m->turn < 0);
            int has_minus = part[1].i1 >= 0 && (k <= last || m->turn > 0);
            line[n++] = (struct modes_line){
                scale * a->scale[2][k],
                has_plus ? (int32_t)(plus + m->turn * k) : -1,
                has_minus ? (int32_t)(minus - m->turn * k) : -1};
        }
    }
    GO(buf_alloc(&g->rows, g->device, bytes));
    GO(buf_upload(&g->rows, 0, line, bytes));
done:
    mem_free(line);
    return status;
}

/* The numbers of all messages at the modes. */
static farsum_status table_to(struct rank_modes_gpu *g)
{
    const struct rank_modes *m = g->lists;
    const struct rank_modes_args *a = &m->args;
    int64_t half = a->modes[2] / 2, n = 0;
    int64_t bytes = g->all * (int64_t)sizeof(struct modes_to);
    farsum_status status = FARSUM_OK;
    struct modes_to *to = NULL;
    GO(MEM_RAW(to, g->all));
    for (int r = 0; r < a->comm->size; r++) {
        int64_t base = n;
        for (int64_t u = m->used[r]; u < m->used[r + 1]; u++) {
            struct rank_part part[2];
            rank_modes_parts(m, u, part);
            for (int j = 0; j < 2; j++)
                for (int64_t k2 = part[j].first; k2 < part[j].end; k2++)
                    to[n++] =
                        (struct modes_to){base, m->count[r],
                                          part[j].i1 * a->modes[2] + half + k2};
        }
    }
    GO(buf_alloc(&g->to, g->device, bytes));
    GO(buf_upload(&g->to, 0, to, bytes));
done:
    mem_free(to);
    return status;
}

static farsum_status modes_kernels(struct rank_modes_gpu *g)
{
    int f32 = g->lists->args.size == 8;
    jit_begin(&g->jit, g->device, "mesh/ranks/modes_device.k",
              f32 ? FARSUM_F32 : FARSUM_F64);
    jit_define(&g->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&g->jit));
    TRY(jit_kernel(&g->jit, "modes_collect", GROUP, 0, &g->collect));
    TRY(jit_kernel(&g->jit, "modes_copy", GROUP, 0, &g->copy));
    return jit_kernel(&g->jit, "modes_place", GROUP, 0, &g->place);
}

static farsum_status modes_memory(struct rank_modes_gpu *g)
{
    const struct rank_modes *m = g->lists;
    const struct rank_modes_args *a = &m->args;
    int64_t rows = a->modes[0] * m->count[a->comm->rank] * a->size;
    int64_t modes = m->own * g->all * a->size;
    int64_t scales = 8 * (a->modes[0] / 2 + 1);
    if (m->count[a->comm->rank] > INT32_MAX || g->lines > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "%lld lines of a spectrum are too many",
             (long long)g->lines);
    TRY(a->type == 1 ? table_from(g) : table_lines(g));
    TRY(table_to(g));
    TRY(buf_alloc(&g->scale, g->device, scales));
    TRY(buf_upload(&g->scale, 0, a->scale[0], scales));
    TRY(buf_alloc(&g->by_row, g->device, rows));
    TRY(buf_alloc(&g->by_mode, g->device, modes));
    return a->type == 1 ? transport_reserve(g->transport, rows, modes)
                        : transport_reserve(g->transport, modes, rows);
}

void rank_modes_gpu_destroy(struct rank_modes_gpu *g)
{
    if (!g)
        return;
    struct buf *all[] = {&g->rows, &g->to, &g->scale, &g->by_row, &g->by_mode};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    if (g->jit.device)
        jit_clear(&g->jit);
    rank_modes_destroy(g->lists);
    mem_free(g);
}

farsum_status rank_modes_gpu_create(const struct rank_modes_args *args,
                                    struct device *device,
                                    struct transport *transport,
                                    struct rank_modes_gpu **modes)
{
    farsum_status status = FARSUM_OK;
    struct rank_modes_gpu *g = NULL;
    struct rank_modes_args lists = *args;
    lists.kern = NULL;
    GO(comm_agree(args->comm, MEM_NEW(g, 1)));
    g->device = device;
    g->transport = transport;
    GO(rank_modes_create(&lists, &g->lists));
    for (int r = 0; r < args->comm->size; r++)
        g->all += g->lists->count[r];
    g->lines = rank_modes_used(args) * modes_half(g->lists);
    status = modes_kernels(g);
    KEEP_ON(modes_memory(g));
    status = comm_agree(args->comm, status);
done:
    if (status != FARSUM_OK) {
        rank_modes_gpu_destroy(g);
        return status;
    }
    *modes = g;
    return FARSUM_OK;
}

static struct modes_args args_of(const struct rank_modes_gpu *g, int64_t total,
                                 int64_t each)
{
    const struct rank_modes *m = g->lists;
    const struct rank_modes_args *a = &m->args;
    return (struct modes_args){.total = total,
                               .each = each,
                               .plane = a->modes[1] * a->modes[2],
                               .own = m->own,
                               .modes0 = (int32_t)a->modes[0],
                               .mesh0 = (int32_t)a->mesh[0],
                               .turn = (int32_t)m->turn};
}

/* Copies the messages at the modes to f, or back. */
static farsum_status run_copy(struct rank_modes_gpu *g, struct buf *f,
                              int64_t base, int back)
{
    struct modes_args a = args_of(g, g->lists->own * g->all, g->all);
    a.base = base;
    a.back = back;
    if (a.total == 0)
        return FARSUM_OK;
    return LAUNCH(&g->copy, kernel_groups(&g->copy, a.total),
                  ARG_BUF(&g->by_mode), ARG_BUF(&g->to), ARG_BUF(f),
                  ARG_STRUCT(a));
}

/* Computes the messages at the rows from the spectra, or the spectra. */
static farsum_status run_rows(struct rank_modes_gpu *g, struct buf *spectra,
                              int64_t first, int64_t step)
{
    const struct rank_modes *m = g->lists;
    int one = m->args.type == 1;
    int64_t each = m->count[m->args.comm->rank];
    int64_t total = one ? each * m->args.modes[0] : g->lines * m->args.mesh[0];
    const struct kernel *kernel = one ? &g->collect : &g->place;
    struct modes_args a = args_of(g, total, each);
    a.re = first;
    a.im = first + step;
    if (total == 0)
        return FARSUM_OK;
    return LAUNCH(kernel, kernel_groups(kernel, total), ARG_BUF(spectra),
                  ARG_BUF(&g->rows), ARG_BUF(&g->scale), ARG_BUF(&g->by_row),
                  ARG_STRUCT(a));
}

farsum_status rank_modes_gpu_run(struct rank_modes_gpu *g, struct buf *spectra,
                                 int64_t first, int64_t step, struct buf *f,
                                 int64_t base)
{
    const struct rank_modes *m = g->lists;
    farsum_status status = FARSUM_OK;
    if (m->args.type == 1) {
        KEEP_ON(run_rows(g, spectra, first, step));
        KEEP_ON(transport_trade(g->transport, COMM_TRANSFORM, &g->by_row,
                                m->row_bytes, &g->by_mode, m->mode_bytes));
        KEEP_ON(run_copy(g, f, base, 0));
        return status;
    }
    KEEP_ON(run_copy(g, f, base, 1));
    KEEP_ON(transport_trade(g->transport, COMM_TRANSFORM, &g->by_mode,
                            m->mode_bytes, &g->by_row, m->row_bytes));
    KEEP_ON(run_rows(g, spectra, first, step));
    return status;
}
