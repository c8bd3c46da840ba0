/* SPDX-License-Identifier: Apache-2.0 */
/* spectral.h: the state of a spectral plan. */
#ifndef FARSUM_METHOD_SPECTRAL_SPECTRAL_H
#define FARSUM_METHOD_SPECTRAL_SPECTRAL_H

#include "task/method.h"
#include "tune/parameters.h"

struct spectral {
    struct parameters parameters;
    void *states[STAGE_COUNT];  /* owned: states of the variants */
    struct points source, target;
    struct near_lists lists; /* facts about the near stage's last set */
    int64_t n, m;            /* m = 0: targets are the sources.  Over ranks:
                                the points that this rank owns */
    int64_t all_n, all_m;    /* of all ranks */
    int64_t have_q, have_channel, have_out;
    /* owned, in the plan's precision: strengths [n][strengths]; channels
     * [n][channels], if they differ from the strengths; values
     * [values][targets] and field, in units of the cutoff */
    void *q, *channel, *potential, *field;
    void *gradient; /* owned: kernels with moments only: [targets][6] */
    void *third;    /* owned: with quadrupoles only: [targets][10] */
    void *mesh;              /* owned, [channels][mesh0][mesh1][ldz] */
    double *x, *y;           /* owned, task's units, not wrapped; exist if the
                                mode k = 0 depends on them (spectral_unwraps) */
    double seconds[STAGE_COUNT];
    int64_t done, all;       /* stages of an execute, for progress reports */
    float *near_q; /* owned: mixed plans only: q of the near pairs */
    int64_t have_near_q;
    double zero;             /* pair_zero */
    double seconds_back;     /* time of the backward transforms */
    struct spectral_each *each;   /* owned; virial of each particle, or NULL */
    struct open_axis *open_axis;  /* owned; two periodic axes only */
    struct spectral_ranks *ranks; /* owned; NULL: one rank */
    struct spectral_gpu *gpu; /* owned; NULL on the host.  On a device it holds
                                 strengths, results and mesh, and the arrays
                                 above are empty */
};

/* 1: the targets are separate.  Over ranks this rank may own none of them. */
static inline int spectral_apart(const struct spectral *s)
{
    return s->all_m > 0;
}
/* The number of targets that this rank owns. */
static inline int64_t spectral_targets(const struct spectral *s)
{
    return spectral_apart(s) ? s->m : s->n;
}
/* Allocates strengths and results for n sources and m targets. */
farsum_status spectral_reserve(const struct task *task, struct spectral *s,
                               int64_t n, int64_t targets);
/* method/spectral/stage.c: runs a stage on the host, and adds to its
 * seconds. */
farsum_status spectral_stage(struct spectral *s, int r, const void *io);
/* What spread reads and writes; channel: reals of the mesh per channel. */
struct spread_io spectral_spread(const struct task *task,
                                 const struct spectral *s, int64_t channel);
/* Sets the results of these outputs to 0, to which stages add. */
void spectral_zero(const struct task *task, struct spectral *s,
                   const farsum_result *result);
/* method/spectral/mixed.c: allocates near_q for n sources. */
farsum_status spectral_mixed_reserve(const struct task *task,
                                     struct spectral *s, int64_t n);
/* Converts s->q to f32, for the near pairs. */
const float *spectral_mixed_in(const struct task *task, struct spectral *s);

/* method/spectral/units.c: conversion of strengths and results. */
/* Converts right-hand side r to s->q and the plan's units; sums of q and
 * q^2.  It and spectral_out are collective. */
farsum_status spectral_in(struct task *task, struct spectral *s, int r,
                          const void *q, double *q1, double *q2);
struct spectral_sums {
    double q1, q2;            /* of strengths, and of their square() */
    double p2;                /* moments: of the dipoles' squares */
    double energy, virial[9]; /* near + far, task's units */
};
/* 1: results depend on the unwrapped input positions: with vacuum surroundings,
 * along an open axis, and through the mean flow of a stresslet. */
int spectral_unwraps(const struct task *task);
/* Adds background and surface terms, scales by coulomb and units, and writes
 * row r of the caller's arrays and the plan's estimate.  Fails before it writes
 * if results are not in the range of their types. */
farsum_status spectral_out(const struct task *task, struct spectral *s, int r,
                           const void *q, struct spectral_sums *sums,
                           farsum_result *result);
/* The same for a flow. */
farsum_status spectral_out_flow(const struct task *task, struct spectral *s,
                                int r, const void *q,
                                const struct spectral_sums *sums,
                                farsum_result *result);
/* square: the sum of the squares of the velocities. */
void spectral_estimate_flow(const struct task *task, const struct spectral *s,
                            const struct spectral_sums *sums, double square);
/* method/spectral/moments/moments.c: sources with charge and dipole, or with
 * quadrupole too. */
/* Fails if quadrupoles are not summed so. */
farsum_status spectral_moments_fits(const struct task *task);
/* The outputs that must be summed: the virial requires the field, and with
 * quadrupoles the gradient.  Their pointers are then not NULL, but point to no
 * arrays. */
farsum_result spectral_moments_wanted(const struct task *task,
                                      const farsum_result *result);
/* Sets the channel from s->q: charges, and the moments along the mesh axes. */
void spectral_moments_slopes(const struct task *task, struct spectral *s);
/* Terms of the whole cell: a constant potential, and vacuum surroundings. */
struct spectral_terms {
    double background, dipole[3], surface;
    double turn[9]; /* moments: see spectral_moments_virial */
};
/* Sets terms->turn: the sum of E_a p_b, with quadrupoles less H Q, which
 * (7.16a) subtracts from the virial, in the task's units.  Collective. */
farsum_status spectral_moments_virial(const struct task *task,
                                      const struct spectral *s,
                                      struct spectral_terms *terms);
/* Writes row r of the gradient and the third derivatives, and returns the sum
 * of the squares of the forces.  out = 0: writes nothing, and fails if a result
 * is not in the range of its type. */
farsum_status spectral_moments_out(const struct task *task,
                                   const struct spectral *s,
                                   const struct spectral_terms *terms, int r,
                                   const farsum_result *result, int out,
                                   double *square);
/* The mode k = 0 of a net strength, a constant potential in units of the
 * cutoff: (5.5), or hat(0)/V; slabs: (9.32). */
double spectral_background(const struct spectral *s, double q1);
/* Updates the plan's estimate for these strengths and the norm of the result:
 * sums of q^2 E^2 and phi^2 over the targets. */
void spectral_estimate(const struct task *task, const struct spectral *s,
                       const struct spectral_sums *sums, double square,
                       double square_phi, int field, int potential);
#endif
