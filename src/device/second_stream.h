/* SPDX-License-Identifier: Apache-2.0 */
/* second_stream.h: a second queue, for work that may go on beside other.
 *
 *     aside_fork(aside);            what follows may go on at once
 *     ...                           on the device's queue
 *     aside_run(aside, work, data); on the second one
 *     aside_join(aside);            what follows waits for both
 *
 * Where the driver knows what comes first, the second queue does: long work
 * belongs on the device's own, a chain of steps on this one.  Inside a sequence
 * that is kept (device/graph.h) it is two branches of it. */
#ifndef FARSUM_DEVICE_SECOND_STREAM_H
#define FARSUM_DEVICE_SECOND_STREAM_H

#include "device/device.h"

struct aside {
    struct device *device; /* borrowed; NULL: none */
    void *queue;           /* owned: the back end's */
};

farsum_status aside_create(struct aside *aside, struct device *device);
void aside_clear(struct aside *aside); /* all zero is legal */
/* The second queue waits for what the device was asked for so far. */
farsum_status aside_fork(struct aside *aside);
/* Does the work with the second queue as the device's.  When it fails it is
 * joined before this returns. */
farsum_status aside_run(struct aside *aside, farsum_status (*work)(void *data),
                        void *data);
farsum_status aside_join(struct aside *aside);
#endif
