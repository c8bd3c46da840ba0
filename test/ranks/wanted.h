/* SPDX-License-Identifier: Apache-2.0 */
/* wanted.h: a rank's points and ghosts, found by a search of all points and
 * images, for tests of route and ghosts. */
#ifndef FARSUM_TEST_RANKS_WANTED_H
#define FARSUM_TEST_RANKS_WANTED_H

#include "ranks/ghosts.h"
#include "ranks/given.h"
#include "ranks/route.h"

struct wanted {
    int64_t n, first; /* points that the rank gives, and number of the first */
    double *given_s[3]; /* [n]: not owned; NULL if there are none */
    int64_t n_own, n_ghosts;
    int64_t n_sent;         /* ghosts that the rank sends, to itself too */
    int64_t *own;           /* [n_own]: numbers of the own points, in order */
    double *s[3];           /* [n_own]: their fractions of the whole cell */
    int64_t *ghost, *image; /* [n_ghosts]: numbers and images, in order */
};

struct wanted wanted_of(const struct given *given, int rank);
void wanted_free(struct wanted *wanted);
/* CHECK what the sets found. */
void wanted_route(const struct wanted *wanted, const struct given *given,
                  const struct route *route);
void wanted_ghosts(const struct wanted *wanted, const struct given *given,
                   int rank, const struct ghosts *ghosts);
/* Values [n] of global numbers: the first 8 bytes are the number, of which
 * smaller values keep the low bytes.  The caller frees them. */
char *wanted_values(const int64_t *numbers, int64_t n, int64_t bytes);
#endif
