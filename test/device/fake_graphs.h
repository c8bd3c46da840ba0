/* SPDX-License-Identifier: Apache-2.0 */
/* fake_graphs.h: graphs, and streams that wait for others, in the simulated
 * driver; included by fake_driver.c. */
/* What a stream that is captured is asked for, in the order of asking; all of
 * the player's graphs are this one. */
enum { CALLS = 64 };
struct fake_call {
    void *to, *from;
    size_t bytes;
    unsigned char byte;
    int kind; /* 0 launch, 1 fill, 2 copy, 3 mark */
};
struct fake_graph {
    int n;
    struct fake_call call[CALLS];
};
/* While this thread captures a stream. */
static _Thread_local struct fake_graph *captured;
/* The first stream is the one captured; others join it by an event and must be
 * waited for before the end. */
enum { CAPTURED_STREAMS = 4 };
static _Thread_local void *captured_stream[CAPTURED_STREAMS];
/* 1: it has work that is not waited for yet */
static _Thread_local int captured_open[CAPTURED_STREAMS];
static _Thread_local int captured_streams;

/* An event: when it was recorded, and by which stream in which capture. */
struct fake_event {
    int mark, timeless;
    struct fake_graph *of_capture;
    int stream;
};

/* The stream's index in the capture, plus 1; 0: it is not captured. */
static int capturing(const void *stream)
{
    for (int i = 0; captured && i < captured_streams; i++)
        if (captured_stream[i] == stream)
            return i + 1;
    return 0;
}
static int capture_event(const void *stream, struct fake_event *event)
{
    event->of_capture = captured;
    event->stream = capturing(stream) - 1;
    return 0;
}
static int capture_follow(void *stream, const struct fake_event *event)
{
    int at = capturing(stream);
    if (event->of_capture != captured || !captured)
        return INVALID; /* from a capture that has ended */
    if (at == 0) {
        if (captured_streams == CAPTURED_STREAMS)
            return INVALID;
        at = ++captured_streams;
        captured_stream[at - 1] = stream;
    }
    captured_open[event->stream] = 0;
    captured_open[at - 1] = 1;
    return 0;
}

static int capture(void *stream, struct fake_call call)
{
    int at = capturing(stream);
    if (at == 0)
        return 0;
    captured_open[at - 1] = 1;
    if (captured->n < CALLS)
        captured->call[captured->n++] = call;
    return 1;
}

static int fake_capture_begin(void *stream, int mode)
{
    HERE(capture_begin);
    if (captured || mode != 2 || !ours(stream, device))
        return INVALID;
    captured = calloc(1, sizeof *captured);
    captured_stream[0] = stream;
    captured_open[0] = 0;
    captured_streams = 1;
    fake.graphs++;
    return 0;
}
static int fake_capture_end(void *stream, void **graph)
{
    struct fake_graph *g = captured;
    int device = -1, error = here(&device);
    if (error || !g || stream != captured_stream[0])
        return INVALID;
    for (int i = 1; i < captured_streams; i++)
        error = captured_open[i] ? 904 : error; /* its work is not joined */
    captured = NULL;
    error = error ? error : told("capture_end");
    if (error) {
        free(g);
        fake.graphs--;
        return error;
    }
    *graph = g;
    return 0;
}
static int fake_graph_make(void **made, void *graph, unsigned long long flags)
{
    HERE(graph_make);
    if (flags != 0)
        return INVALID;
    *made = malloc(sizeof(struct fake_graph));
    memcpy(*made, graph, sizeof(struct fake_graph));
    fake.kept++;
    return 0;
}
static int fake_graph_launch(void *made, void *stream)
{
    const struct fake_graph *g = made;
    HERE(graph_launch);
    if (!ours(stream, device))
        return INVALID;
    for (int i = 0; i < g->n; i++) {
        const struct fake_call *c = &g->call[i];
        if (c->kind == 0)
            fake.launches++;
        else if (c->kind == 1)
            memset(c->to, c->byte, c->bytes);
        else if (c->kind == 2)
            memmove(c->to, c->from, c->bytes);
        else
            ((struct fake_event *)c->to)->mark = ++fake.marks;
    }
    fake.replays++;
    return 0;
}
static int fake_graph_forget(void *made)
{
    LOCKED;
    fake.kept--;
    free(made);
    return told("graph_forget");
}
static int fake_graph_destroy(void *graph)
{
    LOCKED;
    fake.graphs--;
    free(graph);
    return told("graph_destroy");
}
static int fake_event_record_in(void *event, void *stream, unsigned flags)
{
    HERE(event_record_in);
    if (flags != 1
        || !capture(stream, (struct fake_call){event, NULL, 0, 0, 3}))
        return INVALID;
    return 0;
}
/* The node that the next call of a captured stream depends on: one, identified
 * by the number of calls so far. */
static _Thread_local void *capture_last;
static int fake_capture_info(void *stream, int *active,
                             unsigned long long *number, void **graph,
                             void *const **waits, size_t *n)
{
    HERE(capture_info);
    if (!ours(stream, device))
        return INVALID;
    *active = capturing(stream) != 0;
    *number = 1;
    *graph = captured;
    capture_last = captured ? &captured->call[captured->n] : NULL;
    *waits = &capture_last;
    *n = captured && captured->n > 0;
    return 0;
}
static int fake_capture_waits(void *stream, void **waits, size_t n,
                              unsigned flags)
{
    HERE(capture_waits);
    if (!ours(stream, device) || !capturing(stream) || flags != 1 || n != 1
        || captured->call[captured->n - 1].kind != 3
        || waits[0] != &captured->call[captured->n - 1])
        return INVALID;
    fake.leaves++;
    return 0;
}
/* The second queue. */
static int fake_stream_priorities(int *least, int *greatest)
{
    HERE(stream_priorities);
    *least = 0;
    *greatest = -5;
    return 0;
}
static int fake_stream_create_first(void **stream, unsigned flags, int priority)
{
    HERE(stream_create_first);
    if (flags != 1 || priority != -5)
        return INVALID;
    *stream = fake_make_stream(NULL, device);
    return 0;
}
static int fake_stream_follow(void *stream, void *event, unsigned flags)
{
    const struct fake_event *e = event;
    HERE(stream_follow);
    if (!ours(stream, device) || flags != 0 || (!e->mark && !e->of_capture))
        return INVALID;
    if (e->of_capture)
        return capture_follow(stream, e);
    return capturing(stream) ? INVALID : 0;
}
