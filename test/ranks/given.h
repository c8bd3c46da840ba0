/* SPDX-License-Identifier: Apache-2.0 */
/* given.h: points that ranks give, and a cut of the cell, for tests.
 *
 * All ranks' threads read one struct, so each rank can check its results
 * against all points. */
#ifndef FARSUM_TEST_RANKS_GIVEN_H
#define FARSUM_TEST_RANKS_GIVEN_H

#include <stdint.h>

#include "comm/comm.h"

enum { GIVEN_RANKS = 13 };

/* uneven: random slabs, some of them empty.  one: the last rank owns all. */
enum given_cut { CUT_EVEN, CUT_UNEVEN, CUT_ONE, CUTS };
/* all: rank 0 gives all points.  random: any numbers, and the last rank gives
 * none. */
enum given_share { SHARE_EVEN, SHARE_ALL, SHARE_RANDOM, SHARES };
/* edges: on planes, next to them, and at the ends of [0, 1).  plane: all in one
 * plane. */
enum given_places { PLACES_UNIFORM, PLACES_EDGES, PLACES_PLANE, PLACES };

struct given {
    int size;
    int64_t mesh0, halo, n;
    int64_t begin[GIVEN_RANKS + 1]; /* planes of ranks */
    int64_t first[GIVEN_RANKS + 1]; /* points of ranks */
    double *s[3];                   /* [n]: fractions of the whole cell */
};

void given_make(struct given *given, int size, int64_t mesh0, int64_t halo,
                enum given_cut cut, int64_t n, enum given_share share,
                enum given_places places, uint64_t seed);
void given_free(struct given *given);
/* The plane of point i, and its owner by a search of all ranks. */
int64_t given_plane(const struct given *given, int64_t i);
int given_owner(const struct given *given, int64_t i);
/* Sizes 1, 2, 3, 4, 7, 13; 0 ends the list. */
extern const int given_sizes[];

/* A comm that counts its calls, and the bytes that this rank trades to others
 * and to itself.  It is valid while `inner` is. */
struct counted {
    struct comm comm, *inner;
    int64_t gathers, counts, trades, bytes_others, bytes_self;
};
struct comm *counted_make(struct counted *counted, struct comm *inner);
#endif
