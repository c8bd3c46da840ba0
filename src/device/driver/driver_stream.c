/* SPDX-License-Identifier: Apache-2.0 */
/* driver_stream.c: the second queue, by CUDA's and HIP's streams and events.
 *
 * Its stream has priority where both have work that could start. */
#include "device/driver/driver.h"

#include "base/mem.h"

/* Numbers equal in both APIs. */
enum { STREAM_NON_BLOCKING = 1, EVENT_WITHOUT_TIME = 2 };

struct driver_second_stream {
    void *stream, *forked, *done; /* owned: a stream, two events */
    void *kept;                   /* the device's own stream between enter and
                                     leave */
};

/* The device must be current. */
static void second_stream_end(struct driver *d, struct driver_second_stream *a)
{
    if (a->forked)
        d->api.event_destroy(a->forked);
    if (a->done)
        d->api.event_destroy(a->done);
    if (a->stream)
        d->api.stream_destroy(a->stream);
}

farsum_status driver_second_stream_create(struct device *device, void **aside)
{
    farsum_status status = FARSUM_OK;
    struct driver *d = device->inside;
    struct driver_second_stream *a = NULL;
    int before = 0, last = 0, first = 0;
    TRY(MEM_NEW(a, 1));
    GO(driver_enter(d, &before));
    int error = d->api.stream_priorities(&last, &first);
    if (error == 0)
        error = d->api.stream_create_first(&a->stream, STREAM_NON_BLOCKING,
                                           first);
    if (error == 0)
        error = d->api.event_create(&a->forked, EVENT_WITHOUT_TIME);
    if (error == 0)
        error = d->api.event_create(&a->done, EVENT_WITHOUT_TIME);
    if (error != 0)
        second_stream_end(d, a);
    GO(driver_leave(d, before, error, "making a second stream"));
    *aside = a;
    a = NULL;
done:
    mem_free(a);
    return status;
}

void driver_second_stream_destroy(struct device *device, void *aside)
{
    struct driver *d = device->inside;
    int before = 0;
    if (d->enter(d, &before) == 0) {
        second_stream_end(d, aside);
        d->leave(d, before);
    }
    mem_free(aside);
}

farsum_status driver_second_stream_fork(struct device *device, void *aside)
{
    struct driver *d = device->inside;
    struct driver_second_stream *a = aside;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error = d->api.event_record(a->forked, d->queue);
    if (error == 0)
        error = d->api.stream_follow(a->stream, a->forked, 0);
    return driver_leave(d, before, error, "beginning two streams");
}

void driver_second_stream_enter(struct device *device, void *aside)
{
    struct driver *d = device->inside;
    struct driver_second_stream *a = aside;
    a->kept = d->queue;
    d->queue = a->stream;
}

farsum_status driver_second_stream_leave(struct device *device, void *aside)
{
    struct driver *d = device->inside;
    struct driver_second_stream *a = aside;
    int before = 0;
    d->queue = a->kept;
    TRY(driver_enter(d, &before));
    return driver_leave(d, before, d->api.event_record(a->done, a->stream),
                        "ending a second stream's work");
}

farsum_status driver_second_stream_join(struct device *device, void *aside)
{
    struct driver *d = device->inside;
    struct driver_second_stream *a = aside;
    int before = 0;
    TRY(driver_enter(d, &before));
    return driver_leave(d, before,
                        d->api.stream_follow(d->queue, a->done, 0),
                        "waiting for a second stream");
}
