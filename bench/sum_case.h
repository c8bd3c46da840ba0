/* SPDX-License-Identifier: Apache-2.0 */
/* sum_case.h: particles to sum, and what their sums are. */
#ifndef FARSUM_BENCH_SUM_CASE_H
#define FARSUM_BENCH_SUM_CASE_H

#include "case.h"

/* Exact vectors (forces of laplace, else velocities) of some particles: of
 * the k-th of them, target[k], it is exact[k % period]. */
struct sum_case {
    const char *text; /* borrowed: as it was asked for */
    struct case_spec spec;
    struct case_particles p; /* owned */
    const char *reference;   /* borrowed: what exact came from; "": nothing */
    int64_t targets, period;
    int64_t *target; /* owned, [targets]; NULL: all, in order */
    double *exact;   /* owned, [period][3] */
    int all;         /* 1: the norm of errors is of all vectors, as summed, not
                        of the targets: a few pairs next to each other may be
                        most of it */
};

/* text: the notation of `farsum help cases`, or FILE.xyz[:COPIES], charges in
 * a file, its cell as many times along each edge.  Ends the program with a
 * message where it cannot. */
void sum_case_make(const char *text, struct sum_case *c);
/* how: "ewald:TARGETS[:TOLERANCE]", or "direct:TARGETS" of open boundaries, or
 * "spectral:TOLERANCE", a converged plan on the device, or
 * "fmm:TARGETS:BOXES:ORDER", so many root boxes along each edge and no others,
 * on the device in f64: of the largest sums; of a file's copies one cell is
 * summed, by ewald, whatever number of targets is asked for. */
void sum_case_reference(struct sum_case *c, const char *how,
                        const char *device);
/* Relative RMS of the difference, v [n][3] being fields or velocities; -1:
 * there is nothing to compare with. */
double sum_case_error(const struct sum_case *c, const double *v);
void sum_case_clear(struct sum_case *c);
/* The problem, except for its tolerance, precision and memory. */
farsum_problem sum_case_problem(const struct sum_case *c);
/* Ends the program with the library's message unless OK. */
void sum_need(farsum_status status);
/* Is it potentials and forces that are summed? */
int sum_case_charges(const struct sum_case *c);
#endif
