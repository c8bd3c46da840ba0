/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h: the pair kernels: what the splits make of them (math.md section 9).
 *
 * All in units of the cutoff.  Every kernel is near + far for any split: near
 * is a singular part less polynomials in v = 2 r^2 - 1 (math/pair.kh), far a
 * sum over modes k of a scalar hat(k) and the kernel's tensor
 * (math/pair_far.kh). */
#ifndef FARSUM_MATH_PAIR_H
#define FARSUM_MATH_PAIR_H

#include "math/split.h"

enum { PAIR_STRENGTHS = 6, PAIR_CHANNELS = 6, PAIR_VALUES = 3 };
/* kappa in units of the cutoff: beyond, there is nothing to sum at the cutoff,
 * and polynomials of e^(-kappa r) are long. */
enum { PAIR_KAPPA_MAX = 60 };

struct pair;
struct pair_edge;

/* What a kernel's functions are told. */
struct pair_kind {
    int power;    /* a value goes as length^-power */
    int degree;   /* and as strengths^degree */
    int gradient; /* 1: the values are a potential: field, energy, virial */
    int charged;  /* 1: a net charge, dipole and surroundings as of 1/r */
    int screened; /* 1: kappa is a parameter, else 0 */
    int limit;    /* 1: the mode k = 0 counts, by hat(0) */
    /* hat(k) = front gain / (k^2 + kappa^2)^fall smooth(k) */
    double front;
    double (*gain)(const struct pair *pair, const struct split *split); /* NULL:
                     1 */
    int fall;
    int odd;      /* 1: smooth is no function of k^2, but one of k >= 0 */
    double (*smooth)(const struct pair *pair, const struct split *split,
                     double k);
    double (*slope)(const struct pair *pair, const struct split *split,
                    double k); /* d smooth/dk; NULL without a gradient */
    /* The potential v[1] of a unit source at r and its field v[0], -dv[1]/dr;
     * NULL without a gradient. */
    void (*bare)(const struct pair *pair, double r, double v[2]);
    /* The same of the near part at r > 1, which the cutoff leaves out. */
    void (*beyond)(const struct pair *pair, const struct pair_edge *edge,
                   double r, double v[2]);
    /* The polynomials from base, n coefficients of the first, E(r)/r say: */
    double (*base)(double v, const struct pair *pair,
                   const struct split *split);
    void (*near)(const double *base, int n, const struct pair *pair,
                 double c[][NEAR_MAX]);
    int radial; /* bit k: polynomial k is one in 2 r - 1, not in v */
    /* largest error of a pair at r if polynomial k is off by 1 */
    void (*exact)(const struct pair *pair, const struct split *split, double r,
                  double value[], double weight[]);
    /* Of flows, math/pair_far.kh: */
    int apart; /* 1: channels are not the strengths */
    int flux;  /* 1: net is what a source gives off, with the mean flow (9.8) */
    void (*spread)(const double *q, double *channel);
    void (*net)(const double *q, double *net);
    /* Of strengths q: what errors go as the root of (math.md (9.9)). */
    double (*square)(const double *q);
    /* lift k^order hat(k): root mean square of a mode's far field over
     * square(), (9.10). */
    double lift;
    int order;
    /* Of flows: mean square of the pair over square() if e(r) stands for 1 -
     * E; e, e', e'' at r (9.11). */
    double (*mean)(const struct pair *pair, const double e[3], double r);
    /* Mean over square() of the squares of a pair's nine derivatives at r = 1,
     * nothing cut. */
    double steep;
    /* Of the part of a strength's own value that the far field has: value =
     * own E'(0) q. */
    double own;
};

struct pair {
    const char *name, *note; /* constant */
    int strengths, channels, values, polys;
    const struct pair_kind *kind;
    double kappa; /* 1/length: of rows 0, of a plan's pair in the caller's unit,
                     of what stages are told in units of the cutoff */
};

/* Of a split, what `beyond` needs. */
struct pair_edge {
    double c, xi; /* xi: of a Gaussian split, else 0 */
    double edge;  /* E'(1)/E'(0) */
};

/* The kernels, ended by a name of NULL. */
extern const struct pair pair_rows[];
/* NULL: there is none of that name. */
const struct pair *pair_find(const char *name);
/* The factor that kappa and the split give front. */
double pair_gain(const struct pair *pair, const struct split *split);
/* Mode k's scalar, straight from the split. */
double pair_hat(const struct pair *pair, const struct split *split, double k);
/* d hat/dk. */
double pair_slope(const struct pair *pair, const struct split *split, double k);
/* Of a unit source, of a flow over square(): sums of the squares of all first
 * derivatives at r of its value [1] and its field [0], 0 of a flow. */
void pair_steep(const struct pair *pair, double r, double square[2]);
/* The shortest polynomials whose error of a pair is below `error`. */
farsum_status pair_near_poly(const struct pair *pair, const struct split *split,
                             double error, struct near_poly *poly);
#endif
