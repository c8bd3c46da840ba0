/* SPDX-License-Identifier: Apache-2.0 */
/* transport_cases.c: tests that every transport must pass, on one rank. */
#include "ranks_device/transport_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/trades.h"

const char *device_name = "opencl:0";
int device_apart;

/* Byte k of the part that rank `from` gives to rank `to`. */
static unsigned char byte_of(int from, int to, int64_t k)
{
    return (unsigned char)(31 * from + 7 * to + 3 * k + (k >> 8));
}

struct device *rank_device(int number)
{
    struct device *device = NULL;
    char name[32];
    snprintf(name, sizeof name, "%.*s:%d", (int)strcspn(device_name, ":"),
             device_name, number);
    if (device_open(device_apart ? name : device_name, &device) != FARSUM_OK)
        check_stop("%s", farsum_message());
    return device;
}

static trade_bytes *const trades[] = {uneven,  none,    to_last,
                                      to_self, to_next, even};
enum { TRADES = sizeof trades / sizeof *trades, EXTRA = 16, GUARD = 99 };

/* A rank's arrays of one trade. */
struct arrays {
    int64_t *to, *from;
    int64_t n_to, n_from;
    struct buf send, got; /* got: and EXTRA bytes */
    unsigned char *host;  /* [n_to + n_from + EXTRA] */
};

static void arrays_make(struct arrays *a, struct comm *comm,
                        struct device *device, trade_bytes *bytes)
{
    int me = comm->rank, size = comm->size;
    int64_t at = 0;
    *a = (struct arrays){.to = check_memory((size_t)size, 16)};
    a->from = a->to + size;
    for (int r = 0; r < size; r++) {
        a->n_to += a->to[r] = bytes(me, r, size);
        a->n_from += a->from[r] = bytes(r, me, size);
    }
    a->host = check_memory((size_t)(a->n_to + a->n_from) + EXTRA, 1);
    for (int r = 0; r < size; r++)
        for (int64_t k = 0; k < a->to[r]; k++)
            a->host[at++] = byte_of(me, r, k);
    CHECK_OK(buf_alloc(&a->send, device, a->n_to));
    CHECK_OK(buf_upload(&a->send, 0, a->host, a->n_to));
    CHECK_OK(buf_alloc(&a->got, device, a->n_from + EXTRA));
    CHECK_OK(buf_fill(&a->got, GUARD));
}

static void arrays_check(const struct arrays *a, const struct comm *comm,
                         int number)
{
    unsigned char *got = a->host;
    int64_t bad = 0, at = 0;
    CHECK_OK(buf_download(&a->got, 0, got, a->n_from + EXTRA));
    for (int r = 0; r < comm->size; r++)
        for (int64_t k = 0; k < a->from[r]; k++)
            bad += got[at++] != byte_of(r, comm->rank, k);
    CHECK(bad == 0, "trade %d, rank %d of %d: %lld of %lld bytes are wrong",
          number, comm->rank, comm->size, (long long)bad, (long long)a->n_from);
    for (int k = 0; k < EXTRA; k++)
        CHECK(got[at + k] == GUARD, "trade %d wrote behind the array", number);
}

static void arrays_free(struct arrays *a)
{
    buf_clear(&a->send);
    buf_clear(&a->got);
    free(a->to);
    free(a->host);
}

/* One trade, agreed on.  reserve 0: without memory. */
farsum_status case_trade(struct comm *comm, struct device *device,
                           struct transport *t, int number, int reserve)
{
    struct arrays a;
    arrays_make(&a, comm, device, trades[number]);
    farsum_status status = FARSUM_OK;
    if (reserve)
        status = transport_reserve(t, a.n_to, a.n_from);
    status = comm_agree(comm, status);
    int64_t host = mem_bytes(), there = device->bytes;
    int64_t bytes = comm->spent[COMM_PLANES].bytes;
    if (status == FARSUM_OK) {
        /* an array without elements may be missing */
        CHECK_OK(transport_trade(t, COMM_PLANES, a.n_to ? &a.send : NULL, a.to,
                                 a.n_from ? &a.got : NULL, a.from));
        bytes = comm->spent[COMM_PLANES].bytes - bytes;
        status = comm_agree(comm, FARSUM_OK);
    }
    CHECK(mem_bytes() == host && device->bytes == there, "a trade allocates");
    if (status == FARSUM_OK) {
        CHECK(bytes == a.n_to - a.to[comm->rank], "%lld bytes are counted, not "
              "%lld", (long long)bytes, (long long)(a.n_to - a.to[comm->rank]));
        arrays_check(&a, comm, number);
    }
    arrays_free(&a);
    return status;
}

farsum_status case_gather(struct comm *comm, struct device *device,
                            struct transport *t, int64_t bytes)
{
    struct buf one = {0}, all = {0};
    int size = comm->size;
    unsigned char *host = check_memory((size_t)(size * bytes) + EXTRA, 1);
    for (int64_t k = 0; k < bytes; k++)
        host[k] = byte_of(comm->rank, 0, k);
    CHECK_OK(buf_alloc(&one, device, bytes));
    CHECK_OK(buf_alloc(&all, device, size * bytes + EXTRA));
    CHECK_OK(buf_upload(&one, 0, host, bytes));
    CHECK_OK(buf_fill(&all, GUARD));
    int64_t held = mem_bytes(), counted = comm->spent[COMM_TALK].bytes;
    CHECK_OK(transport_gather(t, &one, &all, bytes));
    counted = comm->spent[COMM_TALK].bytes - counted;
    farsum_status status = comm_agree(comm, FARSUM_OK);
    CHECK(mem_bytes() == held, "a gather allocates");
    if (status == FARSUM_OK) {
        int64_t bad = 0;
        CHECK(counted == bytes * (size - 1), "%lld bytes are counted",
              (long long)counted);
        CHECK_OK(buf_download(&all, 0, host, size * bytes + EXTRA));
        for (int64_t i = 0; i < size * bytes; i++)
            bad += host[i] != byte_of((int)(i / bytes), 0, i % bytes);
        CHECK(bad == 0, "rank %d of %d, %lld bytes each: %lld are wrong",
              comm->rank, size, (long long)bytes, (long long)bad);
        for (int k = 0; k < EXTRA; k++)
            CHECK(host[size * bytes + k] == GUARD, "gather wrote behind");
    }
    buf_clear(&one);
    buf_clear(&all);
    free(host);
    return status;
}

/* Creates a transport and uses it for everything. */
farsum_status transport_cases(struct comm *comm, void *data)
{
    static const int64_t gathers[] = {0, 1, 8, 4096, 1 << 14, 40000};
    const struct job *job = data;
    struct device *device = rank_device(comm->node_rank);
    struct transport *t = NULL;
    int64_t held = mem_bytes();
    mem_fail_at(comm->rank == job->fail_rank ? job->fail_at : 0);
    farsum_status status = transport_create(comm, device, job->name, &t);
    mem_fail_at(0);
    for (int k = 0; k < TRADES && status == FARSUM_OK; k++)
        status = case_trade(comm, device, t, k, 1);
    for (int k = 0; k < 6 && status == FARSUM_OK; k++)
        status = case_gather(comm, device, t, gathers[k]);
    CHECK(!t == (status != FARSUM_OK) || job->quiet, "%s", farsum_message());
    if (t && job->name)
        CHECK(strcmp(transport_name(t), job->name) == 0, "a transport \"%s\"",
              transport_name(t));
    transport_destroy(t);
    CHECK(mem_bytes() == held, "rank %d keeps %lld bytes", comm->rank,
          (long long)(mem_bytes() - held));
    device_close(device);
    return status;
}
