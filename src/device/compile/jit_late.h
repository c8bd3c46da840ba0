/* SPDX-License-Identifier: Apache-2.0 */
/* jit_late.h: modules that other threads compile, and their kernels. */
#ifndef FARSUM_DEVICE_COMPILE_JIT_LATE_H
#define FARSUM_DEVICE_COMPILE_JIT_LATE_H

#include "device/compile/cache.h"
#include "device/device.h"

struct jit_late;

/* file: borrowed. */
farsum_status jit_late_start(struct device *device, const char *file,
                             const struct cache_key *key,
                             struct jit_late **late);
/* The next of its kernels. */
farsum_status jit_late_kernel(struct jit_late *late, const char *name,
                              int64_t arena, int *slot);
/* Waits for the compiler, loads, finds all kernels; once. */
farsum_status jit_late_settle(struct jit_late *late);
/* Settles. */
farsum_status jit_late_handle(struct jit_late *late, int slot, void **handle);
void jit_late_destroy(struct jit_late *late); /* NULL is legal */
#endif
