/* SPDX-License-Identifier: Apache-2.0 */
/* second_stream.h: a second queue, for work that may run concurrently ("aside"
 * in names).
 *
 *     aside_fork(aside);            the following work may run concurrently
 *     ...                           on the device's queue
 *     aside_run(aside, work, data); on the second one
 *     aside_join(aside);            the following work waits for both
 *
 * Where the driver has priorities, the second queue has the higher one.  So
 * long work belongs on the device's own queue, and a chain of short steps on
 * the second.  Inside a captured sequence (device/graph.h), the queues become
 * two branches of the graph. */
#ifndef FARSUM_DEVICE_SECOND_STREAM_H
#define FARSUM_DEVICE_SECOND_STREAM_H

#include "device/device.h"

struct aside {
    struct device *device; /* borrowed; NULL: none */
    void *queue;           /* owned by this struct, made by the back end */
};

farsum_status aside_create(struct aside *aside, struct device *device);
void aside_clear(struct aside *aside); /* all zero is legal */
/* Makes the second queue wait for all work enqueued so far on the device's
 * queue. */
farsum_status aside_fork(struct aside *aside);
/* Does the work with the second queue as the device's queue.  If the work
 * fails, the queues are joined before the return. */
farsum_status aside_run(struct aside *aside, farsum_status (*work)(void *data),
                        void *data);
farsum_status aside_join(struct aside *aside);
#endif
