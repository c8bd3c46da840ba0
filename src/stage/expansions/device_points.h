/* SPDX-License-Identifier: Apache-2.0 */
/* device_points.h: what rows on devices between points and boxes, p2m and l2p,
 * have in common: harmonics by stage/expansions/monic.kh. */
#ifndef FARSUM_STAGE_EXPANSIONS_DEVICE_POINTS_H
#define FARSUM_STAGE_EXPANSIONS_DEVICE_POINTS_H

#include "device/compile/jit.h"
#include "stage/expansions/expansions.h"

/* [MULTIPOLE_SIZE] each at most, of the numbers in the order of columns. */
struct boxes_monic {
    int p, size, terms;
    double *c;      /* owned, [terms]: of the columns, n = m, m + 1, ... */
    double *factor; /* owned, [size]: scaled numbers over those without */
    int32_t *which; /* owned, [size]: number of the expansion */
};
farsum_status boxes_monic(int p, struct boxes_monic *m);
void boxes_monic_clear(struct boxes_monic *m);
/* Numbers of columns m0 .. m1 - 1. */
int boxes_monic_count(int p, int m0, int m1);
/* Cuts the columns into pieces of at most `most` numbers, or one column:
 * first[0] = 0, ..., first[pieces] = p + 1.  How many pieces. */
int boxes_monic_pieces(int p, int most, int first[MULTIPOLE_MOST + 2]);
/* P, MONIC, and but for most = 0 PIECES, PIECE as a list of first, MOST:
 * numbers of the largest. */
void boxes_monic_define(struct jit *jit, const struct boxes_monic *m, int most);

/* OK if rows of points may do it: a tree on a device. */
farsum_status boxes_points_fits(const void *args);
/* OK if the tree is on the device and is what the row was made for. */
farsum_status boxes_points_io(const struct boxes_args *args,
                              const struct boxes_io *io);
/* What a kernel is given to find leaves' boxes by: of a sparse tree. */
const struct buf *boxes_points_leaf(const struct tree *tree);
/* Threads for a leaf: 2^n, such that each has a few of `points` in it, and the
 * device has enough of them. */
int boxes_points_team(const struct boxes_args *args, double points, int group);
#endif
