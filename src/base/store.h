/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: files that are kept between runs, all in one folder.
 *
 * All compiled kernels (device/compile/cache.h) and measured times
 * (cost/kept_times.h) are read and written here.  A file counts only if nobody
 * else can have written it.  The folder and the file must belong to this
 * process's user or to root, and neither group nor others may write to them.
 * Only regular files up to a maximum size are read; opening never blocks on a
 * pipe or follows a link.  A file is first written under an unpredictable name
 * and then renamed.  It is not synced: a file that a power failure spoils is
 * measured or compiled again. */
#ifndef FARSUM_BASE_STORE_H
#define FARSUM_BASE_STORE_H

#include "base/status.h"

#include <sys/stat.h>

enum { STORE_PATH = 1200, STORE_NAME = 80 };

/* An open folder.  Initial value: all zero, except that the two numbers are -1
 * (none). */
struct store {
    int folder, lock; /* file descriptors, or -1 */
    char path[STORE_PATH];
};
/* One piece of a file to be written. */
struct store_part {
    const void *data;
    int64_t bytes;
};

/* Writes the folder's name to `path`: FARSUM_CACHE_DIR, else
 * XDG_CACHE_HOME/farsum, else HOME/.cache/farsum.  The latter two count only if
 * they are absolute.  Returns:
 *    1: there is a folder
 *    0: there is none, or FARSUM_CACHE_DIR is empty, which turns it off
 *   -1: the name is too long */
int store_where(char path[STORE_PATH]);
/* Opens the folder.  make: creates it and the folders above it, with mode 0700.
 * If there is no folder, returns OK with folder -1.  Fails with a message if
 * others could have written into the folder.  Call store_close afterwards in
 * every case. */
farsum_status store_open(struct store *store, int make);
void store_close(struct store *store); /* also unlocks */
/* Takes the lock from other processes and threads until store_close.  Waits a
 * few seconds at most, then fails. */
farsum_status store_lock(struct store *store);
/* Reads a whole file.  Returns 1 and allocates *data by mem_alloc, which the
 * caller owns; a 0 byte follows the data and is not counted.  Returns 0 if the
 * file does not exist, is larger than `most` or is not trusted. */
int store_read(const struct store *store, const char *name, int64_t most,
               char **data, int64_t *bytes);
/* Reads at most `capacity` bytes from the start of such a file.  Returns their
 * number, 0 if there is no such file. */
int64_t store_start(const struct store *store, const char *name, void *to,
                    int64_t capacity);
/* Replaces the file. */
farsum_status store_write(const struct store *store, const char *name,
                          const struct store_part *part, int parts);
/* Returns 1 if the file existed and is removed. */
int store_remove(const struct store *store, const char *name);
/* Visits every regular file; visit may remove it. */
void store_each(const struct store *store,
                void (*visit)(const struct store *store, const char *name,
                              const struct stat *about, void *data),
                void *data);
/* Returns 1 if `name` is a remnant of a killed writer: NAME.tmp-XXXXXX where
 * ours(NAME) is true. */
int store_left_over(const char *name, int (*ours)(const char *name));
/* Removes the lock's file; only the holder of the lock may do so. */
void store_forget_lock(struct store *store);
#endif
