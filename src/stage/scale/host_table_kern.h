/* SPDX-License-Identifier: Apache-2.0 */
/* host_table_kern.h: interface between host_table_kern.c and host_table.c. */
#ifndef FARSUM_STAGE_SCALE_HOST_TABLE_KERN_H
#define FARSUM_STAGE_SCALE_HOST_TABLE_KERN_H

#include "stage/scale/scale.h"

/* The first or the last mode of a row is its own opposite. */
enum { SCALE_FIRST = 1, SCALE_LAST = 2 };

struct scale_kern {
    /* Scalar kernels: multiplies n modes of a row by the table, unless !keep;
     * returns the sum of weight * table * |z|^2 if energy.  alone: bits of
     * SCALE_FIRST and SCALE_LAST. */
    double (*row)(void *z, const void *table, int64_t n, int alone, int keep,
                  int energy);
    /* Flow kernels: the same, with channels `channel` reals apart and wave
     * vectors k + i step. */
    struct scale_flow {
        const char *name;
        void (*row)(void *z, int64_t channel, const void *table, int64_t n,
                    const double k[3], const double step[3]);
    } const *flows; /* ended by a name of NULL */
};
#endif
