/* SPDX-License-Identifier: Apache-2.0 */
/* gunzip.h: the text of gzip files, piece by piece, through zlib. */
#ifndef FARSUM_IO_GUNZIP_H
#define FARSUM_IO_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gunzip; /* opaque */

/* The next bytes of the file; 0: its end; < 0: error. */
typedef ptrdiff_t gunzip_source(void *data, char *out, size_t room);

/* Do the n first bytes begin a gzip file? */
bool gunzip_begins(const char *p, size_t n);
/* The same of a file; false: it cannot be read either. */
bool gunzip_is_gzip(const char *path);
/* The name of another program that packed them; NULL: none. */
const char *gunzip_other(const char *p, size_t n);
/* The n bytes that were read already come first.  NULL: no memory. */
struct gunzip *gunzip_open(gunzip_source *source, void *data, const char *p,
                           size_t n);
/* Up to `room` bytes of text; 0: its end; < 0: error, *why says which or is
 * NULL if the source said it. */
ptrdiff_t gunzip_read(struct gunzip *g, char *out, size_t room,
                      const char **why);
void gunzip_close(struct gunzip *g); /* NULL is legal */

#endif
