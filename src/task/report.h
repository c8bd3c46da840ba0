/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: results of planning and summation that a method reports to the
 * plan. */
#ifndef FARSUM_TASK_REPORT_H
#define FARSUM_TASK_REPORT_H

#include "farsum/farsum.h"

/* A larger imbalance of work is reported. */
#define RANKS_UNEVEN 1.5

/* A plan over ranks: this rank's part. */
struct ranks_report {
    double cell[9];      /* basis of the fractions, in the caller's length */
    double low[3], high[3]; /* its part: fractions along the rows */
    int64_t own, ghosts; /* points that it owns, and copies of others */
    double imbalance;    /* most own points of a rank over the mean */
    double work;         /* the same for its modelled seconds; 0: no points */
    int64_t recuts;      /* cuts that set_points has made */
    int across;          /* ranks along axis 1; 0 or 1: slabs */
    const char *transport; /* between the ranks' devices, owned by the method;
                              NULL: none */
};

struct report {
    farsum_plan_info info; /* in the task's units */
    double net_size;       /* sqrt(n sum square()): info.net_strength far below
                              it is rounding; negative: nothing was summed
                              yet */
    double size[2];        /* RMS force or velocity, and potential, of the last
                              sum, per unit of strength; 0: not computed */
    double disorder;       /* estimate for strengths in random order over that
                              for the sample's, at least 1; 0: unknown */
    struct ranks_report ranks;
};
#endif
