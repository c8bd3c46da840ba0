/* SPDX-License-Identifier: Apache-2.0 */
/* points_gpu.h: common code of the tests of points on a device. */
#ifndef FARSUM_TEST_POINTS_GPU_H
#define FARSUM_TEST_POINTS_GPU_H

#include "check.h"

#include "points/cell.h"
#include "points/device/set.h"
#include "points/wrap.h"

enum dist { UNIFORM, CLUSTERED, ONE_TILE, ORDERED, DISTS };

extern struct device *points_device;

/* [n][3] coordinates in `cell`, some of them in a neighbouring cell; the caller
 * frees. */
void *cloud(const struct cell *cell, int64_t n, enum dist dist,
            farsum_precision arrays, uint64_t seed);
struct cell cloud_cell(int triclinic);
/* Sets points and copies s back to the host. */
void cloud_set(struct points_gpu *p, int64_t n, enum dist dist, uint64_t seed,
               struct points *host);
/* The first `bytes` of a buffer, from malloc. */
void *taken(const struct buf *buf, int64_t bytes);

void test_sorts(void);
void test_sort_again(void);
void test_sort_from(void);
void test_sort_repeats(void);
void test_orderings(void);
void test_keys(void);
void test_cells(void);
void test_many_tiles(void);
void test_refused(void);
void test_columns(void);
void test_columns_by_first(void);
/* Times every path. */
void points_perf(int64_t n, int32_t nb);
void columns_perf(int64_t n, int64_t edge);
#endif
