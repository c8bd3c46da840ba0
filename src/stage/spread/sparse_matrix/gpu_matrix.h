/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_matrix.h: the spreading operator as a sparse matrix on a device, for the
 * rows that keep it: a matrix row for each mesh point and for the padding of z,
 * spread_gpu_rows in all; a column for each particle. */
#ifndef FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_MATRIX_H
#define FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_MATRIX_H

#include "points/device/scan.h"
#include "stage/spread/device.h"

/* As gpu_matrix.k numbers them. */
enum spread_layout { SPREAD_ROWS, SPREAD_HYBRID, SPREAD_SLICED };
enum { SPREAD_SLICE = 32, SPREAD_HISTOGRAM = 1024 };

struct spread_matrix {
    struct spread_gpu gpu;
    enum spread_layout layout;
    int batch;
    struct kernel count_entries, insert, histogram, split, slices, narrow;
    struct gpu_scan *scan;
    struct buf count;  /* [rows + 1] i64; zero outside of set */
    struct buf start;  /* u64: [rows + 1], or [slices + 1] */
    struct buf column; /* u32 */
    struct buf value;  /* reals */
    /* hybrid: what is beyond the table's width, row by row */
    struct buf width; /* [rows] i32: a row's entries in the table */
    struct buf list_row, list_column, list_value;
    int64_t listed; /* entries in the list */
    int64_t words;  /* that column and value hold */
};

farsum_status spread_matrix_fits(const struct spread_args *args);
farsum_status spread_matrix_create(struct spread_matrix *m,
                                   const struct spread_args *args,
                                   enum spread_layout layout);
void spread_matrix_clear(struct spread_matrix *m);
/* Builds it for new points.  Rows: three steps of the device, nothing waits.
 * Hybrid and sliced wait for the sizes of what they allocate. */
farsum_status spread_matrix_set(struct spread_matrix *m,
                                const struct points *points);
/* start in i32: [n] of them. */
farsum_status spread_matrix_narrow(struct spread_matrix *m, int64_t n,
                                   struct buf *narrow);
/* Entries, if all axes are periodic; fewer if not. */
double spread_matrix_entries(const struct spread_args *args);
/* Bytes of it as rows. */
int64_t spread_matrix_bytes(const struct spread_args *args);
/* Seconds that count, sum and insert take; the product's reads at best. */
double spread_matrix_build(const struct spread_args *args);
double spread_matrix_product(const struct spread_args *args);
#endif
