/* SPDX-License-Identifier: Apache-2.0 */
/* rank_device.c: a device and a transport for each rank of a test. */
#include "ranks_device/rank_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/device.h"

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

const char *rank_device_name(void)
{
    return setting("FARSUM_TEST_DEVICE", "opencl:0");
}

/* PoCL's cache of loaded kernels (pocl_release_dlhandle_cache, versions 3.1 to
 * 5.0) mistakes one grid's kernel for another's if two threads run a kernel
 * simultaneously, and aborts.  So ranks take turns to launch. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const struct device_backend *opencl;
static struct device_backend in_turn;

static farsum_status launch_in_turn(struct device *device,
                                    const struct launch *what)
{
    pthread_mutex_lock(&turn);
    farsum_status status = opencl->launch(device, what);
    if (status == FARSUM_OK)
        status = opencl->finish(device);
    pthread_mutex_unlock(&turn);
    return status;
}

void rank_device_turns(struct device *device)
{
    if (strcmp(device->backend->name, "opencl") != 0)
        return;
    pthread_mutex_lock(&turn);
    if (!opencl) {
        opencl = device->backend;
        in_turn = *opencl;
        in_turn.launch = launch_in_turn;
    }
    pthread_mutex_unlock(&turn);
    device->backend = &in_turn;
}

/* Sets `name` to that of the rank's device.  The caller has the turn. */
static farsum_status name_of(int rank, char *name, size_t size)
{
    static int devices; /* 0: not counted yet */
    const char *given = rank_device_name();
    snprintf(name, size, "%s", given);
    if (strchr(given, ':'))
        return FARSUM_OK;
    if (devices == 0) {
        struct device *first = NULL;
        TRY(device_open(given, &first));
        farsum_status status = device_count(first->backend, &devices);
        device_close(first);
        TRY(status);
    }
    snprintf(name, size, "%s:%d", given, rank % devices);
    return FARSUM_OK;
}

farsum_status rank_device_open(struct rank_device *of, struct comm *comm)
{
    *of = (struct rank_device){NULL, NULL};
    /* PoCL may count no devices while another thread opens the first one */
    pthread_mutex_lock(&turn);
    char name[64];
    farsum_status status = name_of(comm->rank, name, sizeof name);
    if (status == FARSUM_OK)
        status = device_open(name, &of->device);
    pthread_mutex_unlock(&turn);
    status = comm_agree(comm, status);
    CHECK(status == FARSUM_OK, "%s", farsum_message());
    TRY(status);
    rank_device_turns(of->device);
    return transport_create(comm, of->device,
                            setting("FARSUM_TEST_TRANSPORT", "staged"),
                            &of->transport);
}

farsum_status rank_device_public(int rank, farsum_device **device)
{
    char name[64];
    pthread_mutex_lock(&turn);
    farsum_status status = name_of(rank, name, sizeof name);
    if (status == FARSUM_OK)
        status = farsum_device_open(name, device);
    pthread_mutex_unlock(&turn);
    TRY(status);
    rank_device_turns((*device)->device);
    return FARSUM_OK;
}

void rank_device_close(struct rank_device *of)
{
    transport_destroy(of->transport);
    if (of->device)
        CHECK(of->device->bytes == 0, "%lld bytes are kept",
              (long long)of->device->bytes);
    device_close(of->device);
}

farsum_status rank_device_put(struct rank_device *of, struct buf *buf,
                              const void *from, int64_t bytes)
{
    TRY(buf_reserve(buf, of->device, bytes));
    return buf_upload(buf, 0, from, bytes);
}

farsum_status rank_array_put(struct rank_device *of, int there,
                             struct rank_array *array, void *here,
                             int64_t bytes)
{
    array->at = bytes > 0 ? here : NULL;
    if (!there)
        return FARSUM_OK;
    TRY(rank_device_put(of, &array->buf, here, bytes));
    array->at = bytes > 0 ? array->buf.handle : NULL;
    return FARSUM_OK;
}

farsum_status rank_array_get(const struct rank_array *array, void *here,
                             int64_t bytes)
{
    if (!array->buf.device || bytes == 0)
        return FARSUM_OK;
    return buf_download(&array->buf, 0, here, bytes);
}
