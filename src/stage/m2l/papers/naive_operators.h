/* SPDX-License-Identifier: Apache-2.0 */
/* naive_operators.h: what rows that apply (10.7) as it stands on a device have
 * in common: fields without the scaling of (10.4). */
#ifndef FARSUM_STAGE_M2L_PAPERS_NAIVE_OPERATORS_H
#define FARSUM_STAGE_M2L_PAPERS_NAIVE_OPERATORS_H

#include "stage/expansions/device.h"

/* Such a row's state. */
struct naive_row {
    struct boxes_gpu gpu; /* owned; operators: fields */
    struct buf scale;     /* owned */
    struct kernel kernel, clear;
    int64_t batch; /* boxes of a launch, where they are launched by batches */
    /* owned; where the row has its own: [(p + 1)^2][stride], managed */
    struct buf multipole, local;
    int64_t stride;
    struct kernel move;
};
/* Takes its memory, with fields and scale, which the host writes into managed
 * memory if managed is 1; its text is begun, for `group` threads and the file
 * of the row's kernels. */
farsum_status naive_row_begin(const struct boxes_args *args, int group,
                              const char *file, int managed,
                              struct naive_row **row);
void naive_row_destroy(void *row); /* NULL is legal */
/* The highest order: unscaled numbers leave the range beyond. */
int naive_order_most(farsum_precision precision);
/* Bytes of fields and scale. */
int64_t naive_fields_bytes(const struct boxes_args *args);
/* Makes both: [difference's number][(2p + 1)^2], S over its scale, and of
 * degrees 0 .. p what undoes it; in managed memory if managed is 1. */
farsum_status naive_fields(const struct boxes_args *args, int managed,
                           struct buf *fields, struct buf *scale);
/* Complex terms of all pairs of boxes. */
double naive_terms(const struct boxes_args *args);
/* Adds them, what is read and written, and `adders` atomic sums a number of a
 * pair. */
void naive_count(const struct boxes_args *args, double adders,
                 struct work *work);
#endif
