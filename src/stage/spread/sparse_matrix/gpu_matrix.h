/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_matrix.h: the spreading operator as a sparse matrix on a device.  It has
 * one row per mesh point and padding point along z, spread_gpu_rows in all, and
 * one column per particle. */
#ifndef FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_MATRIX_H
#define FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_MATRIX_H

#include "points/device/scan.h"
#include "stage/spread/device.h"

/* Numbered as in gpu_matrix.k. */
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
    /* hybrid: entries beyond the table's width, row by row */
    struct buf width; /* [rows] i32: a row's entries in the table */
    struct buf list_row, list_column, list_value;
    int64_t listed; /* entries in the list */
    int64_t words;  /* capacity of column and value */
};

farsum_status spread_matrix_fits(const struct spread_args *args);
farsum_status spread_matrix_create(struct spread_matrix *m,
                                   const struct spread_args *args,
                                   enum spread_layout layout);
void spread_matrix_clear(struct spread_matrix *m);
/* Builds the matrix for new points.  Rows: three launches without
 * synchronisation.  Hybrid and sliced synchronise with the device to learn the
 * sizes of their arrays. */
farsum_status spread_matrix_set(struct spread_matrix *m,
                                const struct points *points);
/* Converts start to i32: [n] of them. */
farsum_status spread_matrix_narrow(struct spread_matrix *m, int64_t n,
                                   struct buf *narrow);
/* Number of entries if all axes are periodic; less otherwise. */
double spread_matrix_entries(const struct spread_args *args);
/* Bytes of the matrix as compressed rows. */
int64_t spread_matrix_bytes(const struct spread_args *args);
/* Seconds of count, sum and insert; and of the product's reads at best. */
double spread_matrix_build(const struct spread_args *args);
double spread_matrix_product(const struct spread_args *args);
#endif
