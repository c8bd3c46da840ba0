/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: the check of a plan by a second sum.
 *
 * The plan sums the sample.  A second sum computes the results at some targets.
 * It shares nothing with the plan: no mesh, window, cutoff or bandwidth.  The
 * difference is the error, whatever order the strengths have in space.  Without
 * a sample, or with separate targets, the first executed sum is checked
 * instead. */
#ifndef FARSUM_PLAN_VERIFY_H
#define FARSUM_PLAN_VERIFY_H

#include "device/buf.h"
#include "base/arrays.h"
#include "reference/few/device.h"
#include "plan/plan.h"
#include "ranks/partners.h"

/* The targets of the second sum: some of the separate targets, or of the
 * sources.  Over ranks these are the targets of all ranks, the same on each.
 * The first `certain` ones may have far larger errors than others;
 * each counts once.  The next ones, up to `sparse`, are random targets in
 * sparse places, the rest random others.  They count weight[0] and weight[1]
 * times. */
struct verify_targets {
    int64_t count, certain, sparse;
    int64_t *index; /* owned, [count]: numbers among all ranks' targets */
    double weight[2];
};
/* The number of targets that target k of these stands for. */
static inline double verify_stands_for(const struct verify_targets *t,
                                       int64_t k)
{
    return k < t->certain ? 1 : t->weight[k >= t->sparse];
}
/* tally.c: the sum of a quantity over all targets, from its values at these. */
struct verify_tally {
    double certain, sum[2], squares[2]; /* of random targets: each kind */
};
void verify_tally(struct verify_tally *tally, const struct verify_targets *t,
                  int64_t k, double value);
/* Adds up the tallies of all ranks. */
farsum_status verify_tally_add(const struct farsum_plan *plan,
                               struct verify_tally *tally);
/* *unsure: its standard error. */
double verify_tally_sum(const struct verify_tally *tally,
                        const struct verify_targets *t, double *unsure);

/* On the plan's device: sources and strengths as passed by the caller, and the
 * kernels that sum them. */
struct verify_there {
    struct device *device;            /* borrowed */
    struct buf x, q;                  /* owned */
    struct few_device_kernels kernels; /* owned */
};

/* The second sum of some sources and strengths, made once and compared with
 * each plan that is tried. */
struct verify_sum {
    int64_t n, m;               /* m: separate targets, or 0 */
    int64_t all_n, all_m;       /* of all ranks */
    int64_t first;              /* the number of this rank's first target */
    int64_t place;              /* sources and separate targets of the ranks
                                   before this one */
    int64_t around;             /* sources near which targets are searched for:
                                   the n, then those near the rank's slab */
    struct verify_slab *slab;   /* owned; NULL: one process */
    const void *given_x, *given_y, *given_q; /* type `arrays`, on host */
    const void *results;        /* the plan's, at all targets; NULL: the plan
                                   has not summed yet */
    double size;                /* for an absolute tolerance: RMS force or
                                   velocity, in the plan's units; computed
                                   from results if not NULL; 0: not known */
    double strength;            /* RMS strength, in the plan's units; set if
                                   separate targets need it */
    farsum_precision type;      /* of the arrays above */
    const double *x, *y, *q;    /* the same in f64, for sums on the host */
    int summed;                 /* 1: the second sum is there */
    double *own_x, *own_y, *own_q; /* owned; NULL: the given ones are f64 */
    struct verify_there *there;    /* owned; NULL: no data on a device */
    struct verify_targets targets;
    struct exclusions excluded; /* rows: targets of these, sources of the n */
    double *wanted;             /* owned, [targets.count][width] */
    int width;                  /* 1: potentials; 3: fields, velocities */
    int forces;                 /* 1: values are forces per unit of strength,
                                   of charges with dipoles */
    double *gradient;           /* owned, [targets.count][6]; set if forces */
    double *third;              /* owned, [targets.count][10]; with quadrupoles
                                   too */
    unsigned energies;          /* FARSUM_ENERGY, FARSUM_VIRIAL: measured too */
    int whole;                  /* 1: targets are all sources, in order, and
                                   energy and virial are set */
    int images;                 /* verify_images, which reads all sources */
    double energy, virial[9];
    double magnitude;           /* of dipoles, if whole: half the sum of
                                   |q phi - p.E + Q:H/2|, in internal units;
                                   else 0 */
    double *potential;          /* owned, [targets.count]; NULL: see
                                   verify_potentials */
    double tolerance;           /* limits the second sum's own estimate */
    double seconds_drawn, seconds_summed; /* to draw targets; to sum */
};

