/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: the inside of a plan. */
#ifndef FARSUM_PLAN_PLAN_H
#define FARSUM_PLAN_PLAN_H

#include "base/isa.h"
#include "base/progress.h"
#include "base/scale.h"
#include "device/device.h"
#include "math/pair.h"
#include "plan/calibrate.h"
#include "task/sample.h"
#include "points/exclusions.h"

struct method;

struct farsum_plan {
    farsum_problem given;    /* defaults filled in; sample pointers cleared */
    farsum_problem problem;  /* the same in units of the plan's own; mixed is
                                f64 here, with pairs in f32; of error the norm
                                that parameters are tuned by */
    struct units units;      /* which these are */
    double given_cutoff, given_skin; /* options.cutoff and skin are inside */
    double *sample_q;        /* owned: problem.sample_q, f64; create alone */
    double sign;             /* of the constant; problem.coulomb is its size */
    double finer;            /* problem.tolerance is given.tolerance over this:
                                1, or more if the norm or the check asked for
                                it */
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
    farsum_precision pairs;  /* of the near field's pairs */
    farsum_options options;  /* names of the caller are cleared once used */
    struct progress progress; /* options.progress, while a call runs */
    struct pair pair;        /* the problem's kernel */
    const struct method *method;
    void *state;              /* owned by the method */
    char method_reason[1000]; /* why this method */
    double method_seconds;    /* of an execute, as it was chosen by */
    double most_seconds;      /* that it may take; 0: any */
    char precision_reason[600]; /* why this precision, of auto */
    struct device *device;   /* NULL: the host */
    int owns_device;         /* 1: opened here */
    enum isa isa;
    int threads;
    struct machine machine;  /* what the costs are multiplied by */
    struct sample sample;    /* what the tuner saw */
    int64_t n, m;            /* points set; m = 0: targets are the sources */
    int has_points, dry;     /* dry: made by farsum_plan_tune */
    struct exclusions exclusions; /* rows: for the points that are set */
    double net_size;         /* what info.net_strength is none of to rounding:
                                root of n sum square(); negative: nothing was
                                summed yet */
    int64_t bytes;           /* allocated on behalf of this plan */
    struct farsum_plan *beside; /* owned; NULL: the method has all outputs */
    int beside_ran;          /* 1: in the last execute */
    farsum_plan_info info;
};

/* A device that a caller has opened (device.h of the interface). */
struct farsum_device {
    struct device *device; /* owned */
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
/* plan/choose_method.c: options that bind methods: how many, and whether one is
 * given, by what name. */
int plan_option_count(void);
int plan_option_given(const farsum_options *options, int k, const char **name);
void plan_option_clear(farsum_options *options, int k);
/* Where options name a stage's variant; NULL: no option does. */
const char **plan_option_variant(farsum_options *options, const char *stage);
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
/* C inside. */
static inline double plan_constant(const struct farsum_plan *plan)
{
    return plan->sign * plan->problem.coulomb;
}
/* plan/units.c: the units of problem, options and pair; of open space first
 * those of the sample. */
farsum_status plan_units_begin(struct farsum_plan *plan);
/* What holds points, as they were given. */
struct extent {
    double low[3], high[3];
};
#define EXTENT_NONE                                                            \
    {                                                                          \
        {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}      \
    }
static inline void extent_add(struct extent *e, int axis, double v)
{
    e->low[axis] = v < e->low[axis] ? v : e->low[axis];
    e->high[axis] = v > e->high[axis] ? v : e->high[axis];
}
void extent_points(struct extent *e, const double *x, int64_t n, int threads);
/* The unit's exponent; that of open points becomes the plan's. */
int plan_units_of(const struct extent *extent);
void plan_units_points(struct farsum_plan *plan, const struct extent *extent);
/* A cell inside; one of another size altogether is another plan's. */
farsum_status plan_units_cell(const struct farsum_plan *plan,
                              const double cell[9], double inside[9]);
/* The largest of n numbers of strengths, `width` a source, of each vector; they
 * become the units of a sum. */
void plan_units_most(const void *q, farsum_precision type, int64_t first,
                     int64_t n, int width, double most[2]);
void plan_units_strength(struct farsum_plan *plan, const double most[2]);
/* The sample's strengths again, which points and cells are judged by. */
void plan_units_again(struct farsum_plan *plan);
/* An absolute tolerance, which goes with all units. */
void plan_units_tolerance(struct farsum_plan *plan);
/* From inside to the caller's: exponents of two, and numbers. */
int plan_exponent(const struct farsum_plan *plan); /* of potential, velocity */
int plan_exponent_field(const struct farsum_plan *plan);
int plan_exponent_energy(const struct farsum_plan *plan); /* and of virial */
void plan_units_info(const struct farsum_plan *plan, farsum_plan_info *info);
double plan_error(const struct farsum_plan *plan, double error);
/* What strict's bound is in the tolerance's norm, of an error that no target
 * exceeds; both with C = 1, norm that of the results: it may be off by the
 * error. */
double plan_bound(const struct farsum_plan *plan, double error, double norm);
double plan_length(const struct farsum_plan *plan, double length);
/* A coordinate that is given, times this, is inside. */
double plan_per(const struct farsum_plan *plan);
/* Results before they go out: the largest by size, infinite if one is not
 * finite; 1: whatever is added, all are in range; fails if the largest is not
 * in the range of its type. */
double plan_units_largest(const void *v, farsum_precision type, int64_t n,
                          int threads);
int plan_units_sure(double largest, int exponent, farsum_precision type);
/* 1: those of rhs sets of strengths are in range, whatever their points. */
int plan_units_safe(struct farsum_plan *plan, int64_t n, int rhs,
                    const void *q);
farsum_status plan_units_range(const struct farsum_plan *plan, double largest,
                               int exponent, farsum_precision type,
                               const char *what);
/* 1: near pairs in f32, all else in f64. */
static inline int plan_is_mixed(const struct farsum_plan *plan)
{
    return plan->pairs != plan->problem.precision;
}
/* 1: an order that was given by hand leaves more than the tolerance, by the
 * estimate. */
static inline int plan_misses(const struct farsum_plan *plan)
{
    return plan->options.order != 0
           && plan_estimate(plan) > plan->problem.tolerance * plan->finer;
}
/* FARSUM_POTENTIAL | ...: what a kernel has. */
static inline unsigned pair_outputs(const struct pair *pair)
{
    return pair->kind->gradient ? FARSUM_POTENTIAL | FARSUM_FIELD
                                      | FARSUM_ENERGY | FARSUM_VIRIAL
                                : FARSUM_VELOCITY;
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
/* Bytes that a method will need are within it. */
farsum_status plan_fits(const struct farsum_plan *plan, double bytes);
/* One line to the caller's log, if there is one. */
void plan_log(const struct farsum_plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What the method keeps; on a device its kernels compile side by side. */
farsum_status plan_state(struct farsum_plan *plan);
#endif
