/* SPDX-License-Identifier: Apache-2.0 */
/* dl.h: vendors' libraries, opened at run time.
 *
 * A list of symbols is an X-macro file with lines SYM(result, name,
 * (parameters)).  The struct of pointers and the table of names are made from
 * it:
 *
 *     struct cuda_api {
 *     #define SYM(result, name, parameters) result (*name) parameters;
 *     #include "device/driver/cuda.sym"
 *     }; */
#ifndef FARSUM_DEVICE_DL_H
#define FARSUM_DEVICE_DL_H

#include "base/status.h"

/* Opens the first of `names` (ended by NULL) that exists.  It searches the
 * folders of FARSUM_LIBRARY_PATH, the loader's folders, then `folders`, which
 * may be NULL.  Then it stores the addresses of `symbols` (ended by NULL) in
 * api, an array of pointers.  On failure the message names the missing library
 * or symbol. */
farsum_status dl_open(void **library, const char *const *names,
                      const char *const *folders, const char *const *symbols,
                      void **api);
/* Finds more symbols of an open library; returns 1 if it has them all. */
int dl_more(void *library, const char *const *symbols, void **api);
/* Writes the file of an open library, links followed, and its length in bytes;
 * "" if unknown. */
void dl_path(void *library, char *path, size_t capacity);
/* Finds a file next to an open library, or in the folders that dl_open
 * searches. */
farsum_status dl_file(void *library, const char *const *folders,
                      const char *name, char *path, size_t capacity);
void dl_close(void *library); /* NULL is legal */
#endif
