/* SPDX-License-Identifier: Apache-2.0 */
/* door.h: common code of the tests of farsum/mpi.h. */
#ifndef FARSUM_TEST_DOOR_H
#define FARSUM_TEST_DOOR_H

#include "farsum/mpi.h"

enum { MANY = 1500, WIDTH = 3 };

extern int ranks, rank, last; /* last: the last rank */
extern double x[3 * MANY], q[WIDTH * MANY];
/* Points first .. first + n - 1 are this rank's; rank 0 gives none if there is
 * another one. */
extern int64_t first, n;

extern const double straight[9];

farsum_problem problem_of(const char *kernel, const double cell[9]);
farsum_options one_thread(void);
/* A plan over all ranks, with points.  Stops if it fails. */
farsum_plan *plan_of(farsum_problem p, const farsum_mpi_options *mpi);

struct sums {
    double potential[MANY], vector[3 * MANY], energy;
};
/* Sums by a plan over ranks: this rank's points at 0. */
void sums_of(farsum_plan *plan, int flow, struct sums *sums);

/* door_bad.c: different arguments; bad ones; bad ones of a plan's calls; calls
 * that one rank stops, and those of another thread. */
void test_different(void);
void test_bad(void);
void test_bad_calls(void);
void test_stopped(void);
void test_thread(void);
#endif
