/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h: the pair kernels and their near and far parts for each split (math.md
 * section 9).
 *
 * All in units of the cutoff.  Every kernel is near + far for any split.  The
 * near part is singular, less polynomials in v = 2 r^2 - 1 (math/pair.kh).  The
 * far part is a sum over modes k of a scalar hat(k) times the kernel's tensor
 * (math/pair_far.kh). */
#ifndef FARSUM_MATH_PAIR_H
#define FARSUM_MATH_PAIR_H

#include "math/split.h"

enum { PAIR_STRENGTHS = 10, PAIR_CHANNELS = 6, PAIR_VALUES = 3 };
/* Largest kappa in units of the cutoff.  Beyond it nothing is left to sum at
 * the cutoff, and polynomials of e^(-kappa r) need many terms. */
enum { PAIR_KAPPA_MAX = 60 };

struct pair;
struct pair_edge;

/* The properties and functions of a kernel. */
struct pair_kind {
    int power;    /* a value scales as length^-power */
    int degree;   /* and as strengths^degree */
    int gradient; /* 1: the values are a potential; there are field, energy,
                     virial */
    int charged;  /* 1: net charge, dipole and boundary condition at infinity
                     act as for 1/r */
    int moments;  /* 1: strengths are a charge and a dipole vector; a gradient
                     is among the outputs.  2: and a quadrupole, xx xy xz yy yz
                     zz; the third derivatives are among the outputs */
    int screened; /* 1: kappa is a parameter; otherwise it is 0 */
    int limit;    /* 1: the mode k = 0 contributes, with hat(0) */
    int sheet;    /* 1: a sheet of sources acts as e^(-s |z|), times z for some:
                     slabs, (9.31), (9.41); with a gradient: wires, (9.34) */
    /* hat(k) = front gain / (k^2 + kappa^2)^fall smooth(k) */
    double front;
    double (*gain)(const struct pair *pair, const struct split *split); /* NULL:
                     1 */
    int fall;
    int odd;      /* 1: smooth is a function of k >= 0, not of k^2 */
    double (*smooth)(const struct pair *pair, const struct split *split,
                     double k);
    double (*slope)(const struct pair *pair, const struct split *split,
                    double k); /* d smooth/dk; NULL without a gradient */
    /* Full kernel: potential v[1] of a unit source at r and its field v[0],
     * -dv[1]/dr.  NULL without a gradient. */
    void (*bare)(const struct pair *pair, double r, double v[2]);
    /* The same for the near part at r > 1, which the cutoff omits. */
    void (*beyond)(const struct pair *pair, const struct pair_edge *edge,
                   double r, double v[2]);
    /* `near` computes the polynomials from the n coefficients of one of them,
     * `base`, such as E(r)/r.  integrals: how often it integrates `base`; so
     * many of its coefficients are 0. */
    double (*base)(double v, const struct pair *pair,
                   const struct split *split);
    void (*near)(const double *base, int n, const struct pair *pair,
                 const struct split *split, double c[][NEAR_MAX]);
    int integrals;
    int radial; /* bit k: polynomial k is in 2 r - 1 instead of v */
    /* Values at r, and the largest error of a pair at r if polynomial k has an
     * error of 1. */
    void (*exact)(const struct pair *pair, const struct split *split, double r,
                  double value[], double weight[]);
    /* flows only, math/pair_far.kh: */
    int apart; /* 1: channels differ from the strengths */
    int flux;  /* 1: net is the flux of a source, with the mean flow (9.8) */
    void (*spread)(const double *q, double *channel);
    void (*net)(const double *q, double *net);
    /* For strengths q: errors are proportional to the square root of this
     * (math.md (9.9)). */
    double (*square)(const double *q);
    /* lift k^order hat(k): RMS of a mode's far field relative to square(),
     * (9.10). */
    double lift;
    int order;
    /* Flows only: mean square of the pair over square(), with e(r) for 1 - E;
     * e: e, e', e'' at r (9.11). */
    double (*mean)(const struct pair *pair, const double e[3], double r);
    /* Mean square of a pair's nine derivatives at r = 1 over square(), without
     * a cutoff. */
    double steep;
    /* The far field's part of a strength's own value: value = own E'(0) q. */
    double own;
};

struct pair {
    const char *name, *note; /* constant */
    int strengths, channels, values, polys;
    const struct pair_kind *kind;
    double kappa; /* In 1/length.  0 in pair_rows; a plan's pair is in the
                     caller's unit, a stage's pair in units of the cutoff. */
    /* Sources with moments; the unit of length is that of kappa, and in
     * pair_rows all are 0.  reach: a dipole counts as this length times a
     * charge, a quadrupole as its square times one (pair_square).  charge,
     * dipole, quadrupole: RMS values of the expected sources, of which
     * charge^2 + (dipole/reach)^2 + (quadrupole/reach^2)^2 = 1.  A quadrupole's
     * square is (tr(Q)^2 + 2 Q:Q)/2. */
    double charge, dipole, reach, quadrupole;
};

/* The properties of a split that `beyond` needs. */
struct pair_edge {
    double c, xi; /* xi: of a Gaussian split; otherwise 0 */
    double edge;  /* E'(1)/E'(0) */
};

/* The kernels; the last entry has the name NULL. */
extern const struct pair pair_rows[];
/* Returns the kernel of that name, or NULL. */
const struct pair *pair_find(const char *name);
/* (tr(Q)^2 + 2 Q:Q)/2 of a quadrupole xx xy xz yy yz zz: 30 times the mean
 * square of (k.Q.k)/2 over the directions k. */
double pair_quadrupole_square(const double *Q);
/* Returns the factor of front that depends on kappa and the split. */
double pair_gain(const struct pair *pair, const struct split *split);
/* Returns the scalar of mode k, computed directly from the split. */
double pair_hat(const struct pair *pair, const struct split *split, double k);
/* Returns square() of strengths, in the pair's unit of length. */
double pair_square(const struct pair *pair, const double *q);
/* Returns d hat/dk. */
double pair_slope(const struct pair *pair, const struct split *split, double k);
/* Sums of the squares of all first derivatives at r: of the value, square[1],
 * and of the field, square[0].  For a unit source; for a flow, over square(),
 * and square[0] is 0. */
void pair_steep(const struct pair *pair, double r, double square[2]);
/* Finds the shortest polynomials that give a pair an error below `error`. */
farsum_status pair_near_poly(const struct pair *pair, const struct split *split,
                             double error, struct near_poly *poly);
/* Returns hat(0)/front of a kernel's far part, for yukawa without the term
 * 1/kappa^2, (9.24); for 1/r the limit (5.5); 0 if the mode k = 0 does not
 * contribute. */
double pair_zero(const struct pair *pair, const struct split *split);
#endif
