/* sample.h: what the tuner learns from a typical configuration: how crowded
 * it is around a particle, and how large its forces are. */
#ifndef FARSUM_METHOD_SAMPLE_H
#define FARSUM_METHOD_SAMPLE_H

#include "points/cell.h"

enum { SAMPLE_RADII = 40 };

struct sample {
    int64_t n, m;          /* sources; targets, 0: the same */
    double q1, q2;         /* sum of q and of q^2 */
    double radius0, step;  /* radius of bin k: radius0 step^k, caller's length */
    double around[SAMPLE_RADII];  /* mean sources within the radius */
    double crowd[SAMPLE_RADII];   /* the same weighted by q_i^2 q_j^2, over what
                                     a uniform system would have */
    double force;          /* RMS force estimate with C = 1; 0: unknown */
    int real;              /* 0: no sample was given, a uniform one assumed */
};

/* x, q of n sources, type `arrays`; both NULL: unit charges, uniform. */
farsum_status sample_take(struct sample *sample, const struct cell *cell,
                          int64_t n, int64_t m, const void *x, const void *q,
                          farsum_precision arrays, int threads);
/* Mean number of sources within r of a source, and the crowding at r. */
double sample_around(const struct sample *sample, const struct cell *cell,
                     double r);
double sample_crowd(const struct sample *sample, double r);
/* Force norm of house tolerance: max(force, q_rms^2 (n/V)^(2/3)). */
double sample_force_norm(const struct sample *sample, double volume);
#endif
