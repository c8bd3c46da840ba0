/* SPDX-License-Identifier: Apache-2.0 */
/* image_fields.h: fields of root boxes with one or two periodic axes. */
#ifndef FARSUM_STAGE_LATTICE_IMAGE_FIELDS_H
#define FARSUM_STAGE_LATTICE_IMAGE_FIELDS_H

#include "stage/expansions/expansions.h"

struct image_fields {
    int64_t side[3]; /* differences of positions 0 .. side - 1; along periodic
                        axes up to half a period */
    int64_t size;    /* (2p + 1)^2 */
    double *field;   /* owned: [difference][size] */
};

/* S of a box and all its images that are not near, (10.51) to (10.53). */
farsum_status image_fields_make(const struct boxes_args *args,
                                struct image_fields *fields);
void image_fields_clear(struct image_fields *fields);
static inline const double *image_field(const struct image_fields *f,
                                        const int64_t d[3])
{
    return f->field
           + ((d[2] * f->side[1] + d[1]) * f->side[0] + d[0]) * f->size;
}
/* Bytes that they take while they are made. */
int64_t image_fields_bytes(const struct boxes_args *args);
/* Expected seconds to make them; 0 with other numbers of periodic axes. */
double image_fields_cost(const struct boxes_args *args);
/* For tests: how many were found in the cache, and how many were computed. */
void image_fields_counts(uint64_t *there, uint64_t *made);
#endif
