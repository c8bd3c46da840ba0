/* fake_graphs.h: the part of fake_driver.c, which includes it, that plays
 * graphs. */
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
static struct fake_graph *captured; /* while a stream is */
static void *captured_stream;

static int capture(void *stream, struct fake_call call)
{
    if (!captured || stream != captured_stream)
        return 0;
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
    captured_stream = stream;
    fake.graphs++;
    return 0;
}
static int fake_capture_end(void *stream, void **graph)
{
    struct fake_graph *g = captured;
    int device = -1, error = here(&device);
    if (error || !g || stream != captured_stream)
        return INVALID;
    captured = NULL;
    error = told("capture_end");
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
            *(int *)c->to = ++fake.marks;
    }
    fake.replays++;
    return 0;
}
static int fake_graph_forget(void *made)
{
    fake.kept--;
    free(made);
    return told("graph_forget");
}
static int fake_graph_destroy(void *graph)
{
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
