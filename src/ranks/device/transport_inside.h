/* SPDX-License-Identifier: Apache-2.0 */
/* transport_inside.h: what a transport provides; for its back ends only. */
#ifndef FARSUM_RANKS_DEVICE_TRANSPORT_INSIDE_H
#define FARSUM_RANKS_DEVICE_TRANSPORT_INSIDE_H

#include "ranks/device/transport.h"

struct transport;

struct transport_calls {
    const char *name;
    /* Fails with the reason if the device cannot use it.  Not collective. */
    farsum_status (*fits)(const struct device *device);
    int apart; /* 1: each rank needs its own device */
    /* Collective: fails on all ranks or on none.  After a failure, destroy is
     * called too. */
    farsum_status (*create)(struct transport *transport);
    void (*destroy)(struct transport *transport);
    farsum_status (*reserve)(struct transport *transport, int64_t sent,
                             int64_t received);
    /* These return their failures, of this rank only.  A rank that fails takes
     * part nevertheless.  The device does not only record.  They count bytes
     * unless they are captured. */
    farsum_status (*trade)(struct transport *transport, enum comm_part part,
                           const struct buf *send, const int64_t *to,
                           struct buf *got, const int64_t *from);
    farsum_status (*gather)(struct transport *transport, const struct buf *one,
                            struct buf *all, int64_t bytes);
    int captured; /* 1: both only enqueue; they may be part of a graph
                     (device/graph.h) */
};

extern const struct transport_calls transport_nccl, transport_staged;

/* Stopwatches of exchanges. */
enum { TRANSPORT_WATCHES = 64 };
struct transport_watches {
    struct stopwatch watch[TRANSPORT_WATCHES];
    enum comm_part part[TRANSPORT_WATCHES];
    int made, used;
};

struct transport {
    const struct transport_calls *calls;
    struct comm *comm;        /* borrowed, as the next one */
    struct device *device;
    void *inside;             /* the back end's */
    /* Exchanges since the last transport_settle: of the last sequence, and
     * those outside of sequences. */
    struct transport_watches within, outside;
    int in_sequence;             /* 1: one has begun */
    int64_t sequences;           /* since the last transport_settle */
    int64_t counted[COMM_PARTS]; /* bytes since the sequence began */
};

/* Bytes of the parts of ranks 0 .. rank - 1. */
static inline int64_t transport_before(const int64_t *bytes, int rank)
{
    int64_t sum = 0;
    for (int r = 0; r < rank; r++)
        sum += bytes[r];
    return sum;
}
/* Copies this rank's part for itself on the device. */
farsum_status transport_own(const struct transport *transport,
                            const struct buf *send, const int64_t *to,
                            struct buf *got, const int64_t *from);
#endif
