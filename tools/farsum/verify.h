/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: measurement of a result's error at random targets.  The converged
 * reference is `ewald` for periodic systems and `direct` in open space, both in
 * f64 and without the fast code's tables. */
#ifndef FARSUM_TOOLS_VERIFY_H
#define FARSUM_TOOLS_VERIFY_H

#include "system.h"

/* A result to be checked; everything is borrowed. */
struct verify_request {
    const struct settings *settings; /* tolerance, error, seed, ... */
    const struct system *system;
    const double *potential; /* [targets]; NULL for flows */
    const double *vector;    /* [targets][3]: velocities; forces, or the field
                                if the targets are not the sources */
    const double *energy, *virial; /* NULL: not computed */
};

/* The compared targets.  The first `largest` count once each, the others
 * `weight` times each. */
struct verify_sample {
    int64_t count, largest;
    int64_t *index; /* owned, [count] */
    double weight;
};

struct verify_result {
    double measured;    /* in the norm of the tolerance */
    double norm;        /* divisor of a relative error; energy and pressure:
                           the norm of potentials; each: that of forces or
                           velocities */
    double energy_error; /* |dU| over half the sum of |q phi|; negative: not
                           measured */
    double virial_error; /* the same of the virial's trace; r6: over 6 times
                           that sum */
    double tolerance;   /* requested */
    double reference;   /* the tolerance of the reference */
    int64_t count;      /* targets compared */
    const char *method; /* of the reference */
    double seconds;
};

/* Measures the error of a result.  The error of all targets is estimated from
 * the hundred or so largest targets and a random sample of the others.  Close
 * pairs carry much of the RMS of a random system; a plain sample would miss
 * them.  Returns 0, or -1 with the reason in `error`. */
int verify(const struct verify_request *request, struct verify_result *result,
           char *error, size_t size);
/* verify_energy.c.  Sets energy_error and virial_error.  potential: the
 * reference's, at the targets of the sample.  Returns 0, or -1 with the reason
 * in `error`. */
int verify_energies(const struct verify_request *request,
                    const struct verify_sample *sample, const double *potential,
                    struct verify_result *result, char *error, size_t size);
/* The exponent of a power-of-two unit in which squares fit f64. */
int verify_exponent(double size);
/* Returns 1 if the error is above the tolerance or not a number. */
int verify_exceeds(const struct verify_result *result);
#endif
