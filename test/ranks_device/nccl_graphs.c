/* SPDX-License-Identifier: Apache-2.0 */
/* nccl_graphs.c: graphs with exchanges on a simulated library and driver: ranks
 * capture and replay together, and count what they replay. */
#include <string.h>

#include "check.h"
#include "device/driver/driver.h"
#include "device/graph.h"
#include "ranks/comm_threads.h"
#include "ranks/device/transport.h"
#include "ranks_device/fakes.h"

static struct fake_nccl *nccl;
static struct fake *driver;

enum { BYTES = 100, RANKS = 2 };
#define MARKED 1.5e-3 /* seconds between two of the driver's events */

/* A rank with a device, a transport and work that repeats. */
struct rank {
    struct comm_guard guard; /* as that of a sum; the first member */
    struct comm *comm;
    struct device *device;
    struct transport *t;
    struct graph graph;
    struct buf send, got, other;
    int at_other;       /* 1: receives in another buffer */
    int waits;          /* 1: the work cannot be captured */
    int captured, done; /* calls of the work, with the device's queue or not */
};

static void rank_broke(struct comm_guard *guard)
{
    graph_forget(&((struct rank *)guard)->graph);
}

static void rank_open(struct rank *r, struct comm *comm)
{
    char name[16];
    *r = (struct rank){.comm = comm, .guard.broke = rank_broke};
    snprintf(name, sizeof name, "cuda:%d", comm->rank);
    if (device_open(name, &r->device) != FARSUM_OK)
        check_stop("%s", farsum_message());
    CHECK_OK(buf_alloc(&r->send, r->device, RANKS * BYTES));
    CHECK_OK(buf_alloc(&r->got, r->device, RANKS * BYTES));
    CHECK_OK(buf_alloc(&r->other, r->device, RANKS * BYTES));
    CHECK_OK(buf_fill(&r->send, 1 + comm->rank));
    CHECK_OK(transport_create(comm, r->device, "nccl", &r->t));
    comm_guard_add(comm, &r->guard);
}

static void rank_close(struct rank *r)
{
    comm_guard_remove(r->comm, &r->guard);
    graph_clear(&r->graph);
    transport_destroy(r->t);
    buf_clear(&r->send);
    buf_clear(&r->got);
    buf_clear(&r->other);
    device_close(r->device);
}

static farsum_status rank_work(void *data)
{
    static const int64_t parts[RANKS] = {BYTES, BYTES};
    struct rank *r = data;
    const struct driver *d = r->device->inside;
    char byte = 0;
    r->captured += d->capturing;
    r->done += !r->device->trace && !d->capturing;
    transport_begin(r->t);
    if (r->waits)
        TRY(buf_download(&r->send, 0, &byte, 1));
    TRY(transport_trade(r->t, COMM_PLANES, &r->send, parts,
                        r->at_other ? &r->other : &r->got, parts));
    return transport_trade(r->t, COMM_GHOSTS, &r->got, parts, &r->other, parts);
}

static farsum_status lowest(void *data, int *number)
{
    double most = -*number;
    TRY(comm_agree(data, comm_max(data, &most, 1)));
    *number = -(int)most;
    return FARSUM_OK;
}

static farsum_status rank_run(struct rank *r)
{
    const struct graph_ranks ranks = {lowest, r->comm};
    farsum_status status =
        graph_run_ranks(&r->graph, r->device, &ranks, rank_work, r);
    transport_end(r->t);
    return comm_agree(r->comm, status);
}

/* Runs the work, which must happen in this way on all ranks: 'd' directly, 'c'
 * captured, then replayed, 'r' replayed, 'f' directly after a capture. */
