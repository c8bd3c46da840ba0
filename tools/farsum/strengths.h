/* SPDX-License-Identifier: Apache-2.0 */
/* strengths.h: what a source of each pair kernel carries: the columns of a
 * file that hold it, and how a case draws it. */
#ifndef FARSUM_TOOLS_STRENGTHS_H
#define FARSUM_TOOLS_STRENGTHS_H

#include "rng.h"

#include <stddef.h>

enum { STRENGTHS_COLUMNS = 2 };

/* Numbers of a source that stand in one column. */
struct strengths_column {
    const char *name; /* NULL: no more */
    int width;
    int unit;         /* cases: a direction; 0: less the mean of all */
    const char *drawn; /* by a case, in a formula */
};

struct strengths {
    const char *kernel;
    int count; /* numbers a source, in the columns' order */
    int flow;  /* 1: the sums are velocities */
    int kappa; /* 1: takes one */
    struct strengths_column columns[STRENGTHS_COLUMNS];
};

/* index 0, 1, ...; NULL past the last. */
const struct strengths *strengths_get(int index);
/* A kernel that is not in the table has charges: its row is that of 1/r. */
const struct strengths *strengths_of(const char *kernel);
/* "strength:R:3 and normal:R:3" */
void strengths_print(const struct strengths *row, char *text, size_t size);
/* q: [n][count]; net is added to each charge, or to the last component of each
 * vector that is no direction. */
void strengths_draw(const struct strengths *row, struct rng *r, int64_t n,
                    double net, double *q);
#endif
