/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h: transforms of columns [n][count] along the first axis, in tiles that
 * stay in cache: a tile's columns are transposed to contiguous lines,
 * transformed, and transposed to or from rows of the spectrum. */
#ifndef FARSUM_RANKS_LINES_H
#define FARSUM_RANKS_LINES_H

#include "ranks/transforms.h"

struct lines {
    int64_t n;      /* points of a line */
    int64_t count;  /* columns */
    int64_t lead;   /* complex numbers from one line of a tile to the next */
    int64_t tile;   /* lines */
    int64_t size;   /* bytes of a complex number */
    int64_t row;    /* complex numbers per row of the spectrum */
    int64_t *place; /* owned, [count]: where a column's first point is in the
                       spectrum, in complex numbers; set by the caller */
    char *data;     /* owned, [transforms.n][tile][lead] */
    struct transforms transforms;
};

/* count 0 is legal. */
farsum_status lines_create(struct lines *lines, const struct slab_args *args,
                           int64_t count);
void lines_clear(struct lines *lines);
/* forward: from `columns` to `spectrum`; backward: from `spectrum` to
 * `columns`. */
farsum_status lines_forward(const struct lines *lines, const void *columns,
                            void *spectrum);
farsum_status lines_backward(const struct lines *lines, const void *spectrum,
                             void *columns);
#endif
