/* SPDX-License-Identifier: Apache-2.0 */
/* comment.h: the comment line of an extended XYZ frame. */
#ifndef FARSUM_IO_COMMENT_H
#define FARSUM_IO_COMMENT_H

#include "io.h"
#include "text.h"

enum role { ROLE_POS, ROLE_CHARGE, ROLE_COLUMN };

struct field {
    char *name; /* owned */
    enum role role;
    enum io_type type;
    int width;
    int column; /* of the frame */
};

/* The columns that the line declares. */
struct comment {
    struct field *fields; /* owned */
    int n_fields;
    int charge; /* the field with the charges, or -1 */
    int seen; /* bits: Lattice, Origin, pbc, Properties */
    bool says_periodic; /* the key pbc exists */
};

/* Parses the text's line: cell, flags and keys go to the frame, the columns to
 * *c.  Returns 0, or -1 with a message; the caller clears *c in both cases. */
int comment_parse(struct text *t, const struct io_options *options,
                  struct io_frame *frame, struct comment *c);
void comment_clear(struct comment *c);

/* T or F as 1 or 0; also 1 and 0 if `digits`. */
int comment_truth(struct text *t, struct text_word word, bool digits,
                  int *out);

#endif
