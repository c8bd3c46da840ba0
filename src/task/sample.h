/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h: statistics of a representative configuration for the tuner: density
 * around a particle, size of the forces, and arrangement of the charges around
 * some particles. */
#ifndef FARSUM_TASK_SAMPLE_H
#define FARSUM_TASK_SAMPLE_H

#include "base/isa.h"
#include "points/cell.h"
#include "points/exclusions.h"

struct pair;

enum { SAMPLE_RADII = 40, SAMPLE_SHELLS = 48 };

/* Charges around one target.  Shell k holds those at distances radius[k-1] to
 * radius[k]. */
struct sample_target {
    double q;                          /* its own charge */
    int first;                         /* shells before this are empty */
    double charge[SAMPLE_SHELLS];      /* sum of q_j */
    double square[SAMPLE_SHELLS];      /* sum of q_j^2 */
    int count[SAMPLE_SHELLS];          /* sources */
    double dipole[SAMPLE_SHELLS][3];   /* sum of q_j d/r, d = x_i - x_j */
};

/* Means over the targets of products of shell sums, weighted by the target's
 * q^2 (forces) or 1 (potentials).  The mean square of an error that is a sum
 * over shells follows from them. */
struct sample_moments {
    double charge[SAMPLE_SHELLS][SAMPLE_SHELLS];
    double dipole[SAMPLE_SHELLS][SAMPLE_SHELLS]; /* forces only */
    double own[SAMPLE_SHELLS];    /* the target's charge times the shell's
                                     charge */
    double square[SAMPLE_SHELLS]; /* the shells' sums of q_j^2 */
    double q2;                    /* the target's charge squared */
};

/* What method fmm measures itself of a sample's points. */
struct sample_fmm {
    int known;   /* 1: the rest is set */
    int sampled; /* open space: 1: from a sample's points; the next six */
    double edge[3], volume, q1, q2, potential, force;
    double p2, reach;          /* charges with dipoles: method/fmm/fmm.h */
    double mean, most, spread; /* of |q|: mean, maximum, standard deviation */
};

struct sample {
    int64_t n, m;          /* sources; targets (0: the sources) */
    double q1, q2;         /* sum of q and of q^2 */
    double radius0, step;  /* radius of bin k: radius0 step^k, caller's unit */
    double around[SAMPLE_RADII]; /* mean number of sources within the radius */
    double force;          /* estimated RMS force, or RMS velocity of a flow,
                              with C = 1; 0: unknown */
    double whole;          /* the same before excluded pairs are subtracted:
                              fast methods sum, and round, this force */
    double close[2];       /* (6.7): RMS over sources of the change in the near
                              sources' values if all coordinates are off by one
                              step of 1: of the force; of the potential, or of a
                              flow's velocity */
    double nearest;        /* the smallest distance found */
    double flow, within;   /* RMS velocity of a flow due to sources within the
                              distance `within`, where it is known for all
                              targets; else 0, 0 */
    double near;           /* RMS over sources of the largest value, as in
                              close[1], due to a source much nearer than the
                              mean distance of two */
    double pair;           /* random points: contribution of their nearest pair
                              to the RMS force, (6.18); other points: 0 */
    int64_t n_targets;     /* 0: no sample was given */
    struct sample_target *target; /* owned */
    struct sample_moments *moments; /* owned, NULL without targets */
    double radius[SAMPLE_SHELLS]; /* outer radii of the shells */
    int crystal;           /* 1: most targets have the same surroundings as
                              another one */
    int lattice;           /* 1: the same except for the charges */
    int regular;           /* 1: lattice, or all nearest sources at the same
                              distance */
    struct sample_fmm fmm;
    double soft;   /* set before the sample is taken: radius of softening,
                      (3.11), caller's unit; 0: none */
    double reach[3];  /* extents along open axes, for task_volume(), task's
                        units; without a sample: the cell's edges */
    double across[3]; /* one periodic axis or none: the same along the
                          open ones */
    double extent; /* two periodic axes: of the points along the open
                              one, task's units */
};

/* Takes the statistics of n sources.  x (of type `arrays`) and q
 * [n][strengths]: both NULL means uniform unit charges.  For a flow, the roots
 * of square() replace the charges.  exclusions: of the sources, with rows if
 * any pair is excluded.  pair: the kernel; NULL: 1/r.  Forces of a flow are
 * those of 1/r. */
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
/* Computes the moments; the targets must exist.  values: 1: of potentials. */
farsum_status sample_moments_set(struct sample *sample, int values);
void sample_clear(struct sample *sample);
/* The mean number of sources within r of a source. */
double sample_around(const struct sample *sample, const struct cell *cell,
                     double r);
#endif
