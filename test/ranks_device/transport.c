/* SPDX-License-Identifier: Apache-2.0 */
/* transport.c: tests of exchanges between devices, on FARSUM_TEST_DEVICE
 * (default: opencl:0).
 *
 *     test_ranks_device_transport         staged: all ranks use that device
 *     test_ranks_device_transport nccl    rank r uses device r, of two or more
 *
 * Ranks are threads of one process. */
#include "ranks/device/transport_inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"

static const char *device_name = "opencl:0";
static int apart; /* 1: each rank has its own device */

struct job {
    const char *name; /* of the transport */
    int fail_rank;
    int64_t fail_at; /* allocation of fail_rank that fails in create; 0: none */
    int quiet;       /* 1: failures are expected, and contents are not
                        checked */
};

/* Byte k of the part that rank `from` gives to rank `to`. */
static unsigned char byte_of(int from, int to, int64_t k)
{
    return (unsigned char)(31 * from + 7 * to + 3 * k + (k >> 8));
}

static struct device *open_device(int rank)
{
    struct device *device = NULL;
    char name[32];
    snprintf(name, sizeof name, "%.*s:%d", (int)strcspn(device_name, ":"),
             device_name, rank);
    if (device_open(apart ? name : device_name, &device) != FARSUM_OK)
        check_stop("%s", farsum_message());
    return device;
}

/* Bytes from rank a to rank b. */
typedef int64_t trade_bytes(int a, int b, int size);

static int64_t uneven(int a, int b, int size)
{
    (void)size;
    return (5 * a + 3 * b) % 4 * 129 + (a == b) * 7;
}

static int64_t none(int a, int b, int size)
{
    return 0 * (a + b + size);
}

static int64_t to_last(int a, int b, int size)
{
    return b == size - 1 ? 1000 + a : 0;
}

static int64_t to_self(int a, int b, int size)
{
    (void)size;
    return a == b ? 300 : 0;
}

static int64_t to_next(int a, int b, int size)
{
    return b == (a + 1) % size ? 70000 + a : 0;
}

