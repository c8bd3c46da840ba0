/* SPDX-License-Identifier: Apache-2.0 */
/* texts.h: the texts of a frame that a writer must know before its particles
 * (io_write_begin), collected from slices. */
#ifndef FARSUM_IO_TEXTS_H
#define FARSUM_IO_TEXTS_H

#include "io.h"

struct texts_column {
    char *name;    /* owned */
    char *longest; /* owned */
    char **text;   /* owned; the different species, up to a number that no
                      writer needs more of */
    int n;
};
struct texts {
    struct texts_column *columns; /* owned */
    int n;
};

/* Collects the texts of a slice.  -1: no memory. */
int texts_add(struct texts *texts, const struct io_frame *slice);
/* Makes a head for io_write_begin from a frame with the same columns.  It
 * borrows all but its array of columns and the data of those with texts, which
 * texts_head_clear frees.  -1: no memory. */
int texts_head(const struct texts *texts, const struct io_frame *frame,
               struct io_frame *head);
void texts_head_clear(struct io_frame *head);
void texts_clear(struct texts *texts);
#endif
