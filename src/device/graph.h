/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: a sequence of calls that a device is asked for again and again.
 *
 * A small sum is many short launches, and what it takes is to ask for them one
 * by one.  Where the back end can, a sequence that comes a second time as it
 * was is kept as a whole (CUDA and HIP: a graph), then asked for by one call.
 *
 * Whether it is as it was, the sequence itself says: the work is first gone
 * through while the device only looks on, at kernels, arguments and buffers; so
 * nobody has to know what may have changed.  FARSUM_GRAPHS=0 in the environment
 * switches it off. */
#ifndef FARSUM_DEVICE_GRAPH_H
#define FARSUM_DEVICE_GRAPH_H

#include "device/device.h"

struct recording {
    struct device *device; /* borrowed; NULL: nothing is kept */
    uint64_t last[2];      /* the sequence that was asked for last */
    uint64_t kept[2];      /* and the one in `whole` */
    void *whole;           /* owned: the back end's; NULL: none */
    int off;               /* 1: the back end could not */
};

/* Does the work: launches, fills, copies, marks and vendors' libraries on the
 * device's queue.  It may be called twice, and has to ask for the same then;
 * work that waits, allocates or moves something from or to the host is done
 * each time as it is. */
farsum_status recording_run(struct recording *recording, struct device *device,
                            farsum_status (*work)(void *data), void *data);
/* All zero is legal.  Before what the sequence uses goes. */
void recording_clear(struct recording *recording);

/* For what is asked for past device.h, by a vendor's library: 1 if the device
 * only looks on: it has taken note of these bytes, and the call must not be
 * made.  Otherwise it goes to the queue that the device has at that time. */
int recording_notes(struct device *device, const void *call, int64_t bytes);
/* Fails if the device only looks on: what is to come cannot be kept. */
farsum_status recording_refuses(const struct device *device, const char *what);
/* As recording_notes. */
int recording_notes_launch(struct device *device, const struct launch *what);
#endif
