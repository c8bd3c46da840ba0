/* SPDX-License-Identifier: Apache-2.0 */
/* second_stream.h: a second queue, for work that may run concurrently ("aside"
 * in names).
 *
 *     second_stream_fork(aside);            the following work may run
 * concurrently
 *     ...                           on the device's queue
 *     second_stream_run(aside, work, data); on the second one
 *     second_stream_join(aside);            the following work waits for both
 *
 * Where the driver has priorities, the second queue has the higher one.  So
 * long work belongs on the device's own queue, and a chain of short steps on
 * the second.  Inside a captured sequence (device/graph.h), the queues become
 * two branches of the graph. */
#ifndef FARSUM_DEVICE_SECOND_STREAM_H
#define FARSUM_DEVICE_SECOND_STREAM_H

#include "device/device.h"

struct second_stream {
    struct device *device; /* borrowed; NULL: none */
    void *queue;           /* owned by this struct, made by the back end */
};

farsum_status second_stream_create(struct second_stream *aside,
                                   struct device *device);
void second_stream_clear(struct second_stream *aside); /* all zero is legal */
/* Makes the second queue wait for all work enqueued so far on the device's
 * queue. */
farsum_status second_stream_fork(struct second_stream *aside);
/* Does the work with the second queue as the device's queue.  If the work
 * fails, the queues are joined before the return. */
farsum_status second_stream_run(struct second_stream *aside,
                                farsum_status (*work)(void *data), void *data);
farsum_status second_stream_join(struct second_stream *aside);
#endif