static void run(struct rank *r, char way)
{
    int64_t sent = r->comm->spent[COMM_PLANES].bytes;
    CHECK_OK(comm_agree(r->comm, FARSUM_OK));
    int replays = driver->replays;
    CHECK_OK(comm_agree(r->comm, FARSUM_OK));
    r->captured = r->done = 0;
    CHECK_OK(rank_run(r));
    replays = driver->replays - replays;
    CHECK_OK(comm_agree(r->comm, FARSUM_OK));
    int plays = way == 'c' || way == 'r', captures = way == 'c' || way == 'f';
    CHECK(r->done == !plays && r->captured == captures
              && replays == RANKS * plays,
          "rank %d, %c: %d done, %d captured, %d replays", r->comm->rank, way,
          r->done, r->captured, replays);
    sent = r->comm->spent[COMM_PLANES].bytes - sent;
    CHECK(sent == BYTES, "rank %d, %c: %lld bytes", r->comm->rank, way,
          (long long)sent);
}

static void runs(struct rank *r, const char *ways)
{
    for (; *ways; ways++)
        run(r, *ways);
}

static farsum_status work_together(struct comm *comm, void *data)
{
    struct rank r;
    (void)data;
    rank_open(&r, comm);
    int one = comm->rank == 1;
    runs(&r, "dcrr");
    r.at_other = one; /* one rank's pointers change */
    runs(&r, "dcrr");
    r.at_other = 0; /* its first graph is gone, so both capture again */
    runs(&r, "dcr");
    for (int k = 0; k < 4; k++) { /* one rank's pointers alternate */
        r.at_other = one && k % 2 == 0;
        run(&r, 'd');
    }
    run(&r, 'c');
    r.waits = one;
    runs(&r, "ddd");
    r.waits = 0;
    runs(&r, "dcr");
    graph_forget(&r.graph); /* as before new points */
    runs(&r, "dcr");
    rank_close(&r);
    return FARSUM_OK;
}

static void together(void)
{
    CHECK(ranks_run(RANKS, NULL, work_together, NULL) == 0, "a rank");
}

/* Seconds of replays: each as the last one. */
static farsum_status work_seconds(struct comm *comm, void *data)
{
    struct rank r;
    double before[2];
    (void)data;
    rank_open(&r, comm);
    runs(&r, "dc");
    transport_settle(r.t);
    before[0] = comm->spent[COMM_PLANES].seconds;
    before[1] = comm->spent[COMM_GHOSTS].seconds;
    runs(&r, "rrr");
    transport_settle(r.t);
    transport_settle(r.t);
    CHECK_NEAR(comm->spent[COMM_PLANES].seconds - before[0], 3 * MARKED, 1e-9);
    CHECK_NEAR(comm->spent[COMM_GHOSTS].seconds - before[1], 3 * MARKED, 1e-9);
    rank_close(&r);
    return FARSUM_OK;
}

static void seconds(void)
{
    CHECK(ranks_run(RANKS, NULL, work_seconds, NULL) == 0, "a rank");
}

static int no_begin(void *stream, int mode)
{
    return stream && mode == 2 ? 719 : 1;
}

static int (*capture_end)(void *stream, void **graph);

static int no_end(void *stream, void **graph)
{
    void *made = NULL;
    int error = capture_end(stream, &made);
    driver->graphs -= made != NULL;
    free(made);
    *graph = NULL;
    return error ? error : 719;
}

static int no_launch(void *made, void *stream)
{
    return made && stream ? 719 : 1;
}

/* One rank's capture fails: all run directly, and none tries again. */
static farsum_status work_capture_fails(struct comm *comm, void *data)
{
    struct rank r;
    int at_end = *(int *)data, one = comm->rank == 1;
    rank_open(&r, comm);
    struct driver *d = r.device->inside;
    runs(&r, "dcr");
    r.at_other = one;
    run(&r, 'd');
    if (one) {
        capture_end = d->graphs.capture_end;
        if (at_end)
            d->graphs.capture_end = no_end;
        else
            d->graphs.capture_begin = no_begin;
    }
    r.captured = r.done = 0;
    CHECK_OK(rank_run(&r));
    CHECK(r.done == 1 && r.captured == (at_end || !one),
          "rank %d: %d done, %d captured", comm->rank, r.done, r.captured);
    runs(&r, "ddd");
    CHECK(r.graph.off && !r.graph.whole, "rank %d keeps on", comm->rank);
    rank_close(&r);
    return FARSUM_OK;
}

