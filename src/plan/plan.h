/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: internals of a plan. */
#ifndef FARSUM_PLAN_PLAN_H
#define FARSUM_PLAN_PLAN_H

#include "base/progress.h"
#include "task/method.h"
#include "task/units.h"

/* Why rank 0 of a plan over ranks has chosen what all ranks then take as named
 * options. */
struct plan_reasons {
    char method[1000], precision[600];
    int n_stages;
    struct {
        char variant[48], reason[256];
    } stages[FARSUM_MAX_STAGES];
};

struct farsum_plan {
    struct task task;     /* what methods see */
    struct report report; /* the method's report */
    const struct method *method;
    void *state;                /* owned; made by the method */
    char method_reason[1000];   /* why this method */
    double method_seconds;      /* predicted, of one execute */
    double most_seconds;        /* limit of an execute; 0: none */
    char precision_reason[600]; /* why auto took this precision */
    int owns_device;            /* 1: task.device was opened here */
    struct progress progress;   /* options.progress, while a call runs */

    double beyond;           /* expected error in the norm of given.error over
                              * the error in problem.error's, without a check */
    double checked;          /* measured error over the tolerance; below 0: not
                              * checked */
    double energies[2];      /* measured errors of energy and virial over their
                              * norms; below 0: not measured */
    int64_t lists_before[2]; /* of info: lists made and kept by the check */
    int excess_told;         /* 1: an error above the tolerance is logged */
    double unchecked;        /* estimate before the check corrected it, in the
                              * caller's unit: sums change the plan's */
    double size[2];          /* of the report, when the plan was checked */
    struct smear *smear;     /* owned; NULL: no widths (plan/smear/smear.h) */
    struct verify_late *late; /* owned; NULL: no sum is still to be checked */

    int64_t n, m;            /* points set */
    int apart;               /* 0: targets are the sources.  Over ranks, one may
                                have m = 0 among ranks that have targets */
    int has_points;
    int64_t bytes;           /* allocated on behalf of this plan */
    struct farsum_plan *beside; /* owned; NULL: the method has all outputs */
    int beside_ran;             /* 1: in the last execute */
    struct plan_reasons *reasons; /* owned; NULL: the plan's own reasons */
    struct comm *comm;          /* owned: task.comm; NULL: it is borrowed */
};

/* problem.c: fills in defaults and checks everything that needs no method. */
farsum_status problem_check(const farsum_problem *problem,
                            farsum_problem *filled, struct pair *pair);
/* Allocated bytes, on the host and on the plan's device. */
struct plan_held {
    int64_t host, device;
};
/* plan/memory.c. */
struct plan_held plan_held(const struct farsum_plan *plan);
/* Adds the bytes allocated since `before`. */
void plan_holds(struct farsum_plan *plan, struct plan_held before);
/* Makes allocations fail that would exceed the plan's memory_limit, until
 * plan_unlimit. */
struct plan_limit {
    struct mem_limit host, device;
};
struct plan_limit plan_limit(struct farsum_plan *plan);
void plan_unlimit(struct farsum_plan *plan, struct plan_limit old);
/* The default of options.memory_limit; device NULL: the host. */
uint64_t plan_memory(const struct device *device);
/* Checks that the positions, in f32, fit into 2^47 bytes of addresses.  Below
 * this limit no variant's byte count overflows. */
farsum_status plan_addresses(const struct farsum_plan *plan);

/* plan/make.c: makes a plan.  PLAN_DRY: only reports what the plan would be.
 * PLAN_INNER: a plan inside another plan, which gives the advice and knows the
 * caller's arrays.  On failure *plan is NULL; without PLAN_INNER it is the plan
 * as far as it got, which the advice needs, or NULL. */
enum { PLAN_DRY = 1, PLAN_INNER = 2 };
farsum_status plan_make(const farsum_problem *problem,
                        const farsum_options *options, int how,
                        farsum_plan **plan);
/* What a plan over ranks knows of the sample, which rank 0 has. */
struct plan_known {
    struct sample sample;
    struct units units;
    double charge, dipole, reach, quadrupole; /* as in task.pair */
};
/* plan/ranks/sample.c: copies the statistics; to->target and to->moments are
 * owned. */
farsum_status plan_known_copy(const struct plan_known *known,
                              struct sample *to);
/* Makes a plan for a part of the tolerance, after a check measured more than
 * the tolerance; f64 instead of auto. */
