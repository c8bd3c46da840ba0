/* SPDX-License-Identifier: Apache-2.0 */
/* nccl.c: exchanges between GPUs by NVIDIA's NCCL or AMD's RCCL, in the
 * device's queue.  RCCL has not run on hardware.
 *
 * The library copies by kernels, which wait for those of other ranks.  If a
 * rank does not take part, they wait for ever, and freeing memory waits for
 * them.  So each such failure is FARSUM_ERR_COMM, and the library's
 * communicators are aborted on all ranks as soon as these agree on it.
 *
 * A gather consists of sends, because the library's own gather may use NVLink's
 * multicast, which other programs on a shared machine may suffer from.  For
 * more than two GPUs of a machine, NCCL may prepare multicast when it connects;
 * only NCCL_NVLS_ENABLE=0 in the environment prevents this. */
#include "ranks/device/transport_inside.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "device/dl.h"
#include "device/driver/driver.h"

/* From nccl.h. */
enum { IN_PROGRESS = 7, BYTES = 0, LEAST_VERSION = 21400 };
struct nccl_id {
    char bytes[128];
};
/* The fields of version 2.14.  Later versions set those that follow to their
 * defaults. */
struct nccl_config {
    size_t size;
    unsigned magic, version;
    int blocking;
};

enum { PATIENCE = 600, END_PATIENCE = 30 }; /* seconds */

struct nccl_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "ranks/device/nccl.sym"
#undef SYM
};

struct nccl {
    struct comm_guard guard; /* aborts; the first member */
    struct driver_watch watch; /* with patience */
    struct comm *ranks;        /* borrowed */
    struct nccl_api api;
    struct driver *driver;   /* borrowed */
    void *comm;              /* owned, the library's */
    int failed; /* 1: other ranks' kernels may wait for this rank */
};

static int is_hip(const struct device *device)
{
    return strcmp(device->backend->name, "hip") == 0;
}

static farsum_status nccl_open(const struct device *device,
                               struct nccl_api *api)
{
    static const char *const cuda[] = {"libnccl.so.2", "libnccl.so", NULL};
    static const char *const cuda_folders[] = {"/usr/local/cuda/lib64", NULL};
    static const char *const hip[] = {"librccl.so.1", "librccl.so", NULL};
    static const char *const hip_folders[] = {"/opt/rocm/lib", NULL};
    static const char *const symbols[] = {
#define SYM(result, name, parameters) #name,
#include "ranks/device/nccl.sym"
#undef SYM
        NULL};
    int other = is_hip(device), version = 0;
    void *library = NULL; /* stays loaded: its threads may still run */
    TRY(dl_open(&library, other ? hip : cuda,
                other ? hip_folders : cuda_folders, symbols, (void **)api));
    if (api->ncclGetVersion(&version) != 0 || version < LEAST_VERSION)
        FAIL(ERR_DEVICE, "the library has version %d, and %d is the oldest "
             "supported", version, LEAST_VERSION);
    return FARSUM_OK;
}

static farsum_status nccl_fits(const struct device *device)
{
    struct nccl_api api;
    if (strcmp(device->backend->name, "cuda") != 0 && !is_hip(device))
        FAIL(ERR_UNSUPPORTED, "transport nccl runs only on cuda and hip, not "
             "on %s", device->name);
    if (nccl_open(device, &api) != FARSUM_OK)
        return status_prefix(FARSUM_ERR_UNSUPPORTED, "transport nccl");
    return FARSUM_OK;
}

/* Fails with `code`, with the library's words for its error. */
static farsum_status nccl_status(const struct nccl *n, farsum_status code,
                                 int error, const char *what)
{
    if (error == 0)
        return FARSUM_OK;
    if (error == IN_PROGRESS)
        return status_fail(code, "nccl: %s: it did not end in time; did "
                           "another rank fail?", what);
    char words[200] = "";
    const char *last = n->api.ncclGetLastError(NULL);
    strncpy(words, last ? last : "", sizeof words - 1);
    words[strcspn(words, "\n")] = 0;
    return status_fail(code, "nccl: %s: %s (%d)%s%s", what,
                       n->api.ncclGetErrorString(error), error,
                       words[0] ? ": " : "", words);
}

/* Waits until the library has done its part of a call on the host.  Returns its
 * error; IN_PROGRESS after that many seconds. */
static int nccl_wait(const struct nccl *n, double seconds)
{
    double start = clock_seconds(), spent = 0;
    for (;;) {
        int state = 0;
        int error = n->api.ncclCommGetAsyncError(n->comm, &state);
        if (error != 0 || state != IN_PROGRESS)
            return error != 0 ? error : state;
        spent = clock_seconds() - start;
        if (spent > seconds)
            return IN_PROGRESS;
        if (spent < 1e-3)
            sched_yield();
        else
            usleep(100);
    }
}

