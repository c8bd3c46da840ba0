/* SPDX-License-Identifier: Apache-2.0 */
/* work.h: operations and bytes of a stage's run. */
#ifndef FARSUM_COST_WORK_H
#define FARSUM_COST_WORK_H

#include "math/count.h"

/* The operations of a run, computed from its arguments. */
struct work {
    struct count count;
    double read, written; /* bytes of memory; each byte in use counts once */
    double sums;          /* atomic additions to global memory */
    double launches;      /* kernel launches; 0 on the host */
};
#endif
