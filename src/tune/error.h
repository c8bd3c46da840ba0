/* SPDX-License-Identifier: Apache-2.0 */
/* error.h: a-priori error model of the spectral method, docs/math.md section 6.
 *
 * Lengths are in units of the cutoff.  With Q = sum q^2 and the parts below,
 * the mean square error of the field or potential at a particle is Q (cut_near
 * + cut_far + gather + spread) + q_rms^2 self.  This holds for uncorrelated
 * charges. */
#ifndef FARSUM_TUNE_ERROR_H
#define FARSUM_TUNE_ERROR_H

#include "math/pair.h"
#include "math/window.h"
#include "points/cell.h"

enum { ALIAS_NODES = 49, SPHERE_NODES = 97 };
enum { BAND_NODES = 24, TAIL_NODES = 36 };

/* Strength of the aliases theta + 2 pi m of a mode theta = k h (h: mesh
 * spacing), beta_m = what(theta + 2 pi m)/what(theta), at theta = pi i/(NODES -
 * 1).  `what` is w^, the Fourier transform of the window. */
struct alias {
    double log0[ALIAS_NODES]; /* log of sum beta_m^2 */
    double log2[ALIAS_NODES]; /* log of sum beta_m^2 m^2 */
    double mean[ALIAS_NODES]; /* sum beta_m^2 m over sum beta_m^2 */
    double logs[ALIAS_NODES]; /* log of |beta_1 + beta_-1| */
    double sign[ALIAS_NODES]; /* sign of beta_1 + beta_-1 */
    /* Means over all directions of a wave of length theta = 2 pi
     * i/(SPHERE_NODES - 1).  Each direction has the component mu theta along
     * the axis. */
    double all0[SPHERE_NODES];  /* log of the mean of sum beta_m^2 */
    double all1[SPHERE_NODES];  /* mean of mu sum beta_m^2 m, over that of sum
                                   beta_m^2 */
    double all2[SPHERE_NODES];  /* log of the mean of sum beta_m^2 m^2 */
    double ends[SPHERE_NODES];  /* log of (w(P/2)/w^)^2 */
    double ended[3];            /* (9.30): mean squares of the first, second and
                                   third derivative that the window lacks beyond
                                   its end, over ends and (2 pi)^2, ^4, ^6 */
    double alls[SPHERE_NODES];  /* log of the mean of |beta_1 + beta_-1| */
};
void alias_set(struct alias *alias, const struct window *window);

/* The split's data in the error model; index 0: field, 1: potential or
 * velocity.  For kernels other than laplace, gamma is such that a mode's RMS
 * far field is 4 pi gamma/k^2, (9.10). */
struct band {
    struct pair pair;
    double c;
    double k[BAND_NODES], gamma[BAND_NODES]; /* Gauss nodes of the band */
    double start;                            /* gamma(0) */
    double weight[BAND_NODES];
    double tail_k[TAIL_NODES], tail[TAIL_NODES]; /* beyond the band: nodes, and
                                                    gamma times their weights */
    double tail_g[TAIL_NODES], tail_sum[TAIL_NODES]; /* gamma at these nodes,
                                                        and its integral from
                                                        each node on */
    double lost;                    /* part of gamma's square that lies beyond
                                       the band */
    double centre, edge;            /* E'(0); E'(1), 0 for a Gaussian split */
    double bend;                    /* stresslet: 3 E'(1) + E''(1) */
    double xi;                      /* Gaussian split: xi; else 0 */
    double cut_near[2], cut_far[2]; /* times the volume */
    double self;                    /* the part of a particle's own potential
                                       that is lost */
};
void band_set(struct band *band, const struct split *split,
              const struct pair *pair);
/* tune/split_error_flow.c: sets the band for kernels other than laplace. */
void band_flow(struct band *band, const struct split *split);
/* The part of such a pair at r that cutoff and bandwidth omit, with square() =
 * 1.  For a flow, RMS over directions. */
double band_flow_cut(const struct band *band, double r, int potential);

struct error_parts {
    double cut_near; /* truncation at the cutoff */
    double cut_far;  /* truncation of the modes at the bandwidth */
    double gather;   /* aliases in interpolation */
    double spread;   /* aliases in spreading */
    double self;     /* a particle's effect on itself */
};
/* Sets the parts without a mesh, in a cell of this volume. */
void error_set_cut(struct error_parts *parts, const struct band *band,
                   double volume, int potential);
/* Sets the parts for a mesh on `cell` (in units of the cutoff).  potential: 0
 * or 1. */
void error_set(struct error_parts *parts, const struct band *band,
               const struct alias *alias, const struct cell *cell,
               const int64_t mesh[3], int potential);
/* The error of a pair as a function of its distance, (6.8).  Required where
 * charges are correlated, since the squares above assume uncorrelated
 * charges. */
struct error_pair {
    double cut;  /* the part of the field along d, or potential, of a unit
                    charge at this distance that cutoff and bandwidth omit */
    double vary; /* mean square deviation of `cut` within a shell */
    /* Amplitudes of the pair's aliases, taken as equal in all directions.
     * Their square is the mean over positions relative to the mesh.
     * Interpolation aliases of many sources add up at one target; spreading
     * aliases have separate phases. */
    double gather, spread;
};
/* Sets n shells between edge[0] and edge[n].  mesh[0] = 0: truncation only. */
void error_pairs(struct error_pair *pair, const double *edge, int n,
                 const struct band *band, const struct alias *alias,
                 const struct cell *cell, const int64_t mesh[3], int potential);
/* 1/V times the integrals of gather^2 and spread^2 over all distances: the
 * amounts of the parts of these names that they account for. */
void error_pairs_whole(const struct band *band, const struct alias *alias,
                       const struct cell *cell, const int64_t mesh[3],
                       int potential, double *gather, double *spread);
#endif