static int64_t even(int a, int b, int size)
{
    return 4096 + 0 * (a + b + size);
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
static farsum_status trade(struct comm *comm, struct device *device,
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

static farsum_status gather(struct comm *comm, struct device *device,
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
static farsum_status work(struct comm *comm, void *data)
{
    static const int64_t gathers[] = {0, 1, 8, 4096, 1 << 14, 40000};
    const struct job *job = data;
    struct device *device = open_device(comm->rank);
    struct transport *t = NULL;
    int64_t held = mem_bytes();
    mem_fail_at(comm->rank == job->fail_rank ? job->fail_at : 0);
    farsum_status status = transport_create(comm, device, job->name, &t);
    mem_fail_at(0);
    for (int k = 0; k < TRADES && status == FARSUM_OK; k++)
        status = trade(comm, device, t, k, 1);
    for (int k = 0; k < 6 && status == FARSUM_OK; k++)
        status = gather(comm, device, t, gathers[k]);
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

static int most_ranks = 5;
static const char *transport; /* the tested one */

static void exchanges(void)
{
    struct job job = {.name = transport};
    for (int size = 1; size <= most_ranks; size++) {
        struct ranks_play play = {.delay = 50, .seed = (uint64_t)size};
        CHECK(ranks_run(size, &play, work, &job) == 0, "%d ranks fail", size);
    }
}

/* The transport that is chosen works. */
static void chosen(void)
{
    struct job job = {0};
    CHECK(ranks_run(2, NULL, work, &job) == 0, "a rank fails");
}

/* A failed call of comm fails on all ranks, except in the last agreement. */
static void calls_fail(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct job job = {.name = "staged", .quiet = 1};
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        int failed = ranks_run(2, &play, work, &job);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 2 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
    }
}

static void allocations_fail(void)
{
    int64_t n = 1;
    for (int failed = 3; failed == 3; n++) {
        struct job job = {.name = "staged", .fail_rank = 1, .fail_at = n,
                          .quiet = 1};
        failed = ranks_run(3, NULL, work, &job);
        CHECK(failed == 3 || (failed == 0 && n > 8),
              "%d ranks failed, allocation %lld", failed, (long long)n);
    }
}

static farsum_status told(void)
{
    return status_fail(FARSUM_ERR_DEVICE, "it is told to fail");
}

static farsum_status bad_upload(struct device *device, void *to, int64_t offset,
                                const void *from, int64_t bytes)
{
    (void)device, (void)to, (void)offset, (void)from, (void)bytes;
    return told();
}

static farsum_status bad_download(struct device *device, void *to, void *from,
                                  int64_t offset, int64_t bytes)
{
    (void)device, (void)to, (void)offset, (void)from, (void)bytes;
    return told();
}

static farsum_status bad_copy(struct device *device, void *to,
                              int64_t to_offset, void *from,
                              int64_t from_offset, int64_t bytes)
{
    (void)device, (void)to, (void)to_offset, (void)from, (void)from_offset,
        (void)bytes;
    return told();
}

/* Which function of rank 1's device fails. */
enum bad { UPLOAD, DOWNLOAD, COPY, BADS };

/* An exchange in which rank 1's device fails, then one that works. */
static void one_bad(struct comm *comm, struct device *device,
                    struct transport *t, enum bad which, int gathers)
{
    enum { BYTES = 1000 };
    struct device_backend bad = *device->backend;
    const struct device_backend *good = device->backend;
    struct buf send = {0}, got = {0};
    int64_t parts[4] = {BYTES, BYTES, BYTES, BYTES};
    bad.upload = which == UPLOAD ? bad_upload : bad.upload;
    bad.download = which == DOWNLOAD ? bad_download : bad.download;
    bad.copy = which == COPY ? bad_copy : bad.copy;
    CHECK_OK(buf_alloc(&send, device, comm->size * BYTES));
    CHECK_OK(buf_alloc(&got, device, comm->size * BYTES));
    CHECK_OK(buf_fill(&send, 1));
    if (comm->rank == 1)
        device->backend = &bad;
    for (int again = 0; again < 2; again++) {
        if (gathers)
            CHECK_OK(transport_gather(t, &send, &got, BYTES));
        else
            CHECK_OK(
                transport_trade(t, COMM_ROUTE, &send, parts, &got, parts));
    }
    device->backend = good;
    farsum_status status = comm_agree(comm, FARSUM_OK);
    CHECK(status == FARSUM_ERR_DEVICE, "status %d", status);
    CHECK_SAYS("rank 1: it is told to fail");
    buf_clear(&send);
    buf_clear(&got);
    CHECK_OK(trade(comm, device, t, 0, 0));
    CHECK_OK(gather(comm, device, t, 100));
}

static farsum_status work_bad(struct comm *comm, void *data)
{
    struct device *device = open_device(comm->rank);
    struct transport *t = NULL;
    (void)data;
    CHECK_OK(transport_create(comm, device, "staged", &t));
    CHECK_OK(comm_agree(comm, transport_reserve(t, 1 << 20, 1 << 20)));
    for (enum bad which = 0; which < BADS; which++)
        one_bad(comm, device, t, which, 0);
    one_bad(comm, device, t, UPLOAD, 1);
    one_bad(comm, device, t, DOWNLOAD, 1);
    transport_destroy(t);
    device_close(device);
    return FARSUM_OK;
}

static void devices_fail(void)
{
    CHECK(ranks_run(3, NULL, work_bad, NULL) == 0, "a rank fails");
}

/* Rank 1 reserved too little: all ranks fail, and none waits. */
static farsum_status work_small(struct comm *comm, void *data)
{
    struct device *device = open_device(comm->rank);
    struct transport *t = NULL;
    int64_t bytes = comm->rank == 1 ? 10 : 1 << 20;
    (void)data;
    CHECK_OK(transport_create(comm, device, "staged", &t));
    CHECK_OK(transport_reserve(t, bytes, bytes));
    CHECK_FAILS(trade(comm, device, t, 0, 0), FARSUM_ERR_INTERNAL);
    CHECK_OK(trade(comm, device, t, 0, 1));
    mem_fail_at(1);
    CHECK_FAILS(transport_reserve(t, 1 << 24, 1 << 24), FARSUM_ERR_MEMORY);
    mem_fail_at(0);
    CHECK_OK(trade(comm, device, t, 0, 0));
    transport_destroy(t);
    device_close(device);
    return FARSUM_OK;
}

static void too_small(void)
{
    CHECK(ranks_run(3, NULL, work_small, NULL) == 0, "a rank fails");
}

static farsum_status work_names(struct comm *comm, void *data)
{
    struct device *device = open_device(comm->rank);
    struct transport *t = NULL;
    int nccl = strncmp(device->name, "opencl", 6) != 0;
    (void)data;
    CHECK_FAILS(transport_create(comm, device, comm->rank == 1 ? "stage"
                                 : "staged", &t), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("rank 1: transport \"stage\" is not known; did you mean "
               "staged? (known: nccl, staged)");
    CHECK_FAILS(transport_create(comm, device, comm->rank == 1 ? NULL
                                 : "staged", &t), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("different names");
    if (!apart)
        CHECK_FAILS(transport_create(comm, device, "nccl", &t),
                    FARSUM_ERR_UNSUPPORTED);
    if (!nccl)
        CHECK_SAYS("rank 0: transport nccl runs only on cuda and hip, not on ");
    CHECK(!t, "a transport was made");
    CHECK_OK(transport_create(comm, device, NULL, &t));
    CHECK(strcmp(transport_name(t), apart ? "nccl" : "staged") == 0,
          "chosen: %s", transport_name(t));
    transport_destroy(t);
    transport_destroy(NULL);
    device_close(device);
    return FARSUM_OK;
}

static void names(void)
{
    CHECK(ranks_run(2, NULL, work_names, NULL) == 0, "a rank fails");
}

/* Leaves the program unless there are devices. */
static int prepare(int nccl)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct device *device = NULL;
    int n = 1;
    if (name && *name)
        device_name = name;
    farsum_status status = device_open(device_name, &device);
    if (status == FARSUM_OK)
        status = device_count(device->backend, &n);
    if (status == FARSUM_OK && nccl
        && (n < 2 || strncmp(device->name, "opencl", 6) == 0))
        status = status_fail(FARSUM_ERR_UNSUPPORTED, "nccl requires two GPUs");
    if (status == FARSUM_OK && nccl)
        status = transport_nccl.fits(device); /* the library may be missing */
    device_close(device);
    if (status == FARSUM_OK && nccl) {
        apart = 1;
        most_ranks = n;
    }
    return status == FARSUM_OK;
}

int main(int argc, char **argv)
{
    int nccl = argc > 1 && strcmp(argv[1], "nccl") == 0;
    if (!prepare(nccl)) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    transport = nccl ? "nccl" : "staged";
    RUN(exchanges);
    RUN(chosen);
    RUN(names);
    if (nccl)
        return check_end();
    RUN(devices_fail);
    RUN(too_small);
    RUN(calls_fail);
    RUN(allocations_fail);
    return check_end();
}
