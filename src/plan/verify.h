/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: the check of a plan by a second sum.
 *
 * The sample is summed by the plan and, at some targets, by a sum that shares
 * nothing with it: no mesh, window, cutoff or bandwidth.  The difference is the
 * error, whatever order the strengths have in space.  Where there is no sample,
 * or targets are apart, the first sum that is executed takes its place. */
#ifndef FARSUM_PLAN_VERIFY_H
#define FARSUM_PLAN_VERIFY_H

#include "device/buf.h"
#include "base/arrays.h"
#include "reference/few/device.h"
#include "plan/plan.h"

/* The targets: of those apart, or of the n sources.  `certain` ones first, each
 * for itself, which may err far more than others; the rest at random, each for
 * `weight`. */
struct verify_targets {
    int64_t count, certain;
    int64_t *index; /* owned, [count] */
    double weight;
};

/* On the plan's device: sources and strengths as they were given, and what sums
 * there. */
struct verify_there {
    struct device *device;            /* borrowed */
    struct buf x, q;                  /* owned */
    struct exact_gpu_kernels kernels; /* owned */
};

/* The second sum of some sources and strengths, made once and compared with
 * each plan that is tried. */
struct verify_sum {
    int64_t n, m;               /* m: targets apart, or 0 */
    const void *given_x, *given_y, *given_q; /* type `arrays`, the host's */
    const void *results;        /* of that sum, at all targets; NULL: it is yet
                                   to be made */
    double size;                /* of an absolute tolerance: RMS of what it is
                                   of, in the plan's units; by results, where
                                   they are there; 0: not known */
    farsum_precision type;      /* of these */
    const double *x, *y, *q;    /* the same in f64, for sums on the host */
    double *own_x, *own_y, *own_q; /* owned; NULL: the given ones are f64 */
    struct verify_there *there;    /* owned; NULL: nothing is on a device */
    struct verify_targets targets;
    double *wanted;             /* owned, [targets.count][width] */
    int width;                  /* 1: potentials; 3: fields, velocities */
    unsigned energies;          /* FARSUM_ENERGY, FARSUM_VIRIAL: measured too */
    int whole;                  /* 1: of all sources, in their order, with: */
    double energy, virial[9];
    double *potential;          /* owned, [targets.count], or NULL: wanted */
    double tolerance;           /* by its own estimate */
    double seconds_drawn, seconds_summed; /* of its targets, of it */
};

static inline int64_t verify_all(const struct verify_sum *s)
{
    return s->m > 0 ? s->m : s->n;
}
static inline double verify_x(const struct verify_sum *s, int64_t i)
{
    return array_get(s->given_x, s->type, i);
}
static inline double verify_q(const struct verify_sum *s, int64_t i)
{
    return array_get(s->given_q, s->type, i);
}

/* Certain targets of each kind: strong sources, near pairs, crowded places; the
 * neighbour whose distance says how crowded it is; neighbours along a curve
 * that are looked at; curves. */
enum { STRONG = 6, NEAR = 6, DENSE = 4, CROWD = 16, NEXT = 3, CURVES = 2 };
enum { VERIFY_SEED = 0x5eed };

/* verify_targets.c.  All targets if there are not many more than
 * `wanted`; else the strongest of the sources, those with the nearest
 * neighbours, those in the densest places and others at random; of targets
 * apart the neighbours are sources.  size: [n] magnitudes of the strengths. */
farsum_status verify_targets(const struct farsum_plan *plan,
                             const struct verify_sum *s, const double *size,
                             int64_t wanted, struct verify_targets *targets);

/* Target i comes to them, unless it is there. */
void verify_target(struct verify_targets *targets, int64_t i);
/* Those that are there are certain; others of n come at random. */
void verify_targets_draw(struct verify_targets *targets, int64_t n,
                         int64_t wanted, uint64_t *random);
/* verify_targets_device.c: the same of sources on the plan's device, of more
 * than are wanted. */
farsum_status verify_targets_device(struct farsum_plan *plan,
                                    struct verify_sum *s, int64_t wanted);
/* verify_device.c.  1: the second sum is the device's. */
int verify_on_device(const struct farsum_plan *plan,
                     const struct verify_sum *s);
