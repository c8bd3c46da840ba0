/* host_table_kern.h: a row of modes times a row of the table. */
#ifndef FARSUM_STAGE_SCALE_HOST_TABLE_KERN_H
#define FARSUM_STAGE_SCALE_HOST_TABLE_KERN_H

#include <stdint.h>

struct scale_kern {
    /* row: complex [n], table: real [n]; multiplies if keep; returns
     * sum_i table_i |row_i|^2 over i = 1 .. last, twice, plus the ends once,
     * as the half spectrum counts (n = mesh2/2 + 1, even: mesh2 is even) */
    double (*row)(void *row, const void *table, int64_t n, int even, int keep,
                  int energy);
};
#endif
