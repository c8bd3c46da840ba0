/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h: whole sums over ranks on devices, with arrays on either side. */
#ifndef FARSUM_TEST_RANKS_DEVICE_SUMS_H
#define FARSUM_TEST_RANKS_DEVICE_SUMS_H

#include <farsum/device.h>

#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum { MANY = 900, RANKS = 3, RHS = 2, WIDTH = 6 };

/* Sources and separate targets, and strengths [rhs][MANY][strengths]. */
extern double x[3 * MANY], y[3 * MANY], q[RHS * WIDTH * MANY];

/* Results of all ranks, [rhs][MANY][..], and of each. */
struct whole {
    double values[RHS * 3 * MANY], field[RHS * 3 * MANY];
    double gradient[RHS * 6 * MANY];
    double energy[RANKS][RHS], virial[RANKS][9 * RHS];
    farsum_plan_info info[RANKS]; /* without the plans' own texts */
    char device[RANKS][32];
};

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    farsum_options options;
    int strengths, values, rhs;
    int apart;         /* 1: separate targets, as many as sources */
    int there;         /* 1: arrays on the device */
    int named;         /* 1: plans open the device, for one rank on PoCL */
    int unsampled;     /* 1: plans get no sample */
    double stretch[4]; /* changes of the cell after create, ended by 0 */
    int64_t first[RANKS + 1]; /* points that each rank gives */
    struct whole *found;
};

enum share { EVEN, ALL, NONE };
/* Even parts; the last rank gives all; or the first gives none. */
void share(struct shared *s, int size, enum share how);

/* One rank's arrays, on the side where s->there says. */
enum array {
    SOURCES,
    TARGETS,
    STRENGTHS,
    VALUES,
    FIELD,
    GRADIENT,
    ENERGY,
    VIRIAL,
    ARRAYS
};
struct part {
    int rank;
    int64_t first, n;
    double *host[ARRAYS];  /* owned */
    void *array[ARRAYS];   /* owned if on the device; what plans get */
    int64_t bytes[ARRAYS];
    farsum_device *device; /* owned; NULL: the plan opens one, or the host */
    int there;             /* 1: arrays are on the device */
};
void part_make(struct part *p, const struct shared *s, int rank);
void part_free(struct part *p);
/* comm: NULL: one process.  FARSUM_TEST_TRANSPORT names the transport. */
farsum_status part_plan(struct part *p, const struct shared *s,
                        struct comm *comm, farsum_plan **plan);
farsum_status part_points(struct part *p, const struct shared *s,
                          farsum_plan *plan);
/* Executes and finishes; results are then in p->host. */
farsum_status part_sum(struct part *p, const struct shared *s,
                       farsum_plan *plan);
/* Transfers results to p->host, or an array to the side where it is. */
farsum_status part_results(struct part *p);
void part_upload(struct part *p, enum array k);
/* Copies results from p->host to the rank's place. */
void part_store(struct whole *to, const struct shared *s, const struct part *p);
/* Sets the first strength. */
void part_strength(struct part *p, double to);

/* A sum over ranks: sets s->found.  data: a struct shared. */
farsum_status sum_rank(struct comm *comm, void *data);
/* The same sum by one process. */
void sum_alone(struct shared *s);
#endif