/* The targets of all ranks, and of this one. */
static inline int64_t verify_all(const struct verify_sum *s)
{
    return s->all_m > 0 ? s->all_m : s->all_n;
}
static inline int64_t verify_own(const struct verify_sum *s)
{
    return s->all_m > 0 ? s->m : s->n;
}
/* This rank's index of target k; -1: it is another rank's. */
static inline int64_t verify_index(const struct verify_sum *s, int64_t k)
{
    int64_t i = s->targets.index[k] - s->first;
    return i >= 0 && i < verify_own(s) ? i : -1;
}
static inline double verify_x(const struct verify_sum *s, int64_t i)
{
    return array_get(s->given_x, s->type, i);
}
static inline double verify_q(const struct verify_sum *s, int64_t i)
{
    return array_get(s->given_q, s->type, i);
}

/* strength.c: a source's charge in the plan's units, or the root of
 * pair_square() of a charge with a dipole. */
double verify_strength(const struct farsum_plan *plan,
                       const struct verify_sum *s, int64_t i);
/* Replaces field `at` by the force on source i, q E - G p, with quadrupoles
 * less Q:T/2, over the plan's unit of strength, so that it is in the unit of
 * fields.  gradient, third: the potential's derivatives. */
void verify_force(const struct farsum_plan *plan, const struct verify_sum *s,
                  int64_t i, farsum_precision type, int64_t at, void *field,
                  const void *gradient, const void *third);

/* Half the sum of |q phi - p.E + Q:H/2| over all sources, which have moments,
 * in internal units.  In f64, and in the caller's units.  gradient: only with
 * quadrupoles. */
double verify_magnitude(const struct farsum_plan *plan,
                        const struct verify_sum *s, const double *potential,
                        const double *field, const double *gradient);

/* Certain targets of each kind: strong sources, near pairs, clustered places.
 * CLUSTERING: the distance to this neighbour measures the clustering.  NEXT:
 * neighbours along a curve that are inspected.  CURVES: curves. */
enum { STRONG = 6, NEAR = 6, DENSE = 4, CLUSTERING = 16, NEXT = 3, CURVES = 2 };
enum { VERIFY_SEED = 0x5eed };

/* targets.c.  Input: n to around, x, y.  Selects all targets if they are not
 * many more than `wanted`.  Otherwise selects the strongest sources, those with
 * the nearest neighbours, those in the densest places, and others at random.
 * The neighbours of separate targets are sources.  Over ranks, all select the
 * same targets among those of all.  size: [n] magnitudes of the strengths. */
farsum_status verify_targets(const struct farsum_plan *plan,
                             const struct verify_sum *s, const double *size,
                             int64_t wanted, struct verify_targets *targets);

/* ranks.c.  Sets all_n and all_m.  Over ranks, replaces the sources, separate
 * targets and results that this rank gave by those in its slab of the cell, so
 * that it has most neighbours of its targets.  Collective. */
farsum_status verify_slabs(const struct farsum_plan *plan,
                           struct verify_sum *s);
void verify_slab_free(struct verify_slab *slab); /* NULL is legal */
/* The excluded pairs by this rank's sources: rows of sources, with indices of
 * targets as partners_travel gives them.  NULL: one process. */
const struct partners_own *verify_slab_pairs(const struct verify_sum *s);
/* excluded.c.  Over ranks: until verify_pairs_end, the plan's excluded pairs
 * have the numbers of the sum's sources, which are those in the slabs.  *kept
 * need not be initialised.  Collective. */
farsum_status verify_pairs_begin(struct farsum_plan *plan,
                                 const struct verify_sum *s,
                                 struct exclusions *kept);
void verify_pairs_end(struct farsum_plan *plan, struct exclusions *kept);
/* Sets s->excluded, once there are targets.  Not collective. */
farsum_status verify_excluded(const struct farsum_plan *plan,
                              struct verify_sum *s);
/* The largest of the ranks' seconds since `start`. */
farsum_status verify_seconds(const struct farsum_plan *plan, double start,
                             double *seconds);

/* Adds target i, unless the targets contain it. */
void verify_target(struct verify_targets *targets, int64_t i);
/* Marks the present targets as certain and adds others of n at random, whatever
 * their places. */
void verify_targets_draw(struct verify_targets *targets, int64_t n,
                         int64_t wanted, uint64_t *random);
/* targets_device.c.  Selects targets among sources on the plan's device,
 * of which there must be more than `wanted`. */
farsum_status verify_targets_device(struct farsum_plan *plan,
                                    struct verify_sum *s, int64_t wanted);
/* device.c.  Returns 1 if the device computes the second sum.  Over ranks the
 * plan's own arrays are not those on the device. */
