/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_case.h: arrays and times of programs whose ranks have a device each. */
#ifndef FARSUM_BENCH_RANKS_CASE_H
#define FARSUM_BENCH_RANKS_CASE_H

#include "farsum/device.h"
#include "farsum/farsum.h"

/* Ends all ranks with the library's message unless OK. */
void ranks_need(farsum_status status);
/* The device of a rank: of this name, or if it has no number, device `rank` of
 * the back end.  NULL: the host. */
farsum_device *ranks_open(const char *name, int rank);
/* The largest of the ranks' seconds. */
double ranks_slowest(double seconds);

/* Random numbers in [low, high). */
struct ranks_range {
    double low, high;
};

/* A random array [n][width] of f64 or f32, on the device if there is one.  The
 * first number of each row is in `first`, the others in `rest`; if clustered,
 * half of the rows are around 0.5. */
void *ranks_array(farsum_device *device, farsum_precision type, int64_t n,
                  int64_t width, struct ranks_range first,
                  struct ranks_range rest, int clustered, uint64_t *state);
void ranks_array_free(farsum_device *device, void *array);
#endif
