/* system.h: what one frame of a file asks the library to sum. */
#ifndef FARSUM_TOOLS_SYSTEM_H
#define FARSUM_TOOLS_SYSTEM_H

#include "options.h"

/* Everything is borrowed from the frames. */
struct system {
    int64_t n, m; /* m = 0: the targets are the sources */
    const double *x, *q, *y;
    double cell[9];
    int periodic[3];
};

/* The sources' frame, and the targets' frame or NULL, with what the settings
 * say of cell and periodicity.  0, or -1 with the reason. */
int system_make(const struct settings *s, const struct io_frame *sources,
                const struct io_frame *targets, struct system *sys, char *error,
                size_t size);
/* The library's problem, with everything that the settings say. */
farsum_problem system_problem(const struct settings *s,
                              const struct system *sys);
double system_coulomb(const struct settings *s);
int64_t system_targets(const struct system *sys);
/* Of the cell or, in open space, of the box around the sources. */
double system_volume(const struct system *sys);
/* Writes the cell that was used into a frame that will be written. */
void system_stamp(const struct system *sys, struct io_frame *frame);
#endif
