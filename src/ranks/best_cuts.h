/* SPDX-License-Identifier: Apache-2.0 */
/* best_cuts.h: cuts of mesh planes into slabs with about equal work. */
#ifndef FARSUM_RANKS_BEST_CUTS_H
#define FARSUM_RANKS_BEST_CUTS_H

#include <stdint.h>

#include "base/status.h"

/* The work in planes. */
struct cuts_work {
    int64_t mesh0;
    const double *plane; /* [mesh0]: work in each plane, >= 0 */
    double slab;         /* work of each slab that is not empty */
};

/* The most work of a slab of these cuts, begin [size + 1]. */
double cuts_most(const struct cuts_work *work, int size, const int64_t *begin);
/* Sets begin [size + 1] to cuts whose most work is least.  most: planes of a
 * slab at most, and size * most >= mesh0.  Among such cuts, slabs are as equal
 * as a pass from the first one makes them.  Slabs may be empty.  Equal input
 * gives equal cuts.  On failure, that of memory, begin is undefined. */
farsum_status cuts_best(const struct cuts_work *work, int size, int64_t most,
                        int64_t *begin);
#endif
