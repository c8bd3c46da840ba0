/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: the table of back ends, and devices by name. */
#include "device/device.h"

#include "base/fork.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "device/compile/jit_late.h"
#include "device/graph.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKEND(name, note) extern const struct device_backend device_##name;
#include "device/backends.def"
#undef BACKEND

const struct device_backend *const device_backends[] = {
#define BACKEND(name, note) &device_##name,
#include "device/backends.def"
#undef BACKEND
    NULL};

int device_is_host(const char *name)
{
    return !name || strcmp(name, "host") == 0;
}

static farsum_status device_unknown(const char *name)
{
    static const char *const names[] = {
        "host",
#define BACKEND(name, note) #name,
#include "device/backends.def"
#undef BACKEND
        NULL};
    return text_unknown("device", name, names);
}

/* Splits "cuda:1" or "cuda" into back end and index. */
static farsum_status device_parse(const char *name,
                                  const struct device_backend **backend,
                                  int *index)
{
    size_t length = strcspn(name, ":");
    uint64_t k = 0;
    if (name[length]) {
        const char *end;
        if (number_count(name + length + 1, &end, &k) != NUMBER_OK || *end
            || k > 9999)
            FAIL(ERR_UNKNOWN,
                 "device \"%s\": after the colon there must be a number from "
                 "0 on",
                 name);
    }
    for (int b = 0; device_backends[b]; b++)
        if (strlen(device_backends[b]->name) == length
            && strncmp(device_backends[b]->name, name, length) == 0) {
            *backend = device_backends[b];
            *index = (int)k;
            return FARSUM_OK;
        }
    return device_unknown(name);
}

farsum_status device_adopt(const char *name, void *context, void *queue,
                           struct device **device)
{
    farsum_status status = FARSUM_OK;
    const struct device_backend *backend = NULL;
    struct device *d = NULL;
    int index = 0, n = 0;
    TRY(device_parse(name, &backend, &index));
    status = device_count(backend, &n);
    if (status != FARSUM_OK)
        return status_prefix(status, "device %s", name);
    if (index >= n)
        FAIL(ERR_DEVICE, "device %s does not exist: %s has %d of them", name,
             backend->name, n);
    TRY(MEM_NEW(d, 1));
    d->backend = backend;
    d->forks = fork_count();
    snprintf(d->name, sizeof d->name, "%s:%d", backend->name, index);
    status = backend->open(d, index, context, queue);
    if (status != FARSUM_OK) {
        mem_free(d);
        return status_prefix(status, "device %s", name);
    }
    *device = d;
    return FARSUM_OK;
}

farsum_status device_open(const char *name, struct device **device)
{
    return device_adopt(name, NULL, NULL, device);
}

void device_close(struct device *device)
{
    if (!device)
        return;
    if (device_usable(device) != FARSUM_OK)
        return;
    device->backend->close(device);
    mem_free(device);
}

farsum_status device_usable(const struct device *device)
{
    if (!device || device->forks == fork_count())
        return FARSUM_OK;
    FAIL(ERR_STATE,
         "device %s was opened before this process was forked; open devices "
         "and make plans on them in the process that uses them",
         device->name);
}

/* 1 + fork_count() at the first use of a driver; 0: none was used. */
static atomic_int driver_forks;

farsum_status device_count(const struct device_backend *backend, int *n)
{
    int now = 1 + fork_count(), first = atomic_load(&driver_forks);
    if (first && first != now)
        FAIL(ERR_DEVICE,
             "this process was forked from one that used devices; their "
             "drivers do not work here: use them in the child only, or start "
             "a program by exec");
    farsum_status status = backend->count(n);
    if (status == FARSUM_OK && !first)
        atomic_store(&driver_forks, now);
    return status;
}

farsum_status device_finish(struct device *device)
{
    TRY(graph_refuses(device, "waiting"));
    return device->backend->finish(device);
}

farsum_status device_nested(struct device *device)
{
    if (!device->backend->nested)
        FAIL(ERR_UNSUPPORTED, "%s has no kernels that launch kernels",
             device->name);
    return device->backend->nested(device);
}

farsum_status device_managed(struct device *device)
{
    if (!device->backend->managed)
        FAIL(ERR_UNSUPPORTED,
             "%s: host and device share no memory on this system",
             device->name);
    return device->backend->managed(device);
}

void device_gather(struct device *device)
{
    if (device)
        device->gathers = 1;
}

farsum_status device_settle(struct device *device, farsum_status status)
{
    if (!device)
        return status;
    device->gathers = 0;
    while (status == FARSUM_OK && device->late)
        status = jit_late_settle(device->late);
    return status;
}

farsum_status kernel_launch(const struct kernel *kernel, int64_t groups,
                            int n_args, const struct arg *args)
{
    struct launch what = {kernel->handle, groups, kernel->group,
                          kernel->arena,  n_args, args};
    if (kernel->late)
        TRY(jit_late_handle(kernel->late, kernel->slot, &what.kernel));
    if (graph_notes_launch(kernel->device, &what))
        return FARSUM_OK;
    farsum_status status = kernel->device->backend->launch(kernel->device,
                                                           &what);
    if (status != FARSUM_OK)
        return status_prefix(status, "kernel %s on %s", kernel->name,
                             kernel->device->name);
    return status;
}

farsum_status stopwatch_create(struct stopwatch *watch, struct device *device)
{
    *watch = (struct stopwatch){device, NULL, NULL, 0};
    TRY(device->backend->mark_create(device, &watch->from));
    farsum_status status = device->backend->mark_create(device, &watch->to);
    if (status != FARSUM_OK)
        stopwatch_clear(watch);
    return status;
}

farsum_status stopwatch_create_from(struct stopwatch *watch,
                                    struct device *device, void *from)
{
    *watch = (struct stopwatch){device, from, NULL, 1};
    return device->backend->mark_create(device, &watch->to);
}

void stopwatch_clear(struct stopwatch *watch)
{
    if (watch->device && watch->from && !watch->borrows)
        watch->device->backend->mark_destroy(watch->device, watch->from);
    if (watch->device && watch->to)
        watch->device->backend->mark_destroy(watch->device, watch->to);
    *watch = (struct stopwatch){0};
}

static farsum_status stopwatch_mark(struct device *device, void *mark)
{
    if (graph_notes(device, &mark, sizeof mark))
        return FARSUM_OK;
    return device->backend->mark(device, mark);
}

farsum_status stopwatch_start(struct stopwatch *watch)
{
    return watch->borrows ? FARSUM_OK
                          : stopwatch_mark(watch->device, watch->from);
}

farsum_status stopwatch_stop(struct stopwatch *watch)
{
    return stopwatch_mark(watch->device, watch->to);
}

farsum_status stopwatch_seconds(struct stopwatch *watch, double *seconds)
{
    TRY(graph_refuses(watch->device, "a time"));
    TRY(watch->device->backend->seconds(watch->device, watch->from, watch->to,
                                        seconds));
    /* events of two queues may complete in another order */
    *seconds = *seconds > 0 ? *seconds : 0;
    return FARSUM_OK;
}
