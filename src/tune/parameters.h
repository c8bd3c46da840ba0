/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.h: the parameters of a spectral plan, and what each room is
 * told. */
#ifndef FARSUM_TUNE_PARAMETERS_H
#define FARSUM_TUNE_PARAMETERS_H

#include "tune/error.h"
#include "task/units.h"
#include "stage/fft/fft.h"
#include "stage/interp/interp.h"
#include "stage/near/near.h"
#include "stage/scale/scale.h"
#include "stage/spread/spread.h"

enum {
#define MESH_STAGE(NAME, name) ROOM_##NAME,
#include "cost/stages.def"
    ROOM_COUNT
};

struct tuned {
    double rc;             /* cutoff, caller's length */
    struct cell cell;      /* units of the cutoff */
    struct pair pair;      /* the plan's, kappa in units of the cutoff */
    struct split split;
    struct band band;      /* of the split */
    struct window window;
    struct alias alias;    /* of the window */
    struct near_poly poly;
    double near_error;     /* of a pair that is not seen, units of the cutoff */
    int64_t mesh[3], ldz;
    double sigma;          /* mesh spacing that c needs over the actual one */
    struct error_parts field, potential; /* squares, units of the cutoff */
    double square;         /* of the RMS error of force or potential, units of
                              the cutoff, the sample's charges */
    double error;          /* estimate, in the tolerance's norm */
    double seconds;        /* estimate of one execute */
    int64_t bytes;
    struct choice choice[ROOM_COUNT];
};

/* Arguments of the rooms for a plan with these parameters. */
union room_args {
    struct near_args near;
    struct spread_args spread;
    struct fft_args fft;
    struct scale_args scale;
    struct interp_args interp;
};
/* Reals from one channel's mesh to the next. */
static inline int64_t tuned_channel(const struct tuned *tuned,
                                    const struct device *where)
{
    int64_t points = tuned->mesh[0] * tuned->mesh[1] * tuned->ldz;
    int64_t whole = where ? BUF_ALIGN / 4 : 16;
    return (points + whole - 1) / whole * whole;
}
void tuned_args(const struct tuned *tuned, const struct task *task,
                union room_args args[ROOM_COUNT]);
/* 1: near pairs go on beside the mesh, in two queues of a device. */
int tuned_beside(const struct task *task);
/* Bytes of meshes and of the rooms' states. */
int64_t tuned_bytes(const struct tuned *tuned, const struct task *task);
/* Picks a variant in each room; sums up the seconds. */
farsum_status tuned_choose(struct tuned *tuned, const struct task *task);
/* The same without its reasons in words, and without bytes. */
farsum_status tuned_cost(struct tuned *tuned, const struct task *task);
/* Picks spread and interp anew by the times that are kept, measuring them first
 * if the options ask for it. */
farsum_status tuned_measured(struct tuned *tuned, const struct task *task);
/* 1: the tolerance is one of potentials or velocities, not of forces. */
int tuned_of_values(const struct task *task);
/* Sets field or potential, square and error, by the tolerance's kind, from
 * what stands in `tuned`: cell, mesh, split, band, window and alias.  mesh[0]
 * = 0: the cut alone, whose parts stand there already. */
void tuned_error(struct tuned *tuned, const struct task *task);
/* The estimate for sum q^2 = q2 of n sources, as RMS force (potential = 0) or
 * RMS potential, caller's units, coulomb included.  found: the RMS force that
 * was found, C = 1, or 0; -1: nothing was summed yet. */
double tuned_estimate(const struct tuned *tuned, const struct task *task,
                      double q2, int64_t n, int potential, double found);
/* The norm of forces, C = 1: of sum q^2 = q2 of n sources in `volume` whose RMS
 * force is `force`, no less than neighbours at the mean distance have. */
double tuned_force_norm(const struct task *task, double volume, double force,
                        double q2, int64_t n);
/* What the norm of velocities is no less than: of sum square() = q2 of n
 * sources the velocity at the mean distance of two. */
double tuned_velocity(const struct task *task, double q2, int64_t n);
/* Of the tolerance's norm, before any result is known. */
double tuned_norm(const struct task *task);

/* tune/search.c: chooses everything that the options leave open. */
farsum_status tune(const struct task *task, struct tuned *tuned);
#endif
