/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c: common code of the CUDA and HIP back ends. */
#include "device/driver/driver.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/buf.h"

/* Numbers equal in both APIs. */
enum { FUNCTION_LOCAL_BYTES = 1 };

enum { DRIVER_ARGS = 64 };

farsum_status driver_status(const struct driver *driver, int error,
                            const char *what)
{
    const char *name = NULL, *text = NULL;
    if (error == 0)
        return FARSUM_OK;
    driver->words(driver, error, &name, &text);
    return status_fail(
        error == DRIVER_OUT_OF_MEMORY ? FARSUM_ERR_MEMORY : FARSUM_ERR_DEVICE,
        "%s: %s: %s (%d): %s", driver->vendor, what,
        name ? name : "an unknown error", error, text ? text : "no text");
}

farsum_status driver_enter(struct driver *driver, int *before)
{
    return driver_status(driver, driver->enter(driver, before),
                         "making the device current");
}

farsum_status driver_leave(struct driver *driver, int before, int error,
                           const char *what)
{
    int left = driver->leave(driver, before);
    if (error != 0)
        return driver_status(driver, error, what);
    return driver_status(driver, left, "restoring the current context");
}

farsum_status driver_count(const struct driver *driver, int *n)
{
    int found = 0, error = driver->api.init(0);
    if (error == 0)
        error = driver->api.device_count(&found);
    if (error == DRIVER_NO_DEVICE || error == DRIVER_INVALID_DEVICE)
        found = error = 0;
    if (error != 0)
        return driver_status(driver, error, "looking for devices");
    *n = found;
    return FARSUM_OK;
}

/* Returns an attribute, 0 if the driver does not know it. */
static int driver_number(const struct driver *driver, int number)
{
    int value = 0;
    if (driver->api.device_attribute(&value, number, driver->device) != 0)
        return 0;
    return value;
}

farsum_status driver_properties(struct driver *driver,
                                const struct driver_numbers *numbers,
                                struct device_properties *properties)
{
    size_t memory = 0;
    int error = driver->api.device_name(
        properties->model, sizeof properties->model, driver->device);
    if (error == 0)
        error = driver->api.device_memory(&memory, driver->device);
    if (error != 0)
        return driver_status(driver, error, "asking what the device is");
    properties->units = driver_number(driver, numbers->units);
    properties->group_max = driver_number(driver, numbers->group_max);
    properties->subgroup = driver_number(driver, numbers->subgroup);
    properties->integrated = driver_number(driver, numbers->integrated) != 0;
    properties->local = driver_number(driver, numbers->local);
    properties->cache = driver_number(driver, numbers->cache);
    properties->clock = 1e3 * driver_number(driver, numbers->clock);
    properties->bandwidth = 2 * 1e3
                            * driver_number(driver, numbers->memory_clock)
                            * (driver_number(driver, numbers->bus) / 8.0);
    properties->memory = properties->alloc_max = (int64_t)memory;
    properties->shuffles = properties->f64 = 1;
    if (properties->units < 1 || properties->group_max < 1
        || properties->local < 1)
        FAIL(ERR_DEVICE,
             "%s: the driver says that %s has %d units, groups of %d threads "
             "and %lld bytes of shared memory",
             driver->vendor, properties->model, properties->units,
             properties->group_max, (long long)properties->local);
    return FARSUM_OK;
}

void driver_place(const struct device *device, char *place, int64_t capacity)
{
    const struct driver *d = device->inside;
    /* numbers depend on the process, as its environment may hide devices */
    if (device->backend->launch != driver_launch
        || d->api.device_bus(place, (int)capacity, d->device) != 0)
        snprintf(place, (size_t)capacity, "%s", device->name);
}

farsum_status driver_queue_create(struct driver *driver)
{
    /* No flags: the caller's work on the default stream, before or after, is
     * then ordered with ours.  A non-blocking stream would race with it. */
    int error = driver->api.stream_create(&driver->queue, 0);
    if (error != 0)
        return driver_status(driver, error, "making a stream");
    driver->queue_owned = 1;
    return FARSUM_OK;
}

void driver_queue_destroy(struct driver *driver)
{
    int before = 0;
    if (!driver->queue_owned || driver->enter(driver, &before) != 0)
        return;
    driver->api.stream_destroy(driver->queue);
    driver->queue_owned = 0;
    driver->leave(driver, before);
}