int verify_on_device(const struct farsum_plan *plan,
                     const struct verify_sum *s);
/* Copies sources and strengths to the device on the first call. */
farsum_status verify_send(struct farsum_plan *plan, struct verify_sum *s);
/* Releases data on the plan's device; must be called before it is closed. */
void verify_recall(struct verify_sum *s);
/* Copies the targets' rows of results `from` on the device to the same rows of
 * `to`, [n][width] of type `arrays`. */
farsum_status verify_rows(const struct farsum_plan *plan,
                          const struct verify_sum *s, const struct buf *from,
                          int width, void *to);
/* Returns 1 if few targets are to be summed pair by pair, each with its images:
 * for s->images, once the targets are drawn. */
int verify_images(const struct farsum_plan *plan, const struct verify_sum *s);
/* What the second sum is, in words. */
const char *verify_means(const struct farsum_plan *plan,
                         const struct verify_sum *s);
/* Returns 1 for few targets on the host: of many sources in a cell, or with
 * images. */
int verify_few(const struct farsum_plan *plan, const struct verify_sum *s);
/* Sets wanted and potential, where that is not NULL; y: the targets. */
farsum_status verify_sum_few(struct farsum_plan *plan, struct verify_sum *s,
                             const double *y);
enum { VERIFY_FEW = 5000 };
/* sum.c.  Computes the second sum.  Input: the fields n to size; sets
 * the others. */
farsum_status verify_sum(struct farsum_plan *plan, struct verify_sum *s);
/* Returns a result with the array `to` for the quantity that the tolerance
 * limits, and `potential` for potentials in addition.  Both may be NULL. */
farsum_result verify_result(const struct farsum_plan *plan,
                            const struct verify_sum *s, void *to,
                            void *potential);
static inline const double *verify_potentials(const struct verify_sum *s)
{
    return s->width == 1 ? s->wanted : s->potential;
}
/* Errors over the tolerance.  is: as measured.  most: upper limit that allows
 * for the random choice of targets. */
struct verify_error {
    double is, most;
};
/* compare.c.  Sets the error of results `out` at all targets, for one
 * right-hand side.  The plan must have summed them and know their norm. */
farsum_status verify_errors(const struct farsum_plan *plan,
                            const struct verify_sum *s, const void *out,
                            struct verify_error *error);
/* Sums the sample by the plan and sets the plan's error.  The plan has no
 * points afterwards.  info keeps the norm and the estimate, plan->energies the
 * errors of energy and virial. */
farsum_status verify_compare(struct farsum_plan *plan, struct verify_sum *s,
                             struct verify_error *error);
/* The plan's own results at all sources. */
struct verify_out {
    void *values;    /* owned, [n][width], of type `arrays` */
    void *potential; /* [n]: values, or owned; NULL: not among its outputs */
    void *gradient;  /* owned, [n][6]; NULL: values are not forces */
    void *third;     /* owned, [n][10]: forces on quadrupoles */
    double energy, virial[9];
};
/* Compared quantity, in internal units: values, or forces.  A force is the
 * field times the strength, unless the sum has forces.  Separate targets have
 * no strength: the RMS strength is used. */
struct verify_measure {
    const struct farsum_plan *plan;
    const struct verify_sum *s;
    int unit, force; /* unit: the exponent of values */
    double q;
};
struct verify_measure verify_measure(const struct farsum_plan *plan,
                                     const struct verify_sum *s);
/* The factor by which target i's values are multiplied. */
double verify_weight(const struct verify_measure *of, int64_t i);
/* The square of target i's values in `out`, less `wanted` if that is not
 * NULL. */
double verify_square(const struct verify_measure *of, const void *out,
                     int64_t i, const double *wanted);
/* each.c.  Sets error: a percentile of the particles' own errors, over
 * the tolerance. */
farsum_status verify_compare_each(const struct farsum_plan *plan,
                                  const struct verify_sum *s, const void *out,
                                  struct verify_error *error);
/* energy.c.  Returns which of energy and virial are measured.  n: sources of
 * all ranks.  *whole:
 * 1: by a second sum of all sources. */
unsigned verify_energies(const struct farsum_plan *plan, int64_t n, int *whole);
/* Sets the errors of energy and virial, relative to their norms; negative: not
 * measured. */
farsum_status verify_compare_energies(const struct farsum_plan *plan,
                                      const struct verify_sum *s,
                                      const struct verify_out *out,
                                      struct verify_error error[2]);
void verify_clear(struct verify_sum *s);
/* verify.c.  Records the measured error of the sum that info describes. */
void verify_found(struct farsum_plan *plan, const struct verify_sum *s,
                  double error, double seconds);
#endif
