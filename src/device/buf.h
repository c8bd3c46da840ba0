/* SPDX-License-Identifier: Apache-2.0 */
/* buf.h: buffers in a device's memory. */
#ifndef FARSUM_DEVICE_BUF_H
#define FARSUM_DEVICE_BUF_H

#include "device/device.h"

struct buf {
    struct device *device; /* borrowed; NULL: empty buffer */
    void *handle;          /* CUDA, HIP: an address; OpenCL: a cl_mem */
    int64_t bytes;
    int owned;             /* 1: allocated here; 2: a view; 0: the caller's
                              memory */
    void *host;            /* managed memory: address of these bytes on the
                              host; else NULL */
};

/* Allocates a buffer of at least one byte.  An existing buffer is released
 * first.  The contents are undefined. */
farsum_status buf_alloc(struct buf *buf, struct device *device, int64_t bytes);
/* Allocates managed memory, which the host may access at buf->host while no
 * kernel uses it.  device_managed reports whether the device has it. */
farsum_status buf_alloc_managed(struct buf *buf, struct device *device,
                                int64_t bytes);
/* Allocates a buffer unless it holds `bytes` already. */
farsum_status buf_reserve(struct buf *buf, struct device *device,
                          int64_t bytes);
void buf_clear(struct buf *buf);
/* Makes a buffer of the caller's memory, which remains the caller's. */
void buf_borrow(struct buf *buf, struct device *device, void *handle,
                int64_t bytes);
/* Borrows a caller's memory for the array `what`.  Fails if the device is known
 * not to be able to use it, or if it is known to be smaller.  NULL and 0 bytes
 * are not checked. */
farsum_status buf_given(struct buf *buf, struct device *device,
                        const void *given, int64_t bytes, const char *what);
/* Fails if the host is known not to be able to use the caller's memory. */
farsum_status buf_given_host(struct device *device, const void *given,
                             int64_t bytes, const char *what);
/* Exchanges two buffers. */
void buf_swap(struct buf *a, struct buf *b);
/* Makes a view of a part of `whole`, which must outlive it.  OpenCL requires
 * offsets that are multiples of its alignment, at most 4096 bytes. */
farsum_status buf_view(struct buf *part, const struct buf *whole,
                       int64_t offset, int64_t bytes);
enum { BUF_ALIGN = 4096 };

/* Copy between host arrays (from, to) and the device.  Both functions wait
 * until the copy is done. */
farsum_status buf_upload(struct buf *buf, int64_t offset, const void *from,
                         int64_t bytes);
farsum_status buf_download(const struct buf *buf, int64_t offset, void *to,
                           int64_t bytes);
farsum_status buf_copy(struct buf *to, int64_t to_offset,
                       const struct buf *from, int64_t from_offset,
                       int64_t bytes);
/* Set every byte of the buffer, or of a part of it, to `byte`. */
farsum_status buf_fill(struct buf *buf, int byte);
farsum_status buf_fill_part(struct buf *buf, int64_t offset, int byte,
                            int64_t bytes);
#endif
