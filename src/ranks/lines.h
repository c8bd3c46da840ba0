/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h: transforms of columns along the first axis, in tiles that stay in
 * cache: a tile's columns are transposed to contiguous lines, transformed, and
 * transposed to or from rows of the spectrum.  The points own <= x < own +
 * own_n of the columns are in the rank's own planes; the others x < known, in
 * order of x, are rows of an array.  The points from `known` on are 0 forward,
 * and dropped backward. */
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
    int64_t own, own_n; /* points in the own planes */
    int64_t known;      /* points in planes of any rank */
    int64_t plane;      /* complex numbers per plane */
    /* owned, [count]: where a column's first point is, in complex numbers: in
     * the spectrum, and in the own planes; set by the caller */
    int64_t *place, *own_place;
    char *data;     /* owned, [transforms.n][tile][lead] */
    struct transforms transforms;
};

/* count 0 is legal.  The caller may set other steps `row` and `plane`. */
farsum_status lines_create(struct lines *lines, const struct slab_args *args,
                           int64_t count);
void lines_clear(struct lines *lines);
/* What the lines are copied from and to. */
struct lines_sides {
    char *columns; /* [known - own_n][row], of which `count` are used */
    int64_t row;   /* complex numbers */
    char *planes, *spectrum;
};
/* forward: from `columns` and the own planes to `spectrum`; backward: from
 * `spectrum` to both. */
farsum_status lines_run(const struct lines *lines,
                        const struct lines_sides *sides, int backward);
#endif
