/* SPDX-License-Identifier: Apache-2.0 */
/* loader_graphs.c: tests of graphs that are captured and replayed, with a
 * simulated driver. */
#include "device/loader.h"

#include "device/second_stream.h"
#include "device/dl.h"
#include "device/compile/jit.h"
#include "device/graph.h"

#include <string.h>

/* Work that is repeated. */
struct work {
    struct buf a, b;
    struct kernel kernel;
    struct stopwatch watch;
    struct second_stream aside;
    int byte;  /* to fill with */
    int unjoined; /* 1: the second queue's work is not joined */
    int waits; /* 1: it cannot be captured */
    int times; /* number of runs */
};

/* Runs on the second queue. */
static farsum_status work_beside(void *data)
{
    struct work *w = data;
    return buf_fill_part(&w->b, 90, w->byte + 1, 10);
}

static farsum_status work_do(void *data)
{
    struct work *w = data;
    char bytes[10];
    w->times++;
    TRY(stopwatch_start(&w->watch));
    TRY(buf_fill(&w->a, w->byte));
    TRY(second_stream_fork(&w->aside));
    TRY(LAUNCH(&w->kernel, 2, ARG_BUF(&w->a)));
    TRY(second_stream_run(&w->aside, work_beside, w));
    if (!w->unjoined)
        TRY(second_stream_join(&w->aside));
    TRY(buf_copy(&w->b, 10, &w->a, 0, 50));
    if (w->waits)
        TRY(buf_download(&w->a, 0, bytes, sizeof bytes));
    return stopwatch_stop(&w->watch);
}

static void work_begin(struct work *w, struct device **d, struct jit *jit)
{
    *w = (struct work){.byte = 1};
    *d = opened(1);
    jit_begin(jit, *d, "words.k", FARSUM_F64);
    jit_define(jit, "TABLE", "1,2,3");
    CHECK_OK(jit_build(jit));
    CHECK_OK(jit_kernel(jit, "words_step", 64, 0, &w->kernel));
    CHECK_OK(buf_alloc(&w->a, *d, 100));
    CHECK_OK(buf_alloc(&w->b, *d, 100));
    CHECK_OK(stopwatch_create(&w->watch, *d));
    CHECK_OK(second_stream_create(&w->aside, *d));
}

static void work_end(struct work *w, struct device *d, struct jit *jit)
{
    stopwatch_clear(&w->watch);
    second_stream_clear(&w->aside);
    buf_clear(&w->a);
    buf_clear(&w->b);
    jit_clear(jit);
    device_close(d);
    CHECK(player.fake->graphs == 0 && player.fake->kept == 0,
          "%d graphs, %d kept are left", player.fake->graphs,
          player.fake->kept);
    nothing_left("graphs");
}

/* Runs it.  The work must be done once, by a graph or not, and so must
 * marks. */
static void once(struct graph *r, struct work *w, struct device *d,
                 int replayed)
{
    char out[100];
    double seconds = 0;
    int launches = player.fake->launches, replays = player.fake->replays;
    CHECK_OK(buf_fill(&w->b, 0));
    CHECK_OK(graph_run(r, d, work_do, w));
    CHECK(player.fake->launches == launches + 1, "%d launches",
          player.fake->launches - launches);
    CHECK(player.fake->replays == replays + replayed, "%d replays, not %d",
          player.fake->replays - replays, replayed);
    CHECK_OK(buf_download(&w->b, 0, out, sizeof out));
    CHECK(out[9] == 0 && out[10] == w->byte && out[59] == w->byte
              && out[60] == 0 && out[89] == 0 && out[90] == w->byte + 1,
          "%d %d %d %d %d %d", out[9], out[10], out[59], out[60], out[89],
          out[90]);
    CHECK_OK(stopwatch_seconds(&w->watch, &seconds));
    CHECK_NEAR(seconds, 1.5e-3, 1e-9);
}

static void test_kept(void)
{
    struct device *d;
    struct jit jit;
    struct work w;
    struct graph r = {0};
    work_begin(&w, &d, &jit);
    for (int byte = 1; byte < 3; byte++) {
        w.byte = byte;
        once(&r, &w, d, 0);
        once(&r, &w, d, 1);
        once(&r, &w, d, 1);
        CHECK(player.fake->kept == 1, "%d kept", player.fake->kept);
    }
    /* alternating: neither comes twice in a row */
    for (int i = 0; i < 4; i++) {
        w.byte = 4 + i % 2;
        once(&r, &w, d, 0);
    }
    w.byte = 2; /* the first is still kept */
    once(&r, &w, d, 1);
    w.waits = 1;
    for (int i = 0; i < 3; i++)
        once(&r, &w, d, 0);
    w.waits = 0;
    once(&r, &w, d, 1);
    /* kernels were unloaded: others may reuse their handles */
    struct jit other;
    jit_begin(&other, d, "words.k", FARSUM_F64);
    jit_define(&other, "TABLE", "1");
    CHECK_OK(jit_build(&other));
    jit_clear(&other);
    once(&r, &w, d, 0);
    once(&r, &w, d, 1);
    /* the first of a sequence's two marks has no predecessor */
    CHECK(player.fake->leaves == 3, "%d leaves", player.fake->leaves);
    graph_clear(&r);
    graph_clear(&r);
    work_end(&w, d, &jit);
}

