/* SPDX-License-Identifier: Apache-2.0 */
/* transport.c: tests of exchanges between devices, on FARSUM_TEST_DEVICE
 * (default: opencl:0).
 *
 *     test_ranks_device_transport         staged: all ranks use that device
 *     test_ranks_device_transport nccl    rank r uses device r, of two or more
 *
 * Ranks are threads of one process. */
#include "ranks_device/transport_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"

static int most_ranks = 5;
static const char *transport; /* the tested one */

static void exchanges(void)
{
    struct job job = {.name = transport};
    for (int size = 1; size <= most_ranks; size++) {
        struct ranks_play play = {.delay = 50, .seed = (uint64_t)size};
        int failed = ranks_run(size, &play, transport_cases, &job);
        CHECK(failed == 0, "%d of %d ranks fail", failed, size);
    }
}

/* The transport that is chosen works. */
static void chosen(void)
{
    struct job job = {0};
    CHECK(ranks_run(2, NULL, transport_cases, &job) == 0, "a rank fails");
}

/* A failed call of comm fails on all ranks, except in the last agreement. */
static void calls_fail(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct job job = {.name = "staged", .quiet = 1};
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        int failed = ranks_run(2, &play, transport_cases, &job);
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
        failed = ranks_run(3, NULL, transport_cases, &job);
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
    CHECK_OK(case_trade(comm, device, t, 0, 0));
    CHECK_OK(case_gather(comm, device, t, 100));
}

static farsum_status work_bad(struct comm *comm, void *data)
{
    struct device *device = rank_device(comm->rank);
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
    struct device *device = rank_device(comm->rank);
    struct transport *t = NULL;
    int64_t bytes = comm->rank == 1 ? 10 : 1 << 20;
    (void)data;
    CHECK_OK(transport_create(comm, device, "staged", &t));
    CHECK_OK(transport_reserve(t, bytes, bytes));
    CHECK_FAILS(case_trade(comm, device, t, 0, 0), FARSUM_ERR_INTERNAL);
    CHECK_OK(case_trade(comm, device, t, 0, 1));
    mem_fail_at(1);
    CHECK_FAILS(transport_reserve(t, 1 << 24, 1 << 24), FARSUM_ERR_MEMORY);
    mem_fail_at(0);
    CHECK_OK(case_trade(comm, device, t, 0, 0));
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
    struct device *device = rank_device(comm->rank);
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
    if (!device_apart)
        CHECK_FAILS(transport_create(comm, device, "nccl", &t),
                    FARSUM_ERR_UNSUPPORTED);
    if (!nccl)
        CHECK_SAYS("rank 0: transport nccl runs only on cuda and hip, not on ");
    CHECK(!t, "a transport was made");
    CHECK_OK(transport_create(comm, device, NULL, &t));
    CHECK(strcmp(transport_name(t), device_apart ? "nccl" : "staged") == 0,
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
        device_apart = 1;
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
