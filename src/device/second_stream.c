/* SPDX-License-Identifier: Apache-2.0 */
/* second_stream.c: the second queue, for every back end. */
#include "device/second_stream.h"

#include "device/graph.h"

farsum_status aside_create(struct aside *aside, struct device *device)
{
    *aside = (struct aside){device, NULL};
    return device->backend->aside_create(device, &aside->queue);
}

void aside_clear(struct aside *aside)
{
    if (aside->device && aside->queue)
        aside->device->backend->aside_destroy(aside->device, aside->queue);
    *aside = (struct aside){0};
}

/* Returns 1 if the device only records. */
static int aside_notes(const struct aside *aside, int step)
{
    const int64_t call[] = {(int64_t)(uintptr_t)aside->queue, step};
    return recording_notes(aside->device, call, sizeof call);
}

farsum_status aside_fork(struct aside *aside)
{
    if (aside_notes(aside, 0))
        return FARSUM_OK;
    return aside->device->backend->aside_fork(aside->device, aside->queue);
}

farsum_status aside_run(struct aside *aside, farsum_status (*work)(void *data),
                        void *data)
{
    struct device *device = aside->device;
    if (aside_notes(aside, 1)) {
        TRY(work(data));
        (void)aside_notes(aside, 2);
        return FARSUM_OK;
    }
    device->backend->aside_enter(device, aside->queue);
    farsum_status status = work(data);
    farsum_status left = device->backend->aside_leave(device, aside->queue);
    if (status == FARSUM_OK)
        return left;
    /* the enqueued work must not outlive the objects that it uses; the message
     * of the work is kept */
    if (left == FARSUM_OK)
        (void)!device->backend->aside_join(device, aside->queue);
    return status;
}

farsum_status aside_join(struct aside *aside)
{
    if (aside_notes(aside, 3))
        return FARSUM_OK;
    return aside->device->backend->aside_join(aside->device, aside->queue);
}
