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
};

struct verify_result {
    double measured;    /* in the norm of the tolerance */
    double norm;        /* that a relative error is taken of */
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
/* 1: above the tolerance, or not a number. */
int verify_exceeds(const struct verify_result *result);
#endif