/* Ends all kernels that wait. */
static void nccl_abort(struct nccl *n)
{
    int before = 0;
    n->failed = 1;
    if (!n->comm || driver_enter(n->driver, &before) != FARSUM_OK)
        return;
    n->api.ncclCommAbort(n->comm);
    n->comm = NULL;
    (void)!driver_leave(n->driver, before, 0, "");
}

static void nccl_broke(struct comm_guard *guard)
{
    nccl_abort((struct nccl *)guard);
}

/* While this host waits for its device.  Its kernels end after the abort, so
 * the host goes on, to the next agreement. */
static void nccl_look(struct driver_watch *watch, double waited)
{
    struct nccl *n =
        (struct nccl *)((char *)watch - offsetof(struct nccl, watch));
    farsum_status status = FARSUM_OK;
    int error = 0;
    if (n->failed || !n->comm)
        return;
    if (n->api.ncclCommGetAsyncError(n->comm, &error) == 0 && error != 0
        && error != IN_PROGRESS)
        status = nccl_status(n, FARSUM_ERR_COMM, error, "an exchange");
    else if (waited > n->ranks->patience)
        status = status_fail(FARSUM_ERR_COMM,
                             "nccl: rank %d waited %g s for "
                             "its device, or for exchanges with others",
                             n->ranks->rank, n->ranks->patience);
    if (status == FARSUM_OK)
        return;
    comm_remember(n->ranks, status);
    comm_let_go(n->ranks);
}

/* Seconds of a wait that by default takes up to `most`. */
static double patience_of(const struct nccl *n, double most)
{
    double own = n->ranks->patience;
    return own > 0 && own < most ? own : most;
}

static farsum_status nccl_make(struct transport *t, struct nccl_id *id)
{
    struct nccl *n = NULL;
    int before = 0;
    TRY(MEM_NEW(n, 1));
    t->inside = n;
    n->driver = t->device->inside;
    n->ranks = t->comm;
    n->watch.look = nccl_look;
    if (t->comm->patience > 0)
        driver_watch_add(n->driver, &n->watch);
    n->guard.broke = nccl_broke;
    comm_guard_add(t->comm, &n->guard);
    TRY(nccl_open(t->device, &n->api));
    if (t->comm->rank != 0)
        return FARSUM_OK;
    TRY(driver_enter(n->driver, &before));
    int error = n->api.ncclGetUniqueId(id);
    TRY(driver_leave(n->driver, before, 0, ""));
    return nccl_status(n, FARSUM_ERR_DEVICE, error, "making a number");
}

/* Begins to connect; the library continues in a thread. */
static farsum_status nccl_begin(struct transport *t, const struct nccl_id *id)
{
    struct nccl *n = t->inside;
    struct nccl_config config = {sizeof config, 0xcafebeef, LEAST_VERSION, 0};
    int before = 0;
    TRY(driver_enter(n->driver, &before));
    int error = n->api.ncclCommInitRankConfig(&n->comm, t->comm->size, *id,
                                              t->comm->rank, &config);
    TRY(driver_leave(n->driver, before, 0, ""));
    if (error == IN_PROGRESS || error == 0)
        return FARSUM_OK;
    return nccl_status(n, FARSUM_ERR_DEVICE, error, "connecting");
}

enum { STEP = 20 }; /* ms in which ranks connect before they agree */

/* waits: 1 if this rank is not connected yet. */
static farsum_status nccl_step(const struct nccl *n, double *waits)
{
    int before = 0;
    TRY(driver_enter(n->driver, &before));
    int error = nccl_wait(n, 1e-3 * STEP);
    TRY(driver_leave(n->driver, before, 0, ""));
    *waits = error == IN_PROGRESS;
    return error == IN_PROGRESS
               ? FARSUM_OK
               : nccl_status(n, FARSUM_ERR_DEVICE, error, "connecting");
}

/* Waits until all ranks are connected, or one has failed: the others would wait
 * for it. */
static farsum_status nccl_connect(struct transport *t, farsum_status status)
{
    for (int step = 0; step < PATIENCE * 1000 / STEP; step++) {
        double waits = 0;
        if (status == FARSUM_OK)
            status = nccl_step(t->inside, &waits);
        (void)!comm_max(t->comm, &waits, 1);
        TRY(comm_agree(t->comm, status));
        if (waits == 0)
            return FARSUM_OK;
    }
    FAIL(ERR_DEVICE, "nccl: connecting takes more than %d s", PATIENCE);
}

static farsum_status nccl_create(struct transport *t)
{
    struct nccl_id id = {{0}};
    TRY(comm_agree(t->comm, nccl_make(t, &id)));
    TRY(comm_share(t->comm, &id, sizeof id));
    farsum_status status = nccl_connect(t, nccl_begin(t, &id));
    if (status != FARSUM_OK)
        nccl_abort(t->inside);
    return status;
}

/* The device must be current.  Kernels that other ranks still need are waited
 * for. */
static int nccl_end(struct nccl *n)
{
    int error = n->api.ncclCommFinalize(n->comm);
    if (error == 0 || error == IN_PROGRESS)
        error = nccl_wait(n, patience_of(n, END_PATIENCE));
    return error != 0 ? error : n->api.ncclCommDestroy(n->comm);
}

