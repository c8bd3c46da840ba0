/* SPDX-License-Identifier: Apache-2.0 */
/* buf.c: buffers in a device's memory, with their bytes counted. */
#include "device/buf.h"

#include "device/graph.h"

/* Fails if the device cannot allocate that many bytes. */
static farsum_status buf_capacity(const struct device *device, int64_t size)
{
    if (device->limit > 0 && device->bytes + size > device->limit)
        FAIL(ERR_MEMORY, "%s: %lld bytes and %lld in use exceed its limit",
             device->name, (long long)size, (long long)device->bytes);
    const struct mem_limit *ceiling = &device->ceiling;
    if (ceiling->limit > 0 && size > ceiling->most - device->bytes)
        FAIL(ERR_MEMORY,
             "%s: %lld bytes are needed in all, the limit is %lld",
             device->name,
             (long long)(ceiling->limit
                         + (device->bytes + size - ceiling->most)),
             (long long)ceiling->limit);
    if (device->properties.alloc_max > 0 && size > device->properties.alloc_max)
        FAIL(ERR_MEMORY,
             "%s: a buffer of %lld bytes is more than its largest, %lld",
             device->name, (long long)size,
             (long long)device->properties.alloc_max);
    return FARSUM_OK;
}

static farsum_status buf_make(struct buf *buf, struct device *device,
                              int64_t bytes, int managed)
{
    const struct device_backend *backend = device->backend;
    struct buf made = {.device = device, .owned = 1};
    TRY(graph_refuses(device, "allocating"));
    buf_clear(buf);
    made.bytes = bytes > 0 ? bytes : 1;
    TRY(buf_capacity(device, made.bytes));
    if (managed)
        TRY(backend->alloc_managed(device, made.bytes, &made.handle,
                                   &made.host));
    else
        TRY(backend->alloc(device, made.bytes, &made.handle));
    *buf = made;
    device->bytes += made.bytes;
    if (device->bytes > device->peak)
        device->peak = device->bytes;
    return FARSUM_OK;
}

farsum_status buf_alloc(struct buf *buf, struct device *device, int64_t bytes)
{
    return buf_make(buf, device, bytes, 0);
}

farsum_status buf_alloc_managed(struct buf *buf, struct device *device,
                                int64_t bytes)
{
    TRY(device_managed(device));
    return buf_make(buf, device, bytes, 1);
}

farsum_status buf_reserve(struct buf *buf, struct device *device,
                          int64_t bytes)
{
    if (buf->device == device && buf->owned == 1 && buf->bytes >= bytes)
        return FARSUM_OK;
    return buf_alloc(buf, device, bytes);
}

void buf_clear(struct buf *buf)
{
    if (buf->device && buf->owned == 1) {
        const struct device_backend *backend = buf->device->backend;
        if (buf->host)
            backend->release_managed(buf->device, buf->handle, buf->host);
        else
            backend->release(buf->device, buf->handle);
        buf->device->bytes -= buf->bytes;
    } else if (buf->device && buf->owned == 2) {
        buf->device->backend->release_view(buf->device, buf->handle);
    }
    *buf = (struct buf){0};
}

void buf_swap(struct buf *a, struct buf *b)
{
    struct buf was = *a;
    *a = *b;
    *b = was;
}

void buf_borrow(struct buf *buf, struct device *device, void *handle,
                int64_t bytes)
{
    *buf = (struct buf){.device = device, .handle = handle, .bytes = bytes};
}

farsum_status buf_given(struct buf *buf, struct device *device,
                        const void *given, int64_t bytes, const char *what)
{
    struct device_pointer found = {-1, -1, 0};
    if (given && bytes > 0)
        device->backend->look(device, given, &found);
    if (found.here == 0)
        FAIL(ERR_ARGUMENT, "%s: said to be on the device, and not memory that "
                           "%s can use",
             what, device->name);
    if (found.bytes > 0 && found.bytes < bytes)
        FAIL(ERR_ARGUMENT, "%s: %lld bytes are wanted, the buffer has %lld",
             what, (long long)bytes, (long long)found.bytes);
    /* the handle of a read-only buffer is not written */
    buf_borrow(buf, device, (void *)(uintptr_t)given, bytes);
    return FARSUM_OK;
}

