/* SPDX-License-Identifier: Apache-2.0 */
/* route.c: the route of a set of points. */
#include "ranks/route.h"

#include <math.h>

#include "base/mem.h"
#include "base/par.h"

farsum_status route_create(struct route *route, const struct comm *comm,
                           int64_t bytes_most, int threads)
{
    farsum_status status = FARSUM_OK;
    *route = (struct route){.n = 0};
    GO(sends_create(&route->sends, COMM_ROUTE, comm->size, bytes_most,
                    threads));
    GO(MEM_NEW(route->given, comm->size));
done:
    if (status != FARSUM_OK)
        route_destroy(route);
    return status;
}

void route_destroy(struct route *route)
{
    sends_destroy(&route->sends);
    for (int d = 0; d < 2; d++)
        targets_clear(&route->targets[d]);
    mem_free(route->given);
    *route = (struct route){.n = 0};
}

/* Each plane's target is its owner. */
static farsum_status route_targets(struct targets *targets,
                                   const struct domain *domain)
{
    int64_t planes = domain->mesh0;
    TRY(MEM_RESERVE(targets->start, &targets->start_capacity, planes + 1));
    TRY(MEM_RESERVE(targets->list, &targets->list_capacity, planes));
    targets->first = 0;
    targets->planes = planes;
    for (int r = 0; r < domain->size; r++)
        for (int64_t p = domain->begin[r]; p < domain->begin[r + 1]; p++)
            targets->list[p] = (struct target){r, 0};
    for (int64_t p = 0; p <= planes; p++)
        targets->start[p] = p;
    return FARSUM_OK;
}

static farsum_status route_sort(struct route *route,
                                const struct domain *domain, int64_t n,
                                double *const s[3])
{
    for (int d = 0; d < 2 && domain_axis(domain, d); d++)
        TRY(route_targets(&route->targets[d], domain_axis(domain, d)));
    return sends_sort(&route->sends, domain, route->targets, n, s, 0,
                      SENDS_NOTHING);
}

static void route_forget(struct route *route)
{
    sends_forget(&route->sends);
    route->n = route->n_own = route->first = route->n_all = 0;
}

farsum_status route_agree(struct route_share *share, struct comm *comm,
                          farsum_status status, int64_t n_own)
{
    double n[2] = {(double)n_own, fabs((double)(n_own - share->marked))};
    status = comm_agree_max(comm, status, n, 2);
    share->most = (int64_t)n[0];
    share->moved = (int64_t)n[1];
    return status;
}

farsum_status route_set(struct route *route, struct comm *comm,
                        const struct domain *domain, int64_t n,
                        double *const s[3])
{
    route_forget(route);
    /* no return before the agreement: each rank calls all collectives */
    farsum_status status = route_sort(route, domain, n, s);
    if (status == FARSUM_OK)
        route->n = n;
    farsum_status given =
        comm_gather(comm, &route->n, route->given, sizeof route->n);
    farsum_status counts = sends_count(&route->sends, comm);
    status = status != FARSUM_OK ? status : given != FARSUM_OK ? given : counts;
    status = route_agree(&route->share, comm, status, route->sends.n_got);
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

farsum_status route_there(struct route *route, struct comm *comm,
                          const void *values, int64_t bytes_each, void *own)
{
    return sends_there(&route->sends, comm, values, bytes_each, own);
}

farsum_status route_back(struct route *route, struct comm *comm,
                         const void *own, int64_t bytes_each, void *values)
{
    return sends_back(&route->sends, comm, own, bytes_each, values);
}

farsum_status route_numbers(struct route *route, struct comm *comm,
                            int64_t *own)
{
    struct sends *sends = &route->sends;
    int64_t *number = (int64_t *)(void *)sends->packed;
    PAR_FOR(sends->threads, schedule(static))
    for (int64_t k = 0; k < sends->n_sent; k++)
        number[k] = route->first + sends->index[k];
    return sends_packed(sends, comm, sizeof *own, own);
}
