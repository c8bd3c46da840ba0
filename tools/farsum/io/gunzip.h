/* SPDX-License-Identifier: Apache-2.0 */
/* gunzip.h: decompression of gzip files, piece by piece, by zlib. */
#ifndef FARSUM_IO_GUNZIP_H
#define FARSUM_IO_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gunzip; /* opaque */

/* Returns the next bytes of the file; 0: end; < 0: error. */
typedef ptrdiff_t gunzip_source(void *data, char *out, size_t capacity);

/* True if the first n bytes begin a gzip file. */
bool gunzip_begins(const char *p, size_t n);
/* The same for a file; also false if it cannot be read. */
bool gunzip_is_gzip(const char *path);
/* The name of another compression program whose format this is; NULL: none. */
const char *gunzip_other(const char *p, size_t n);
/* The n bytes already read come first.  NULL: no memory. */
struct gunzip *gunzip_open(gunzip_source *source, void *data, const char *p,
                           size_t n);
/* Returns up to `capacity` bytes of text; 0: end; < 0: error, with the reason
 * in *why, or NULL there if the source reported it. */
ptrdiff_t gunzip_read(struct gunzip *g, char *out, size_t capacity,
                      const char **why);
void gunzip_close(struct gunzip *g); /* NULL is legal */

#endif
