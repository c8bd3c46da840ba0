/* SPDX-License-Identifier: Apache-2.0 */
/* device_points.h: common code of p2m and l2p on devices: harmonics by
 * stage/expansions/monic.kh. */
#ifndef FARSUM_STAGE_EXPANSIONS_DEVICE_POINTS_H
#define FARSUM_STAGE_EXPANSIONS_DEVICE_POINTS_H

#include "device/compile/jit.h"
#include "stage/expansions/expansions.h"

/* Constants of the unnormalised harmonics; at most [MULTIPOLE_SIZE] each;
 * coefficients in the order of columns. */
struct boxes_monic {
    int p, size, terms;
    double *c;      /* owned, [terms]: of the columns, n = m, m + 1, ... */
    double *factor; /* owned, [size]: normalised over unnormalised
                       coefficient */
    int32_t *which; /* owned, [size]: index in the expansion */
};
farsum_status boxes_monic(int p, struct boxes_monic *m);
void boxes_monic_clear(struct boxes_monic *m);
/* Number of coefficients in columns m0 .. m1 - 1. */
int boxes_monic_count(int p, int m0, int m1);
/* Divides the columns into pieces of at most `most` coefficients, or one
 * column: first[0] = 0, ..., first[pieces] = p + 1.  Returns the number of
 * pieces. */
int boxes_monic_pieces(int p, int most, int first[MULTIPOLE_MOST + 2]);
/* Defines P and MONIC; unless most is 0 also PIECES, PIECE as a list of first,
 * and MOST, the coefficients of the largest piece. */
void boxes_monic_define(struct jit *jit, const struct boxes_monic *m, int most);

/* OK for a tree on a device. */
farsum_status boxes_points_fits(const void *args);
/* OK if the tree is on the device and is the one that the variant was created
 * for. */
farsum_status boxes_points_io(const struct boxes_args *args,
                              const struct boxes_io *io);
/* The buffer with which a kernel finds the leaves' boxes; used for sparse
 * trees. */
const struct buf *boxes_points_leaf(const struct tree *tree);
/* Threads per leaf: 2^n such that each has some of a leaf's `points`, and there
 * are enough threads for the device. */
int boxes_points_team(const struct boxes_args *args, double points, int group);
#endif
