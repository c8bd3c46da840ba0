/* cache.h: compiled kernels on disk.
 *
 * A file holds the whole key (library version, device architecture, compiler
 * with its version, the text), a checksum and the binary.  Any doubt is a miss.
 * Files are written beside and renamed; the folder is capped, the oldest go
 * first. */
#ifndef FARSUM_DEVICE_CACHE_H
#define FARSUM_DEVICE_CACHE_H

#include "base/status.h"

struct cache_key {
    const char *parts[4]; /* version, architecture, compiler, text */
};
/* The folder: FARSUM_CACHE_DIR, else XDG_CACHE_HOME/farsum, else
 * HOME/.cache/farsum; by mem_alloc, the caller's.  NULL: none is set, or
 * FARSUM_CACHE_DIR is empty, which turns the cache off. */
farsum_status cache_folder(char **folder);
/* The same into `path`: 1; 0: there is none; -1: the name is too long. */
int cache_where(char *path, size_t size);
/* 1 and the binary (by mem_alloc), or 0. */
int cache_get(const struct cache_key *key, void **binary, int64_t *bytes);
/* Failure to write is not an error of the plan: the status is for who wants
 * to say so. */
farsum_status cache_put(const struct cache_key *key, const void *binary,
                        int64_t bytes);
/* Each entry's file name, architecture and size; visit may be NULL. */
farsum_status cache_list(void (*visit)(const char *file, const char *arch,
                                       int64_t bytes, void *data),
                         void *data, int64_t *files, int64_t *bytes);
farsum_status cache_clear(int64_t *files);
#endif
