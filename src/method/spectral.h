/* spectral.h: the state of a spectral plan. */
#ifndef FARSUM_METHOD_SPECTRAL_H
#define FARSUM_METHOD_SPECTRAL_H

#include "method/method.h"
#include "method/tuned.h"

struct spectral {
    struct tuned tuned;
    void *room[ROOM_COUNT];  /* owned: states of the variants */
    struct points source, target;
    int64_t n, m;            /* m = 0: targets are the sources */
    int64_t have_q, have_out;
    void *q, *potential, *field; /* owned: type precision; strengths and
                                    results in units of cutoff and q_unit */
    void *mesh;              /* owned, [mesh0][mesh1][ldz] */
    double *x, *y;           /* owned: unwrapped, vacuum surface only */
    double q_unit;           /* strengths are divided by it */
    double seconds[ROOM_COUNT];
    struct spectral_gpu *gpu; /* owned; NULL on the host.  There it holds
                                 strengths, results, mesh; above they are
                                 empty */
};

/* spectral_out.c: strengths in; results out. */
/* Right-hand side r into s->q; sums of q and q^2, caller's units. */
void spectral_in(struct farsum_plan *plan, struct spectral *s, int r,
                 const void *q, double *q1, double *q2);
struct spectral_sums {
    double q1, q2, energy, virial[9]; /* near + far, internal units */
};
/* Adds background and surface terms, scales by coulomb and units, writes row r
 * of the caller's arrays and the plan's estimate. */
void spectral_out(struct farsum_plan *plan, struct spectral *s, int r,
                  const void *q, struct spectral_sums *sums,
                  farsum_result *result);
/* math.md (5.5): the limit k -> 0 of the far field of a net charge and its
 * neutralising background; a constant potential. */
double spectral_background(const struct spectral *s, double q1);
/* The plan's estimate again, with these strengths and the norm of the result:
 * sums of q^2 E^2 and phi^2 over the targets. */
void spectral_estimate(struct farsum_plan *plan, const struct spectral *s,
                       const struct spectral_sums *sums, double square,
                       double square_phi, int field, int potential);
#endif
