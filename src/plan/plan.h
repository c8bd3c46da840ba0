/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: the inside of a plan. */
#ifndef FARSUM_PLAN_PLAN_H
#define FARSUM_PLAN_PLAN_H

#include "base/progress.h"
#include "task/method.h"
#include "task/units.h"

struct farsum_plan {
    struct task task;     /* what methods see */
    struct report report; /* what the method says of it */
    const struct method *method;
    void *state;                /* owned; the method's */
    char method_reason[1000];   /* why this method */
    double method_seconds;      /* of an execute, as it was chosen by */
    double most_seconds;        /* that it may take; 0: any */
    char precision_reason[600]; /* why this precision, of auto */
    int owns_device;            /* 1: task.device was opened here */
    struct progress progress;   /* options.progress, while a call runs */

    double beyond;           /* error in the norm of given.error over that in
                                problem.error's, as expected without a check */
    double checked;          /* error by the check, over the tolerance; below 0:
                                not checked */
    double energies[2];      /* errors of energy and virial by the check, over
                                their norms; below 0: not measured */
    int64_t lists_before[2]; /* of info, made and kept by the check */
    int excess_told;         /* 1: the log knows of an error above the tolerance
                              */
    double unchecked;        /* the estimate of the sum that was checked */
    struct verify_late *late; /* owned; NULL: no sum is to be checked */

    int64_t n, m;            /* points set; m = 0: targets are the sources */
    int has_points;
    int64_t bytes;           /* allocated on behalf of this plan */
    struct farsum_plan *beside; /* owned; NULL: the method has all outputs */
    int beside_ran;             /* 1: in the last execute */
};

/* problem.c: fills in defaults and checks everything that needs no method. */
farsum_status problem_check(const farsum_problem *problem,
                            farsum_problem *filled, struct pair *pair);
/* plan.c: dry: it only says what it would be; inner: for another plan, which
 * gives the advice and knows of the caller's arrays. */
enum { PLAN_DRY = 1, PLAN_INNER = 2 };
farsum_status plan_make(const farsum_problem *problem,
                        const farsum_options *options, int how,
                        farsum_plan **plan);
/* The same for a part of the tolerance, where the check measured more than it
 * allows; f64 in place of auto. */
struct plan_aim {
    double finer; /* tolerance over this; 0: as the norm has it */
    int wide;     /* 1: auto is f64 */
    double most;  /* seconds of an execute; 0: any */
};
farsum_status plan_make_for(const farsum_problem *problem,
                            const farsum_options *options, int how,
                            struct plan_aim aim, farsum_plan **plan);
/* plan/verify.c: checks the plan by a second sum of the sample, and makes a
 * finer one in its place while the error is too large; on failure *plan is
 * destroyed and NULL. */
farsum_status plan_verify(const farsum_problem *problem,
                          const farsum_options *options, farsum_plan **plan);
/* plan/verify_late.c: the check of a plan that create could not check, by what
 * it sums first.  What such a sum needs is kept while plan->late is there. */
struct verify_late {
    int64_t n, m;
    void *x, *y; /* owned, as given to set_points, the host's; NULL: none */
    void *q, *out; /* owned, of arrays on a device: strengths and results of the
                      last execute, until finish */
};
farsum_status verify_late_points(struct farsum_plan *plan, int64_t n,
                                 const void *x, int64_t m, const void *y);
/* 1: a sum with these results is to be checked. */
int verify_late_waits(const struct farsum_plan *plan,
                      const farsum_result *result);
/* After a sum: the check, by the last right-hand side; of arrays on a device
 * their copies. */
farsum_status verify_late_sum(struct farsum_plan *plan, int rhs, const void *q,
                              const farsum_result *result);
/* The check of those copies, once the device has finished. */
farsum_status verify_late_finish(struct farsum_plan *plan);
/* Those copies are of another cell or other exclusions. */
void verify_late_drop(struct farsum_plan *plan);
void verify_late_clear(struct farsum_plan *plan);
/* The estimated error, inside: of a plan that was checked by as much as the
 * estimate was off there. */
double plan_estimate(const struct farsum_plan *plan);
/* The same of the energy (0) and the virial (1); negative: not known. */
double plan_estimate_energy(const struct farsum_plan *plan, int which);
/* plan/norms.c: the norm that the tuner goes by, where the one that is given is
 * of all particles together or of each, and the part of the tolerance that
 * plans aim at first. */
farsum_status plan_norm(struct farsum_plan *plan);
/* p of a potential r^-p, whose virial's trace is p times the energy; 0: it is
 * no power. */