static void capture_fails(void)
{
    nccl->loose = 1; /* the simulated library exchanges while captured */
    for (int at_end = 0; at_end < 2; at_end++)
        CHECK(ranks_run(RANKS, NULL, work_capture_fails, &at_end) == 0,
              "a rank");
    nccl->loose = 0;
}

/* One rank's back end keeps no graphs: all learn it in the first run. */
static farsum_status work_none(struct comm *comm, void *data)
{
    struct rank r;
    struct device_backend none;
    (void)data;
    rank_open(&r, comm);
    const struct device_backend *whole = r.device->backend;
    none = *whole;
    none.record_begin = NULL;
    if (comm->rank == 1)
        r.device->backend = &none;
    run(&r, 'd');
    CHECK(r.graph.off, "rank %d tries again", comm->rank);
    runs(&r, "dd");
    r.device->backend = whole;
    rank_close(&r);
    return FARSUM_OK;
}

static void no_graphs(void)
{
    CHECK(ranks_run(RANKS, NULL, work_none, NULL) == 0, "a rank");
}

/* A rank cannot launch its graph: the others' devices wait for it, until all
 * know.  Graphs are dropped before the exchanges are aborted. */
static farsum_status work_replay_fails(struct comm *comm, void *data)
{
    struct rank r;
    (void)data;
    rank_open(&r, comm);
    struct driver *d = r.device->inside;
    runs(&r, "dcr");
    if (comm->rank == 1)
        d->graphs.graph_launch = no_launch;
    CHECK_FAILS(rank_run(&r), FARSUM_ERR_COMM);
    CHECK_SAYS("rank 1: a graph with exchanges: ");
    CHECK(!r.graph.whole, "the graph of rank %d is left", comm->rank);
    comm_agree(comm, FARSUM_OK);
    CHECK(nccl->comms == 0 && nccl->aborted == RANKS, "%d aborted",
          nccl->aborted);
    rank_close(&r);
    return FARSUM_OK;
}

static void replay_fails(void)
{
    CHECK(ranks_run(RANKS, NULL, work_replay_fails, NULL) == 0, "a rank");
    nccl->aborted = 0;
}

/* An exchange fails while it is captured: nothing is launched. */
static farsum_status work_exchange_fails(struct comm *comm, void *data)
{
    struct rank r;
    (void)data;
    rank_open(&r, comm);
    run(&r, 'd');
    if (comm->rank == 0) {
        nccl->loose = 1;
        nccl->error = 3;
        nccl->fail_rank = 1;
        strcpy(nccl->fail, "send");
    }
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    r.captured = r.done = 0;
    CHECK_FAILS(rank_run(&r), FARSUM_ERR_COMM);
    CHECK_SAYS("rank 1: nccl: an exchange: internal error (3)");
    CHECK(r.captured == 1 && r.done == 0 && !r.graph.whole,
          "rank %d: %d captured, %d done", comm->rank, r.captured, r.done);
    rank_close(&r);
    return FARSUM_OK;
}

static void exchange_fails(void)
{
    CHECK(ranks_run(RANKS, NULL, work_exchange_fails, NULL) == 0, "a rank");
    nccl->loose = nccl->fail[0] = nccl->aborted = 0;
}

int main(void)
{
    fakes_open(&nccl, &driver);
    RUN(together);
    RUN(seconds);
    RUN(capture_fails);
    RUN(no_graphs);
    RUN(replay_fails);
    RUN(exchange_fails);
    CHECK(nccl->bad == 0, "%d calls are forbidden", nccl->bad);
    CHECK(driver->blocks == 0 && driver->streams == 0 && driver->contexts == 0
              && driver->graphs == 0 && driver->kept == 0,
          "%d blocks, %d streams, %d contexts, %d graphs and %d kept are left",
          driver->blocks, driver->streams, driver->contexts, driver->graphs,
          driver->kept);
    return check_end();
}
