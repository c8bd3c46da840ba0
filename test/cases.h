/* SPDX-License-Identifier: Apache-2.0 */
/* cases.h: particles for the tests, with converged reference sums.
 *
 * The name of a system is in the notation of tools/farsum/case.h, or a file of
 * data/ ("water_spce_3k.xyz"). */
#ifndef FARSUM_TEST_CASES_H
#define FARSUM_TEST_CASES_H

#include "case.h"

struct system {
    char name[32];
    char kernel[24]; /* "": laplace */
    double kappa;    /* yukawa only, else 0 */
    int flow;        /* 1: the sums are velocities */
    struct case_particles p;
    /* by `ewald` at 1e-14, coulomb 1; NULL before system_reference and if the
     * kernel has none */
    double *potential, *field, *velocity;
    double energy, virial[9];
};

/* Loads a system; stops the program on failure. */
void system_load(struct system *system, const char *name, const char *what);
void system_reference(struct system *system);
void system_free(struct system *system);
/* A copy whose particles and cell may be changed; it has no reference. */
struct system system_copy(const struct system *system);

/* The problem of these particles (f64, all outputs, sample given). */
farsum_problem system_problem(const struct system *system);
/* Options on the device under test: FARSUM_TEST_DEVICE, else the default. */
farsum_options cases_options(void);

/* Potential v[1] of a unit source of the system's kernel at r, and its field
 * v[0]. */
void system_unit(const struct system *system, double r, double v[2]);
/* |sum of the forces| over sqrt(N) times their RMS. */
double system_momentum(const struct system *system, const double *field);
/* Norms of the library for the errors of a result [n] against the reference. */
double system_force_norm(const struct system *system);
double system_force_error(const struct system *system, const double *field);
double system_potential_norm(const struct system *system);
double system_potential_error(const struct system *system,
                              const double *potential);
double system_velocity_norm(const struct system *system);
double system_velocity_error(const struct system *system,
                             const double *velocity);
/* Determinant of rows a, b, c. */
double cell_determinant(const double cell[9]);

/* Makes one plan and executes once.  Arrays are f64; NULL outputs are not
 * computed; info may be NULL.  Returns the status of the first call that
 * fails. */
farsum_status sum_once(const farsum_problem *problem,
                       const farsum_options *options, int64_t n,
                       const double *x, int64_t m, const double *y,
                       const double *q, farsum_result *result,
                       farsum_plan_info *info);
#endif
