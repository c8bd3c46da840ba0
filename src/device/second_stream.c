/* SPDX-License-Identifier: Apache-2.0 */
/* second_stream.c: the second queue, for every back end. */
#include "device/second_stream.h"

#include "device/graph.h"

farsum_status second_stream_create(struct second_stream *aside,
                                   struct device *device)
{
    *aside = (struct second_stream){device, NULL};
    return device->backend->second_stream_create(device, &aside->queue);
}

void second_stream_clear(struct second_stream *aside)
{
    if (aside->device && aside->queue)
        aside->device->backend->second_stream_destroy(aside->device,
                                                      aside->queue);
    *aside = (struct second_stream){0};
}

/* Returns 1 if the device only records. */
static int second_stream_notes(const struct second_stream *aside, int step)
{
    const int64_t call[] = {(int64_t)(uintptr_t)aside->queue, step};
    return graph_notes(aside->device, call, sizeof call);
}

farsum_status second_stream_fork(struct second_stream *aside)
{
    if (second_stream_notes(aside, 0))
        return FARSUM_OK;
    return aside->device->backend->second_stream_fork(aside->device,
                                                      aside->queue);
}

farsum_status second_stream_run(struct second_stream *aside,
                                farsum_status (*work)(void *data), void *data)
{
    struct device *device = aside->device;
    if (second_stream_notes(aside, 1)) {
        TRY(work(data));
        (void)second_stream_notes(aside, 2);
        return FARSUM_OK;
    }
    device->backend->second_stream_enter(device, aside->queue);
    farsum_status status = work(data);
    farsum_status left =
        device->backend->second_stream_leave(device, aside->queue);
    if (status == FARSUM_OK)
        return left;
    /* the enqueued work must not outlive the objects that it uses; the message
     * of the work is kept */
    if (left == FARSUM_OK)
        (void)!device->backend->second_stream_join(device, aside->queue);
    return status;
}

farsum_status second_stream_join(struct second_stream *aside)
{
    if (second_stream_notes(aside, 3))
        return FARSUM_OK;
    return aside->device->backend->second_stream_join(aside->device,
                                                      aside->queue);
}
