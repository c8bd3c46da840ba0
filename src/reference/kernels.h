/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.h: the pair kernels as the references know them (math.md 7.2).
 *
 * The formulas are written out for the Gaussian split, E(r) = erf(xi r), and
 * shared with nothing else: they check the tables of the fast methods.
 * d = target - source, r = |d|. */
#ifndef FARSUM_REFERENCE_KERNELS_H
#define FARSUM_REFERENCE_KERNELS_H

#include "base/status.h"

enum { EXACT_STRENGTHS = 6, EXACT_CHANNELS = 6, EXACT_VALUES = 10 };

/* What a target gets: a flow's velocity, or of a potential as much as is asked
 * for of phi, E (3) and w (6; sum over the sources of c d d f, xx yy zz xy xz
 * yz, f of E = c f d), so that energy and virial are 1/2 sum q phi and 1/2 sum
 * q w. */
enum { EXACT_FLOW = 3, EXACT_PHI = 1, EXACT_FIELD = 4, EXACT_VIRIAL = 10 };

struct exact_split {
    double xi;     /* 0: near() is the kernel itself */
    double screen; /* of yukawa, 1/length */
};

struct exact_kind {
    const char *name;
    int strengths, channels, values; /* numbers: source, source, target; the
                                        last EXACT_FLOW or EXACT_VIRIAL */
    /* What the sums run over, from the strengths; both linear and square
     * numbers may stand in it. */
    void (*load)(const double *q, double *c);
    /* The near part at d, r2 = d.d > 0. */
    void (*near)(const struct exact_split *p, const double d[3], double r2,
                 const double *c, double *v);
    /* Near part less the whole kernel at d = 0: what a target on a source gets
     * so that the far sum's part of that pair goes.  NULL: nothing. */
    void (*self)(const struct exact_split *p, const double *c, double *v);
    /* Of sums over the sources S = sum c e^{-ik.y}, real and imaginary parts,
     * what stands before e^{ik.x}/V. */
    void (*far)(const struct exact_split *p, const double k[3], double s[][2],
                double v[][2]);
    /* The mode k = 0: value = mean[0] + sum_d mean[1 + d] x_d at x, from
     * sum[c][0] = sum_j c, sum[c][1 + d] = sum_j c y_d, positions unwrapped.
     * NULL: zero. */
    void (*mean)(const struct exact_split *p, double volume,
                 long double sum[][4], double mean[][4]);
    /* The net strength that reports name. */
    double (*net)(int64_t n, const double *q);
    /* Square of a strength, as which the errors go. */
    double (*square)(const double *q);
    /* Truncation of near and far sum over exp(-(xi rc)^2) and RMS strength over
     * a^power, a = (V/N)^(1/3), s = xi rc, u = rc/a: of strengths at random,
     * and if all in the shell beyond rc worked together. */
    int power;
    double (*random)(double s, double u);
    double (*aligned)(double s, double u);
};

/* What has to be summed for these outputs. */
static inline int exact_width(const struct exact_kind *kind, int field,
                              int virial)
{
    return kind->values == EXACT_FLOW ? EXACT_FLOW
           : virial                   ? EXACT_VIRIAL
           : field                    ? EXACT_FIELD
                                      : EXACT_PHI;
}

/* NULL: there is none of that name. */
const struct exact_kind *exact_kind_find(const char *name);
/* Its place in exact.def. */
int exact_kind_index(const struct exact_kind *kind);
#endif
