/* SPDX-License-Identifier: Apache-2.0 */
/* error.h: the a-priori error of the spectral method, docs/math.md section 6.
 *
 * All in units of the cutoff.  For charges without order the square of the RMS
 * error of field or potential at a particle is Q (cut_near + cut_far + gather +
 * spread) + q_rms^2 self, with Q = sum q^2 and the parts below. */
#ifndef FARSUM_TUNE_ERROR_H
#define FARSUM_TUNE_ERROR_H

#include "math/pair.h"
#include "math/window.h"
#include "points/cell.h"

enum { ALIAS_NODES = 49, SPHERE_NODES = 97 };
enum { BAND_NODES = 24, TAIL_NODES = 36 };

/* How strongly a mode of theta = k h (h the mesh spacing) is taken for its
 * aliases theta + 2 pi m, beta_m = what(theta + 2 pi m)/what(theta), at
 * theta = pi i/(NODES - 1). */
struct alias {
    double log0[ALIAS_NODES]; /* log of sum beta_m^2 */
    double log2[ALIAS_NODES]; /* log of sum beta_m^2 m^2 */
    double mean[ALIAS_NODES]; /* sum beta_m^2 m over sum beta_m^2 */
    double logs[ALIAS_NODES]; /* log of |beta_1 + beta_-1| */
    double sign[ALIAS_NODES]; /* its sign */
    /* Means over all directions of a wave of length theta = 2 pi i/
     * (SPHERE_NODES - 1), theta each direction's part mu of it: */
    double all0[SPHERE_NODES];  /* log of the mean of sum beta_m^2 */
    double all1[SPHERE_NODES];  /* mean of mu sum beta_m^2 m over that */
    double all2[SPHERE_NODES];  /* log of the mean of sum beta_m^2 m^2 */
    double alls[SPHERE_NODES];  /* log of the mean of |beta_1 + beta_-1| */
};
void alias_set(struct alias *alias, const struct window *window);

/* The split as the error sees it; index 0: field, 1: potential, or velocity.
 * Of kernels other than laplace gamma is what makes a mode's RMS far field 4 pi
 * gamma/k^2, (9.10). */
struct band {
    struct pair pair;
    double c;
    double k[BAND_NODES], gamma[BAND_NODES]; /* Gauss nodes of the band */
    double start;                            /* gamma(0) */
    double weight[BAND_NODES];
    double tail_k[TAIL_NODES], tail[TAIL_NODES]; /* beyond the band: nodes, and
                                       gamma times their weights */
    double tail_g[TAIL_NODES], tail_sum[TAIL_NODES]; /* gamma there, and its
                                       integral from there on */
    double lost;                    /* part of gamma's square that lies there */
    double centre, edge;            /* E'(0); E'(1), 0 for a Gaussian split */
    double bend;                    /* of a stresslet, 3 E'(1) + E''(1) */
    double xi;                      /* of a Gaussian split, else 0 */
    double cut_near[2], cut_far[2]; /* times the volume */
    double self;                    /* lost of a particle's own potential */
};
void band_set(struct band *band, const struct split *split,
              const struct pair *pair);
/* tune/split_error_flow.c: the same for kernels other than laplace. */
void band_flow(struct band *band, const struct split *split);
/* What cutoff and bandwidth leave out of such a pair at r, with square() = 1:
 * of a flow RMS over directions. */
double band_flow_cut(const struct band *band, double r, int potential);

struct error_parts {
    double cut_near; /* what lies beyond the cutoff */
    double cut_far;  /* modes beyond the bandwidth */
    double gather;   /* aliases of the window, interp's */
    double spread;   /* the same, spread's */
    double self;     /* a particle on itself */
};
/* For a mesh on `cell` (units of the cutoff).  potential: 0 or 1. */
void error_set(struct error_parts *parts, const struct band *band,
               const struct alias *alias, const struct cell *cell,
               const int64_t mesh[3], int potential);
/* The error of a pair as a function of its distance, (6.8): for a system whose
 * charges lie in some order the squares above do not do. */
struct error_pair {
    double cut;  /* field along d, or potential, that cutoff and bandwidth
                    leave out; a unit charge at the distance */
    double vary; /* mean square of what it differs by within a shell */
    /* Amplitudes of its aliases, as if the same in every direction; the mean
     * over places of the mesh is their square.  Interp's of many sources at
     * one target add, spread's have phases of their own. */
    double gather, spread;
};
/* In n shells between edge[0] .. edge[n]; mesh[0] = 0: the cut alone. */
void error_pairs(struct error_pair *pair, const double *edge, int n,
                 const struct band *band, const struct alias *alias,
                 const struct cell *cell, const int64_t mesh[3], int potential);
/* 1/V integrals of gather^2 and spread^2 over all distances: what of the parts
 * of that name they stand for. */
void error_pairs_whole(const struct band *band, const struct alias *alias,
                       const struct cell *cell, const int64_t mesh[3],
                       int potential, double *gather, double *spread);
#endif
