/* SPDX-License-Identifier: Apache-2.0 */
/* route.c: the route of a set of points on devices: a stable sort by owner. */
#include "ranks/device/places.h"

#include <string.h>

#include "base/mem.h"

enum { GROUP = 128 };

struct gpu_route_inside {
    struct jit jit;
    struct kernel keys, pack;
    int64_t *known;    /* owned, [size + 1]: what `begin` holds */
    struct buf begin;  /* [size + 1] i64 */
    struct buf start;  /* [size + 1] u32: the first sent point of each rank */
    uint32_t *started; /* owned, [size + 1]: the same */
};

static farsum_status route_kernels(struct gpu_route_inside *in,
                                   struct device *device)
{
    jit_begin(&in->jit, device, "ranks/device/route.k", FARSUM_F64);
    jit_define(&in->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&in->jit));
    TRY(jit_kernel(&in->jit, "route_keys", GROUP, 0, &in->keys));
    return jit_kernel(&in->jit, "route_pack", GROUP, 0, &in->pack);
}

farsum_status gpu_route_create(struct gpu_route *route, struct comm *comm,
                               struct device *device,
                               struct transport *transport, int most,
                               farsum_precision precision)
{
    farsum_status status = FARSUM_OK;
    int64_t ends = comm->size + 1;
    *route = (struct gpu_route){.n = 0};
    GO(gpu_sends_create(&route->sends, device, transport, COMM_ROUTE,
                        comm->size, most, precision));
    GO(MEM_NEW(route->given, comm->size));
    GO(MEM_NEW(route->inside, 1));
    GO(MEM_NEW(route->inside->known, ends));
    GO(MEM_NEW(route->inside->started, ends));
    GO(buf_alloc(&route->inside->begin, device, 8 * ends));
    GO(buf_upload(&route->inside->begin, 0, route->inside->known, 8 * ends));
    GO(route_kernels(route->inside, device));
done:
    if (status != FARSUM_OK)
        gpu_route_clear(route);
    return status;
}

void gpu_route_clear(struct gpu_route *route)
{
    struct gpu_route_inside *in = route->inside;
    gpu_sends_clear(&route->sends);
    mem_free(route->given);
    if (in) {
        if (in->jit.device)
            jit_clear(&in->jit);
        mem_free(in->known);
        mem_free(in->started);
        buf_clear(&in->begin);
        buf_clear(&in->start);
    }
    mem_free(in);
    *route = (struct gpu_route){.n = 0};
}

static void route_forget(struct gpu_route *route)
{
    gpu_sends_forget(&route->sends);
    route->n = route->n_own = route->first = route->n_all = 0;
}

/* Uploads the cut if it is another one. */
static farsum_status route_cut(struct gpu_route_inside *in,
                               const struct domain *domain)
{
    int64_t bytes = 8 * ((int64_t)domain->size + 1);
    if (memcmp(in->known, domain->begin, (size_t)bytes) == 0)
        return FARSUM_OK;
    in->known[0] = -1; /* no cut's, in case that the upload fails */
    TRY(buf_upload(&in->begin, 0, domain->begin, bytes));
    memcpy(in->known, domain->begin, (size_t)bytes);
    return FARSUM_OK;
}

/* Sets sends.n_sent, to and index. */
static farsum_status route_sort(struct gpu_route *route,
                                const struct domain *domain,
                                struct points_gpu *points)
{
    struct gpu_route_inside *in = route->inside;
    struct gpu_sends *sends = &route->sends;
    int64_t n = points->n;
    struct buf *keys = NULL;
    TRY(points_gpu_fractions(points));
    TRY(route_cut(in, domain));
    TRY(gpu_keys_reserve(points, n, domain->size, &keys));
    TRY(LAUNCH(&in->keys, kernel_groups(&in->keys, n), ARG_BUF(&points->s),
               ARG_BUF(&in->begin), ARG_BUF(keys), ARG_I64(n),
               ARG_I64(domain->mesh0), ARG_I32(domain->size)));
    TRY(gpu_buf_grow(&sends->index, sends->device, 4 * n));
    TRY(gpu_keys_sort(points, n, domain->size, &sends->index, &in->start));
    TRY(buf_download(&in->start, 0, in->started,
                     4 * ((int64_t)domain->size + 1)));
    for (int r = 0; r < domain->size; r++)
        sends->to[r] = (int64_t)in->started[r + 1] - in->started[r];
    sends->n_sent = n;
    return FARSUM_OK;
}

static farsum_status route_reserve(struct gpu_route *route, struct buf *own)
{
    struct gpu_sends *sends = &route->sends;
    TRY(gpu_sends_reserve(sends, 3 * sizeof(double)));
    return gpu_buf_grow(own, sends->device, 24 * sends->n_got);
}