/* Sources and strengths to the device, once. */
farsum_status verify_send(struct farsum_plan *plan, struct verify_sum *s);
/* Before the plan's device goes. */
void verify_recall(struct verify_sum *s);
/* The rows of the targets of results that lie there: into their places
 * in `to`, [n][width] of type `arrays`. */
farsum_status verify_rows(const struct farsum_plan *plan,
                          const struct verify_sum *s, const struct buf *from,
                          int width, void *to);
/* 1: of many sources and few targets in a cell, on the host. */
int verify_few(const struct farsum_plan *plan, const struct verify_sum *s);
/* Sets wanted and potential, where that is not NULL; y: the targets. */
farsum_status verify_sum_few(struct farsum_plan *plan, struct verify_sum *s,
                             const double *y);
enum { VERIFY_FEW = 5000 };
/* verify_sum.c.  given: n to size; the rest is made. */
farsum_status verify_sum(struct farsum_plan *plan, struct verify_sum *s);
/* Arrays for what the tolerance is of, and for potentials beside it; both may
 * be NULL. */
farsum_result verify_result(const struct farsum_plan *plan,
                            const struct verify_sum *s, void *to,
                            void *potential);
/* What the tolerance is of among a plan's results, or NULL. */
const void *verify_output(const struct farsum_plan *plan,
                          const farsum_result *result);
static inline const double *verify_potentials(const struct verify_sum *s)
{
    return s->width == 1 ? s->wanted : s->potential;
}
/* Errors over the tolerance: as measured, and with the chance of the targets
 * that were drawn. */
struct verify_error {
    double is, most;
};
/* plan_verify_compare.c.  Of results `out` at all targets, of one right-hand
 * side; the plan has summed them and knows their norm. */
farsum_status verify_errors(const struct farsum_plan *plan,
                            const struct verify_sum *s, const void *out,
                            struct verify_error *error);
/* The plan's error.  Sums the sample by the plan, which has
 * no points afterwards; info keeps the norm and the estimate, plan->energies
 * the errors of energy and virial. */
farsum_status verify_compare(struct farsum_plan *plan, struct verify_sum *s,
                             struct verify_error *error);
/* The plan's own results at all sources. */
struct verify_out {
    void *values;    /* owned, [n][width], of type `arrays` */
    void *potential; /* [n]: values, or owned; NULL: not among its outputs */
    double energy, virial[9];
};
/* What is compared, inside: values, or forces, which are a field times the
 * strength; of targets apart, which have none, the RMS strength. */
struct verify_measure {
    const struct farsum_plan *plan;
    const struct verify_sum *s;
    int unit, force; /* unit: the exponent of values */
    double q;
};
struct verify_measure verify_measure(const struct farsum_plan *plan,
                                     const struct verify_sum *s);
/* What target i's values are multiplied by. */
double verify_weight(const struct verify_measure *of, int64_t i);
/* The square of target i's values `out`, less those of `wanted` if that is not
 * NULL. */
double verify_square(const struct verify_measure *of, const void *out,
                     int64_t i, const double *wanted);
/* plan_verify_each.c: error: of each particle by itself, over the tolerance. */
farsum_status verify_compare_each(const struct farsum_plan *plan,
                                  const struct verify_sum *s, const void *out,
                                  struct verify_error *error);
/* plan_verify_energy.c.  Which of energy and virial are measured; *whole: 1: by
 * a second sum of all sources. */
unsigned verify_energies(const struct farsum_plan *plan, int64_t n, int *whole);
/* Of energy and of virial, relative to their norms; negative: not measured. */
void verify_compare_energies(const struct farsum_plan *plan,
                             const struct verify_sum *s,
                             const struct verify_out *out,
                             struct verify_error error[2]);
void verify_clear(struct verify_sum *s);
/* plan_verify.c.  The plan's error is known from here on, of the sum that info
 * tells of. */
void verify_found(struct farsum_plan *plan, const struct verify_sum *s,
                  double error, double seconds);
/* Particles up to which a plan is checked by itself. */
enum { VERIFY_MANY = PLAN_CHECKED };
#endif
