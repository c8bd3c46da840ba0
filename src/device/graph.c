/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c: captures sequences of device calls and replays them.  A hash of the
 * calls tells whether a sequence is unchanged.  The back end stores its
 * graph. */
#include "device/graph.h"

#include "device/buf.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The hash of the calls of a device that only records. */
struct trace {
    XXH3_state_t state;
    int64_t calls;
};

static void trace_add(struct trace *trace, const void *bytes, int64_t n)
{
    XXH3_128bits_update(&trace->state, bytes, (size_t)n);
}

int graph_notes(struct device *device, const void *call, int64_t bytes)
{
    struct trace *trace = device->trace;
    if (!trace)
        return 0;
    trace_add(trace, &bytes, sizeof bytes);
    trace_add(trace, call, bytes);
    trace->calls++;
    return 1;
}

int graph_notes_launch(struct device *device, const struct launch *what)
{
    struct trace *trace = device->trace;
    const int64_t how[] = {(int64_t)(uintptr_t)what->kernel, what->groups,
                           what->group, what->arena, what->n_args};
    if (!graph_notes(device, how, sizeof how))
        return 0;
    for (int i = 0; i < what->n_args; i++) {
        const struct arg *a = &what->args[i];
        trace_add(trace, &a->bytes, sizeof a->bytes);
        if (a->bytes == 0) {
            const struct buf *buf = a->value;
            trace_add(trace, &buf->handle, sizeof buf->handle);
        } else {
            trace_add(trace, a->value, a->bytes);
        }
    }
    return 1;
}

farsum_status graph_refuses(const struct device *device, const char *what)
{
    if (device->trace)
        FAIL(ERR_UNSUPPORTED, "%s cannot be part of a captured graph", what);
    return FARSUM_OK;
}

/* Computes the hash of the calls that the work makes; returns 0 if they cannot
 * be captured. */
static int graph_look(struct device *device, farsum_status (*work)(void *),
                      void *data, uint64_t seen[2])
{
    struct trace trace;
    trace.calls = 0;
    XXH3_128bits_reset(&trace.state);
    /* later kernels may reuse the handles of unloaded ones */
    trace_add(&trace, &device->unloaded, sizeof device->unloaded);
    device->trace = &trace;
    farsum_status status = work(data);
    device->trace = NULL;
    XXH128_hash_t hash = XXH3_128bits_digest(&trace.state);
    seen[0] = hash.low64;
    seen[1] = hash.high64;
    return status == FARSUM_OK && trace.calls > 1;
}

static int graph_same(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

static void graph_drop(struct graph *r)
{
    if (r->device && r->whole)
        r->device->backend->forget(r->device, r->whole);
    r->whole = NULL;
}

/* Captures the work and replaces the stored graph. */
static farsum_status graph_keep(struct graph *r, farsum_status (*work)(void *),
                                void *data)
{
    const struct device_backend *b = r->device->backend;
    void *whole = NULL;
    graph_drop(r);
    TRY(b->record_begin(r->device));
    farsum_status status = work(data);
    farsum_status ended = b->record_end(r->device, status == FARSUM_OK, &whole);
    TRY(status);
    TRY(ended);
    r->whole = whole;
    r->kept[0] = r->last[0];
    r->kept[1] = r->last[1];
    return FARSUM_OK;
}

farsum_status graph_run(struct graph *r, struct device *device,
                        farsum_status (*work)(void *data), void *data)
{
    uint64_t seen[2];
    if (r->off || device->trace || !device->backend->record_begin
        || !graph_look(device, work, data, seen))
        return work(data);
    r->device = device;
    if (r->whole && graph_same(seen, r->kept))
        return device->backend->replay(device, r->whole);
    int again = graph_same(seen, r->last);
    r->last[0] = seen[0];
    r->last[1] = seen[1];
    if (again && graph_keep(r, work, data) == FARSUM_OK)
        return device->backend->replay(device, r->whole);
    r->off = again; /* the capture should have succeeded */
    return work(data);
}

/* What a rank can do.  All do the lowest. */
enum way { WAY_OFF, WAY_RUN, WAY_CAPTURE, WAY_REPLAY };

static enum way graph_way(const struct graph *r, struct device *device,
                          farsum_status (*work)(void *), void *data,
                          uint64_t seen[2])
{
    if (!device->backend->record_begin)
        return WAY_OFF;
    if (!graph_look(device, work, data, seen))
        return WAY_RUN;
    if (r->whole && graph_same(seen, r->kept))
        return WAY_REPLAY;
    return graph_same(seen, r->last) ? WAY_CAPTURE : WAY_RUN;
}

/* Without its graph a rank misses all exchanges. */
static farsum_status graph_play(const struct graph *r)
{
    farsum_status status = r->device->backend->replay(r->device, r->whole);
    return status == FARSUM_OK
               ? status
               : status_prefix(FARSUM_ERR_COMM, "a graph with exchanges");
}

/* Captured exchanges have not begun.  So the ranks can still agree whether all
 * have captured, and `off` is the same on all. */
farsum_status graph_run_ranks(struct graph *r, struct device *device,
                              const struct graph_ranks *ranks,
                              farsum_status (*work)(void *data), void *data)
{
    uint64_t seen[2] = {0};
    if (r->off || device->trace)
        return work(data);
    r->device = device;
    int way = (int)graph_way(r, device, work, data, seen);
    TRY(ranks->lowest(ranks->data, &way));
    if (way == WAY_REPLAY)
        return graph_play(r);
    graph_drop(r); /* the others' graphs belong to the same exchanges */
    r->last[0] = seen[0];
    r->last[1] = seen[1];
    if (way == WAY_CAPTURE) {
        if (graph_keep(r, work, data) != FARSUM_OK)
            way = WAY_OFF;
        farsum_status status = ranks->lowest(ranks->data, &way);
        if (status == FARSUM_OK && way == WAY_CAPTURE)
            return graph_play(r);
        graph_drop(r);
        TRY(status);
    }
    r->off = way == WAY_OFF;
    return work(data);
}

void graph_forget(struct graph *r)
{
    graph_drop(r);
    r->last[0] = r->last[1] = 0;
}

void graph_clear(struct graph *r)
{
    graph_drop(r);
    *r = (struct graph){0};
}
