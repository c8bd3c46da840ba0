/* pair.h: the pair kernels: what the splits make of them (math.md section 9).
 *
 * All in units of the cutoff.  Every kernel is near + far for any split: near
 * is a singular part less polynomials in v = 2 r^2 - 1 (leaf/pair.h), far a sum
 * over modes k of a scalar hat(k) and the kernel's tensor (leaf/far.h). */
#ifndef FARSUM_MATH_PAIR_H
#define FARSUM_MATH_PAIR_H

#include "math/split.h"

enum { PAIR_STRENGTHS = 6, PAIR_CHANNELS = 6, PAIR_VALUES = 3 };

struct pair;

/* What a kernel's functions are told. */
struct pair_kind {
    int power;    /* a value goes as length^-power */
    int degree;   /* and as strengths^degree */
    int gradient; /* 1: the values are a potential: field, energy, virial */
    int charged;  /* 1: a net charge, dipole and surroundings as of 1/r */
    int limit;    /* 1: the mode k = 0 counts, by hat(0) */
    /* hat(k) = front / (k^2 + shift)^fall smooth(k), which is even */
    double front;
    int fall;
    double (*shift)(const struct pair *pair);
    double (*smooth)(const struct pair *pair, const struct split *split,
                     double k);
    double (*slope)(const struct pair *pair, const struct split *split,
                    double k); /* d smooth/dk; NULL without a gradient */
    /* The polynomials from base, n coefficients of the first, E(r)/r say: */
    double (*base)(double v, const struct pair *pair,
                   const struct split *split);
    void (*near)(const double *base, int n, const struct pair *pair,
                 double c[][NEAR_MAX]);
    /* largest error of a pair at r if polynomial k is off by 1 */
    void (*exact)(const struct pair *pair, const struct split *split, double r,
                  double value[], double weight[]);
    /* Of flows, leaf/far.h: */
    int apart; /* 1: channels are not the strengths */
    int flux;  /* 1: net is what a source gives off, with the mean flow (9.8) */
    void (*spread)(const double *q, double *channel);
    void (*net)(const double *q, double *net);
    /* Of strengths q: what errors go as the root of (math.md (9.9)). */
    double (*square)(const double *q);
    /* Root mean square of a mode's far field over square(), (9.10). */
    double (*mode)(const struct pair *pair, const struct split *split,
                   double k);
    /* Mean square of the pair over square() if e(r) stands for 1 - E; e, e',
     * e'' at r (9.11). */
    double (*mean)(const struct pair *pair, const double e[3], double r);
    /* Of the part of a strength's own value that the far field has: value =
     * own E'(0) q. */
    double own;
};

struct pair {
    const char *name, *note; /* constant */
    int strengths, channels, values, polys;
    const struct pair_kind *kind;
};

/* The kernels, ended by a name of NULL. */
extern const struct pair pair_rows[];
/* NULL: there is none of that name. */
const struct pair *pair_find(const char *name);
/* Mode k's scalar, straight from the split. */
double pair_hat(const struct pair *pair, const struct split *split, double k);
/* d hat/dk. */
double pair_slope(const struct pair *pair, const struct split *split, double k);
/* The shortest polynomials whose error of a pair is below `error`. */
farsum_status pair_near_poly(const struct pair *pair, const struct split *split,
                             double error, struct near_poly *poly);
#endif
