/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.h: subtraction of excluded pairs from a sum. */
#ifndef FARSUM_METHOD_SPECTRAL_EXCLUDE_H
#define FARSUM_METHOD_SPECTRAL_EXCLUDE_H

#include "device/buf.h"
#include "method/spectral/spectral.h"

struct gpu_excluded;
struct spectral_units;

/* Same layout as struct bare_cell of math/pair_bare.kh. */
struct exclude_cell {
    double a[9], sure, skip;
};
/* Returns the reduced cell in units of the cutoff. */
struct exclude_cell exclude_cell(const struct task *task,
                                 const struct cell *cell);
/* Points of excluded pairs. */
struct exclude_points {
    int64_t n;
    const double *s[3]; /* s[2]: fractions of the whole cell; those of axes 0
                            and 1 are scale[d] s[d] + shift[d] */
    double scale[2], shift[2];
    const void *q;       /* strengths, of the plan's precision; those of
                            separate targets are not read */
};
/* Rows' targets and sources.  Source j >= sources[0].n is point j -
 * sources[0].n of sources[1]. */
struct exclude_sides {
    struct exclude_points targets, sources[2];
    struct exclude_cell cell;
};
/* Subtracts excluded pairs from the values, the field and the sums of one
 * right-hand side. */
void spectral_exclude(const struct task *task, struct spectral *s,
                      const farsum_result *result, struct spectral_sums *sums);
void spectral_exclude_sides(const struct task *task, struct spectral *s,
                            const struct exclude_sides *sides,
                            const farsum_result *result,
                            struct spectral_sums *sums);
/* Rows of excluded pairs on a device, and their points.  Source j >= sources is
 * point j - sources of far_x and far_q, which then exist. */
struct gpu_exclude_sides {
    const struct gpu_excluded *excluded;
    struct exclude_cell cell;
    double soft; /* radius of softening, in cutoffs */
    int64_t sources, targets;
    int by_point;                    /* 1: positions are [n][3]; 0: [3][n] */
    const struct buf *x, *far_x, *y; /* fractions of the whole cell, f64 */
    const struct buf *q, *far_q;     /* strengths */
    const struct buf *potential, *field, *gradient; /* results of the targets */
};
/* device_exclude.c.  Subtracts the pairs from the results that u requests, and
 * from the plan's energy and virial. */
farsum_status gpu_exclude_sides(struct spectral *s,
                                const struct spectral_units *u,
                                const struct gpu_exclude_sides *sides);
#endif
