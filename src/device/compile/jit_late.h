/* SPDX-License-Identifier: Apache-2.0 */
/* jit_late.h: modules compiled by other threads, and their kernels. */
#ifndef FARSUM_DEVICE_COMPILE_JIT_LATE_H
#define FARSUM_DEVICE_COMPILE_JIT_LATE_H

#include "device/compile/cache.h"
#include "device/device.h"

struct jit_late;

/* Starts a compilation.  file: borrowed. */
farsum_status jit_late_start(struct device *device, const char *file,
                             const struct cache_key *key,
                             struct jit_late **late);
/* Reserves the module's next kernel; *slot is its index. */
farsum_status jit_late_kernel(struct jit_late *late, const char *name,
                              int64_t arena, int *slot);
/* Waits for the compiler, then loads the module and finds all kernels.  Does so
 * once. */
farsum_status jit_late_settle(struct jit_late *late);
/* Returns the handle of a kernel, after settling. */
farsum_status jit_late_handle(struct jit_late *late, int slot, void **handle);
void jit_late_destroy(struct jit_late *late); /* NULL is legal */
#endif
