/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: compiled kernels on disk.
 *
 * A file holds the whole key (library version, device architecture, all else
 * that makes a binary, the text), a checksum and the binary.  Any doubt is a
 * miss.  The folder and who may write there: base/store.h.  It is capped, the
 * oldest go first.  Several threads may call all of these. */
#ifndef FARSUM_DEVICE_COMPILE_CACHE_H
#define FARSUM_DEVICE_COMPILE_CACHE_H

#include "base/status.h"

struct cache_key {
    const char *parts[4]; /* version, architecture, makers, text */
};
/* 1 and the binary (by mem_alloc), or 0. */
int cache_get(const struct cache_key *key, void **binary, int64_t *bytes);
/* Failure to write is not an error of the plan: the status is for who wants
 * to say so. */
farsum_status cache_put(const struct cache_key *key, const void *binary,
                        int64_t bytes);
/* Each entry's file name, architecture and size, and what writers that were
 * killed have left, as "left over"; visit may be NULL. */
farsum_status cache_list(void (*visit)(const char *file, const char *arch,
                                       int64_t bytes, void *data),
                         void *data, int64_t *files, int64_t *bytes);
/* Removes all of these. */
farsum_status cache_clear(int64_t *files);
#endif