double plan_power(const struct farsum_plan *plan);
/* Why no check can be made of the plan in its norm; NULL: one can. */
const char *plan_norm_unseen(const struct farsum_plan *plan);
/* plan.c: set_points and execute without advice; they begin no progress. */
farsum_status plan_points(struct farsum_plan *plan, int64_t n, const void *x,
                          int64_t m, const void *y);
farsum_status plan_sum(struct farsum_plan *plan, int rhs, const void *q,
                       farsum_result *result);
/* Arrays of f32 hold what the tolerance asks for. */
farsum_status plan_arrays(const farsum_problem *problem);
/* plan/advice.c: status, its message with what would help, if it is a method
 * that refuses. */
farsum_status plan_advise(farsum_status status, const struct farsum_plan *plan,
                          const farsum_problem *problem,
                          const farsum_options *options);
/* The same of points that a plan does not take. */
farsum_status plan_advise_points(farsum_status status, struct farsum_plan *plan,
                                 int64_t n, const void *x, int64_t m);
/* 1: a method said no: another, or other wishes, may do. */
int plan_refuses(farsum_status status);
/* Particles up to which a plan is checked by itself. */
enum { PLAN_CHECKED = 10000000 };
/* Particles up to which a reference is taken without being named. */
enum { PLAN_FEW = 5000 };
/* plan/choose_method.c: picks and tunes: method, state and why. */
farsum_status plan_method(struct farsum_plan *plan);
/* The same in the precision asked for: pairs, problem.precision, info. */
farsum_status plan_method_in(struct farsum_plan *plan, farsum_precision asked);
/* plan/choose_precision.c: in each precision; the fastest that holds is
 * kept. */
farsum_status plan_precision(struct farsum_plan *plan);
/* The caller's units, in what info says. */
void plan_units_info(const struct farsum_plan *plan, farsum_plan_info *info);
/* 1: an order that was given by hand leaves more than the tolerance, by the
 * estimate. */
static inline int plan_misses(const struct farsum_plan *plan)
{
    return plan->task.options.order != 0
           && plan_estimate(plan)
                  > plan->task.problem.tolerance * plan->task.finer;
}
/* plan/exclusions.c: the rows for n sources and m targets; what the method
 * makes of them is for plan_exclude_hand, once it has the points. */
farsum_status plan_exclude_rows(struct farsum_plan *plan, int64_t n, int64_t m);
farsum_status plan_exclude_hand(struct farsum_plan *plan);
/* Those of the problem, which the sample is taken with. */
farsum_status plan_exclude_problem(struct farsum_plan *plan);
/* plan/companion.c: outputs of the problem's that the method has not
 * (method->lacks). */
unsigned plan_lacks(const struct farsum_plan *plan,
                    const struct method *method);
/* A plan that has them, if there are any: of the method that is fastest. */
farsum_status plan_beside_create(struct farsum_plan *plan);
/* With plan->beside: its cell, after the method's; if it refuses, the method's
 * is the old one again. */
farsum_status plan_beside_cell(struct farsum_plan *plan, const double old[9],
                               const double cell[9]);
/* With plan->beside: its sums of these strengths into what they are of. */
farsum_status plan_beside_execute(struct farsum_plan *plan, int rhs,
                                  const void *q, const farsum_result *result);
/* plan/results.c: all sums; what is written is written at the end where a
 * caller may stop between them. */
farsum_status plan_sum_apart(struct farsum_plan *plan, int rhs, const void *q,
                             farsum_result *result);
/* Its stages and their times, beside the plan's own. */
void plan_beside_info(const struct farsum_plan *plan, farsum_plan_info *info);
/* Bytes that are allocated, on the host and on the plan's device. */
struct plan_held {
    int64_t host, device;
};
struct plan_held plan_held(const struct farsum_plan *plan);
/* What has come since. */
void plan_holds(struct farsum_plan *plan, struct plan_held before);
/* Allocations fail where the plan would hold more than its memory_limit, until
 * plan_unlimit. */
struct plan_limit {
    struct mem_limit host, device;
};
struct plan_limit plan_limit(struct farsum_plan *plan);
void plan_unlimit(struct farsum_plan *plan, struct plan_limit old);
/* Positions, in f32, have addresses: 2^47 bytes; below, no variant's count of
 * bytes overflows. */
farsum_status plan_addresses(const struct farsum_plan *plan);
/* What the method keeps; on a device its kernels compile side by side. */
farsum_status plan_state(struct farsum_plan *plan);
#endif
