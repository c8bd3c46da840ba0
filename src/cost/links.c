/* SPDX-License-Identifier: Apache-2.0 */
/* links.c: seconds of exchanges: a message takes a latency, and its bytes over
 * a bandwidth. */
#include "cost/links.h"

#include <math.h>

/* Within a node: hosts through shared memory, 'farsum bench exchange' on two
 * cores; NCCL over NVLink on H200, inside sums; staged through PCI Express,
 * which the copies of MPI halve.  Between nodes: a port of 100 Gb/s, of which
 * 80 % is usual. */
static const struct link within[] = {
    [LINKS_HOST] = {3e-6, 3e9},
    [LINKS_NCCL] = {2e-5, 1.6e11},
    [LINKS_STAGED] = {3e-5, 3e9},
};
static const struct link between[] = {
    [LINKS_HOST] = {2e-6, 1e10},
    [LINKS_NCCL] = {2e-5, 1e10},
    [LINKS_STAGED] = {3e-5, 1e10},
};

struct links links_expected(enum links_kind kind, int ranks, int nodes)
{
    return (struct links){
        .ranks = ranks,
        .ranks_a_node = (ranks + nodes - 1) / nodes,
        .within = within[kind],
        .between = between[kind],
        .beside = kind == LINKS_NCCL,
    };
}

static const struct link *links_slowest(const struct links *links)
{
    return links_nodes(links) > 1 ? &links->between : &links->within;
}

double links_all(const struct links *links, double n, double bytes)
{
    double ranks = links->ranks, here = links->ranks_a_node;
    if (ranks <= 1)
        return 0;
    double inside = (here - 1) / (ranks - 1);
    return n
               * ((here - 1) * links->within.latency
                  + (ranks - here) * links->between.latency)
           + bytes * inside / links->within.bandwidth
           + bytes * (1 - inside) * here / links->between.bandwidth;
}

double links_neighbours(const struct links *links, double n, double bytes,
                        double reach)
{
    double others = links->ranks - 1, here = links->ranks_a_node;
    if (others < 1)
        return 0;
    double peers = fmin(2 * reach, others);
    double out = links_nodes(links) > 1 ? fmin(here, reach) : 0;
    return n * peers * links_slowest(links)->latency
           + (here > 1 ? bytes / links->within.bandwidth : 0)
           + out * bytes / links->between.bandwidth;
}

double links_talk(const struct links *links, double n)
{
    if (links->ranks <= 1)
        return 0;
    return n * ceil(log2(links->ranks)) * links_slowest(links)->latency;
}
