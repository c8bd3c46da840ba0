/* SPDX-License-Identifier: Apache-2.0 */
/* spectral.h: the state of a spectral plan. */
#ifndef FARSUM_METHOD_SPECTRAL_SPECTRAL_H
#define FARSUM_METHOD_SPECTRAL_SPECTRAL_H

#include "task/method.h"
#include "tune/parameters.h"

struct spectral {
    struct tuned tuned;
    void *room[ROOM_COUNT];  /* owned: states of the variants */
    struct points source, target;
    struct near_lists lists; /* what the near room has done */
    int64_t n, m;            /* m = 0: targets are the sources */
    int64_t have_q, have_channel, have_out;
    /* owned: type precision; strengths [n][strengths], channels [n][channels]
     * if these are not the strengths, values [values][targets] and field, in
     * units of the cutoff */
    void *q, *channel, *potential, *field;
    void *mesh;              /* owned, [channels][mesh0][mesh1][ldz] */
    double *x, *y;           /* owned, inside: unwrapped, where the mode k = 0
                                hangs on them (spectral_unwraps) */
    double seconds[ROOM_COUNT];
    int64_t done, all;       /* stages of an execute */
    float *near_q; /* owned: of a mixed plan q for the near pairs */
    int64_t have_near_q;
    double seconds_back;     /* of the transforms, those back */
    struct spectral_gpu *gpu; /* owned; NULL on the host.  There it holds
                                 strengths, results, mesh; above they are
                                 empty */
};

/* method/spectral/mixed.c: of n sources. */
farsum_status spectral_mixed_reserve(const struct task *task,
                                     struct spectral *s, int64_t n);
/* s->q in f32, for the near pairs. */
const float *spectral_mixed_in(const struct task *task, struct spectral *s);

/* method/spectral/units.c: strengths in; results out. */
/* Right-hand side r into s->q and the plan's units; sums of q and q^2. */
void spectral_in(struct task *task, struct spectral *s, int r, const void *q,
                 double *q1, double *q2);
struct spectral_sums {
    double q1, q2;            /* of strengths, and of their square() */
    double energy, virial[9]; /* near + far, internal units */
};
/* 1: the positions as the caller gave them matter: vacuum surroundings, and
 * the mean flow of a stresslet. */
int spectral_unwraps(const struct task *task);
/* Adds background and surface terms, scales by coulomb and units, writes row r
 * of the caller's arrays and the plan's estimate; out = 0: writes nothing, and
 * fails if the results are not in the range of their types. */
farsum_status spectral_out(const struct task *task, struct spectral *s, int r,
                           const void *q, struct spectral_sums *sums,
                           farsum_result *result, int out);
/* The same of a flow (spectral_flow.c). */
farsum_status spectral_out_flow(const struct task *task, struct spectral *s,
                                int r, const void *q,
                                const struct spectral_sums *sums,
                                farsum_result *result, int out);
/* square: the sum of the squares of the velocities. */
void spectral_estimate_flow(const struct task *task, const struct spectral *s,
                            const struct spectral_sums *sums, double square);
/* math.md (5.5): the limit k -> 0 of the far field of a net charge and its
 * neutralising background; a constant potential. */
double spectral_background(const struct spectral *s, double q1);
/* The plan's estimate again, with these strengths and the norm of the result:
 * sums of q^2 E^2 and phi^2 over the targets. */
void spectral_estimate(const struct task *task, const struct spectral *s,
                       const struct spectral_sums *sums, double square,
                       double square_phi, int field, int potential);
#endif
