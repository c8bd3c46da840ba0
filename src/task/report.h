/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: results of planning and summation that a method reports to the
 * plan. */
#ifndef FARSUM_TASK_REPORT_H
#define FARSUM_TASK_REPORT_H

#include "farsum/farsum.h"

struct report {
    farsum_plan_info info; /* in the task's units */
    double net_size;       /* sqrt(n sum square()): info.net_strength far below
                              it is rounding; negative: nothing was summed
                              yet */
};
#endif