/* A rank that failed takes part in the exchange. */
static farsum_status route_positions(struct gpu_route *route,
                                     const struct points_gpu *points,
                                     struct buf *own)
{
    struct gpu_route_inside *in = route->inside;
    struct gpu_sends *sends = &route->sends;
    farsum_status status = FARSUM_OK;
    if (sends->n_sent > 0)
        status = LAUNCH(&in->pack, kernel_groups(&in->pack, sends->n_sent),
                        ARG_BUF(&sends->index), ARG_BUF(&points->s),
                        ARG_BUF(&sends->packed), ARG_I64(sends->n_sent));
    KEEP_ON(gpu_sends_packed(sends, 3 * sizeof(double), own, 0));
    return status;
}

farsum_status gpu_route_set(struct gpu_route *route, struct comm *comm,
                            const struct domain *domain,
                            struct points_gpu *points, struct buf *own)
{
    farsum_status status = FARSUM_OK;
    route_forget(route);
    /* no return before the agreement: each rank calls all collectives */
    if (points && points->n > 0)
        status = route_sort(route, domain, points);
    if (status != FARSUM_OK)
        route_forget(route);
    route->n = route->sends.n_sent;
    KEEP_ON(comm_gather(comm, &route->n, route->given, sizeof route->n));
    KEEP_ON(gpu_sends_count(&route->sends, comm));
    if (status == FARSUM_OK)
        status = route_reserve(route, own);
    status = route_agree(&route->share, comm, status, route->sends.n_got);
    if (status == FARSUM_OK)
        status = comm_agree(comm, route_positions(route, points, own));
    if (status != FARSUM_OK) {
        route_forget(route);
        return status;
    }
    for (int r = 0; r < comm->size; r++) {
        route->first += r < comm->rank ? route->given[r] : 0;
        route->n_all += route->given[r];
    }
    route->n_own = route->sends.n_got;
    return FARSUM_OK;
}

int gpu_route_giver(const struct gpu_route *route, int size, int64_t *number)
{
    int rank = 0;
    while (rank < size - 1 && *number >= route->given[rank])
        *number -= route->given[rank++];
    return rank;
}

/* The sent points' indices. */
static farsum_status host_index(const struct gpu_sends *from, struct sends *to)
{
    farsum_status status = FARSUM_OK;
    uint32_t *index = NULL;
    GO(MEM_RAW(to->index, from->n_sent));
    GO(mem_alloc((void **)&to->packed, from->n_sent * to->bytes_most, 1, 0));
    GO(MEM_RAW(index, from->n_sent));
    if (from->n_sent > 0)
        GO(buf_download(&from->index, 0, index, 4 * from->n_sent));
    for (int64_t k = 0; k < from->n_sent; k++)
        to->index[k] = index[k];
done:
    mem_free(index);
    return status;
}

farsum_status gpu_route_host(const struct gpu_route *route,
                             const struct comm *comm, struct route *host)
{
    const struct gpu_sends *from = &route->sends;
    size_t bytes = (size_t)comm->size * sizeof *from->to;
    TRY(route_create(host, comm, sizeof(int64_t), 1));
    host->n = route->n;
    host->n_own = route->n_own;
    host->first = route->first;
    host->n_all = route->n_all;
    memcpy(host->given, route->given, bytes);
    memcpy(host->sends.to, from->to, bytes);
    memcpy(host->sends.from, from->from, bytes);
    host->sends.n_sent = from->n_sent;
    host->sends.n_got = from->n_got;
    farsum_status status = host_index(from, &host->sends);
    if (status != FARSUM_OK)
        route_destroy(host);
    return status;
}

farsum_status gpu_route_number(const struct gpu_route *route, struct comm *comm,
                               int64_t i, int64_t *number)
{
    farsum_status status = FARSUM_OK;
    int64_t ask[3] = {-1, comm->rank, 0}, *all = NULL, answer = 0;
    *number = -1;
    GO(comm_agree(comm, MEM_NEW(all, 3 * comm->size)));
    for (int g = 0; i >= 0 && g < comm->size; g++) {
        if (i < route->sends.from[g]) {
            ask[0] = g;
            ask[2] = i;
            break;
        }
        i -= route->sends.from[g];
    }
    GO(comm_agree(comm, comm_gather(comm, ask, all, sizeof ask)));
    for (int o = 0; o < comm->size; o++) {
        uint32_t index = 0;
        int64_t at = all[3 * o + 2];
        if (all[3 * o] < 0)
            continue;
        answer = 0;
        if (all[3 * o] == comm->rank) {
            for (int q = 0; q < o; q++)
                at += route->sends.to[q];
            if (at >= 0 && at < route->sends.n_sent)
                KEEP_ON(buf_download(&route->sends.index, 4 * at, &index, 4));
            answer = route->first + index;
        }
        KEEP_ON(comm_sum_counts(comm, &answer, 1));
        if (o == comm->rank)
            *number = answer;
    }
done:
    mem_free(all);
    return status;
}

farsum_status gpu_points_in_cube(struct points_gpu *points, int64_t n,
                                 const struct buf *x, const char *what)
{
    static const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct cell cube;
    TRY(cell_set(&cube, rows, 1));
    return points_gpu_set_device(points, &cube, n, x, FARSUM_F64, what);
}