farsum_status driver_alloc(struct device *device, int64_t bytes, void **handle)
{
    struct driver *d = device->inside;
    size_t left = 0, all = 0;
    void *address = NULL;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error = d->api.alloc(&address, (size_t)bytes);
    if (error == DRIVER_OUT_OF_MEMORY && d->api.memory_info(&left, &all) == 0) {
        d->leave(d, before);
        FAIL(ERR_MEMORY,
             "%s has no %lld bytes left for a buffer: %zu of %zu are free",
             device->name, (long long)bytes, left, all);
    }
    TRY(driver_leave(d, before, error, "allocating memory of the device"));
    *handle = address;
    return FARSUM_OK;
}

void driver_release(struct device *device, void *handle)
{
    struct driver *d = device->inside;
    int before = 0;
    if (d->enter(d, &before) != 0)
        return;
    d->api.release(handle);
    d->leave(d, before);
}

farsum_status driver_view(struct device *device, void *handle, int64_t offset,
                          int64_t bytes, void **part)
{
    (void)device;
    (void)bytes;
    *part = (char *)handle + offset;
    return FARSUM_OK;
}

void driver_release_view(struct device *device, void *part)
{
    (void)device;
    (void)part;
}

void driver_watch_add(struct driver *d, struct driver_watch *watch)
{
    watch->next = d->watches;
    d->watches = watch;
}

void driver_watch_remove(struct driver *d, const struct driver_watch *watch)
{
    struct driver_watch **at = &d->watches;
    while (*at && *at != watch)
        at = &(*at)->next;
    if (*at)
        *at = watch->next;
}

/* Waits for an event, or if it is NULL for the queue. */
static int driver_wait(struct driver *d, void *event)
{
    double start = clock_seconds(), waited = 0;
    if (!d->watches)
        return event ? d->api.event_wait(event) : d->api.stream_wait(d->queue);
    for (;;) {
        int error =
            event ? d->api.event_query(event) : d->api.stream_query(d->queue);
        if (error != DRIVER_NOT_READY)
            return error;
        waited = clock_seconds() - start;
        for (struct driver_watch *w = d->watches; w; w = w->next)
            w->look(w, waited);
        if (waited < 1e-2)
            sched_yield();
        else
            usleep(50);
    }
}

farsum_status driver_upload(struct device *device, void *to, int64_t offset,
                            const void *from, int64_t bytes)
{
    struct driver *d = device->inside;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error =
        d->api.upload((char *)to + offset, from, (size_t)bytes, d->queue);
    if (error == 0)
        error = driver_wait(d, NULL);
    return driver_leave(d, before, error, "copying to the device");
}

farsum_status driver_download(struct device *device, void *to, void *from,
                              int64_t offset, int64_t bytes)
{
    struct driver *d = device->inside;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error =
        d->api.download(to, (char *)from + offset, (size_t)bytes, d->queue);
    if (error == 0)
        error = driver_wait(d, NULL);
    return driver_leave(d, before, error, "copying from the device");
}

farsum_status driver_copy(struct device *device, void *to, int64_t to_offset,
                          void *from, int64_t from_offset, int64_t bytes)
{
    struct driver *d = device->inside;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error = d->api.copy((char *)to + to_offset, (char *)from + from_offset,
                            (size_t)bytes, d->queue);
    return driver_leave(d, before, error, "copying on the device");
}

farsum_status driver_fill(struct device *device, void *to, int64_t offset,
                          int byte, int64_t bytes)
{
    struct driver *d = device->inside;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error = d->api.fill((char *)to + offset, (unsigned char)byte,
                            (size_t)bytes, d->queue);
    return driver_leave(d, before, error, "filling memory of the device");
}

farsum_status driver_load(struct device *device, const void *binary,
                          int64_t bytes, void **module)
{
    struct driver *d = device->inside;
    void *loaded = NULL;
    int before = 0;
    (void)bytes; /* a binary contains its size, a text ends with 0 */
    TRY(driver_enter(d, &before));
    int error = d->api.module_load(&loaded, binary);
    TRY(driver_leave(d, before, error, "loading a compiled kernel"));
    *module = loaded;
    return FARSUM_OK;
}

void driver_unload(struct device *device, void *module)
{
    struct driver *d = device->inside;
    int before = 0;
    if (d->enter(d, &before) != 0)
        return;
    d->api.module_unload(module);
    d->leave(d, before);
}

