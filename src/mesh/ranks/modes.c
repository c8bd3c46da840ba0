/* SPDX-License-Identifier: Apache-2.0 */
/* modes.c: exchange of modes.  A message from a rank with used rows to a rank
 * with modes, or back, has for each of its k0, and for each used row, the
 * row's parts. */
#include "mesh/ranks/modes_inside.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"

static int64_t all_used(const struct rank_modes_args *a)
{
    return 2 * (a->modes[1] / 2) + 1;
}

static int64_t part_of(int64_t count, int rank, int size)
{
    return count * rank / size;
}

int64_t rank_modes_k1(const struct rank_modes_args *a, int64_t u)
{
    return u <= a->modes[1] / 2 ? u : u - all_used(a);
}

/* The index of used row u among the rows of the mesh. */
static int64_t row_index(const struct rank_modes_args *a, int64_t u)
{
    int64_t k1 = rank_modes_k1(a, u);
    return k1 < 0 ? k1 + a->mesh[1] : k1;
}

void rank_modes_rows(const struct rank_modes_args *a, int64_t *begin,
                     int64_t *columns)
{
    int size = a->comm->size;
    int64_t all = all_used(a);
    memset(columns, 0, (size_t)a->mesh[1] * sizeof *columns);
    for (int64_t u = 0; u < all; u++)
        columns[row_index(a, u)] = a->modes[2] / 2 + 1;
    for (int r = 0; r < size; r++)
        begin[r] = row_index(a, part_of(all, r, size));
    begin[size] = a->mesh[1];
}

int64_t rank_modes_used(const struct rank_modes_args *a)
{
    int rank = a->comm->rank, size = a->comm->size;
    return part_of(all_used(a), rank + 1, size)
           - part_of(all_used(a), rank, size);
}

void rank_modes_own(int64_t modes0, int rank, int size, int64_t *first,
                    int64_t *count)
{
    *first = part_of(modes0, rank, size);
    *count = part_of(modes0, rank + 1, size) - *first;
}

void rank_modes_parts(const struct rank_modes *m, int64_t u,
                      struct rank_part part[2])
{
    const struct rank_modes_args *a = &m->args;
    int64_t half = a->modes[2] / 2, k1 = m->turn * rank_modes_k1(a, u);
    int64_t both = a->type == 2;
    part[0] = (struct rank_part){k1 + a->modes[1] / 2, 0, a->modes[2] - half};
    part[1] = (struct rank_part){-k1 + a->modes[1] / 2, -half, both};
    if (m->turn < 0) {
        part[0].first = -half;
        part[0].end = 1;
        part[1].first = 1 - both;
        part[1].end = a->modes[2] - half;
    }
    for (int j = 0; j < 2; j++)
        if (part[j].i1 < 0 || part[j].i1 >= a->modes[1])
            part[j] = (struct rank_part){-1, 0, 0};
}

/* Lists the messages. */
static farsum_status modes_list(struct rank_modes *m)
{
    const struct rank_modes_args *a = &m->args;
    int rank = a->comm->rank, size = a->comm->size;
    int64_t all = 0, first, own;
    for (int r = 0; r <= size; r++)
        m->used[r] = part_of(all_used(a), r, size);
    for (int r = 0; r < size; r++) {
        for (int64_t u = m->used[r]; u < m->used[r + 1]; u++) {
            struct rank_part part[2];
            rank_modes_parts(m, u, part);
            m->at[u] = m->count[r];
            m->count[r] +=
                rank_part_count(&part[0]) + rank_part_count(&part[1]);
        }
        m->mode_bytes[r] = m->own * m->count[r] * a->size;
        all += m->own * m->count[r];
    }
    for (int r = 0; r < size; r++) {
        rank_modes_own(a->modes[0], r, size, &first, &own);
        m->row_bytes[r] = own * m->count[rank] * a->size;
    }
    if (!a->kern)
        return FARSUM_OK;
    TRY(mem_alloc((void **)&m->by_mode, all, (size_t)a->size, 0));
    return mem_alloc((void **)&m->by_row, a->modes[0] * m->count[rank],
                     (size_t)a->size, 0);
}

