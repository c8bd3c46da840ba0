/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c: tests of progress callbacks in long calls: how often, from which
 * thread, how they stop the call. */
#include "base/progress.h"

#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"

struct heard {
    int calls, elsewhere, stop_at;
    int64_t done, all;
    char what[120];
};

static _Thread_local int own_thread;

static int hear(int64_t done, int64_t all, const char *what, void *data)
{
    struct heard *h = data;
    h->calls++;
    h->elsewhere += !own_thread;
    h->done = done;
    h->all = all;
    snprintf(h->what, sizeof h->what, "%s", what);
    /* a call from here is not reported */
    CHECK_OK(progress_step(1, 2, "inside"));
    return h->stop_at && h->calls >= h->stop_at;
}

static struct progress listen(struct heard *h)
{
    *h = (struct heard){0};
    own_thread = 1;
    return (struct progress){.call = hear, .data = h};
}

static void nobody_listens(void)
{
    struct progress none = {0};
    CHECK_OK(progress_step(0, 1, "alone"));
    progress_begin(&none);
    CHECK(!progress_phase(3, "alone"), "a phase without a listener");
    progress_add(NULL, 1);
    CHECK(!progress_stopped(NULL), "nobody stops");
    CHECK_OK(progress_check(NULL));
    CHECK(progress_end(&none, FARSUM_ERR_CELL) == FARSUM_ERR_CELL, "status");
}

/* The first call immediately, then ten per second, over one begin and the
 * next. */
static void ten_a_second(void)
{
    struct heard h;
    struct progress p = listen(&h);
    double start = clock_seconds(); /* a busy machine sleeps longer */
    for (int k = 0; k < 350; k++) {
        if (k % 50 == 0)
            progress_begin(&p);
        CHECK_OK(progress_step(k, 350, "step %d", k));
        if (k == 0)
            CHECK(h.calls == 1 && h.done == 0 && h.all == 350
                      && strcmp(h.what, "step 0") == 0,
                  "%d calls, \"%s\"", h.calls, h.what);
        usleep(1000);
        if (k % 50 == 49)
            CHECK_OK(progress_end(&p, FARSUM_OK));
    }
    double took = clock_seconds() - start;
    CHECK(h.calls >= 3 && h.calls <= 10 * took + 8, "%d calls in %g s", h.calls,
          took);
    CHECK_OK(progress_step(0, 1, "after the end"));
    CHECK(strncmp(h.what, "step", 4) == 0, "heard \"%s\"", h.what);
}

static void it_stops(void)
{
    struct heard h;
    struct progress p = listen(&h);
    h.stop_at = 1;
    progress_begin(&p);
    CHECK_FAILS(progress_step(0, 9, "first"), FARSUM_ERR_STATE);
    CHECK(strcmp(farsum_message(), "stopped") == 0, "\"%s\"", farsum_message());
    CHECK_FAILS(progress_step(1, 9, "second"), FARSUM_ERR_STATE);
    CHECK(h.calls == 1, "called again after it had stopped");
    status_prefix(FARSUM_ERR_STATE, "some stage");
    CHECK(progress_end(&p, FARSUM_ERR_MEMORY) == FARSUM_ERR_STATE, "status");
    CHECK(strcmp(farsum_message(), "stopped") == 0, "\"%s\"", farsum_message());
    h.stop_at = 0;
    progress_begin(&p);
    CHECK_OK(progress_step(0, 9, "again"));
    CHECK_FAILS(progress_end(&p, FARSUM_ERR_STATE), FARSUM_ERR_STATE);
}

/* If nobody listens to a plan inside a plan's call, the outer one reports
 * it. */
static void one_in_another(void)
{
    struct heard h;
    struct progress p = listen(&h), none = {0};
    progress_begin(&p);
    progress_begin(&none);
    CHECK_OK(progress_step(0, 1, "inner"));
    CHECK_OK(progress_end(&none, FARSUM_OK));
    CHECK(h.calls == 1 && strcmp(h.what, "inner") == 0, "\"%s\"", h.what);
    CHECK_OK(progress_end(&p, FARSUM_OK));
}

/* Four threads count, one reports; stopped work is left undone. */
static void threads_count(void)
{
    for (int stop_at = 0; stop_at <= 2; stop_at += 2) {
        struct heard h;
        struct progress listener = listen(&h);
        int64_t done = 0;
        h.stop_at = stop_at;
        progress_begin(&listener);
        struct progress *p = progress_phase(400, "counting");
#pragma omp parallel for schedule(dynamic) num_threads(4) reduction(+ : done)
        for (int i = 0; i < 400; i++) {
            if (progress_stopped(p))
                continue;
            usleep(2000);
            done++;
            progress_add(p, 1);
        }
        CHECK(!h.elsewhere, "%d calls from other threads", h.elsewhere);
        CHECK(h.all == 400 && strcmp(h.what, "counting") == 0, "\"%s\"",
              h.what);
        if (stop_at) {
            CHECK(done < 390, "%d of 400 done", (int)done);
            CHECK_FAILS(progress_end(&listener, progress_check(p)),
                        FARSUM_ERR_STATE);
        } else {
            CHECK(done == 400 && atomic_load(&p->done) == 400 && h.calls >= 2,
                  "%d done, %d calls", (int)done, h.calls);
            CHECK_OK(progress_end(&listener, progress_check(p)));
        }
    }
}

int main(void)
{
    RUN(nobody_listens);
    RUN(ten_a_second);
    RUN(it_stops);
    RUN(one_in_another);
    RUN(threads_count);
    return check_end();
}
