/* SPDX-License-Identifier: Apache-2.0 */
/* system.h: what one frame of a file asks the library to sum. */
#ifndef FARSUM_TOOLS_SYSTEM_H
#define FARSUM_TOOLS_SYSTEM_H

#include "exclude.h"

/* Borrowed from the frames, but `own`. */
struct system {
    int64_t n, m; /* m = 0: the targets are the sources */
    const double *x, *q, *y; /* q: [n][strengths] */
    double *own;  /* owned; NULL, or q */
    int strengths, flow; /* numbers a source; 1: the sums are velocities */
    double cell[9];
    int periodic[3];
    struct exclude_list exclude;
};

/* The sources' frame, and the targets' frame or NULL, with what the settings
 * say of kernel, cell and periodicity; names in the frames may change
 * (kernel_rename).  0, or -1 with the reason. */
int system_make(const struct settings *s, struct io_frame *sources,
                struct io_frame *targets, struct system *sys, char *error,
                size_t size);
void system_free(struct system *sys);
/* The library's problem, with everything that the settings say. */
farsum_problem system_problem(const struct settings *s,
                              const struct system *sys);
/* C: of the units, or of the viscosity. */
double system_coulomb(const struct settings *s);
int64_t system_targets(const struct system *sys);
/* Of the cell or, in open space, of the box around the sources. */
double system_volume(const struct system *sys);
/* Writes the cell that was used into a frame that will be written. */
void system_stamp(const struct system *sys, struct io_frame *frame);
#endif