void rank_modes_destroy(struct rank_modes *m)
{
    if (!m)
        return;
    void *const all[] = {m->used,    m->at,        m->count,     m->by_row,
                         m->by_mode, m->row_bytes, m->mode_bytes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    mem_free(m);
}

/* What needs no other rank. */
static farsum_status modes_make(const struct rank_modes_args *args,
                                struct rank_modes **modes)
{
    farsum_status status = FARSUM_OK;
    int size = args->comm->size;
    GO(MEM_NEW(*modes, 1));
    struct rank_modes *m = *modes;
    m->args = *args;
    /* forward transforms have sign -, backward ones + */
    m->turn = (args->type == 1) == (args->sign < 0) ? 1 : -1;
    rank_modes_own(args->modes[0], args->comm->rank, size, &m->first, &m->own);
    GO(MEM_RAW(m->used, size + 1));
    GO(MEM_RAW(m->at, all_used(args)));
    GO(MEM_NEW(m->count, size));
    GO(MEM_RAW(m->row_bytes, size));
    GO(MEM_RAW(m->mode_bytes, size));
    GO(modes_list(m));
done:
    return status;
}

farsum_status rank_modes_sent(const struct rank_modes_args *args,
                              int64_t *bytes)
{
    struct rank_modes_args lists = *args;
    struct rank_modes *m = NULL;
    lists.kern = NULL;
    farsum_status status = modes_make(&lists, &m);
    *bytes = 0;
    for (int r = 0; r < args->comm->size && status == FARSUM_OK; r++)
        if (r != args->comm->rank)
            *bytes += args->type == 1 ? m->row_bytes[r] : m->mode_bytes[r];
    rank_modes_destroy(m);
    return status;
}

farsum_status rank_modes_create(const struct rank_modes_args *args,
                                struct rank_modes **modes)
{
    struct rank_modes *m = NULL;
    farsum_status status = comm_agree(args->comm, modes_make(args, &m));
    if (status != FARSUM_OK) {
        rank_modes_destroy(m);
        return status;
    }
    *modes = m;
    return FARSUM_OK;
}

static int64_t size_of(int64_t k)
{
    return k < 0 ? -k : k;
}

static double scale_of(const struct rank_modes_args *a, int64_t k0, int64_t k1)
{
    return a->scale[0][size_of(k0)] * a->scale[1][size_of(k1)];
}

static struct nufft_job modes_job(const struct rank_modes_args *a, int64_t step)
{
    return (struct nufft_job){.modes = {a->modes[0], a->modes[1], a->modes[2]},
                              .ldz = a->ldz,
                              .step = step,
                              .scale = {a->scale[0], a->scale[1], a->scale[2]}};
}

/* Computes the modes k0 = i0 - N0/2 of the own rows: (8.5). */
static void modes_collect(const struct rank_modes *m, char *spectra,
                          int64_t step, int64_t i0)
{
    const struct rank_modes_args *a = &m->args;
    const struct nufft_job job = modes_job(a, step);
    int rank = a->comm->rank;
    int64_t k0 = i0 - a->modes[0] / 2, line = a->ldz * (a->size / 2);
    char *to = m->by_row + i0 * m->count[rank] * a->size;
    for (int64_t u = m->used[rank]; u < m->used[rank + 1]; u++) {
        double scale = scale_of(a, k0, rank_modes_k1(a, u));
        struct rank_part part[2];
        rank_modes_parts(m, u, part);
        for (int j = 0; j < 2; j++) {
            int64_t x = (j == 0 ? m->turn : -m->turn) * k0;
            x += x < 0 ? a->mesh[0] : 0;
            const char *row =
                spectra + ((u - m->used[rank]) * a->mesh[0] + x) * line;
            a->kern->modes(&job, scale, row, j, part[j].first, part[j].end, to);
            to += rank_part_count(&part[j]) * a->size;
        }
    }
}

/* Part j of a used row in the message of mode k0, from its k2 = 0 on; NULL: no
 * such modes. */
static const char *modes_part(const struct rank_modes *m, int64_t k0, int64_t u,
                              int j)
{
    const struct rank_modes_args *a = &m->args;
    int64_t i0 = k0 + a->modes[0] / 2, before;
    struct rank_part part[2];
    rank_modes_parts(m, u, part);
    if (i0 < 0 || i0 >= a->modes[0] || part[j].i1 < 0)
        return NULL;
    before = i0 * m->count[a->comm->rank] + m->at[u]
             + (j == 1 ? rank_part_count(&part[0]) : 0) - part[j].first;
    return m->by_row + before * a->size;
}

/* Computes row (x, used row `row` of this rank) of the spectra: (8.6). */
static void modes_place(const struct rank_modes *m, char *spectra, int64_t step,
                        int64_t row)
{
    const struct rank_modes_args *a = &m->args;
    const struct nufft_job job = modes_job(a, step);
    int64_t x = row % a->mesh[0];
    int64_t u = m->used[a->comm->rank] + row / a->mesh[0];
    int64_t k0 = 2 * x > a->mesh[0] ? x - a->mesh[0] : x;
    const char *plus = modes_part(m, m->turn * k0, u, 0);
    const char *minus = modes_part(m, -m->turn * k0, u, 1);
    double scale = plus || minus ? scale_of(a, k0, rank_modes_k1(a, u)) : 0;
    a->kern->spectra(&job, scale, m->turn, plus, minus,
                     spectra + row * a->ldz * (a->size / 2));
}

/* Copies own modes of axis 0, first + i, to the messages, or from them. */
static void modes_copy(const struct rank_modes *m, char *f, int64_t i, int to)
{
    const struct rank_modes_args *a = &m->args;
    int64_t half = a->modes[2] / 2, before = 0;
    char *plane = f + i * a->modes[1] * a->modes[2] * a->size;
    for (int r = 0; r < a->comm->size; r++) {
        char *message = m->by_mode + (before + i * m->count[r]) * a->size;
        for (int64_t u = m->used[r]; u < m->used[r + 1]; u++) {
            struct rank_part part[2];
            rank_modes_parts(m, u, part);
            for (int j = 0; j < 2; j++) {
                size_t bytes = (size_t)(rank_part_count(&part[j]) * a->size);
                if (bytes == 0)
                    continue;
                int64_t here = part[j].i1 * a->modes[2] + half + part[j].first;
                char *row = plane + here * a->size;
                memcpy(to ? message : row, to ? row : message, bytes);
                message += bytes;
            }
        }
        before += m->own * m->count[r];
    }
}

farsum_status rank_modes_run(struct rank_modes *m, void *spectra, int64_t step,
                             void *f)
{
    const struct rank_modes_args *a = &m->args;
    int64_t rows = rank_modes_used(a) * a->mesh[0];
    farsum_status status;
    if (a->type == 1) {
        PAR_FOR(a->threads, schedule(static))
        for (int64_t i0 = 0; i0 < a->modes[0]; i0++)
            modes_collect(m, spectra, step, i0);
        status = comm_trade(a->comm, COMM_TRANSFORM, m->by_row, m->row_bytes,
                            m->by_mode, m->mode_bytes);
        PAR_FOR(a->threads, schedule(static))
        for (int64_t i = 0; i < m->own; i++)
            modes_copy(m, f, i, 0);
        return status;
    }
    PAR_FOR(a->threads, schedule(static))
    for (int64_t i = 0; i < m->own; i++)
        modes_copy(m, f, i, 1);
    status = comm_trade(a->comm, COMM_TRANSFORM, m->by_mode, m->mode_bytes,
                        m->by_row, m->row_bytes);
    PAR_FOR(a->threads, schedule(static))
    for (int64_t row = 0; row < rows; row++)
        modes_place(m, spectra, step, row);
    return status;
}
