/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c: the public functions of devices and of the cache. */
#include "farsum/device.h"

#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/fpenv.h"
#include "base/isa.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/store.h"
#include "device/compile/cache.h"
#include "device/device.h"
#include "cost/kept_times.h"
#include "plan/plan.h"

farsum_status farsum_device_adopt(const char *name, void *context, void *queue,
                                  farsum_device **device)
{
    FP_GUARD;
    farsum_status status = FARSUM_OK;
    farsum_device *made = NULL;
    if (!name || !device)
        FAIL(ERR_ARGUMENT, "%s is NULL", name ? "device" : "name");
    if (device_is_host(name))
        FAIL(ERR_ARGUMENT, "the host cannot be opened as a device; leave "
                           "the device unset in the options");
    GO(MEM_NEW(made, 1));
    GO(device_adopt(name, context, queue, &made->device));
    *device = made;
    made = NULL;
done:
    mem_free(made);
    return status;
}

farsum_status farsum_device_open(const char *name, farsum_device **device)
{
    FP_GUARD;
    return farsum_device_adopt(name, NULL, NULL, device);
}

void farsum_device_close(farsum_device *device)
{
    FP_GUARD;
    if (!device)
        return;
    device_close(device->device);
    mem_free(device);
}

farsum_status farsum_device_alloc(farsum_device *device, int64_t bytes,
                                  const void *from, void **array)
{
    FP_GUARD;
    void *made = NULL;
    if (!device || !array)
        FAIL(ERR_ARGUMENT, "%s is NULL", device ? "array" : "device");
    if (bytes < 1)
        FAIL(ERR_ARGUMENT, "bytes is %lld, not above 0",
             (long long)bytes);
    struct device *d = device->device;
    TRY(device_usable(d));
    TRY(d->backend->alloc(d, bytes, &made));
    farsum_status status =
        from ? d->backend->upload(d, made, 0, from, bytes) : FARSUM_OK;
    if (status != FARSUM_OK) {
        d->backend->release(d, made);
        return status;
    }
    *array = made;
    return FARSUM_OK;
}

void farsum_device_free(farsum_device *device, void *array)
{
    FP_GUARD;
    if (device && array && device_usable(device->device) == FARSUM_OK)
        device->device->backend->release(device->device, array);
}

static farsum_status info_give(farsum_device_info *to,
                               const farsum_device_info *from)
{
    return struct_give(to, to->size, from, sizeof *from,
                       "FARSUM_DEVICE_INFO_INIT");
}

static void info_set(farsum_device_info *info, const struct device *d)
{
    const struct device_properties *f = &d->properties;
    *info = (farsum_device_info)FARSUM_DEVICE_INFO_INIT;
    info->available = 1;
    snprintf(info->name, sizeof info->name, "%s", d->name);
    snprintf(info->model, sizeof info->model, "%s", f->model);
    snprintf(info->arch, sizeof info->arch, "%s", f->arch);
    snprintf(info->compiler, sizeof info->compiler, "%s", f->compiler);
    info->units = f->units;
    info->f64 = f->f64;
    info->memory = (uint64_t)f->memory;
    info->used = (uint64_t)d->bytes;
    info->peak = (uint64_t)d->peak;
}

farsum_status farsum_device_get_info(const farsum_device *device,
                                     farsum_device_info *info)
{
    FP_GUARD;
    farsum_device_info found;
    if (!device || !info)
        FAIL(ERR_ARGUMENT, "%s is NULL", device ? "info" : "device");
    info_set(&found, device->device);
    return info_give(info, &found);
}

static void info_host(farsum_device_info *info)
{
    *info = (farsum_device_info)FARSUM_DEVICE_INFO_INIT;
    info->available = info->f64 = 1;
    snprintf(info->name, sizeof info->name, "host");
    snprintf(info->model, sizeof info->model, "this processor");
    snprintf(info->arch, sizeof info->arch, "%s", isa_name(isa_best()));
    info->units = par_threads(0);
    info->memory = mem_machine();
}

/* Fills in a device that cannot be opened; the message gives the reason. */
static void info_missing(farsum_device_info *info, const char *name)
{
    *info = (farsum_device_info)FARSUM_DEVICE_INFO_INIT;
    snprintf(info->name, sizeof info->name, "%s", name);
    snprintf(info->missing, sizeof info->missing, "%s", farsum_message());
}

static void info_open(farsum_device_info *info, const char *name)
{
    struct device *d = NULL;
    if (device_open(name, &d) == FARSUM_OK)
        info_set(info, d);
    else
        info_missing(info, name);
    device_close(d);
}

static farsum_status list_device(int index, farsum_device_info *info)
{
    int at = 1;
    if (index == 0) {
        info_host(info);
        return FARSUM_OK;
    }
    for (int b = 0; device_backends[b]; b++) {
        const char *name = device_backends[b]->name;
        int n = 0;
        farsum_status status = device_count(device_backends[b], &n);
        int entries = status == FARSUM_OK && n > 0 ? n : 1;
        if (index >= at + entries || index < at) {
            at += entries;
            continue;
        }
        if (status == FARSUM_OK && n == 0)
            status = status_fail(FARSUM_ERR_DEVICE, "the driver is installed "
                                                    "but finds no device");
        if (status != FARSUM_OK) {
            info_missing(info, name);
        } else {
            char full[32];
            snprintf(full, sizeof full, "%s:%d", name, index - at);
            info_open(info, full);
        }
        return status_fail(FARSUM_OK, "%s", "");
    }
    FAIL(ERR_ARGUMENT, "index is not below %d, the number of devices", at);
}

farsum_status farsum_list_devices(int index, farsum_device_info *info)
{
    FP_GUARD;
    farsum_device_info found;
    if (!info)
        FAIL(ERR_ARGUMENT, "info is NULL");
    TRY(list_device(index, &found));
    return info_give(info, &found);
}

/* The caller's visitor, called in the caller's floating-point environment. */
struct visitor {
    farsum_cache_visit *visit;
    void *data;
};
static void visit_file(const char *file, const char *arch, int64_t bytes,
                       void *data)
{
    const struct visitor *v = data;
    int held = fp_suspend();
    if (v->visit)
        v->visit(file, arch, bytes, v->data);
    fp_resume(held);
}

farsum_status farsum_cache_list(farsum_cache_visit *visit, void *data,
                                char *folder, size_t capacity, int64_t *files,
                                int64_t *bytes)
{
    FP_GUARD;
    char where[STORE_PATH];
    if (!files || !bytes)
        FAIL(ERR_ARGUMENT, "%s is NULL", files ? "bytes" : "files");
    store_where(where);
    if (folder && capacity > 0)
        snprintf(folder, capacity, "%s", where);
    char times[1400];
    int64_t lines, size;
    struct visitor visitor = {visit, data};
    TRY(cache_list(visit_file, &visitor, files, bytes));
    kept_times_about(times, sizeof times, &lines, &size);
    if (lines == 0)
        return FARSUM_OK;
    ++*files;
    *bytes += size;
    visit_file(times, "times", size, &visitor);
    return FARSUM_OK;
}

farsum_status farsum_cache_clear(int64_t *files)
{
    FP_GUARD;
    if (!files)
        FAIL(ERR_ARGUMENT, "files is NULL");
    int times = kept_times_clear();
    TRY(cache_clear(files));
    *files += times;
    return FARSUM_OK;
}
