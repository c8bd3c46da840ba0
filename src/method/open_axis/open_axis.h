/* SPDX-License-Identifier: Apache-2.0 */
/* open_axis.h: two periodic axes, by the sum of a cell with three.
 *
 * The cell has a gap along the normal.  No near pair and no window reaches
 * across it, so that images above and below act by the bare kernel.  Their sum
 * is known, (9.31) to (9.33), and is subtracted at the points. */
#ifndef FARSUM_METHOD_OPEN_AXIS_OPEN_AXIS_H
#define FARSUM_METHOD_OPEN_AXIS_OPEN_AXIS_H

#include "method/spectral/spectral.h"

struct open_axis;
/* Fails unless the problem has two periodic axes and nothing that slabs do not
 * have. */
farsum_status open_axis_fits(const struct task *task);
/* Seconds of open_axis_add, estimated. */
double open_axis_seconds(const struct task *task, const struct parameters *t);
/* Finds the extent of the points in s->x and s->y, and the modes whose images
 * count.  Fails if the gap is too small for them. */
farsum_status open_axis_set_points(const struct task *task, struct spectral *s,
                                   int64_t n, int64_t m);
/* The mode 0 of a unit charge in the cell with the gap, less that of the images
 * above and below: the constant of (9.32), over front/V, in units of the
 * cutoff. */
double open_axis_bare(const struct open_axis *b);
/* The virial requires field and energy. */
void open_axis_wanted(farsum_result *wanted);
/* Subtracts the images above and below from potentials, fields, energy and
 * virial. */
farsum_status open_axis_add(const struct task *task, struct spectral *s,
                            const farsum_result *result,
                            struct spectral_sums *sums);
void open_axis_destroy(struct open_axis *b);
#endif
