/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: what a method says back. */
#ifndef FARSUM_TASK_REPORT_H
#define FARSUM_TASK_REPORT_H

#include "farsum/farsum.h"

struct report {
    farsum_plan_info info; /* in the units of the task */
    double net_size;       /* info.net_strength is rounding where it is far
                              below: root of n sum square(); negative: nothing
                              was summed yet */
};
#endif
