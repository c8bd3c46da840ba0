/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h: texts compiled by several threads, or found on disk.
 *
 *     compile_start(device, &key, &one);    (returns immediately)
 *     ...
 *     while (!compile_done(one))
 *         compile_wait(one);
 *     compile_result(one, &result);
 *     compile_release(one);
 *
 * Equal texts are compiled once per process, whichever thread or device
 * requests them, as long as one requester holds the result.  At most
 * COMPILE_THREADS threads run.  They end with the last text and block all
 * signals.  A compiler runs in the floating-point environment of a new process
 * and in the locale "C", whatever the caller's program has set. */
#ifndef FARSUM_DEVICE_COMPILE_PARALLEL_H
#define FARSUM_DEVICE_COMPILE_PARALLEL_H

#include "device/compile/cache.h"
#include "device/device.h"

enum { COMPILE_THREADS = 8 };

struct compile;

/* The result; borrowed until the release. */
struct compile_result {
    const void *binary;
    int64_t bytes;
    int cached; /* 1: it was found on disk */
};

/* Starts a compilation.  The back end must support several compiling threads
 * (`apart`).  The device must live until the release. */
farsum_status compile_start(struct device *device, const struct cache_key *key,
                            struct compile **one);
/* Returns 1 when the compilation is done. */
int compile_done(struct compile *one);
/* Waits until it or another one is done, a tenth of a second at most.  If no
 * thread has started it, compiles it in this thread. */
void compile_wait(struct compile *one);
/* Returns the compiler's status and the result.  Call it after the compilation
 * is done. */
farsum_status compile_result(const struct compile *one,
                             struct compile_result *result);
/* Compiles again, whatever is on disk, and stores the result.  binary: by
 * mem_alloc; the caller owns it. */
farsum_status compile_again(const struct compile *one, struct device *device,
                            void **binary, int64_t *bytes);
/* Releases a compilation.  NULL is legal.  Waits if another thread is compiling
 * it. */
void compile_release(struct compile *one);
#endif
