/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.h: pair kernels of the reference methods (math.md 7.2).
 *
 * The formulas are written out for the Gaussian split, E(r) = erf(xi r).  They
 * share no code with the fast methods, because they check those methods'
 * tables.  d = target - source, r = |d|. */
#ifndef FARSUM_REFERENCE_KERNELS_H
#define FARSUM_REFERENCE_KERNELS_H

#include "base/status.h"

enum {
    REFERENCE_STRENGTHS = 10,
    REFERENCE_CHANNELS = 10,
    REFERENCE_VALUES = 80
};

/* Numbers per target.  A flow has a velocity.  A potential has, as far as
 * requested, phi, E (3) and w (6).  w is the sum over the sources of c d d f:
 * xx yy zz xy xz yz, with f of E = c f d.  Energy and virial are then 1/2 sum q
 * phi and 1/2 sum q w.  Charges with dipoles have phi, E, the gradient (6: xx
 * xy xz yy yz zz), w, and w's gradient (3 times 6), (7.16); (7.16a) gives
 * energy and virial.  With quadrupoles there are the third derivatives of phi
 * (10) after the gradient, and w's second ones (6 times 6) at the end. */
enum {
    REFERENCE_FLOW = 3,
    REFERENCE_PHI = 1,
    REFERENCE_FIELD = 4,
    REFERENCE_VIRIAL = 10,
    REFERENCE_GRADIENT = 10,
    REFERENCE_MOMENTS = 34,
    REFERENCE_THIRD = 20,
    REFERENCE_QUADRUPOLE = 80
};

struct reference_split {
    double xi;     /* 0: near() is the full kernel */
    double screen; /* yukawa, yukawa_dipole: kappa, 1/length; else 0 */
    int vacuum;    /* charges of 1/r: 1: vacuum surroundings */
};

/* One or two periodic axes.  axis: a slab's normal, or a wire's direction; a
 * unit vector.  period: the slab's area, or the wire's period. */
struct reference_open {
    int axes;
    double axis[3], period;
};
#define REFERENCE_EULER 0.57721566490153286060651209008240243L

struct reference_kind {
    const char *name;
    int strengths, channels, values; /* numbers per source, source, target;
                                        values: REFERENCE_FLOW,
                                        REFERENCE_VIRIAL, REFERENCE_MOMENTS
                                        or REFERENCE_QUADRUPOLE */
    int moments; /* 1: sources have dipoles, 2: quadrupoles, too */
    /* Computes the summed channels from the strengths, possibly with products
     * of two strengths. */
    void (*load)(const double *q, double *c);
    /* The near part at d, r2 = d.d > 0. */
    void (*near)(const struct reference_split *p, const double d[3], double r2,
                 const double *c, double *v);
    /* The near part minus the full kernel at d = 0: added for a target on a
     * source, to cancel the far sum's part of that pair.  NULL: nothing. */
    void (*self)(const struct reference_split *p, const double *c, double *v);
    /* The factors of e^{ik.x}/V, from the sums over the sources S = sum c
     * e^{-ik.y}; real and imaginary parts. */
    void (*far)(const struct reference_split *p, const double k[3],
                double s[][2], double v[][2]);
    /* The mode k = 0: value = mean[0] + sum_d mean[1 + d] x_d at x, from
     * sum[c][0] = sum_j c, sum[c][1 + d] = sum_j c y_d, positions unwrapped.
     * NULL: zero. */
    void (*mean)(const struct reference_split *p, double volume,
                 long double sum[][4], double mean[][4]);
    /* One or two periodic axes: the far sum's mean along them has a singular
     * multiplier, so its integral is taken of e^{ik.d} - 1, and these are its
     * values at d = 0, from sum[c] = sum_j c; math.md 7.7.  Only the first
     * net_channels have it.  NULL: the multiplier is integrable. */
    void (*gauge)(const struct reference_split *p,
                  const struct reference_open *o, const double *sum, double *v);
    int net_channels;
    int cusp; /* 1: the far multiplier has a term |k|^3 */
    /* The net strength for reports. */
    double (*net)(int64_t n, const double *q);
    /* The square of a strength, which errors scale with. */
    double (*square)(const double *q);
    /* Truncation error of near and far sums over exp(-(xi rc)^2) and RMS
     * strength over a^power; a = (V/N)^(1/3), s = xi rc, u = rc/a.  random: of
     * random strengths.  aligned: if all sources in the shell beyond rc were
     * coherent. */
    int power;
    double (*random)(double s, double u);
    double (*aligned)(double s, double u);
};

/* The share of a target of strengths q and values v in the energy and in the
 * virial [9]; potentials only. */
double reference_energy(const struct reference_kind *kind, const double *q,
                        const double *v);
void reference_virial(const struct reference_kind *kind, const double *q,
                      const double *v, double virial[9]);
/* `mean` of charges of 1/r with dipoles or quadrupoles.  first: index of w; its
 * gradient follows. */
void reference_mean_moments(const struct reference_split *p, double volume,
                            long double sum[][4], int first, double mean[][4]);
/* The load of kernels with one strength, which is the channel. */
void reference_load_scalar(const double *q, double *c);
/* laplace: for excluded pairs, for slabs and wires, and for the virial of each
 * particle; not in kernels.def. */
extern const struct reference_kind reference_laplace;
/* The value of 1/r for reference_kind.gauge, for a sum of 1, and its part in w
 * along the periodic axes, (7.22), (7.23). */
double reference_gauge(const struct reference_split *p,
                       const struct reference_open *o, double *along);
/* Returns NULL if no kernel of kernels.def has this name. */
const struct reference_kind *reference_kind_find(const char *name);
/* Its index in kernels.def. */
int reference_kind_index(const struct reference_kind *kind);
#endif
