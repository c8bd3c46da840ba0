/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h: internals of a batch. */
#ifndef FARSUM_BATCH_BATCH_INSIDE_H
#define FARSUM_BATCH_BATCH_INSIDE_H

#include "farsum/batch.h"

#include "base/isa.h"
#include "batch/waves.h"
#include "math/pair.h"
#include "points/cell.h"
#include "tune/error.h"

enum { BATCH_LEVELS = 65, BATCH_FIRST = 4, BATCH_TABLE = 2048 };
enum { BATCH_ROUNDS = 4 };     /* sums of one system in an execute */
enum { BATCH_WHOLE = 20000 };  /* sources from which all threads share one
                                  system */
/* Sums in f32 are tried from this tolerance on. */
#define BATCH_F32_FROM 1e-5

/* A prolate split of bandwidth c, with its tables.  Units of the cutoff. */
struct batch_level {
    double c;
    struct band band;
    /* From here on only if complete. */
    int complete;
    double curvature;
    struct split split;
    struct near_poly poly;
    double (*gamma)[2]; /* owned, [BATCH_TABLE + 1]: gamma and its slope times
                           the step, at k = c i / BATCH_TABLE */
};

/* How a system is summed by waves. */
struct batch_choice {
    const struct batch_level *level;
    double rc, seconds;
    int images, most[3];
    int64_t rows, entries; /* upper limits */
    int f32;               /* pairs in f32 */
};

enum batch_kind { BATCH_EMPTY, BATCH_WAVES, BATCH_PLAN, BATCH_BAD };

struct batch_system {
    int64_t first, n;      /* sources in the caller's arrays */
    int64_t at, padded;    /* the same in the batch's */
    double rows[9];        /* right-handed, caller's length */
    int length;            /* lengths are in units of 2^length: waves take
                              cells with a longest edge of 1 to 2 */
    struct cell cell;      /* reduced */
    enum batch_kind kind;
    struct batch_choice chosen, now; /* by set; of the last sum */
    double finer;          /* tolerance over the one that `now` aims at */
    double error, norm;    /* of the last execute */
    double rough;          /* mean square of the pairs' forces, C = 1 */
    int64_t waves;
    int64_t plan;          /* index */
    int sums;
    const char *method;
    farsum_status set, status; /* of set; of the last call */
};

/* A plan for one count and one cell, which one thread uses at a time. */
struct batch_plan {
    int64_t n, copy;
    double rows[9];
    farsum_plan *plan; /* owned; NULL: not made yet, or at fault */
    int used;          /* 1: by the current systems */
};

/* The fault of the lowest system. */
struct batch_fault {
    int64_t system; /* -1: none */
    farsum_status status;
    char text[1024];
};

/* A thread's arrays. */
struct batch_work {
    double *real;        /* owned */
    struct waves_row *row; /* owned */
};

struct batch_gpu;

struct farsum_batch {
    farsum_problem problem;   /* defaults filled in; no sample */
    farsum_options options;   /* of the plans */
    struct pair pair;
    enum isa isa;
    int threads;
    struct batch_gpu *gpu;    /* owned; NULL: the host */
    int small;                /* 1: waves are possible */
    double typical_q;         /* RMS */
    struct batch_level *level[BATCH_LEVELS]; /* owned; NULL: not made yet */
    int64_t systems, sources; /* -1: not set */
    struct batch_system *system; /* owned, [systems] */
    int64_t *order;           /* owned: systems by cost, the largest first */
    int64_t systems_have, order_have;
    double *s[3];             /* owned: fractional coordinates */
    int64_t s_have[3], padded;
    void *x;                  /* owned copy of the caller's positions */
    int64_t x_have;
    struct batch_plan *plan;  /* owned */
    int64_t plans, plans_have;
    struct batch_work *work;  /* owned, [threads] */
    int64_t real_have, row_have;
    struct batch_fault faults[2]; /* of set; of execute */
};

/* batch/level.c: the level of bandwidth BATCH_FIRST + index / 2. */
farsum_status batch_level(struct farsum_batch *b, int index,
                          const struct batch_level **level);
double batch_gamma(const struct batch_level *level, double k, double *slope);
/* RMS errors of truncation of n charges with sum q^2 = q2, C = 1: of forces,
 * and of potentials. */
void batch_errors(const struct batch_level *level, double rc, double volume,
                  int64_t n, double q2, double error[2]);
/* Chooses a system's split, cutoff and images for tolerance / finer. */
farsum_status batch_choose(struct farsum_batch *b,
                           const struct batch_system *system, double finer,
                           struct batch_choice *choice);
int batch_level_index(const struct batch_level *level);
/* Images of a pair that can lie within the cutoff, -reach .. reach. */
void batch_reach(const struct cell *cell, double rc, int reach[3]);
/* Expected seconds of a plan's sum. */
double batch_plan_seconds(const struct farsum_batch *b, int64_t n);

/* batch/work.c: makes the threads' arrays hold a choice of a system with
 * `padded` particles. */
farsum_status batch_reserve(struct farsum_batch *b,
                            const struct batch_choice *choice, int64_t padded);
int64_t batch_reals(const struct batch_choice *choice, int64_t padded);
/* Records a system's failure, with this thread's message. */
void batch_fail(struct farsum_batch *b, struct batch_fault *fault,
                struct batch_system *system, farsum_status status);

/* What the sums of a right-hand side found.  Lengths in units of the cutoff,
 * strengths divided by `unit`. */
struct batch_found {
    double unit, q2;
    double force, value; /* means of q^2 E^2 and phi^2 */
    double rough;        /* sum of the pairs' (q_i q_j/r^2)^2 */
    double all, squares; /* sums of |S|^2 and |S|^4 over the waves */
};
/* batch/estimate.c: the estimate in the tolerance's norm, the largest of the
 * right-hand sides. */
void batch_estimate(const struct farsum_batch *b, struct batch_system *s,
                    const struct batch_found *found);
/* Exponents of two from a system's own units, with C and a strength as 1 to 2,
 * to the caller's.  unit: the power of two that strengths are divided by. */
struct batch_units {
    int value, field, energy;
};
struct batch_units batch_units(const struct farsum_batch *b,
                               const struct batch_system *s, double unit);
/* The constant C in own units. */
double batch_coulomb(const struct farsum_batch *b);
/* Failures of strength i of right-hand side r, and of result i. */
farsum_status batch_bad_strength(int64_t i, int r, double q);
farsum_status batch_bad_result(int64_t i);
farsum_status batch_check_energy(double energy);

/* batch/sum.c: one sum of a system by waves, with s->now. */
farsum_status batch_sum(const struct farsum_batch *b, struct batch_system *s,
                        int rhs, const void *q, const farsum_result *out,
                        struct batch_work *work);

/* batch/plans.c: finds or registers the plan of a system. */
farsum_status batch_plan_find(struct farsum_batch *b, struct batch_system *s);
/* Frees the plans that no current system uses, if there are many. */
void batch_plans_trim(struct farsum_batch *b);
/* Sums all systems of plan p. */
void batch_plan_run(struct farsum_batch *b, int64_t p, int rhs, const void *q,
                    const farsum_result *out);
#endif
