/* SPDX-License-Identifier: Apache-2.0 */
/* near.h: the near field, all pairs within the cutoff.
 *
 * Lengths are in units of the cutoff, so the cutoff is 1.  For a target i and
 * each source j, including all periodic images, let d = x_i - x_j, r = |d| < 1
 * and v = 2 r^2 - 1.  The kernel's function of math/pair.kh is added; for
 * laplace (math.md section 3):
 *
 *     potential_i += q_j (1/r   - P(v))
 *     field_i     += q_j (1/r^3 - G(v)) d
 *
 * Sources with moments: math/pair_moments.kh with f_n less polynomial n.
 *
 * A pair at r = 0 (a target on a source, a particle with itself) keeps its
 * polynomials and loses its singular part.  This is the self term of the far
 * field.  r = 0 means r < near_skip().  energy = 1/2 sum q_i potential_i and
 * virial = 1/2 sum_pairs d (x) force, in units of the cutoff, cover only this
 * near part.  With moments they are 1/2 sum q_i phi_i - p_i.E_i and the sum of
 * (7.16a) without E_a p_b.
 *
 * set: if targets is NULL or the same pointer as sources, the targets are the
 * sources.  set borrows both until the next set or destroy. */
#ifndef FARSUM_STAGE_NEAR_NEAR_H
#define FARSUM_STAGE_NEAR_NEAR_H

#include "base/isa.h"
#include "device/buf.h"
#include "math/pair.h"
#include "points/wrap.h"
#include "stage/stage.h"

/* Maximum cells per cutoff; maximum skin in cutoffs, beyond which f32 has too
 * few bits. */
enum { NEAR_CELLS = 8, NEAR_SKIN = 8 };

struct near_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    unsigned outputs;             /* FARSUM_POTENTIAL | ... */
    const struct cell *cell;      /* in units of the cutoff; borrowed; its
                                     values may change before a set */
    const struct near_poly *poly; /* polynomials of the kernel; borrowed */
    int64_t n_sources, n_targets; /* expected numbers; n_targets 0: targets are
                                     the sources */
    double neighbours;            /* expected sources within the cutoff, mean
                                     over the targets; for the cost */
    struct device *device;        /* borrowed; NULL: the host */
    const struct pair *pair;      /* the kernel; borrowed; NULL: laplace */
    const struct split *split;    /* the split that poly was computed from, for
                                     variants that evaluate it in closed form;
                                     borrowed; NULL: not known */
    int team[2];                  /* threads over targets and over sources, for
                                     variants with teams; 0: chosen by the
                                     variant */
    int cells;                    /* devices only: cells per cutoff along each
                                     axis, 1 to NEAR_CELLS; 0: chosen by the
                                     variant */
    int wide;                     /* f32 only: 1: results are f64, and so are
                                     sums of pairs, except partial sums of some
                                     tens of pairs; then rounding does not grow
                                     with the number of pairs */
    double allowed;               /* error of a pair, in units of the cutoff,
                                     that is negligible compared with the other
                                     errors of the sum; 0: only rounding */
    /* Verlet skin in cutoffs: variants that reuse their lists list pairs up to
     * 1 + skin.  They make new lists only when a point is more than half a skin
     * from where it was listed.  0: new lists at every set */
    double skin;
    int distinct;                 /* 1: where sources coincide, set fails as
                                     points_distinct does */
    struct exclusions *exclusions; /* borrowed: exclusions of the set points,
                                      for points_distinct; NULL: none */
    struct near_lists *lists;     /* borrowed; NULL: not wanted */
    double repeats;               /* expected runs per set; 0: 1 */
    double soft;                  /* laplace only: radius in cutoffs, at most 1,
                                     within which 1/r is softened, (3.11); 0:
                                     none */
};

/* Statistics of variants that reuse lists. */
struct near_lists {
    int64_t made, kept; /* number of sets that made lists, and that reused
                           them */
    int distinct;       /* 1: the last set has no coincident sources; only set
                           by variants on devices that check */
};

/* Arrays in the caller's order, of type precision; with args->wide results are
 * f64.  Results are added to.  NULL: not wanted.  On a device each pointer is a
 * struct buf *. */
struct near_io {
    const void *q;     /* [n_sources][strengths] */
    void *potential;   /* the values: [values][n_targets] */
    void *field;       /* [n_targets][3] */
    void *gradient;    /* [n_targets][6]: kernels with moments only */
    void *third;       /* [n_targets][10]: charge_quadrupole, `plain` only */
    void *energy;      /* double; sources = targets only, or q_targets */
    void *virial;      /* double [9], row-major; the same */
    double *each;      /* [n_targets][9]: each target's share of the virial;
                          [6] on a device; only `plain` and `gpu_cells` */
    /* [n_targets][strengths] of targets apart from the sources: energy and
     * virial are half of those between the two sets, so 1/2 sum q_i
     * potential_i over the targets.  `plain` and all variants on devices sum
     * them, the latter if args->outputs include one of them.  Other variants
     * on the host refuse to run */
    const void *q_targets;
};

static inline const struct pair *near_kernel(const struct near_args *args)
{
    return args->pair ? args->pair : pair_rows;
}

/* Distance, in cutoffs, below which two positions coincide.  f64: the digits
 * that wrapping into the cell leaves.  f32: the resolution of a position, and
 * the largest power of 1/r of the kernel (3e-5 for r6); softened pairs have no
 * such power, and the tuner refuses those that f32 does not resolve. */
static inline double near_skip(const struct near_args *args)
{
    double edge = 0;
    for (int d = 0; d < 3; d++) {
        const double *a = args->cell->a + 3 * d;
        double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        edge = square > edge ? square : edge;
    }
    double skip = 4e-15 * __builtin_sqrt(edge);
    if (args->precision != FARSUM_F32 || args->soft > 0)
        return skip;
    const struct pair_kind *kind = near_kernel(args)->kind;
    double least = __builtin_pow(1e-36, 1.0
                                            / (kind->power
                                               + (kind->moments    ? 6
                                                  : kind->gradient ? 2
                                                                   : 3)));
    least = least < 2e-7 ? 2e-7 : least;
    return skip < least ? least : skip;
}

/* Fails if the skin is too long for variants that reuse lists. */
farsum_status near_skin_fits(const struct near_args *args);
/* ops.c: adds the minimum work of a sum: the pairs within the cutoff, each seen
 * from both points, and each array once. */
void near_ops(const void *args, struct work *work);
/* Adds the distance test of `pairs` pairs: the difference and its square. */
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
/* Adds the sums of `pairs` pairs at one of their points: all of it, or only the
 * part after the slope. */
void near_ops_pairs(const struct near_args *args, double pairs,
                     struct work *work);
void near_ops_field(const struct near_args *args, double pairs,
                      struct work *work);
/* Adds positions and strengths read, and results written. */
void near_ops_arrays(const struct near_args *args, struct work *work);
/* Number of targets, or of sources if there are no separate targets. */
static inline double near_targets(const struct near_args *args)
{
    return (double)(args->n_targets > 0 ? args->n_targets : args->n_sources);
}
/* Which values of a pair are summed. */
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
extern const struct variant near_plain;
#endif
