/* SPDX-License-Identifier: Apache-2.0 */
/* driver_graph.c: captured sequences as CUDA and HIP graphs.
 *
 * A sequence is captured on a separate stream, which replaces the device's
 * queue meanwhile.  The caller's stream may be the default one, which cannot be
 * captured.  And capturing a stream that synchronises with the default one
 * would forbid the program's other threads to use the default stream. */
#include "device/driver/driver.h"

#include "device/dl.h"

#include <stdlib.h>
#include <string.h>

/* Numbers equal in both APIs. */
enum {
    STREAM_NON_BLOCKING = 1,
    CAPTURE_RELAXED = 2, /* other threads' calls are unrestricted */
    EVENT_EXTERNAL = 1,  /* a node of the graph, not only an ordering point */
    NODE_PRIORITY = 8    /* of each node, instead of the launching stream's */
};

void driver_graphs_open(struct driver *driver, void *library,
                        const char *const *symbols, const char *const *marks)
{
    if (!dl_more(library, marks, (void **)&driver->marks))
        driver->marks = (struct driver_marks){0};
    const char *own = secure_getenv("FARSUM_GRAPHS");
    driver->has_graphs = !(own && strcmp(own, "0") == 0)
                         && dl_more(library, symbols, (void **)&driver->graphs);
}

/* The device must be current. */
static void driver_capture_drop(struct driver *d)
{
    if (d->capture)
        d->api.stream_destroy(d->capture);
    d->capture = NULL;
}

void driver_graphs_close(struct driver *driver)
{
    int before = 0;
    if (!driver->capture || driver->enter(driver, &before) != 0)
        return;
    driver_capture_drop(driver);
    driver->leave(driver, before);
}

farsum_status driver_record_begin(struct device *device)
{
    struct driver *d = device->inside;
    int before = 0, error = 0;
    if (!d->has_graphs)
        FAIL(ERR_UNSUPPORTED, "%s: the driver keeps no graphs", d->vendor);
    TRY(driver_enter(d, &before));
    if (!d->capture)
        error = d->api.stream_create(&d->capture, STREAM_NON_BLOCKING);
    if (error == 0)
        error = d->graphs.capture_begin(d->capture, CAPTURE_RELAXED);
    TRY(driver_leave(d, before, error, "beginning to capture"));
    d->queue_kept = d->queue;
    d->queue = d->capture;
    d->capturing = 1;
    return FARSUM_OK;
}

farsum_status driver_record_end(struct device *device, int keep, void **whole)
{
    struct driver *d = device->inside;
    void *graph = NULL, *made = NULL;
    int before = 0;
    d->queue = d->queue_kept;
    d->capturing = 0;
    TRY(driver_enter(d, &before));
    int error = d->graphs.capture_end(d->capture, &graph);
    if (error != 0)
        driver_capture_drop(d); /* the stream may be unusable */
    else if (keep) {
        /* without the flag, the second stream loses its priority */
        error = d->graphs.graph_make(&made, graph, NODE_PRIORITY);
        if (error != 0) /* drivers before CUDA 11.7 do not know it */
            error = d->graphs.graph_make(&made, graph, 0);
    }
    if (graph)
        d->graphs.graph_destroy(graph);
    TRY(driver_leave(d, before, error, "making a graph"));
    *whole = made;
    return FARSUM_OK;
}

farsum_status driver_replay(struct device *device, void *whole)
{
    struct driver *d = device->inside;
    int before = 0;
    TRY(driver_enter(d, &before));
    return driver_leave(d, before, d->graphs.graph_launch(whole, d->queue),
                        "launching a graph");
}

void driver_forget(struct device *device, void *whole)
{
    struct driver *d = device->inside;
    int before = 0;
    if (d->enter(d, &before) != 0)
        return;
    d->graphs.graph_forget(whole);
    d->leave(d, before);
}

/* Records an event in a captured sequence as a leaf of the graph.  The
 * following work waits for the work before the event, not for the event. */
static int driver_mark_kept(struct driver *d, void *mark)
{
    enum { REPLACES = 1, MOST = 16 };
    void *before[MOST], *const *waits = NULL;
    void *graph = NULL;
    unsigned long long number = 0;
    size_t n = 0;
    int active = 0, leaf = 0;
    if (d->marks.capture_info
        && d->marks.capture_info(d->queue, &active, &number, &graph, &waits, &n)
               == 0
        && n > 0 && n <= MOST) {
        memcpy(before, waits, n * sizeof *before);
        leaf = 1;
    }
    int error = d->graphs.event_record_in(mark, d->queue, EVENT_EXTERNAL);
    if (error == 0 && leaf)
        error = d->marks.capture_waits(d->queue, before, n, REPLACES);
    return error;
}

farsum_status driver_mark(struct device *device, void *mark)
{
    struct driver *d = device->inside;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error = d->capturing ? driver_mark_kept(d, mark)
                             : d->api.event_record(mark, d->queue);
    return driver_leave(d, before, error, "recording an event");
}
