/* SPDX-License-Identifier: Apache-2.0 */
/* work.h: operations and bytes of a stage's run. */
#ifndef FARSUM_COST_WORK_H
#define FARSUM_COST_WORK_H

#include "math/count.h"

/* What a run does, counted from its args. */
struct work {
    struct count count;
    double read, written; /* bytes of memory, what is in use counted once */
    double sums;          /* atomic sums to global memory */
    double launches;      /* of kernels; 0 on the host */
};
#endif
