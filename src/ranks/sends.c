/* SPDX-License-Identifier: Apache-2.0 */
/* sends.c: a stable counting sort of points by target, and packed exchanges. */
#include "ranks/sends.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"

enum {
    POINTS_A_PART = 8192, /* at least so many points per thread */
    LINE = 8              /* counters of one cache line */
};

/* Threads do not write to each other's cache lines. */
static int64_t padded(int size)
{
    return ((int64_t)size + LINE - 1) / LINE * LINE;
}

static int parts_of(const struct sends *sends, int64_t n)
{
    int64_t parts = n / POINTS_A_PART + 1;
    return parts < sends->threads ? (int)parts : sends->threads;
}

farsum_status sends_create(struct sends *sends, enum comm_part part, int size,
                           int64_t bytes_most, int threads)
{
    farsum_status status = FARSUM_OK;
    *sends = (struct sends){.size = size, .part = part};
    sends->bytes_most = bytes_most < 8 ? 8 : bytes_most;
    sends->threads = par_threads(threads);
    GO(MEM_NEW(sends->to, size));
    GO(MEM_NEW(sends->from, size));
    GO(MEM_NEW(sends->to_bytes, size));
    GO(MEM_NEW(sends->from_bytes, size));
    GO(MEM_RAW(sends->count, sends->threads * padded(size)));
done:
    if (status != FARSUM_OK)
        sends_destroy(sends);
    return status;
}

void sends_destroy(struct sends *sends)
{
    mem_free(sends->to);
    mem_free(sends->from);
    mem_free(sends->to_bytes);
    mem_free(sends->from_bytes);
    mem_free(sends->count);
    mem_free(sends->index);
    mem_free(sends->packed);
    *sends = (struct sends){.size = 0};
}

void targets_clear(struct targets *targets)
{
    mem_free(targets->start);
    mem_free(targets->list);
    *targets = (struct targets){.first = 0};
}

void sends_forget(struct sends *sends)
{
    sends->n_sent = sends->n_got = 0;
    for (int r = 0; r < sends->size; r++)
        sends->to[r] = sends->from[r] = 0;
}

/* Targets of an axis that is not cut: the only part. */
static int64_t one_start[] = {0, 1};
static struct target one_target[] = {{0, 0}};
static const struct targets one_part = {
    .planes = 1, .start = one_start, .list = one_target};

struct sort {
    struct sends *sends;
    const struct domain *domain;
    const struct targets *targets[2];
    const double *s[2];
    int64_t n, bad; /* bad: the first point that is in none of the planes */
    int parts, keep;
    enum sends_packs packs;
};

/* The targets of a point: pairs of k < end[0] and l < end[1], from `first`
 * on. */
struct span {
    int64_t first[2], end[2];
};

/* The point's plane, counted from the first one of the targets; outside of
 * 0 .. planes - 1 if it is none of them. */
static inline int64_t sort_plane(const struct sort *sort, int d, int64_t i)
{
    const struct domain *cut = domain_axis(sort->domain, d);
    if (!cut)
        return 0;
    int64_t plane = domain_plane(cut, sort->s[d][i]);
    return plane < 0 ? -1 : plane - sort->targets[d]->first;
}

/* Returns 0 for a bad point. */
static inline int sort_span(const struct sort *sort, int64_t i,
                            struct span *span)
{
    for (int d = 0; d < 2; d++) {
        const struct targets *t = sort->targets[d];
        int64_t plane = sort_plane(sort, d, i);
        if (plane < 0 || plane >= t->planes)
            return 0;
        span->first[d] = t->start[plane];
        span->end[d] = t->start[plane + 1];
    }
    return 1;
}

/* The rank of targets k and l; -1: not sent. */
static inline int sort_rank(const struct sort *sort, int64_t k, int64_t l)
{
    const struct target *t0 = &sort->targets[0]->list[k];
    const struct target *t1 = &sort->targets[1]->list[l];
    const struct domain *domain = sort->domain;
    if (sort->keep && t0->image == 0 && t1->image == 0
        && t0->rank == domain->rank
        && (!domain->across || t1->rank == domain->across->rank))
        return -1;
    return domain_rank(domain, t0->rank, t1->rank);
}

/* Counts a part's points by target, and returns the part's first bad point. */
static int64_t sort_count(const struct sort *sort, int part)
{
    int64_t *count = sort->sends->count + part * padded(sort->sends->size);
    int64_t end = par_start(sort->n, sort->parts, part + 1);
    struct span span;
    memset(count, 0, (size_t)sort->sends->size * sizeof *count);
    for (int64_t i = par_start(sort->n, sort->parts, part); i < end; i++) {
        if (!sort_span(sort, i, &span))
            return i;
        for (int64_t k = span.first[0]; k < span.end[0]; k++)
            for (int64_t l = span.first[1]; l < span.end[1]; l++) {
                int rank = sort_rank(sort, k, l);
                if (rank >= 0)
                    count[rank]++;
            }
    }
    return INT64_MAX;
}

/* Converts counts to positions. */
static void sort_places(const struct sort *sort)
{
    struct sends *sends = sort->sends;
    int64_t at = 0;
    for (int r = 0; r < sends->size; r++) {
        int64_t before = at;
        for (int part = 0; part < sort->parts; part++) {
            int64_t *count = sends->count + part * padded(sends->size) + r;
            int64_t n = *count;
            *count = at;
            at += n;
        }
        sends->to[r] = at - before;
    }
    sends->n_sent = at;
}

