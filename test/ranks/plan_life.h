/* SPDX-License-Identifier: Apache-2.0 */
/* plan_life.h: the life of a small plan over ranks, for tests of failures.
 *
 * Each step is collective.  The ranks record its end, and the test compares
 * them: status, words, and the number of calls of comm so far, which differs if
 * a rank has left the order of calls. */
#ifndef FARSUM_TEST_RANKS_PLAN_LIFE_H
#define FARSUM_TEST_RANKS_PLAN_LIFE_H

#include "plan/ranks.h"
#include "ranks/comm_threads.h"

/* LIFE_RANKS: of most tests; LIFE_MOST: of any. */
enum {
    LIFE_POINTS = 24,
    LIFE_RANKS = 3,
    LIFE_MOST = 4,
    LIFE_WIDTH = 3,
    LIFE_RHS = 2
};

/* Steps of a life: create; points; two sums, the second one of two right-hand
 * sides; other points; a sum; a smaller cell, which needs a wider halo; points;
 * a sum; other exclusions; a sum.  Rank 0 gives the first exclusions, and each
 * rank one of the others. */
enum step {
    CREATE,
    POINTS,
    SUM,
    SUMS,
    OTHER_POINTS,
    OTHER_SUM,
    CELL,
    CELL_POINTS,
    CELL_SUM,
    EXCLUDE,
    EXCLUDED_SUM,
    STEPS
};

struct end {
    farsum_status status;
    char words[256];
    int64_t calls;
};

/* What one rank passes to the functions of a plan.  A test may change it. */
struct given {
    struct ranks_shape shape;
    farsum_problem problem;
    farsum_options options;
    const farsum_problem *problem_at; /* &problem */
    int64_t n, m;
    const double *x, *y, *q, *cell;
    double smaller[9];
    int64_t n_pairs, pairs[2 * 3];
    double *own_x, *own_q;            /* owned: what x and q point to */
    farsum_result result;
    farsum_result *result_at;         /* &result */
    int rhs;
};

struct life {
    int size, flow, sampled;
    int pencils;         /* 1: 2 x size/2 ranks */
    int excluded;        /* 1: with exclusions */
    int brief;           /* 1: without the steps SUMS to CELL_SUM */
    int verify;          /* options.verify */
    /* Called before each step; NULL: nothing is changed. */
    void (*change)(struct life *life, struct comm *comm, enum step step,
                   struct given *given);
    farsum_device *const *devices; /* of the ranks; NULL: hosts */
    /* Called after each life; NULL: nothing more is checked. */
    void (*after_run)(const struct life *life, const char *name);
    int bad_rank;        /* for change */
    const void *bad;     /* for change */
    int64_t fail_at;     /* this allocation of rank fail_rank fails; 0: none */
    int fail_rank;
    int allocated;       /* set: 1: fail_at was reached */
    uint64_t bytes;      /* set: of rank 0's plan without points */
    int spent;           /* 1: after a failure the plan is at its limit */
    int creates_again;   /* 1: after a failed create, a plan can be made */
    enum step ended;     /* set: the step that failed, or STEPS */
    struct end ends[STEPS][LIFE_MOST];
    struct end after[LIFE_MOST];     /* after a failure */
    double *right[STEPS][LIFE_MOST]; /* results of a life without failures, or
                                         NULL: they are set */
};

/* Runs a life on each of life->size ranks, and compares their ends.  name: for
 * messages. */
void life_run(struct life *life, const struct ranks_play *play,
              const char *name);
/* Runs a life without failures to set the results. */
void life_make(struct life *life);
void life_free(struct life *life);
/* The life ended in the step, with these words somewhere in the message, after
 * "rank R: " for rank >= 0. */
void life_ends(const struct life *life, const char *name, enum step step,
               farsum_status status, const char *words, int rank);
#endif
