/* SPDX-License-Identifier: Apache-2.0 */
/* split.h: 1/r = near (1 - E(r))/r + far E(r)/r, docs/math.md section 2.
 *
 * Everything is in units of the cutoff: x = r/rc in [0, 1], kappa = k rc.  E is
 * the cumulative integral of a normalised even window with transform hat,
 * hat(0) = 1. c is the bandwidth: the far sum omits modes kappa > c. */
#ifndef FARSUM_MATH_SPLIT_H
#define FARSUM_MATH_SPLIT_H

#include "base/status.h"

enum { SPLIT_TERMS = 160 };

struct split {
    const struct split_kind *kind;
    double c;
    double xi;               /* gaussian: xi rc = sqrt(c/2) */
    int n;                   /* prolate: number of Legendre coefficients, even
                                degrees */
    double a[SPLIT_TERMS];
};

/* Names, ended by NULL. */
extern const char *const split_names[];
/* Fails on an unknown name or c outside 1 .. 100. */
farsum_status split_set(struct split *split, const char *name, double c);
const char *split_name(const struct split *split);
double split_e(const struct split *split, double x);       /* E */
double split_de(const struct split *split, double x);      /* dE/dx */
double split_d2e(const struct split *split, double x);     /* d2E/dx2 */
double split_hat(const struct split *split, double kappa);  /* gamma */
double split_dhat(const struct split *split, double kappa); /* d gamma/dkappa */
/* Limit of (hat - 1)/kappa^2 at 0, for the background of a net charge. */
double split_curvature(const struct split *split);

/* Polynomials of the near field in v = 2 (r/rc)^2 - 1, in units of rc,
 * computed by math/pair.h.  For laplace: potential 1/r - P(v), field (1/r^3 -
 * G(v)) d. */
enum { NEAR_MAX = 48, NEAR_POLYS = 6 };
struct near_poly {
    int n;                 /* coefficients of each polynomial */
    union {
        double c[NEAR_POLYS][NEAR_MAX];
        struct {
            double p[NEAR_MAX]; /* P = E(r)/r */
            double g[NEAR_MAX]; /* G = (E/r - E')/r^2 = -4 dP/dv, last
                                   coefficient 0 */
        };
    };
    double error;          /* largest error of a pair on [0, 1] */
};
#endif
