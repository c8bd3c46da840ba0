/* SPDX-License-Identifier: Apache-2.0 */
/* transport_run.c: work with exchanges, replayed as a graph where possible. */
#include "ranks/device/transport_inside.h"

/* The minimum over the ranks. */
static farsum_status run_lowest(void *data, int *number)
{
    struct comm *comm = data;
    double most = -*number;
    TRY(comm_agree(comm, comm_max(comm, &most, 1)));
    *number = -(int)most;
    return FARSUM_OK;
}

farsum_status transport_run(struct transport *transport, struct graph *graph,
                            farsum_status (*work)(void *data), void *data)
{
    const struct graph_ranks ranks = {run_lowest, transport->comm};
    farsum_status status =
        transport_enqueues(transport)
            ? graph_run_ranks(graph, transport->device, &ranks, work, data)
            : work(data);
    transport_end(transport);
    return comm_agree(transport->comm, status);
}
