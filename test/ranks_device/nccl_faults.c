/* SPDX-License-Identifier: Apache-2.0 */
/* nccl_faults.c: transport nccl on a simulated library and driver: its calls
 * fail, and it uses the device's current queue. */
#include "ranks/device/transport.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "device/driver/driver.h"
#include "device/graph.h"
#include "device/second_stream.h"
#include "ranks/comm_threads.h"
#include "ranks_device/fakes.h"

static struct fake_nccl *nccl;
static struct fake *driver;

enum { BYTES = 100, RANKS = 2 };

/* A rank with a device and a transport. */
struct rank {
    struct comm *comm;
    struct device *device;
    struct transport *t;
    struct buf send, got;
    int64_t bytes; /* of each part */
};

static void rank_open(struct rank *r, struct comm *comm, int number)
{
    char name[16];
    *r = (struct rank){.comm = comm, .bytes = BYTES};
    snprintf(name, sizeof name, "cuda:%d", number);
    if (device_open(name, &r->device) != FARSUM_OK)
        check_stop("%s", farsum_message());
    CHECK_OK(buf_alloc(&r->send, r->device, RANKS * BYTES));
    CHECK_OK(buf_alloc(&r->got, r->device, RANKS * BYTES));
    CHECK_OK(buf_fill(&r->send, 1 + comm->rank));
}

static void rank_close(struct rank *r)
{
    transport_destroy(r->t);
    buf_clear(&r->send);
    buf_clear(&r->got);
    device_close(r->device);
}

static farsum_status rank_trade(struct rank *r)
{
    const int64_t parts[RANKS] = {r->bytes, r->bytes};
    return transport_trade(r->t, COMM_PLANES, &r->send, parts, &r->got, parts);
}

static void rank_check(struct rank *r)
{
    unsigned char got[RANKS * BYTES];
    CHECK_OK(buf_download(&r->got, 0, got, sizeof got));
    CHECK(got[0] == 1 && got[BYTES] == 2 && got[2 * BYTES - 1] == 2,
          "rank %d got %d and %d", r->comm->rank, got[0], got[BYTES]);
    CHECK_OK(buf_fill(&r->got, 0));
}

/* Rank 1's call `word` fails from now on. */
static void fail(const char *word)
{
    snprintf(nccl->fail, sizeof nccl->fail, "%s", word);
    nccl->fail_rank = 1;
    nccl->error = 3;
}

/* data: 1 if the transport is named. */
static farsum_status work_create(struct comm *comm, void *data)
{
    struct rank r;
    int named = *(int *)data;
    rank_open(&r, comm, comm->rank);
    farsum_status status =
        transport_create(comm, r.device, named ? "nccl" : NULL, &r.t);
    if (named) {
        CHECK(status == FARSUM_ERR_DEVICE && !r.t, "status %d", status);
        CHECK_SAYS("rank 1: nccl: connecting: internal error (3): it is told "
                   "to fail");
    } else {
        CHECK(status == FARSUM_OK
                  && strcmp(transport_name(r.t), "staged") == 0,
              "status %d", status);
    }
    rank_close(&r);
    return FARSUM_OK;
}

static void connecting_fails(void)
{
    static const char *const words[] = {"init", "poll"};
    for (int k = 0; k < 2; k++)
        for (int named = 0; named < 2; named++) {
            fail(words[k]);
            CHECK(ranks_run(RANKS, NULL, work_create, &named) == 0, "a rank");
            CHECK(nccl->comms == 0, "%d communicators are left", nccl->comms);
        }
    fail("");
    nccl->aborted = 0;
}

