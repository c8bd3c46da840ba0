/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h: texts compiled by several threads at once, or found on disk.
 *
 *     compile_start(device, &key, &one);    (returns at once)
 *     ...
 *     while (!compile_done(one))
        compile_wait(one);
 *     compile_result(one, &result);
 *     compile_release(one);
 *
 * Equal texts are one compilation for the whole process, whichever thread or
 * device asks, as long as somebody holds it.  At most COMPILE_THREADS threads
 * run; they end with the last text, and take no signals.  A compiler has the
 * floating-point environment that a program starts with and the locale "C",
 * whatever the caller's program set. */
#ifndef FARSUM_DEVICE_COMPILE_PARALLEL_H
#define FARSUM_DEVICE_COMPILE_PARALLEL_H

#include "device/compile/cache.h"
#include "device/device.h"

enum { COMPILE_THREADS = 8 };

struct compile;

/* What came out; borrowed until the release. */
struct compile_result {
    const void *binary;
    int64_t bytes;
    int cached; /* 1: it was found on disk */
};

/* The back end compiles apart; the device lives until the release. */
farsum_status compile_start(struct device *device, const struct cache_key *key,
                            struct compile **one);
/* 1: it is done. */
int compile_done(struct compile *one);
/* Waits for it, or any other, a tenth of a second at most; compiles it here if
 * no thread has begun it. */
void compile_wait(struct compile *one);
/* What the compiler says, after it is done. */
farsum_status compile_result(const struct compile *one,
                             struct compile_result *result);
/* Compiles it whatever is on disk, and keeps that; binary: by mem_alloc, the
 * caller's. */
farsum_status compile_again(const struct compile *one, struct device *device,
                            void **binary, int64_t *bytes);
/* NULL is legal.  Waits where another thread is at it. */
void compile_release(struct compile *one);
#endif
