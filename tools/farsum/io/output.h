/* SPDX-License-Identifier: Apache-2.0 */
/* output.h: a file that appears under its name only when it is complete.
 *
 * It is written to a temporary file in the same folder, synced and renamed.  A
 * link stays; its target is replaced and keeps its mode.  A new file has the
 * mode that the user's mask gives. */
#ifndef FARSUM_IO_OUTPUT_H
#define FARSUM_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
    char *name; /* owned; as the user typed it */
    char *path; /* owned; the replaced file: output_path of the name */
    char *temporary; /* owned; NULL: bytes go straight to the target, which is
                        not a regular file */
    int fd;
    int cause; /* errno of a failed write that was not reported yet; 0: none */
    int slot; /* of the temporary file, see temporary.h */
    int mode; /* of the replaced file; -1: it is new */
    char *buffer; /* owned */
    size_t used;
    char message[1024];
};

/* The descriptor that a name denotes: "-", /dev/stdout, /dev/fd/N; -1: none.
 * Such a file is written directly, never renamed over. */
int output_descriptor(const char *name);
/* The file that a name denotes: links are followed, also to a target that does
 * not exist yet.  Allocated by malloc; NULL, with errno. */
char *output_path(const char *name);

/* All return 0, or -1 with the message set.  *output is created even on
 * failure, to hold the message; NULL: no memory. */
int output_create(const char *path, struct output **output);
int output_put(struct output *o, const char *p, size_t n);
int output_text(struct output *o, const char *text);
int output_real(struct output *o, double value);
int output_integer(struct output *o, int64_t value);
int output_flush(struct output *o);
int output_commit(struct output *o);  /* flush, sync, rename */
void output_destroy(struct output *o); /* removes an uncommitted file */
/* Appends to a file in one write, or nothing if it does not fit.  The text
 * starts with `header` bytes that are written only to an empty file. */
int output_append(const char *path, const char *text, size_t n, size_t header);
int output_fail(struct output *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