/* All ranks know of the failure of one, and end what waits. */
static farsum_status work_exchange(struct comm *comm, void *data)
{
    struct rank r;
    const char *word = data;
    int small = strcmp(word, "small") == 0;
    rank_open(&r, comm, comm->rank);
    CHECK_OK(transport_create(comm, r.device, "nccl", &r.t));
    CHECK_OK(rank_trade(&r));
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    rank_check(&r);
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    if (comm->rank == 0) {
        nccl->loose = 1;
        fail(word);
    }
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    if (small && comm->rank == 1)
        CHECK_OK(buf_alloc(&r.got, r.device, BYTES));
    int64_t bytes = mem_bytes();
    CHECK_OK(rank_trade(&r));
    CHECK_OK(rank_trade(&r));
    CHECK_FAILS(comm_agree(comm, FARSUM_OK), FARSUM_ERR_COMM);
    CHECK_SAYS(small ? "rank 1: nccl: an exchange of 200 bytes in a buffer of"
                       " 100"
                     : "rank 1: nccl: an exchange: internal error (3)");
    /* now memory may be freed */
    comm_agree(comm, FARSUM_OK);
    CHECK(nccl->comms == 0 && nccl->aborted == 2,
          "%d communicators are left, %d aborted", nccl->comms, nccl->aborted);
    CHECK_OK(rank_trade(&r));
    CHECK_FAILS(comm_agree(comm, FARSUM_OK), FARSUM_ERR_COMM);
    CHECK(mem_bytes() == bytes, "an exchange allocates");
    rank_close(&r);
    return FARSUM_OK;
}

static void exchange_fails(void)
{
    static char words[][8] = {"send", "receive", "end", "poll", "small"};
    for (int k = 0; k < 5; k++) {
        nccl->aborted = nccl->loose = 0;
        CHECK(ranks_run(RANKS, NULL, work_exchange, words[k]) == 0, "a rank");
        fail("");
    }
    CHECK(nccl->destroyed == 0 && driver->blocks == 0,
          "%d destroyed, %d blocks", nccl->destroyed, driver->blocks);
    nccl->aborted = nccl->loose = 0;
}

/* A device that hangs: rank 0 waits for it, and all ranks fail.  Or rank 1 is
 * late. */
static farsum_status work_patience(struct comm *comm, void *data)
{
    struct rank r;
    int late = *(int *)data;
    unsigned char got[RANKS * BYTES];
    rank_open(&r, comm, comm->rank);
    CHECK_OK(transport_create(comm, r.device, "nccl", &r.t));
    CHECK_OK(rank_trade(&r));
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    rank_check(&r);
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    if (late && comm->rank == 1)
        usleep(3000000);
    CHECK_OK(rank_trade(&r));
    if (!late && comm->rank == 0) {
        driver->busy = 1;
        CHECK_OK(buf_download(&r.got, 0, got, sizeof got));
    } else if (!late) {
        usleep(800000); /* rank 0 shall lose patience first */
    }
    CHECK_FAILS(comm_agree(comm, FARSUM_OK), FARSUM_ERR_COMM);
    CHECK_SAYS(late ? " waited 1 s for ranks "
                    : "nccl: rank 0 waited 1 s for its device");
    CHECK(comm->broken, "not broken");
    rank_close(&r);
    return FARSUM_OK;
}

static void patience(void)
{
    const struct ranks_play play = {.patience = 1};
    nccl->busy = &driver->busy;
    for (int late = 0; late < 2; late++) {
        nccl->aborted = 0;
        CHECK(ranks_run(RANKS, &play, work_patience, &late) == 0, "a rank");
        CHECK(nccl->comms == 0 && nccl->aborted == 2,
              "%d communicators are left, %d aborted", nccl->comms,
              nccl->aborted);
    }
    nccl->busy = NULL;
    nccl->aborted = nccl->loose = 0;
}

static farsum_status trade_work(void *data)
{
    struct rank *r = data;
    transport_begin(r->t);
    return rank_trade(r);
}

