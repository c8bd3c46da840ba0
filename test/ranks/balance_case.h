/* SPDX-License-Identifier: Apache-2.0 */
/* balance_case.h: a plan over ranks that gets several sets of points, and the
 * same plan of one process. */
#ifndef FARSUM_TEST_RANKS_BALANCE_CASE_H
#define FARSUM_TEST_RANKS_BALANCE_CASE_H

#include "method/spectral/device_ranks.h"
#include "method/spectral/ranks.h"
#include "plan/exported.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum { MANY = 2400, MOST_RANKS = 13, STEPS = 6, LAYERS = 8 };

/* Sets of points in the cube of edge 2. */
enum places { EVEN, CLUSTER, NEAR_IT, TWO, PLANE, SETS };

extern double x[SETS][3 * MANY], q[MANY];

/* What cuts of method spectral follow from, and what setting a step's points
 * costs. */
struct costs {
    struct load_costs seconds;
    struct cell cell; /* in units of the cutoff */
    int64_t mesh[3], halo;
    int64_t calls; /* of comm */
};

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    farsum_options options;
    const enum places *steps; /* ended by SETS */
    double edge;              /* of axis 0 from step 1 on; 0: 2 */
    int apart;                /* 1: NEAR_IT are separate targets */
    int excluded;             /* 1: with excluded pairs */
    farsum_device *const *devices; /* of the ranks; NULL: the host */
    double most;              /* allowed difference from one process */
    int rank_count;           /* 0: one process */
    int64_t first[MOST_RANKS + 1];
    int64_t fail_at;          /* allocation of rank fail_rank in step 1 */
    int fail_rank, allocated, quiet;
    double potential[STEPS][MANY], field[STEPS][3 * MANY], energy[STEPS];
    struct ranks_info info[STEPS][MOST_RANKS];
    farsum_plan_info about[STEPS];
    double low[STEPS][MOST_RANKS], high[STEPS][MOST_RANKS];
    farsum_status status[STEPS][MOST_RANKS];
    struct costs costs[STEPS];
};

/* Draws the points and strengths. */
void draw(void);
void shared_make(struct shared *s, const enum places *steps);
/* Method fmm, with LAYERS layers of root boxes. */
void shared_fmm(struct shared *s, int open, int levels);
/* Even parts; none: the first rank gives none. */
void share(struct shared *s, int size, int none);
/* Sets the points of a step, and before those of step 1 the cell. */
farsum_status set(const struct shared *s, farsum_plan *plan, int step,
                  int64_t first, int64_t n);
/* A rank's work: all steps. */
farsum_status work(struct comm *comm, void *data);
/* The same by one process. */
void alone(struct shared *s);
/* A step's results against those of one process, and the parts of the ranks
 * against each other. */
void same(const struct shared *s, const struct shared *right, int step,
          int size);
/* Method spectral: all steps' cuts against those that the plan's own costs call
 * for, whatever they are on this device. */
void right_cuts(const struct shared *s, int size);
#endif