farsum_status buf_given_host(struct device *device, const void *given,
                             int64_t bytes, const char *what)
{
    struct device_pointer found = {-1, -1, 0};
    if (given && bytes > 0)
        device->backend->look(device, given, &found);
    if (found.host == 0)
        FAIL(ERR_ARGUMENT, "%s: said to be on the host, and memory of %s", what,
             device->name);
    return FARSUM_OK;
}

/* Fails unless offset .. offset + bytes lies in the buffer. */
static farsum_status buf_inside(const struct buf *buf, int64_t offset,
                                int64_t bytes)
{
    if (!buf->device || offset < 0 || bytes < 0 || offset > buf->bytes
        || bytes > buf->bytes - offset)
        FAIL(ERR_INTERNAL,
             "bytes %lld + %lld are not within a buffer of %lld",
             (long long)offset, (long long)bytes, (long long)buf->bytes);
    return FARSUM_OK;
}

farsum_status buf_view(struct buf *part, const struct buf *whole,
                       int64_t offset, int64_t bytes)
{
    void *handle = NULL;
    TRY(buf_inside(whole, offset, bytes));
    TRY(whole->device->backend->view(whole->device, whole->handle, offset,
                                     bytes, &handle));
    buf_clear(part);
    *part = (struct buf){whole->device, handle, bytes, 2, NULL};
    return FARSUM_OK;
}

farsum_status buf_upload(struct buf *buf, int64_t offset, const void *from,
                         int64_t bytes)
{
    TRY(buf_inside(buf, offset, bytes));
    if (bytes == 0)
        return FARSUM_OK;
    TRY(graph_refuses(buf->device, "a copy from the host"));
    return buf->device->backend->upload(buf->device, buf->handle, offset, from,
                                        bytes);
}

farsum_status buf_download(const struct buf *buf, int64_t offset, void *to,
                           int64_t bytes)
{
    TRY(buf_inside(buf, offset, bytes));
    if (bytes == 0)
        return FARSUM_OK;
    TRY(graph_refuses(buf->device, "a copy to the host"));
    return buf->device->backend->download(buf->device, to, buf->handle, offset,
                                          bytes);
}

farsum_status buf_copy(struct buf *to, int64_t to_offset,
                       const struct buf *from, int64_t from_offset,
                       int64_t bytes)
{
    TRY(buf_inside(to, to_offset, bytes));
    TRY(buf_inside(from, from_offset, bytes));
    if (bytes == 0)
        return FARSUM_OK;
    const int64_t call[] = {(int64_t)(uintptr_t)to->handle, to_offset,
                            (int64_t)(uintptr_t)from->handle, from_offset,
                            bytes};
    if (graph_notes(to->device, call, sizeof call))
        return FARSUM_OK;
    return to->device->backend->copy(to->device, to->handle, to_offset,
                                     from->handle, from_offset, bytes);
}

farsum_status buf_fill_part(struct buf *buf, int64_t offset, int byte,
                            int64_t bytes)
{
    TRY(buf_inside(buf, offset, bytes));
    if (bytes == 0)
        return FARSUM_OK;
    const int64_t call[] = {(int64_t)(uintptr_t)buf->handle, offset, byte,
                            bytes};
    if (graph_notes(buf->device, call, sizeof call))
        return FARSUM_OK;
    return buf->device->backend->fill(buf->device, buf->handle, offset, byte,
                                      bytes);
}

farsum_status buf_fill(struct buf *buf, int byte)
{
    return buf_fill_part(buf, 0, byte, buf->bytes);
}
