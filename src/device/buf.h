/* SPDX-License-Identifier: Apache-2.0 */
/* buf.h: memory of a device. */
#ifndef FARSUM_DEVICE_BUF_H
#define FARSUM_DEVICE_BUF_H

#include "device/device.h"

struct buf {
    struct device *device; /* borrowed; NULL: empty */
    void *handle;          /* CUDA, HIP: the address; OpenCL: a cl_mem */
    int64_t bytes;
    int owned;             /* 1: allocated here; 2: a view; 0: the caller's */
    void *host;            /* of managed memory the same bytes, else NULL */
};

/* At least one byte is allocated.  A buffer that is there is released first;
 * contents are undefined. */
farsum_status buf_alloc(struct buf *buf, struct device *device, int64_t bytes);
/* The same of memory that the host uses too, by buf->host, while nothing that
 * uses it runs; device_managed says whether there is such. */
farsum_status buf_alloc_managed(struct buf *buf, struct device *device,
                                int64_t bytes);
/* Keeps the buffer if it holds that many bytes already. */
farsum_status buf_reserve(struct buf *buf, struct device *device,
                          int64_t bytes);
void buf_clear(struct buf *buf);
/* The caller's memory as a buffer. */
void buf_borrow(struct buf *buf, struct device *device, void *handle,
                int64_t bytes);
/* The same of memory that a caller gives for the array `what`: fails if it can
 * be told that the device cannot use it or that it is smaller.  NULL and 0
 * bytes are not looked at. */
farsum_status buf_given(struct buf *buf, struct device *device,
                        const void *given, int64_t bytes, const char *what);
/* Fails if it can be told that the host cannot use what a caller gives. */
farsum_status buf_given_host(struct device *device, const void *given,
                             int64_t bytes, const char *what);
/* Each becomes what the other was. */
void buf_swap(struct buf *a, struct buf *b);
/* Part of another, which must outlive it.  OpenCL wants offsets that are
 * multiples of its alignment, at most 4096 bytes. */
farsum_status buf_view(struct buf *part, const struct buf *whole,
                       int64_t offset, int64_t bytes);
enum { BUF_ALIGN = 4096 };

/* from and to are the host's; these wait. */
farsum_status buf_upload(struct buf *buf, int64_t offset, const void *from,
                         int64_t bytes);
farsum_status buf_download(const struct buf *buf, int64_t offset, void *to,
                           int64_t bytes);
farsum_status buf_copy(struct buf *to, int64_t to_offset,
                       const struct buf *from, int64_t from_offset,
                       int64_t bytes);
/* Sets every byte, or those of a part, to `byte`. */
farsum_status buf_fill(struct buf *buf, int byte);
farsum_status buf_fill_part(struct buf *buf, int64_t offset, int byte,
                            int64_t bytes);
#endif
