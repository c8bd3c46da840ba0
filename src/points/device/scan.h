/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h: exclusive prefix sums on a device: out[i] = in[0] + ... + in[i - 1].
 * Any number of items; asynchronous. */
#ifndef FARSUM_POINTS_DEVICE_SCAN_H
#define FARSUM_POINTS_DEVICE_SCAN_H

#include "device/buf.h"

/* Types of items and sums. */
enum gpu_scan_kind {
    GPU_SCAN_U32,     /* u32, u32: the sum must stay below 2^32 */
    GPU_SCAN_U64,     /* u64, u64 */
    GPU_SCAN_U32_U64, /* u32 items, u64 sums; not in place */
};

struct gpu_scan;
/* Compiles the kernels.  gpu_scan_destroy accepts NULL. */
farsum_status gpu_scan_create(struct device *device, enum gpu_scan_kind kind,
                              struct gpu_scan **scan);
void gpu_scan_destroy(struct gpu_scan *scan);
/* Allocates memory for n items, so that runs of this size do not allocate. */
farsum_status gpu_scan_reserve(struct gpu_scan *scan, int64_t n);
/* Runs a scan; in may be out.  total: one word for the sum of all; may be
 * NULL. */
farsum_status gpu_scan_run(struct gpu_scan *scan, const struct buf *in,
                           struct buf *out, int64_t n, struct buf *total);
#endif
