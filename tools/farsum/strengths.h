/* SPDX-License-Identifier: Apache-2.0 */
/* strengths.h: strengths of a source for each pair kernel: the columns of a
 * file that hold them, and their random values in a case. */
#ifndef FARSUM_TOOLS_STRENGTHS_H
#define FARSUM_TOOLS_STRENGTHS_H

#include "rng.h"

#include <stddef.h>

enum { STRENGTHS_COLUMNS = 3 };

/* Numbers of a source in one column. */
struct strengths_column {
    const char *name; /* NULL: no more */
    int width;
    int unit; /* cases: a unit vector, or with width 6 u u - 1/3 of one;
                         0: the mean is subtracted */
    const char *drawn; /* distribution in a case, as a formula */
};

struct strengths {
    const char *kernel;
    int count; /* numbers per source, in the columns' order */
    int flow;  /* 1: the sums are velocities */
    int kappa; /* 1: requires kappa */
    int moments; /* 1: the second column is a dipole of the charge; 2: and the
                    third a quadrupole.  A file without charges has only
                    these */
    struct strengths_column columns[STRENGTHS_COLUMNS];
};

/* index 0, 1, ...; NULL beyond the last. */
const struct strengths *strengths_get(int index);
/* Kernels that are not in the table have charges: returns the row of 1/r. */
const struct strengths *strengths_of(const char *kernel);
/* "strength:R:3 and normal:R:3" */
void strengths_print(const struct strengths *row, char *text, size_t size);
/* q: [n][count]; net is added to each charge, or to the last component of each
 * vector that is not a unit vector. */
void strengths_draw(const struct strengths *row, struct rng *r, int64_t n,
                    double net, double *q);
#endif
