/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: compiled kernels on disk.
 *
 * A file holds the whole key, a checksum and the binary.  The key is the
 * library version, the device architecture, everything else that determines a
 * binary, and the text.  Any doubt counts as a miss. base/store.h describes the
 * folder and who may write there.  Its size is limited; the oldest files are
 * removed first.  All functions may be called from several threads. */
#ifndef FARSUM_DEVICE_COMPILE_CACHE_H
#define FARSUM_DEVICE_COMPILE_CACHE_H

#include "base/status.h"

struct cache_key {
    const char *parts[4]; /* version, architecture, makers (compilers and
                             options), text */
};
/* Returns 1 and the binary, allocated by mem_alloc and owned by the caller; or
 * returns 0. */
int cache_get(const struct cache_key *key, void **binary, int64_t *bytes);
/* Stores a binary.  A failure to write is no error of the plan; the status is
 * for callers that want to report it. */
farsum_status cache_put(const struct cache_key *key, const void *binary,
                        int64_t bytes);
/* Visits each entry with its file name, architecture and size.  Files left by
 * killed writers are visited as "left over".  visit may be NULL. */
farsum_status cache_list(void (*visit)(const char *file, const char *arch,
                                       int64_t bytes, void *data),
                         void *data, int64_t *files, int64_t *bytes);
/* Removes all of these files. */
farsum_status cache_clear(int64_t *files);
#endif