struct plan_aim {
    double finer; /* tolerance over this; 0: set by the norm */
    int wide;     /* 1: auto means f64 */
    double most;  /* seconds of an execute; 0: any */
    struct comm *comm; /* borrowed; NULL: one rank */
    const char *transport; /* as task.transport */
    struct ranks_shape shape; /* as task.shape */
    struct links links;    /* as task.links */
    int64_t share_of; /* as task.share_of */
    const struct heights *heights;  /* borrowed: as task.heights; NULL: those of
                                      the problem's sample */
    const struct plan_known *known; /* borrowed; NULL: the problem's sample is
                                       measured */
};
farsum_status plan_make_for(const farsum_problem *problem,
                            const farsum_options *options, int how,
                            struct plan_aim aim, farsum_plan **plan);
/* plan/plan.c: the same for a caller: if a method refuses, the message gains
 * advice. */
farsum_status plan_make_advised(const farsum_problem *problem,
                                const farsum_options *options, int how,
                                struct plan_aim aim, farsum_plan **plan);
/* plan/begin.c: fills in a new plan up to its sample.  Sets before->device once
 * the device is open. */
farsum_status plan_begin(struct farsum_plan *p, const farsum_problem *problem,
                         const farsum_options *options, int how,
                         struct plan_aim aim, struct plan_held *before);
/* plan/verify/verify.c: checks the plan by a second sum of the sample.  While
 * the error is too large, a more accurate plan replaces it.  own: with this
 * rank's part of the sample; one process: the problem.  On failure *plan is
 * destroyed and NULL.  Collective over ranks. */
farsum_status plan_verify(const farsum_problem *problem,
                          const farsum_options *options,
                          const farsum_problem *own, farsum_plan **plan);
/* plan/part.c: from now on the plan sums only the problem's part.  On failure
 * *plan is destroyed and NULL. */
farsum_status plan_part(farsum_plan **plan);
/* plan/ranks/reasons.c: takes the reasons of rank 0's plan, gives them to
 * another one, and replaces those of an info where the plan has them. */
void plan_reasons_take(struct plan_reasons *reasons,
                       const struct farsum_plan *plan);
farsum_status plan_reasons_give(const struct plan_reasons *reasons,
                                struct farsum_plan *plan);
void plan_reasons_info(const struct farsum_plan *plan, farsum_plan_info *info);
/* plan/ranks.c: plan_make_for over the ranks of aim.comm, with parameters that
 * rank 0 chooses.  Collective, with the same status and words on all ranks. */
farsum_status plan_make_ranks(const farsum_problem *problem,
                              const farsum_options *options,
                              struct plan_aim aim, farsum_plan **plan);
/* Check of a plan that create could not check, during its first sum.  The data
 * for this check are kept while plan->late is set: plan/late.c. */
struct verify_late {
    int64_t n, m;
    void *x, *y; /* owned copies of set_points' arrays, on the host; or NULL */
    void *q, *out; /* owned copies, for arrays on a device: strengths and
                    * results of the last execute, until finish */
};
farsum_status verify_late_points(struct farsum_plan *plan, int64_t n,
                                 const void *x, int64_t m, const void *y);
/* Copies `count` numbers of the caller's array, on the host or the device, from
 * `first` on. */
farsum_status verify_late_keep(struct farsum_plan *plan, const void *from,
                               int64_t first, int64_t count, const char *what,
                               void **to);
/* If a check that nobody requested fails, logs the reason and drops the check.
 * If the caller stopped the check, the sum stops too. */
farsum_status verify_late_skip(struct farsum_plan *plan, farsum_status status);
/* 1: the next sum with these results is to be checked. */
int verify_late_waits(const struct farsum_plan *plan,
                      const farsum_result *result);
/* Drops copies of strengths and results: another sum comes, or the cell or the
 * exclusions have changed. */
void verify_late_drop(struct farsum_plan *plan);
void verify_late_clear(struct farsum_plan *plan);
/* The array of a plan's results that the tolerance limits, or NULL. */
const void *verify_output(const struct farsum_plan *plan,
                          const farsum_result *result);
/* plan/verify/late.c.  After a sum with such results: checks the last
 * right-hand side, or copies it if the arrays are on a device. */
farsum_status verify_late_sum(struct farsum_plan *plan, int rhs, const void *q,
                              const farsum_result *result);
/* Checks those copies, once the device has finished. */
farsum_status verify_late_finish(struct farsum_plan *plan);
/* plan/info.c: the estimated error, in the plan's units.  If the plan was
 * checked, the estimate is corrected by the factor that the check found.  A
 * factor below 1 comes from the sample's order.  It is dropped if the size of
 * the results shows that this order may have gone. */
double plan_estimate(const struct farsum_plan *plan);
/* The same for the energy (0) and the virial (1); negative: unknown. */
double plan_estimate_energy(const struct farsum_plan *plan, int which);
/* plan/norms.c: sets the norm for the tuner, if the user's norm covers all
 * particles together or each one, and the part of the tolerance that plans
 * target first. */
farsum_status plan_norm(struct farsum_plan *plan);
/* p of a potential r^-p, whose virial's trace is p times the energy; 0: the
 * potential is no power. */
