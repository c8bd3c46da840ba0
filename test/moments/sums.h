/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h: systems of charges with dipoles, and their sums by a method. */
#ifndef FARSUM_TEST_MOMENTS_SUMS_H
#define FARSUM_TEST_MOMENTS_SUMS_H

#include "check.h"

enum { SUMS_MOST = 64 };

/* What to sum: the fields of a problem, and points. */
struct sums_case {
    farsum_problem problem; /* cell, surface, softening, exclusions, ... */
    const char *method;
    double cutoff;
    farsum_fmm_options fmm;
    int n, m; /* m = 0: the targets are the sources */
    double x[3 * SUMS_MOST], q[4 * SUMS_MOST], y[3 * SUMS_MOST];
};

struct sums_answer {
    double potential[SUMS_MOST], field[3 * SUMS_MOST];
    double gradient[6 * SUMS_MOST], energy, virial[9];
};

/* n sources at random places in a box of this edge, or in the cell of c if it
 * is periodic.  net: 1: charges with a net charge. */
void sums_random(struct sums_case *c, int n, double edge, int net);
/* 64 sources at random places of a jittered grid, so that no pair is much
 * nearer than others: there forces of all pairs count.  Odd seeds: a net
 * charge. */
void sums_apart(struct sums_case *c, int seed);
/* A periodic problem with a tilted cell, for ewald. */
void sums_tilted(struct sums_case *c);
double sums_volume(const struct sums_case *c);
/* Sums all outputs.  Returns the status. */
farsum_status sums_try(const struct sums_case *c, struct sums_answer *a);
/* The same, and checks the status. */
void sums_get(const struct sums_case *c, struct sums_answer *a);
/* The same for the n charges with kernel laplace; no gradient. */
void sums_charges(const struct sums_case *c, const double *charges,
                  struct sums_answer *a);
/* How much the potentials and fields at the targets change if each dipole
 * becomes charges +-p/2h at x +- h e: O(h^2). */
double sums_pairs_differ(const struct sums_case *c, double h);
/* Sets all dipoles to 0, and checks the sums against those of the charges. */
void sums_charges_only(struct sums_case *c, double tolerance);
double sums_energy(const struct sums_case *c);
/* Checks that values differ by at most `most` times the largest one. */
void sums_equal(const double *a, const double *b, int n, double most,
                const char *what);
void sums_same(const struct sums_case *c, const struct sums_answer *a,
               const struct sums_answer *b, double most, const char *what);
/* Returns the RMS of the forces q E - G p of a, or of a less b. */
double sums_forces(const struct sums_case *c, const struct sums_answer *a,
                   const struct sums_answer *b);
/* Checks values with a tolerance of the RMS force.  Potentials, fields and
 * gradients are checked against their largest value; the gradient's part of the
 * force has the largest errors.  Energy and virial are checked against the
 * forces times the largest distance, summed over the sources. */
void sums_within(const struct sums_case *c, const struct sums_answer *a,
                 const struct sums_answer *b, double tolerance,
                 const char *what);
/* Subtracts `part` times the sums of two particles alone from a; pair: their
 * indices in a. */
void sums_less(struct sums_answer *a, const struct sums_answer *alone,
               const int64_t pair[2], double part);
/* derivatives.c: force, torque, virial and gradient are derivatives of energy
 * and field, by five-point differences of this step. */
#define SUMS_STEP 5e-4
enum { SUMS_LOOKED = 3 }; /* particles, or targets of sums_between */
/* Targets between the sources, for gradients. */
void sums_between(const struct sums_case *c, double *y);
void check_forces(const struct sums_case *c, double most);
void check_torques(const struct sums_case *c, double most);
void check_virial(const struct sums_case *c, double most);
void check_gradient(const struct sums_case *c, double most);
#endif
