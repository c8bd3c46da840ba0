/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: repeated sequences of device calls, replayed as a graph.
 *
 * A small sum consists of many short launches, and enqueuing them one by one
 * takes most of the time.  If the back end supports it, a sequence that is
 * repeated unchanged is captured (CUDA and HIP: as a graph) and then launched
 * by one call.
 *
 * To detect changes, the work is first called while the device only records
 * kernels, arguments and buffers in a hash ("trace" in names).  So no caller
 * has to know what may have changed.  FARSUM_GRAPHS=0 in the environment
 * disables graphs. */
#ifndef FARSUM_DEVICE_GRAPH_H
#define FARSUM_DEVICE_GRAPH_H

#include "device/device.h"

struct graph {
    struct device *device; /* borrowed; NULL: no sequence is stored */
    uint64_t last[2];      /* hash of the most recent sequence */
    uint64_t kept[2];      /* hash of the sequence in `whole` */
    void *whole;           /* owned by this struct, made by the back end; NULL:
                              none */
    int off;               /* 1: the back end failed to capture */
};

/* Ranks that must all capture a sequence or none, and replay it or none,
 * because it exchanges data between their devices. */
struct graph_ranks {
    /* Replaces *number by the minimum over the ranks.  Collective: returns the
     * same status on all. */
    farsum_status (*lowest)(void *data, int *number);
    void *data;
};

/* Does the work: launches, fills, copies, events and calls of vendors'
 * libraries on the device's queue.  work may be called twice and must then
 * enqueue the same.  Work that waits, allocates or moves data from or to the
 * host is executed directly each time. */
farsum_status graph_run(struct graph *recording, struct device *device,
                        farsum_status (*work)(void *data), void *data);
/* The same for work with exchanges.  Collective, and agrees before it begins.
 * FARSUM_ERR_COMM: this rank does not take part in the work's exchanges. */
farsum_status graph_run_ranks(struct graph *recording, struct device *device,
                              const struct graph_ranks *ranks,
                              farsum_status (*work)(void *data), void *data);
/* Drops the stored sequence.  The next one must occur twice to be captured, so
 * that a caller who always forgets captures none. */
void graph_forget(struct graph *recording);
/* Call it before the objects that the sequence uses are destroyed.  All zero is
 * legal. */
void graph_clear(struct graph *recording);

/* For calls of vendors' libraries that bypass device.h.  Returns 1 if the
 * device only records: the bytes are then part of the hash, and the call must
 * not be made.  Otherwise the call must use the device's current queue. */
int graph_notes(struct device *device, const void *call, int64_t bytes);
/* Fails if the device only records: the calls that follow cannot be
 * captured. */
farsum_status graph_refuses(const struct device *device, const char *what);
/* The same for a launch. */
int graph_notes_launch(struct device *device, const struct launch *what);
#endif
