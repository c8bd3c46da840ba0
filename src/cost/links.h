/* SPDX-License-Identifier: Apache-2.0 */
/* links.h: expected seconds of exchanges among ranks. */
#ifndef FARSUM_COST_LINKS_H
#define FARSUM_COST_LINKS_H

struct link {
    double latency;   /* seconds per message */
    double bandwidth; /* bytes per second: of a rank, or of a node's port */
};

enum links_kind {
    LINKS_HOST,   /* MPI */
    LINKS_NCCL,   /* from device to device, enqueued like kernels */
    LINKS_STAGED, /* from device to device through hosts and MPI */
};

struct links {
    int ranks, ranks_a_node;     /* ranks 0: one process, without ranks */
    struct link within, between; /* ranks of a node; nodes */
    int beside;                  /* 1: devices exchange while they compute */
};

/* Links as expected; ranks >= nodes >= 1. */
struct links links_expected(enum links_kind kind, int ranks, int nodes);
static inline int links_nodes(const struct links *links)
{
    return (links->ranks + links->ranks_a_node - 1) / links->ranks_a_node;
}

/* Seconds of n exchanges, in which a rank sends `bytes` in total.  Ranks of a
 * node follow one another, and share its port. */
/* To all other ranks, equally. */
double links_all(const struct links *links, double n, double bytes);
/* To the next `reach` ranks on each side. */
double links_neighbours(const struct links *links, double n, double bytes,
                        double reach);
/* The same two in a group of `size` ranks, each `step` ranks behind the one
 * before; all ranks are in such groups, and exchange at the same time. */
double links_group_all(const struct links *links, double n, double bytes,
                       int size, int step);
double links_group_neighbours(const struct links *links, double n, double bytes,
                              double reach, int size, int step);
/* A few numbers of each rank to all. */
double links_talk(const struct links *links, double n);
#endif
