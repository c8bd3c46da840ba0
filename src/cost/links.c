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

double links_group_all(const struct links *links, double n, double bytes,
                       int size, int step)
{
    double ranks = size, port = links->ranks_a_node;
    double here = fmin(fmax(floor(port / step), 1), ranks);
    if (ranks <= 1)
        return 0;
    double inside = (here - 1) / (ranks - 1);
    return n
               * ((here - 1) * links->within.latency
                  + (ranks - here) * links->between.latency)
           + bytes * inside / links->within.bandwidth
           + bytes * (1 - inside) * port / links->between.bandwidth;
}

double links_all(const struct links *links, double n, double bytes)
{
    return links_group_all(links, n, bytes, links->ranks, 1);
}

double links_group_neighbours(const struct links *links, double n, double bytes,
                              double reach, int size, int step)
{
    double others = size - 1, here = links->ranks_a_node;
    if (others < 1)
        return 0;
    double peers = fmin(2 * reach, others);
    double out = fmin(here, reach * step); /* that reach another node */
    if (links_nodes(links) == 1
        || (step == 1 && links->ranks_a_node % size == 0))
        out = 0;
    const struct link *slowest = out > 0 ? &links->between : &links->within;
    return n * peers * slowest->latency
           + (here > step ? bytes / links->within.bandwidth : 0)
           + out * bytes / links->between.bandwidth;
}

double links_neighbours(const struct links *links, double n, double bytes,
                        double reach)
{
    return links_group_neighbours(links, n, bytes, reach, links->ranks, 1);
}

double links_talk(const struct links *links, double n)
{
    if (links->ranks <= 1)
        return 0;
    return n * ceil(log2(links->ranks)) * links_slowest(links)->latency;
}
