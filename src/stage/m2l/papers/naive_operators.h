/* SPDX-License-Identifier: Apache-2.0 */
/* naive_operators.h: common code of the device variants that apply (10.7)
 * directly: fields without the scaling of (10.4). */
#ifndef FARSUM_STAGE_M2L_PAPERS_NAIVE_OPERATORS_H
#define FARSUM_STAGE_M2L_PAPERS_NAIVE_OPERATORS_H

#include "stage/expansions/device.h"

/* State of such a variant. */
struct naive_row {
    struct boxes_gpu gpu; /* owned; operators: fields */
    struct buf scale;     /* owned */
    struct kernel kernel, clear;
    int64_t batch; /* boxes per launch, if they are launched in batches */
    /* owned; if the variant has its own: [(p + 1)^2][stride], managed */
    struct buf multipole, local;
    int64_t stride;
    struct kernel move;
};
/* Allocates its memory, with fields and scale, which the host writes into
 * managed memory if managed is 1.  Begins its text, for `group` threads and the
 * file of the variant's kernels. */
farsum_status naive_row_begin(const struct boxes_args *args, int group,
                              const char *file, int managed,
                              struct naive_row **row);
void naive_row_destroy(void *row); /* NULL is legal */
/* The highest order; beyond it unscaled coefficients leave the range. */
int naive_order_most(farsum_precision precision);
/* Bytes of fields and scale. */
int64_t naive_fields_bytes(const struct boxes_args *args);
/* Makes both: [difference][(2p + 1)^2], S over its scale, and for degrees 0 ..
 * p the inverse of the scaling; in managed memory if managed is 1. */
farsum_status naive_fields(const struct boxes_args *args, int managed,
                           struct buf *fields, struct buf *scale);
/* Number of complex terms of all pairs of boxes. */
double naive_terms(const struct boxes_args *args);
/* Adds their operations, the bytes read and written, and `adders` atomic sums
 * per coefficient of a pair. */
void naive_count(const struct boxes_args *args, double adders,
                 struct work *work);
#endif