double plan_power(const struct farsum_plan *plan);
/* The reason why the plan cannot be checked in its norm, or NULL. */
const char *plan_norm_unseen(const struct farsum_plan *plan);
/* plan/points.c, plan/execute.c: what farsum_plan_set_points, set_cell, execute
 * and finish do, without advice, without starting progress, and without the
 * check of the first sum.  then: called after the sum with its results, before
 * the caller sees them; NULL: nothing is. */
farsum_status plan_points(struct farsum_plan *plan, int64_t n, const void *x,
                          int64_t m, const void *y);
farsum_status plan_cell(struct farsum_plan *plan, const double cell[9]);
typedef farsum_status plan_then(struct farsum_plan *plan, int rhs,
                                const void *q, const farsum_result *result);
farsum_status plan_sum(struct farsum_plan *plan, int rhs, const void *q,
                       farsum_result *result, plan_then *then);
farsum_status plan_finish(struct farsum_plan *plan);
/* plan/problem.c: checks that f32 arrays are accurate enough for the
 * tolerance. */
farsum_status plan_arrays(const farsum_problem *problem);
/* plan/advice.c: returns status.  If a method refused, the message gains
 * advice. */
farsum_status plan_advise(farsum_status status, const struct farsum_plan *plan,
                          const farsum_problem *problem,
                          const farsum_options *options);
/* The same for points that a plan does not accept. */
farsum_status plan_advise_points(farsum_status status, struct farsum_plan *plan,
                                 int64_t n, const void *x, int64_t m);
/* 1: a method refused; another method or other options may work. */
static inline int plan_refuses(farsum_status status)
{
    return status == FARSUM_ERR_UNSUPPORTED || status == FARSUM_ERR_TOLERANCE
           || status == FARSUM_ERR_MEMORY;
}
/* Particles per rank up to which a plan is checked by default. */
enum { PLAN_CHECKED = 10000000 };
/* 1: not more than that. */
static inline int plan_few_enough(const struct task *task, double n)
{
    return n <= (double)PLAN_CHECKED * (task->comm ? task->comm->size : 1);
}
/* Particles up to which a reference is chosen without being named. */
enum { PLAN_FEW = 5000 };
/* plan/choose_method.c: selects and tunes the method; sets its state and
 * reason. */
farsum_status plan_method(struct farsum_plan *plan);
/* plan/choose_precision.c: the same in the requested precision: pairs,
 * problem.precision, info.  by: cost factors in f64 and f32. */
farsum_status plan_method_in(struct farsum_plan *plan, farsum_precision asked,
                             const struct machine by[2]);
/* Tries each precision and keeps the fastest that meets the tolerance. */
farsum_status plan_precision(struct farsum_plan *plan,
                             const struct machine by[2]);
/* Converts info to the caller's units. */
void plan_units_info(const struct farsum_plan *plan, farsum_plan_info *info);
/* 1: with an order set by the user, the estimate exceeds the tolerance. */
static inline int plan_misses(const struct farsum_plan *plan)
{
    return plan->task.options.fmm.order != 0
           && plan_estimate(plan)
                  > plan->task.problem.tolerance * plan->task.finer;
}
/* plan/exclusions.c: makes the exclusions' rows for n sources and m targets.
 * plan_exclude_hand passes them to the method once it has the points. */
farsum_status plan_exclude_rows(struct farsum_plan *plan, int64_t n, int64_t m);
farsum_status plan_exclude_hand(struct farsum_plan *plan);
/* Makes the exclusions of the problem, which the sample uses. */
farsum_status plan_exclude_problem(struct farsum_plan *plan);
/* Over ranks: gives the new plan `to`, which has the list of its sample, this
 * rank's list e.  all: pairs of all ranks. */
farsum_status plan_exclude_as(const struct exclusions *e, int64_t all,
                              struct farsum_plan *to);
/* The requested outputs that the method does not compute (method->lacks). */
static inline unsigned plan_lacks(const struct farsum_plan *plan,
                                  const struct method *method)
{
    return method->lacks_axes && task_axes(&plan->task) >= method->lacks_axes
               ? method->lacks & plan->task.problem.outputs
               : 0;
}
/* plan/companion.c: makes the companion plan, with the fastest method, if
 * outputs are lacking. */
farsum_status plan_beside_create(struct farsum_plan *plan);
/* plan/results.c: runs all sums.  If a caller may stop between them, outputs
 * are written only at the end. */
farsum_status plan_sum_apart(struct farsum_plan *plan, int rhs, const void *q,
                             farsum_result *result, plan_then *then);
/* plan/info.c: adds the companion's stages and times to the plan's own. */
void plan_beside_info(const struct farsum_plan *plan, farsum_plan_info *info);
#endif
