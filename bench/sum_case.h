/* SPDX-License-Identifier: Apache-2.0 */
/* sum_case.h: particles to sum, and their reference sums. */
#ifndef FARSUM_BENCH_SUM_CASE_H
#define FARSUM_BENCH_SUM_CASE_H

#include "case.h"

/* Exact vectors (forces for laplace, else velocities) at some particles: the
 * k-th is particle target[k], with the value exact[k % period]. */
struct sum_case {
    const char *text; /* borrowed: as requested */
    struct case_spec spec;
    struct case_particles p; /* owned */
    const char *reference;   /* borrowed: the source of exact; "": none */
    int64_t targets, period;
    int64_t *target; /* owned, [targets]; NULL: all, in order */
    double *exact;   /* owned, [period][3] */
    int all;         /* 1: the norm of errors is over all vectors as summed, not
                      * over the targets: a few close pairs may dominate it */
};

/* text: the notation of `farsum help cases`, or FILE.xyz[:COPIES], a file with
 * charges whose cell is repeated COPIES times along each edge.  Ends the
 * program with a message on failure. */
void sum_case_make(const char *text, struct sum_case *c);
/* how:
 *
 * - "ewald:TARGETS[:TOLERANCE]"
 * - "direct:TARGETS": open boundaries
 * - "spectral:TOLERANCE": a converged plan on the device
 * - "fmm:TARGETS:BOXES:ORDER": BOXES root boxes along each edge and no other
 *   levels, on the device in f64; for the largest sums
 *
 * For copies of a file, ewald sums one cell, whatever the number of targets. */
void sum_case_reference(struct sum_case *c, const char *how,
                        const char *device);
/* Relative RMS of the difference; v [n][3] are fields or velocities.  -1: there
 * is no reference. */
double sum_case_error(const struct sum_case *c, const double *v);
void sum_case_clear(struct sum_case *c);
/* The problem, except for its tolerance, precision and memory. */
farsum_problem sum_case_problem(const struct sum_case *c);
/* Ends the program with the library's message unless OK. */
void sum_need(farsum_status status);
/* 1: the sums are potentials and forces. */
int sum_case_charges(const struct sum_case *c);
#endif
