/* SPDX-License-Identifier: Apache-2.0 */
/* system.h: the sum that a frame of a file requests. */
#ifndef FARSUM_TOOLS_SYSTEM_H
#define FARSUM_TOOLS_SYSTEM_H

#include "exclude.h"

/* Borrowed from the frames, except `own`. */
struct system {
    int64_t n, m; /* sources and targets, on this rank */
    int64_t all_n, all_m; /* on all ranks; all_m = 0: the targets are the
                             sources */
    const double *x, *q, *y; /* q: [n][strengths] */
    double *own;  /* owned; NULL, or q */
    int strengths, flow; /* numbers per source; 1: the sums are velocities */
    int moments;         /* 1: sources have a charge and a dipole; 2: and
                            a quadrupole */
    double cell[9];
    int periodic[3];
    struct exclude_list exclude;
};

/* system_make without exclusions: of a part of the frames. */
int system_make_bare(const struct settings *s, struct io_frame *sources,
                     struct io_frame *targets, struct system *sys, char *error,
                     size_t size);
/* Combines the sources' frame, and the targets' frame or NULL, with kernel,
 * cell and periodicity from the settings.  Names in the frames may change
 * (kernel_rename).  Returns 0, or -1 with the reason. */
int system_make(const struct settings *s, struct io_frame *sources,
                struct io_frame *targets, struct system *sys, char *error,
                size_t size);
void system_free(struct system *sys);
/* The library's problem, with all of the settings. */
farsum_problem system_problem(const struct settings *s,
                              const struct system *sys);
/* C: from the units, or from the viscosity. */
double system_coulomb(const struct settings *s);
int64_t system_targets(const struct system *sys);
/* The volume V of norms: open_volume() of the sources. */
double system_volume(const struct system *sys);
/* Stores the cell that was used in a frame that will be written. */
void system_stamp(const struct system *sys, struct io_frame *frame);
#endif
