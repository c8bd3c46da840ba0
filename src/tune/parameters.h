/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.h: parameters of a spectral plan, and the arguments of its
 * stages. */
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
#define MESH_STAGE(NAME, name) STAGE_##NAME,
#include "cost/stages.def"
    STAGE_COUNT
};

struct parameters {
    double rc;             /* cutoff, caller's length */
    struct cell cell;      /* units of the cutoff */
    double fill;           /* the part of the cell where the points are; that of
                              a slab's cell counts as 1 */
    double radius;         /* one periodic axis: where the kernel is cut, units
                              of the cutoff; else 0 */
    struct pair pair;      /* kappa in units of the cutoff */
    struct split split;
    struct band band;      /* error data of the split */
    struct window window;
    struct alias alias;    /* error data of the window */
    struct near_poly poly;
    double near_error;     /* error of a pair too small to be seen, units of the
                              cutoff */
    int64_t mesh[3], ldz;
    double sigma;          /* mesh spacing required by c over the actual one */
    struct error_parts field, potential; /* squares, units of the cutoff */
    double disorder;       /* RMS error for strengths in random order over that
                              of the sample's, at least 1 */
    double square;         /* square of the RMS error of force or potential for
                              the sample's charges, units of the cutoff */
    double error;          /* estimated error, in the tolerance's norm */
    double seconds;        /* estimated time of one execute */
    int64_t bytes;
    struct choice choice[STAGE_COUNT];
};

/* Arguments of the stages for a plan with these parameters. */
union stage_args {
    struct near_args near;
    struct spread_args spread;
    struct fft_args fft;
    struct scale_args scale;
    struct interp_args interp;
};
/* Distance between the meshes of two channels, in reals. */
static inline int64_t parameters_channel(const struct parameters *parameters,
                                         const struct device *where)
{
    int64_t points =
        parameters->mesh[0] * parameters->mesh[1] * parameters->ldz;
    int64_t whole = where ? BUF_ALIGN / 4 : 16;
    return (points + whole - 1) / whole * whole;
}
void parameters_args(const struct parameters *parameters,
                     const struct task *task,
                     union stage_args args[STAGE_COUNT]);
/* 1: near pairs and mesh run concurrently in two queues of a device. */
int parameters_beside(const struct task *task);
/* Bytes of n sources and m separate targets, without what the stages hold. */
int64_t parameters_points(const struct task *task, int64_t n, int64_t m);
/* The same with meshes and the stages' states. */
int64_t parameters_bytes(const struct parameters *parameters,
                         const struct task *task);
/* Selects a variant in each stage and sums up the seconds. */
farsum_status parameters_choose(struct parameters *parameters,
                                const struct task *task);
/* The same, without the bytes and the reasons for each choice. */
farsum_status parameters_cost(struct parameters *parameters,
                              const struct task *task);
/* Selects spread and interp again by their cached times; measures them first if
 * the options request it. */
farsum_status parameters_measured(struct parameters *parameters,
                                  const struct task *task);
/* 1: the tolerance limits potentials or velocities, not forces. */
int parameters_of_values(const struct task *task);
/* Sets field or potential, square and error, depending on the tolerance's norm.
 * Reads cell, mesh, split, band, window and alias from `parameters`.
 * mesh[0] = 0: truncation only, whose parts are already set. */
void parameters_error(struct parameters *parameters, const struct task *task);
/* The estimate for n sources with sum q^2 = q2, as RMS force (potential = 0) or
 * RMS potential, in the caller's units, coulomb included.  found: the RMS force
 * of the last sum, C = 1, or 0; -1: no sum has run yet. */
double parameters_estimate(const struct parameters *parameters,
                           const struct task *task, double q2, int64_t n,
                           int potential, double found);
/* The norm of forces, C = 1, of n sources with sum q^2 = q2 and RMS force
 * `force`.  With periodic axes, or if `force` is 0: at least the force between
 * neighbours at the mean distance. */
double parameters_force_norm(const struct task *task, double force, double q2,
                             int64_t n);
/* Lower limit of the norm of velocities: the velocity at the mean distance
 * between n sources with sum square() = q2. */
double parameters_velocity(const struct task *task, double q2, int64_t n);
/* The estimated norm of the results, before any result is known. */
double parameters_norm(const struct task *task);

/* tune/search.c: chooses everything that the options leave open. */
farsum_status tune(const struct task *task, struct parameters *parameters);
#endif