static void nccl_destroy(struct transport *t)
{
    struct nccl *n = t->inside;
    int before = 0;
    if (!n)
        return;
    comm_guard_remove(t->comm, &n->guard);
    driver_watch_remove(n->driver, &n->watch);
    if (n->comm && !n->failed && !t->comm->broken
        && driver_enter(n->driver, &before) == FARSUM_OK) {
        if (nccl_end(n) == 0)
            n->comm = NULL;
        (void)!driver_leave(n->driver, before, 0, "");
    }
    nccl_abort(n);
    mem_free(n);
    t->inside = NULL;
}

/* What goes to the ranks, or comes from them. */
struct side {
    char *at;
    const int64_t *parts; /* bytes, one part after the other; or NULL: */
    int64_t bytes, step;  /* of each part, and from one to the next */
};

static int nccl_parts(const struct transport *t, struct side send,
                      struct side got)
{
    const struct nccl *n = t->inside;
    int me = t->comm->rank, error = 0;
    for (int r = 0; r < t->comm->size; r++) {
        int64_t to = send.parts ? send.parts[r] : send.bytes;
        int64_t from = got.parts ? got.parts[r] : got.bytes;
        if (r != me && to > 0 && error == 0)
            error = n->api.ncclSend(send.at, (size_t)to, BYTES, r, n->comm,
                                    n->driver->queue);
        if (r != me && from > 0 && error == 0)
            error = n->api.ncclRecv(got.at, (size_t)from, BYTES, r, n->comm,
                                    n->driver->queue);
        send.at += send.parts ? to : send.step;
        got.at += got.parts ? from : got.step;
    }
    return error;
}

/* Enqueues the exchange.  If the library fails, this rank is missing in it. */
static farsum_status nccl_group(const struct transport *t, struct side send,
                                struct side got)
{
    struct nccl *n = t->inside;
    int before = 0;
    if (n->failed)
        FAIL(ERR_COMM, "nccl: an exchange failed before");
    n->failed = 1;
    if (driver_enter(n->driver, &before) != FARSUM_OK)
        return status_prefix(FARSUM_ERR_COMM, "nccl");
    int error = n->api.ncclGroupStart();
    if (error == 0) {
        error = nccl_parts(t, send, got);
        int ended = n->api.ncclGroupEnd();
        error = error != 0 ? error : ended;
    }
    if (error == 0 || error == IN_PROGRESS)
        error = nccl_wait(n, patience_of(n, PATIENCE));
    if (driver_leave(n->driver, before, 0, "") != FARSUM_OK)
        return status_prefix(FARSUM_ERR_COMM, "nccl");
    TRY(nccl_status(n, FARSUM_ERR_COMM, error, "an exchange"));
    n->failed = 0;
    return FARSUM_OK;
}

/* A rank whose buffer is too small cannot take part. */
static farsum_status check_bytes(const struct transport *t,
                                 const struct buf *buf, int64_t bytes)
{
    struct nccl *n = t->inside;
    if (bytes == 0 || (buf && buf->device && bytes <= buf->bytes))
        return FARSUM_OK;
    n->failed = 1;
    FAIL(ERR_COMM, "nccl: an exchange of %lld bytes in a buffer of %lld",
         (long long)bytes, (long long)(buf ? buf->bytes : 0));
}

static char *address(const struct buf *buf)
{
    return buf ? buf->handle : NULL;
}

static farsum_status nccl_trade(struct transport *t, enum comm_part part,
                                const struct buf *send, const int64_t *to,
                                struct buf *got, const int64_t *from)
{
    int size = t->comm->size, me = t->comm->rank;
    int64_t sent = transport_before(to, size);
    int64_t received = transport_before(from, size);
    (void)part; /* transport.c counts */
    TRY(check_bytes(t, send, sent));
    TRY(check_bytes(t, got, received));
    farsum_status status = transport_own(t, send, to, got, from);
    if (sent > to[me] || received > from[me])
        KEEP_ON(nccl_group(t, (struct side){address(send), to, 0, 0},
                           (struct side){address(got), from, 0, 0}));
    return status;
}

static farsum_status nccl_gather(struct transport *t, const struct buf *one,
                                 struct buf *all, int64_t bytes)
{
    int size = t->comm->size, me = t->comm->rank;
    TRY(check_bytes(t, one, bytes));
    TRY(check_bytes(t, all, size * bytes));
    farsum_status status = buf_copy(all, me * bytes, one, 0, bytes);
    if (size > 1)
        KEEP_ON(nccl_group(t, (struct side){address(one), NULL, bytes, 0},
                           (struct side){address(all), NULL, bytes, bytes}));
    return status;
}

const struct transport_calls transport_nccl = {
    .name = "nccl",
    .fits = nccl_fits,
    .apart = 1,
    .create = nccl_create,
    .destroy = nccl_destroy,
    .trade = nccl_trade,
    .gather = nccl_gather,
    .captured = 1,
};
