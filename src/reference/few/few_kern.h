/* SPDX-License-Identifier: Apache-2.0 */
/* few_kern.h: few_kern.c, for each instruction set. */
#ifndef FARSUM_REFERENCE_FEW_FEW_KERN_H
#define FARSUM_REFERENCE_FEW_FEW_KERN_H

#include "reference/few/device_state.h"

enum { FEW_BLOCK = 256 };

/* Sources, in internal units.  Up to one vector of sources without strength
 * follows the last. */
struct few_block {
    int count;
    double x[3][FEW_BLOCK], q[REFERENCE_STRENGTHS][FEW_BLOCK];
};

struct few_near {
    const struct few_args *args;
    const double *image; /* [args.images][3] */
    const double *x;     /* [args.m][3] targets, in internal units */
    int width;
};

/* Adds a block to sums [m][width].  Adds the strengths of its sources that a
 * target lies on to self [m][strengths]. */
typedef void few_near_run(const struct few_near *near,
                          const struct few_block *block, double *sums,
                          double *self);

struct few_kern {
    /* tables and gather.  s_high of points is the whole fraction, within +-1/2.
     * Sums are [channels][entries][4][lanes]. */
    struct ewald_any_kern modes;
    int lanes;
    struct {
        const char *name;
        few_near_run *run;
    } near[6];
};
#endif