farsum_status driver_kernel(struct device *device, void *module,
                            const char *name, int64_t arena, void **kernel)
{
    struct driver *d = device->inside;
    void *function = NULL;
    int before = 0, declared = 0, fits = 1;
    TRY(driver_enter(d, &before));
    int error = d->api.module_function(&function, module, name);
    if (error == 0)
        error = d->api.function_attribute(&declared, FUNCTION_LOCAL_BYTES,
                                          function);
    if (error == 0) {
        fits = declared + arena <= device->properties.local;
        if (fits && arena > 0 && d->grant)
            error = d->grant(d, function, (int)arena);
    }
    farsum_status status = driver_leave(d, before, error, "finding a kernel");
    if (status != FARSUM_OK)
        return status_prefix(status, "%s", name);
    if (!fits)
        FAIL(ERR_UNSUPPORTED,
             "%s needs %d + %lld bytes of shared memory, %s has %lld", name,
             declared, (long long)arena, device->name,
             (long long)device->properties.local);
    *kernel = function;
    return FARSUM_OK;
}

void driver_release_kernel(struct device *device, void *kernel)
{
    (void)device; /* destroyed with its module */
    (void)kernel;
}

farsum_status driver_launch(struct device *device, const struct launch *what)
{
    struct driver *d = device->inside;
    void *parameters[DRIVER_ARGS];
    int before = 0;
    if (what->n_args > DRIVER_ARGS)
        FAIL(ERR_INTERNAL, "%d arguments, more than %d", what->n_args,
             DRIVER_ARGS);
    if (what->groups < 1 || what->groups > INT32_MAX
        || (d->threads_max > 0 && what->groups > d->threads_max / what->group))
        FAIL(ERR_UNSUPPORTED, "%lld groups of %d threads in one launch",
             (long long)what->groups, what->group);
    for (int i = 0; i < what->n_args; i++) {
        const struct arg *a = &what->args[i];
        const struct buf *buf = a->value;
        /* the drivers only read it, although it is not const */
        parameters[i] =
            (void *)(uintptr_t)(a->bytes == 0 ? (const void *)&buf->handle
                                              : a->value);
    }
    TRY(driver_enter(d, &before));
    int error = d->api.launch(
        what->kernel, (unsigned)what->groups, 1, 1, (unsigned)what->group, 1, 1,
        (unsigned)what->arena, d->queue, parameters, NULL);
    return driver_leave(d, before, error, "launching");
}

farsum_status driver_finish(struct device *device)
{
    struct driver *d = device->inside;
    int before = 0;
    TRY(driver_enter(d, &before));
    return driver_leave(d, before, driver_wait(d, NULL),
                        "waiting for the device");
}

farsum_status driver_mark_create(struct device *device, void **mark)
{
    struct driver *d = device->inside;
    void *event = NULL;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error = d->api.event_create(&event, 0);
    TRY(driver_leave(d, before, error, "making an event"));
    *mark = event;
    return FARSUM_OK;
}

farsum_status driver_seconds(struct device *device, void *from, void *to,
                             double *seconds)
{
    struct driver *d = device->inside;
    float milliseconds = 0;
    int before = 0;
    TRY(driver_enter(d, &before));
    int error = driver_wait(d, to);
    if (error == 0)
        error = d->api.event_elapsed(&milliseconds, from, to);
    TRY(driver_leave(d, before, error, "the time between two events"));
    *seconds = 1e-3 * milliseconds;
    return FARSUM_OK;
}

void driver_mark_destroy(struct device *device, void *mark)
{
    struct driver *d = device->inside;
    int before = 0;
    if (d->enter(d, &before) != 0)
        return;
    d->api.event_destroy(mark);
    d->leave(d, before);
}

/* Memory that the driver does not know has no type and no addresses; it is host
 * memory.  Memory that only the device can use has no host address. */
void driver_look(struct device *device, const void *given,
                 struct device_pointer *found)
{
    enum { TYPE = 2, HERE = 3, HOST = 4, MANAGED = 8 };
    struct driver *d = device->inside;
    int asked[4] = {TYPE, HERE, HOST, MANAGED}, before = 0;
    uint64_t type = 0, managed = 0; /* large enough for every driver */
    void *here = NULL, *host = NULL;
    void *values[4] = {&type, &here, &host, &managed};
    if (d->enter(d, &before) != 0)
        return;
    int error = d->api.pointer_attributes(4, asked, values, given);
    if (d->leave(d, before) != 0 || error != 0)
        return;
    found->here = (uint32_t)type != 0 || here != NULL;
    found->host =
        !found->here || host != NULL || managed != 0 || (uint32_t)type != 2;
}