/* The exchange uses the second queue, and is part of graphs. */
static farsum_status work_queues(struct comm *comm, void *data)
{
    struct rank r;
    struct graph graph = {0};
    struct second_stream aside = {0};
    (void)data;
    rank_open(&r, comm, comm->rank);
    struct driver *d = r.device->inside;
    CHECK_OK(transport_create(comm, r.device, NULL, &r.t));
    CHECK(strcmp(transport_name(r.t), "nccl") == 0, "not nccl");
    CHECK_OK(rank_trade(&r));
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    rank_check(&r);
    CHECK(nccl->queue[comm->rank] == d->queue, "another queue");
    CHECK_OK(second_stream_create(&aside, r.device));
    CHECK_OK(second_stream_fork(&aside));
    CHECK_OK(second_stream_run(&aside, trade_work, &r));
    transport_end(r.t);
    CHECK_OK(second_stream_join(&aside));
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    rank_check(&r);
    CHECK(nccl->queue[comm->rank] && nccl->queue[comm->rank] != d->queue,
          "not the second queue");
    int64_t sent = comm->spent[COMM_PLANES].bytes;
    nccl->loose = 1;
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    /* one rank after the other: the simulated driver captures one stream */
    for (int rank = 0; rank < RANKS; rank++) {
        /* directly, captured, replayed twice; the next one differs */
        for (int k = 0; k < 5 && rank == comm->rank; k++) {
            r.bytes = k < 4 ? BYTES : BYTES - 1;
            CHECK_OK(graph_run(&graph, r.device, trade_work, &r));
            transport_end(r.t);
            CHECK((nccl->queue[rank] == d->capture) == (k > 0 && k < 4),
                  "run %d uses another queue", k);
        }
        CHECK_OK(comm_agree(comm, FARSUM_OK));
    }
    sent = comm->spent[COMM_PLANES].bytes - sent;
    CHECK(sent == 5 * BYTES - 1, "%lld bytes are counted", (long long)sent);
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    graph_clear(&graph);
    second_stream_clear(&aside);
    rank_close(&r);
    return FARSUM_OK;
}

static void queues(void)
{
    nccl->sends = nccl->destroyed = 0;
    CHECK(ranks_run(RANKS, NULL, work_queues, NULL) == 0, "a rank");
    CHECK(nccl->sends == RANKS * 5, "%d sends", nccl->sends);
    CHECK(nccl->destroyed == 2 && nccl->aborted == 0 && nccl->comms == 0,
          "%d destroyed, %d aborted", nccl->destroyed, nccl->aborted);
    nccl->loose = 0;
}

/* Two ranks on one device, and a library that is too old. */
static farsum_status work_refused(struct comm *comm, void *data)
{
    struct rank r;
    int old = *(int *)data;
    rank_open(&r, comm, old ? comm->rank : 1);
    CHECK_FAILS(transport_create(comm, r.device, "nccl", &r.t),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS(old ? "rank 0: transport nccl: the library has version 21304"
                   : "transport nccl: ranks 0 and 1 use the same device, "
                     "0000:02:00.0");
    CHECK_OK(transport_create(comm, r.device, NULL, &r.t));
    CHECK(strcmp(transport_name(r.t), "staged") == 0, "not staged");
    rank_close(&r);
    return FARSUM_OK;
}

static void refused(void)
{
    for (int old = 0; old < 2; old++) {
        nccl->version = old ? 21304 : 22809;
        CHECK(ranks_run(RANKS, NULL, work_refused, &old) == 0, "a rank");
    }
    nccl->version = 22809;
}

int main(void)
{
    fakes_open(&nccl, &driver);
    RUN(connecting_fails);
    RUN(exchange_fails);
    RUN(patience);
    RUN(queues);
    RUN(refused);
    CHECK(nccl->bad == 0, "%d calls are forbidden", nccl->bad);
    CHECK(driver->blocks == 0 && driver->streams == 0 && driver->contexts == 0,
          "%d blocks, %d streams and %d contexts are left", driver->blocks,
          driver->streams, driver->contexts);
    return check_end();
}
