/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h: what the tuner learns from a typical configuration: how crowded
 * it is around a particle, how large its forces are, and how the charges
 * around some particles lie. */
#ifndef FARSUM_TASK_SAMPLE_H
#define FARSUM_TASK_SAMPLE_H

#include "base/isa.h"
#include "points/cell.h"
#include "points/exclusions.h"

struct pair;

enum { SAMPLE_RADII = 40, SAMPLE_SHELLS = 48 };

/* Charges around one target: shell k holds those at distance radius[k-1] ..
 * radius[k]. */
struct sample_target {
    double q;                          /* its own charge */
    int first;                         /* shells before this are empty */
    double charge[SAMPLE_SHELLS];      /* sum of q_j */
    double square[SAMPLE_SHELLS];      /* sum of q_j^2 */
    int count[SAMPLE_SHELLS];          /* sources */
    double dipole[SAMPLE_SHELLS][3];   /* sum of q_j d/r, d = x_i - x_j */
};

/* Means over the targets of products of what lies in their shells, weighted by
 * the target's q^2 (forces) or 1 (potentials): an error that is a sum over
 * shells has its mean square by them. */
struct sample_moments {
    double charge[SAMPLE_SHELLS][SAMPLE_SHELLS];
    double dipole[SAMPLE_SHELLS][SAMPLE_SHELLS]; /* forces only */
    double own[SAMPLE_SHELLS];    /* the target's charge times the shell's */
    double square[SAMPLE_SHELLS]; /* the shells' sums of q_j^2 */
    double q2;                    /* the target's charge squared */
};

struct sample {
    int64_t n, m;          /* sources; targets, 0: the same */
    double q1, q2;         /* sum of q and of q^2 */
    double radius0, step;  /* radius of bin k: radius0 step^k, caller's unit */
    double around[SAMPLE_RADII]; /* mean sources within the radius */
    double force;          /* RMS force, of a flow RMS velocity: an estimate
                              with C = 1; 0: unknown */
    double whole;          /* of it as the fast methods sum it, excluded pairs
                              not yet taken away: what is rounded */
    double close[2];       /* RMS over sources of what near sources' values
                              change by if all ends are off by one step of 1,
                              (6.7): of the force; of the potential, or of a
                              flow's velocity */
    double nearest;        /* the least distance that was met */
    double flow, within;   /* RMS velocity that sources within a distance leave,
                              where it is known of all targets; else 0, 0 */
    double near;           /* RMS over sources of the largest value, as of
                              close[1], of a source much nearer than the mean
                              distance of two */
    double pair;           /* of points at random what their nearest pair adds
                              to the RMS force, (6.18); of others 0 */
    int64_t n_targets;     /* 0: no sample was given */
    struct sample_target *target; /* owned */
    struct sample_moments *moments; /* owned, NULL without targets */
    double radius[SAMPLE_SHELLS]; /* outer radii of the shells */
    int crystal;           /* 1: most targets have the same surroundings as
                              another */
    int lattice;           /* 1: the same but for the charges */
    int regular;           /* 1: that, or the nearest as far away */
};

/* x, q [n][strengths] of n sources, x of type `arrays`; both NULL: unit
 * charges, uniform.  Of a flow the roots of square() stand in place of charges.
 * exclusions: of the sources, in rows if there are any.  pair: the kernel,
 * NULL: 1/r; a flow's forces are those of 1/r. */
farsum_status sample_take(struct sample *sample, const struct cell *cell,
                          int64_t n, int64_t m, const void *x, const double *q,
                          farsum_precision arrays,
                          const struct exclusions *exclusions,
                          const struct pair *pair, enum isa isa, int threads);
/* The nearest image of a difference of wrapped coordinates. */
static inline double sample_nearest(double f)
{
    return f - (f > 0.5) + (f < -0.5);
}
/* Sets the moments, once the targets are there.  values: 1: of potentials. */
farsum_status sample_moments_set(struct sample *sample, int values);
void sample_clear(struct sample *sample);
/* Mean number of sources within r of a source. */
double sample_around(const struct sample *sample, const struct cell *cell,
                     double r);
#endif
