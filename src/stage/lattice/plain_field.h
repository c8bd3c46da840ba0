/* SPDX-License-Identifier: Apache-2.0 */
/* plain_field.h: fields between root boxes, by the difference of their
 * positions. */
#ifndef FARSUM_STAGE_LATTICE_PLAIN_FIELD_H
#define FARSUM_STAGE_LATTICE_PLAIN_FIELD_H

#include "stage/expansions/expansions.h"

struct lattice_fields {
    int64_t root[3], side[3]; /* differences of positions along each axis */
    int64_t size;             /* (2p + 1)^2 */
    double *field;            /* owned: [difference][size] */
};
/* S of a box (open; zero for near ones) or of it and all its images that are
 * not near (periodic, (10.13), (10.51)). */
farsum_status lattice_fields_make(const struct boxes_args *args,
                                  struct lattice_fields *fields);
void lattice_fields_clear(struct lattice_fields *fields);
/* d: target's position minus the source's. */
double *lattice_field(const struct lattice_fields *fields, const int64_t d[3]);
#endif
