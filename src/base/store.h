/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: files that are kept from run to run, all in one folder.
 *
 * The one way to read and write compiled kernels (device/compile/cache.h) and
 * measured times (cost/kept_times.h).  A file counts only if nobody else can
 * have written it: the folder and the file belong to this process's user or to
 * root, and neither group nor others may write to them.  Only regular files are
 * read, up to a size; nothing waits for a pipe or follows a link.  A file is
 * written beside, under a name that nobody can foresee, and renamed; it is not
 * synced: what a power failure spoils is measured or compiled again. */
#ifndef FARSUM_BASE_STORE_H
#define FARSUM_BASE_STORE_H

#include "base/status.h"

#include <sys/stat.h>

enum { STORE_PATH = 1200, STORE_NAME = 80 };

/* An open folder.  All zero but the two numbers, which are -1: none. */
struct store {
    int folder, lock; /* file descriptors, or -1 */
    char path[STORE_PATH];
};
/* A piece of a file that is written. */
struct store_part {
    const void *data;
    int64_t bytes;
};

/* The folder's name into `path`: FARSUM_CACHE_DIR, else XDG_CACHE_HOME/farsum,
 * else HOME/.cache/farsum; the latter two count only if they are absolute.  1;
 * 0: there is none, or FARSUM_CACHE_DIR is empty, which turns it off; -1: the
 * name is too long. */
int store_where(char path[STORE_PATH]);
/* Opens the folder; make: creates it and those above it, mode 0700.  OK and
 * folder -1: there is none.  It fails, and says why, where others could have
 * written into the folder.  store_close follows in every case. */
farsum_status store_open(struct store *store, int make);
void store_close(struct store *store); /* and unlocks */
/* From now to store_close no other process or thread has the lock.  It waits a
 * few seconds at most, then fails. */
farsum_status store_lock(struct store *store);
/* 1: the whole file, with a 0 behind it that is not counted, by mem_alloc, the
 * caller's.  0: it is not there, is larger than `most`, or may not be
 * trusted. */
int store_read(const struct store *store, const char *name, int64_t most,
               char **data, int64_t *bytes);
/* The first bytes of such a file; how many, 0 if it is none. */
int64_t store_start(const struct store *store, const char *name, void *to,
                    int64_t room);
/* Replaces the file. */
farsum_status store_write(const struct store *store, const char *name,
                          const struct store_part *part, int parts);
/* 1: it was there and is gone. */
int store_remove(const struct store *store, const char *name);
/* Every regular file; visit may remove it. */
void store_each(const struct store *store,
                void (*visit)(const struct store *store, const char *name,
                              const struct stat *about, void *data),
                void *data);
/* 1: what a writer that was killed leaves of a file that `ours` knows: so is
 * NAME.tmp-XXXXXX. */
int store_left_over(const char *name, int (*ours)(const char *name));
/* Removes the lock's file; only who has the lock may. */
void store_forget_lock(struct store *store);
#endif