/* Two queues without a join are no sequence: the work is enqueued each time. */
static void test_unjoined(void)
{
    struct device *d;
    struct jit jit;
    struct work w;
    struct graph r = {0};
    work_begin(&w, &d, &jit);
    w.unjoined = 1;
    for (int i = 0; i < 3; i++)
        once(&r, &w, d, 0);
    CHECK(r.off, "it is kept");
    graph_clear(&r);
    work_end(&w, d, &jit);
}

/* A queue of the caller, which is never captured itself. */
static void test_adopted(void)
{
    struct device *d = NULL;
    struct graph r = {0};
    struct work w = {.byte = 7};
    struct jit jit;
    char name[32];
    void *stream = player.make_stream(NULL, 1);
    snprintf(name, sizeof name, "%s:1", vendor->name);
    CHECK_OK(device_adopt(name, NULL, stream, &d));
    jit_begin(&jit, d, "words.k", FARSUM_F64);
    jit_define(&jit, "TABLE", "1,2,3");
    CHECK_OK(jit_build(&jit));
    CHECK_OK(jit_kernel(&jit, "words_step", 64, 0, &w.kernel));
    CHECK_OK(buf_alloc(&w.a, d, 100));
    CHECK_OK(buf_alloc(&w.b, d, 100));
    CHECK_OK(stopwatch_create(&w.watch, d));
    CHECK_OK(second_stream_create(&w.aside, d));
    once(&r, &w, d, 0);
    once(&r, &w, d, 1);
    graph_clear(&r);
    stopwatch_clear(&w.watch);
    second_stream_clear(&w.aside);
    buf_clear(&w.a);
    buf_clear(&w.b);
    jit_clear(&jit);
    device_close(d);
    player.end_stream(stream);
    nothing_left("a caller's queue");
}

/* Each call for graphs fails once.  The work is done all the same, except if
 * the launch of the graph fails: then it is unknown how much was done. */
static void test_failing(void)
{
    static const char *const words[] = {
#define SYM(result, word, cuda, hip, parameters) #word,
#include "device/driver/driver_graph.sym"
#undef SYM
    };
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        struct device *d;
        struct jit jit;
        struct work w;
        struct graph r = {0};
        char fail[64];
        int quiet = strcmp(words[k], "graph_forget") == 0
                    || strcmp(words[k], "graph_destroy") == 0;
        work_begin(&w, &d, &jit);
        once(&r, &w, d, 0);
        snprintf(fail, sizeof fail, "%s=719", words[k]);
        tell("FAKE_FAIL", fail);
        if (strcmp(words[k], "graph_launch") == 0) {
            CHECK_FAILS(graph_run(&r, d, work_do, &w), FARSUM_ERR_DEVICE);
            CHECK_SAYS(vendor->played);
        } else {
            once(&r, &w, d, quiet);
            CHECK(r.off == !quiet, "%s: off %d", words[k], r.off);
        }
        tell("FAKE_FAIL", NULL);
        once(&r, &w, d, quiet || strcmp(words[k], "graph_launch") == 0);
        graph_clear(&r);
        work_end(&w, d, &jit);
    }
}

static void test_off(void)
{
    struct device *d;
    struct jit jit;
    struct work w;
    struct graph r = {0};
    tell("FARSUM_GRAPHS", "0");
    work_begin(&w, &d, &jit);
    for (int i = 0; i < 3; i++)
        once(&r, &w, d, 0);
    CHECK(r.off, "it goes on trying");
    int times = w.times;
    once(&r, &w, d, 0);
    CHECK(w.times == times + 1, "gone through %d times", w.times - times);
    graph_clear(&r);
    work_end(&w, d, &jit);
    tell("FARSUM_GRAPHS", NULL);
    /* the same if the driver lacks a function */
    const char *const names[] = {vendor->driver, NULL};
    const char *const some[] = {"fake_state", NULL};
    const char *const more[] = {"fake_state", "no_such", "fake_current", NULL};
    void *library = NULL, *api[3] = {NULL};
    CHECK_OK(dl_open(&library, names, NULL, some, api));
    CHECK(dl_more(library, some, api) == 1, "a symbol is missing");
    CHECK(dl_more(library, more, api) == 0 && !api[1] && api[2],
          "no_such is there");
    dl_close(library);
}

void loader_graphs(void)
{
    RUN(test_kept);
    RUN(test_unjoined);
    RUN(test_adopted);
    RUN(test_failing);
    RUN(test_off);
}