/* The fraction of point i along an axis, in its target's own cell. */
static inline double sort_fraction(const struct sort *sort, int64_t i,
                                   int64_t target)
{
    int d = sort->packs == SENDS_AXIS_1;
    const struct target *to = &sort->targets[d]->list[target];
    return domain_fraction(domain_axis(sort->domain, d), to->rank,
                           sort->s[d][i], to->image);
}

static void sort_move(const struct sort *sort, int part)
{
    int64_t *place = sort->sends->count + part * padded(sort->sends->size);
    int64_t end = par_start(sort->n, sort->parts, part + 1);
    double *fraction = (double *)(void *)sort->sends->packed;
    struct span span;
    for (int64_t i = par_start(sort->n, sort->parts, part); i < end; i++) {
        if (!sort_span(sort, i, &span))
            return;
        for (int64_t k = span.first[0]; k < span.end[0]; k++)
            for (int64_t l = span.first[1]; l < span.end[1]; l++) {
                int rank = sort_rank(sort, k, l);
                if (rank < 0)
                    continue;
                int64_t at = place[rank]++;
                sort->sends->index[at] = i;
                if (sort->packs != SENDS_NOTHING)
                    fraction[at] = sort_fraction(
                        sort, i, sort->packs == SENDS_AXIS_1 ? l : k);
            }
    }
}

static farsum_status sort_bad(const struct sort *sort)
{
    int64_t i = sort->bad, plane = sort_plane(sort, 0, i);
    int d = plane >= 0 && plane < sort->targets[0]->planes;
    const struct targets *t = sort->targets[d];
    FAIL(ERR_POSITION,
         "point %lld: its fraction %.17g of the cell is not in planes %lld .. "
         "%lld of %lld%s",
         (long long)i, sort->s[d][i], (long long)t->first,
         (long long)(t->first + t->planes - 1),
         (long long)domain_axis(sort->domain, d)->mesh0,
         d ? " along axis 1" : "");
}

farsum_status sends_sort(struct sends *sends, const struct domain *domain,
                         const struct targets *targets, int64_t n,
                         double *const s[], int keep, enum sends_packs packs)
{
    int parts = parts_of(sends, n);
    int64_t bad = INT64_MAX;
    struct sort sort = {
        .sends = sends,
        .domain = domain,
        .targets = {targets, domain->across ? targets + 1 : &one_part},
        .s = {s[0], domain->across ? s[1] : NULL},
        .n = n,
        .parts = parts,
        .keep = keep,
        .packs = packs};
    PAR_FOR(parts, schedule(static, 1) reduction(min : bad))
    for (int p = 0; p < parts; p++) {
        int64_t first = sort_count(&sort, p);
        bad = first < bad ? first : bad;
    }
    sort.bad = bad;
    if (bad < INT64_MAX)
        return sort_bad(&sort);
    sort_places(&sort);
    TRY(MEM_RESERVE(sends->index, &sends->index_capacity, sends->n_sent));
    TRY(MEM_RESERVE(sends->packed, &sends->packed_capacity,
                    sends->n_sent * sends->bytes_most));
    PAR_FOR(parts, schedule(static, 1))
    for (int p = 0; p < parts; p++)
        sort_move(&sort, p);
    return FARSUM_OK;
}

farsum_status sends_count(struct sends *sends, struct comm *comm)
{
    sends->n_got = 0;
    TRY(comm_counts(comm, sends->to, sends->from));
    for (int r = 0; r < sends->size; r++)
        sends->n_got += sends->from[r];
    return FARSUM_OK;
}

/* Copies one value.  Constant sizes become single moves. */
static inline void copy(char *to, const char *from, int64_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 24)
        memcpy(to, from, 24);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, (size_t)bytes);
}

static void bytes_of(const struct sends *sends, int64_t bytes)
{
    for (int r = 0; r < sends->size; r++) {
        sends->to_bytes[r] = sends->to[r] * bytes;
        sends->from_bytes[r] = sends->from[r] * bytes;
    }
}

static farsum_status bytes_check(const struct sends *sends, int64_t bytes)
{
    if (bytes < 1 || bytes > sends->bytes_most)
        FAIL(ERR_ARGUMENT, "values of %lld bytes, not 1 .. %lld",
             (long long)bytes, (long long)sends->bytes_most);
    return FARSUM_OK;
}

farsum_status sends_packed(struct sends *sends, struct comm *comm,
                           int64_t bytes, void *got)
{
    TRY(bytes_check(sends, bytes));
    bytes_of(sends, bytes);
    return comm_trade(comm, sends->part, sends->packed, sends->to_bytes, got,
                      sends->from_bytes);
}

farsum_status sends_there(struct sends *sends, struct comm *comm,
                          const void *values, int64_t bytes, void *got)
{
    TRY(bytes_check(sends, bytes));
    const char *from = values;
    PAR_FOR(parts_of(sends, sends->n_sent), schedule(static))
    for (int64_t k = 0; k < sends->n_sent; k++)
        copy(sends->packed + k * bytes, from + sends->index[k] * bytes, bytes);
    return sends_packed(sends, comm, bytes, got);
}

farsum_status sends_back(struct sends *sends, struct comm *comm,
                         const void *got, int64_t bytes, void *values)
{
    TRY(bytes_check(sends, bytes));
    char *to = values;
    bytes_of(sends, bytes);
    TRY(comm_trade(comm, sends->part, got, sends->from_bytes, sends->packed,
                   sends->to_bytes));
    PAR_FOR(parts_of(sends, sends->n_sent), schedule(static))
    for (int64_t k = 0; k < sends->n_sent; k++)
        copy(to + sends->index[k] * bytes, sends->packed + k * bytes, bytes);
    return FARSUM_OK;
}
