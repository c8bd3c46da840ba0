/* SPDX-License-Identifier: Apache-2.0 */
/* near.h: the near field: all pairs within the cutoff.
 *
 * Lengths are in units of the cutoff, so the cutoff is 1.  For a target i and
 * each source j, all periodic images, with d = x_i - x_j, r = |d| < 1,
 * v = 2 r^2 - 1, the kernel's function of math/pair.kh is added; of laplace
 * (math.md section 3):
 *
 *     potential_i += q_j (1/r   - P(v))
 *     field_i     += q_j (1/r^3 - G(v)) d
 *
 * A pair at r = 0 (a target on a source, a particle with itself) keeps its
 * polynomials and loses its singular part: that is the self term of the far
 * field.  r = 0 means r < near_skip().  energy = 1/2 sum q_i potential_i and
 * virial = 1/2 sum_pairs d (x) force, in units of the cutoff, count this near
 * part alone.
 *
 * set: targets NULL or the same pointer as sources: the targets are the
 * sources.  It borrows both until the next set or destroy. */
#ifndef FARSUM_STAGE_NEAR_NEAR_H
#define FARSUM_STAGE_NEAR_NEAR_H

#include "base/isa.h"
#include "device/buf.h"
#include "math/pair.h"
#include "points/wrap.h"
#include "stage/stage.h"

/* The most cells a cutoff that can be named; the longest skin, cutoffs: beyond,
 * f32 would not have the bits. */
enum { NEAR_CELLS = 8, NEAR_SKIN = 8 };

struct near_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    unsigned outputs;             /* FARSUM_POTENTIAL | ... */
    const struct cell *cell;      /* units of the cutoff; borrowed, its values
                                     may change before a set */
    const struct near_poly *poly; /* of it; borrowed */
    int64_t n_sources, n_targets; /* expected; n_targets 0: same points */
    double neighbours;            /* expected sources within the cutoff, mean
                                     over the targets; for the cost */
    struct device *device;        /* borrowed; NULL: the host */
    const struct pair *pair;      /* the kernel; borrowed; NULL: laplace */
    const struct split *split;    /* what poly was made of, for rows that have
                                     it in closed form; borrowed; NULL: not
                                     known */
    int team[2];                  /* threads over targets and over sources, in
                                     rows of teams; 0: the row's own */
    int cells;                    /* of rows on a device: cells that a cutoff is
                                     divided into, along each axis, 1 ..
                                     NEAR_CELLS; 0: as the row finds best */
    int wide;                     /* 1, of f32: results are f64, and so are the
                                     sums of pairs, but for partial ones of some
                                     tens: their rounding does not grow with
                                     the number of pairs */
    double allowed;               /* error of a pair, units of the cutoff, that
                                     is not seen beside what the sum is off by
                                     anyway; 0: rounding alone */
    double skin;                  /* cutoffs: rows that keep their lists from
                                     set to set list pairs up to 1 + skin, and
                                     anew only where a point is more than half
                                     a skin from where it was listed; 0: at
                                     every set */
    int distinct;                 /* 1: set fails as points_distinct does where
                                     sources coincide */
    struct exclusions *exclusions; /* borrowed: of the points that are set, for
                                     points_distinct; NULL: none */
    struct near_lists *lists;     /* borrowed; NULL: nobody asks */
    double repeats;               /* runs a set, expected; 0: 1 */
};

/* What rows that keep lists have done. */
struct near_lists {
    int64_t made, kept; /* sets that listed anew, and that had no need to */
    int distinct;       /* 1: of rows on a device that know: the last set has no
                           two sources at one place */
};

/* Arrays in the caller's order, of type precision, results of wide args f64;
 * they are added to.  NULL: not wanted.  On a device each is a struct buf *. */
struct near_io {
    const void *q;     /* [n_sources][strengths] */
    void *potential;   /* the values: [values][n_targets] */
    void *field;       /* [n_targets][3] */
    void *energy;      /* double; sources = targets only */
    void *virial;      /* double [9], row-major; sources = targets only */
};

static inline const struct pair *near_kernel(const struct near_args *args)
{
    return args->pair ? args->pair : pair_rows;
}

/* Distance, in cutoffs, below which two positions are one: what wrapping into
 * the cell leaves of the digits (f64); what a position holds, and the largest
 * power of 1/r of the kernel (f32; of r6 that is 3e-5). */
static inline double near_skip(const struct near_args *args)
{
    double edge = 0;
    for (int d = 0; d < 3; d++) {
        const double *a = args->cell->a + 3 * d;
        double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        edge = square > edge ? square : edge;
    }
    double skip = 4e-15 * __builtin_sqrt(edge);
    if (args->precision != FARSUM_F32)
        return skip;
    const struct pair_kind *kind = near_kernel(args)->kind;
    double least =
        __builtin_pow(1e-36, 1.0 / (kind->power + (kind->gradient ? 2 : 3)));
    least = least < 2e-7 ? 2e-7 : least;
    return skip < least ? least : skip;
}

/* Of rows that keep lists: is the skin not too long? */
farsum_status near_skin_fits(const struct near_args *args);
/* ops.c: adds the least that a sum does: the pairs within the cutoff, each
 * seen from both points, arrays once. */
void near_ops(const void *args, struct work *work);
/* What pairs cost that are looked at: the difference and its square. */
void near_ops_looked(const struct near_args *args, double pairs,
                      struct work *work);
/* Coefficients of polynomial k without the zeros at the end. */
static inline int near_terms(const struct near_poly *poly, int k)
{
    int n = poly->n;
    while (n > 1 && poly->c[k][n - 1] == 0)
        n--;
    return n;
}
/* And those that are summed, on one point: all of it, or what comes after the
 * slope. */
void near_ops_pairs(const struct near_args *args, double pairs,
                     struct work *work);
void near_ops_field(const struct near_args *args, double pairs,
                      struct work *work);
/* Positions and strengths in, results out. */
void near_ops_arrays(const struct near_args *args, struct work *work);
/* Targets, the sources if there are no others. */
static inline double near_targets(const struct near_args *args)
{
    return (double)(args->n_targets > 0 ? args->n_targets : args->n_sources);
}
/* What the sums of a pair are of. */
static inline int near_wants_value(const struct near_args *args)
{
    const unsigned values = FARSUM_POTENTIAL | FARSUM_ENERGY | FARSUM_VELOCITY;
    return args->outputs == 0 || (args->outputs & values) != 0;
}
static inline int near_wants_field(const struct near_args *args)
{
    return near_kernel(args)->kind->gradient
           && (args->outputs == 0
               || (args->outputs & (FARSUM_FIELD | FARSUM_VIRIAL)) != 0);
}

extern const struct stage near_stage;
#endif
