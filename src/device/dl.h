/* SPDX-License-Identifier: Apache-2.0 */
/* dl.h: a vendor's library, opened at run time.
 *
 * A list of symbols is an X-macro file, rows SYM(result, name, (parameters));
 * the struct of pointers and the table of names follow from it:
 *
 *     struct cuda_api {
 *     #define SYM(result, name, parameters) result (*name) parameters;
 *     #include "device/driver/cuda.sym"
 *     };                                                                   */
#ifndef FARSUM_DEVICE_DL_H
#define FARSUM_DEVICE_DL_H

#include "base/status.h"

/* Opens the first of `names` (ended by NULL) that is there: in the folders of
 * FARSUM_LIBRARY_PATH, where the loader looks, then in `folders` (may be
 * NULL).  Then finds `symbols` (ended by NULL) into api, an array of pointers.
 * The message says which library or symbol is missing. */
farsum_status dl_open(void **library, const char *const *names,
                      const char *const *folders, const char *const *symbols,
                      void **api);
/* More symbols of a library that is open; 1 if it has them all. */
int dl_more(void *library, const char *const *symbols, void **api);
/* The file of a library that is open, links followed, with its length in bytes;
 * "" if that is not known. */
void dl_path(void *library, char *path, size_t room);
/* The path of a file that is beside a library that is open, or where dl_open
 * looks in folders by name. */
farsum_status dl_file(void *library, const char *const *folders,
                      const char *name, char *path, size_t room);
void dl_close(void *library); /* NULL is legal */
#endif
