/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h: a monotonic clock in seconds. */
#ifndef FARSUM_BASE_CLOCK_H
#define FARSUM_BASE_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#endif
