/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h: the state of a slab's images, on the host and on a device. */
#ifndef FARSUM_METHOD_OPEN_AXIS_INSIDE_H
#define FARSUM_METHOD_OPEN_AXIS_INSIDE_H

#include <math.h>

#include "method/open_axis/modes.h"
#include "method/open_axis/open_axis.h"

#define FN static inline
#define MEAN_REAL double
#include "method/open_axis/mean.kh"
#undef FN

enum { MODE_SUMS = 8 };

struct open_axis {
    int row[3]; /* of the cell: the two periodic ones, and the open one */
    double normal[3], low, extent; /* z is x.normal - low */
    double edge, volume;           /* of the cell with the gap */
    double bare;                   /* open_axis_bare */
    struct open_mean mean;
    struct open_points source, target; /* host; target empty: the sources */
    int64_t count;
    struct open_mode *mode; /* owned */
    double *sums;           /* owned: those of the modes, for ranks */
};

/* Makes s->open_axis for the plan's present cell, without an extent. */
farsum_status open_axis_begin(const struct task *task, struct spectral *s);
/* Sets the extent of the points along the normal, and the modes whose images
 * count.  Fails if the gap is too small. */
farsum_status open_axis_extent(const struct task *task, struct spectral *s,
                               double low, double high);
/* Fails if a pair is excluded and another image may be nearer than the pair
 * itself. */
farsum_status open_axis_excludes(const struct task *task,
                                 const struct open_axis *b);
#endif
