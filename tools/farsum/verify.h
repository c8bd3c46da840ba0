/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: measures the error of a result against a converged reference, on
 * random targets: `ewald` where the system is periodic, `direct` in open space,
 * both in f64 and without the fast code's tables. */
#ifndef FARSUM_TOOLS_VERIFY_H
#define FARSUM_TOOLS_VERIFY_H

#include "system.h"

/* A result to be checked; everything is borrowed. */
struct verify_request {
    const struct settings *settings; /* tolerance, error, seed, ... */
    const struct system *system;
    const double *potential; /* [targets]; NULL of flows */
    const double *vector;    /* [targets][3]: velocities; forces, or the field
                                where the targets are not the sources */
    const double *energy, *virial; /* NULL: there is none */
};

/* The targets compared: the first `largest` count for themselves, each of the
 * others for `weight` targets. */
struct verify_sample {
    int64_t count, largest;
    int64_t *index; /* owned, [count] */
    double weight;
};

struct verify_result {
    double measured;    /* in the norm of the tolerance */
    double norm;        /* that a relative error is taken of; of energy and
                           pressure that of potentials, of each that of forces
                           or velocities */
    double energy_error; /* |dU| over half the sum of |q phi|; of the virial's
                           trace, of r^-6 over 6 times it; negative: not
                           measured */
    double virial_error;
    double tolerance;   /* that was asked for */
    double reference;   /* the tolerance of the reference */
    int64_t count;      /* targets compared */
    const char *method; /* of the reference */
    double seconds;
};

/* The error of all targets is estimated from the hundred-odd largest, taken
 * all, and a random sample of the others: close pairs carry much of the RMS of
 * a random system, and a plain sample would miss them.
 * 0, or -1 with the reason. */
int verify(const struct verify_request *request, struct verify_result *result,
           char *error, size_t size);
/* verify_energy.c.  Sets energy_error and virial_error; potential: of the
 * reference, at the targets of the sample.  0, or -1 with the reason. */
int verify_energies(const struct verify_request *request,
                    const struct verify_sample *sample, const double *potential,
                    struct verify_result *result, char *error, size_t size);
/* Of a unit, a power of two, whose squares f64 holds. */
int verify_exponent(double size);
/* 1: above the tolerance, or not a number. */
int verify_exceeds(const struct verify_result *result);
#endif
