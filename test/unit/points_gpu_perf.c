/* SPDX-License-Identifier: Apache-2.0 */
/* points_gpu_perf.c: times of sets, sorts and cell lists. */
#include "unit/points_gpu.h"

#include <stdlib.h>

#include "points/device/ordering.h"
#include "points/device/sort_state.h"

enum { REPEATS = 7 };

static struct gpu_ordering *held;

enum what { SET, COUNTED, AGAIN, RADIX, CELLS, WHATS };

static farsum_status perf_do(struct points_gpu *p, enum what what,
                             const struct cell *cell, int64_t n,
                             const struct buf *x, const int32_t nb[3])
{
    if (what == SET)
        return points_gpu_set_device(p, cell, n, x, FARSUM_F64, "source");
    if (what == CELLS)
        return gpu_ordering_cells(p, nb, 32, &held);
    return gpu_ordering_sort(p, nb, what == RADIX, &held);
}

void points_perf(int64_t n, int32_t tiles)
{
    static const char *const names[WHATS] = {"set", "counted", "again", "radix",
                                             "cells"};
    static const char *const dists[DISTS] = {"uniform", "clustered", "one tile",
                                             "ordered"};
    const int32_t nb[3] = {tiles, tiles, tiles};
    struct cell cell = cloud_cell(1);
    printf("%lld points, %d^3 tiles, best of %d, ms\n%-10s", (long long)n,
           tiles, REPEATS, "");
    for (int what = 0; what < WHATS; what++)
        printf("%10s", names[what]);
    printf("\n");
    for (int dist = 0; dist < DISTS; dist++) {
        struct points_gpu *p = NULL;
        struct stopwatch watch;
        struct buf x = {0};
        double *h = cloud(&cell, n, (enum dist)dist, FARSUM_F64, 9);
        CHECK_OK(points_gpu_create(points_device, &p));
        CHECK_OK(stopwatch_create(&watch, points_device));
        CHECK_OK(buf_alloc(&x, points_device, 24 * n));
        CHECK_OK(buf_upload(&x, 0, h, 24 * n));
        printf("%-10s", dists[dist]);
        for (int what = 0; what < WHATS; what++) {
            double best = HUGE_VAL;
            for (int r = 0; r <= REPEATS; r++) {
                double t = 0;
                if (what != SET)
                    CHECK_OK(points_gpu_set_device(p, &cell, n, &x, FARSUM_F64,
                                                   "source"));
                p->inside->few = what == COUNTED ? n : -1;
                CHECK_OK(stopwatch_start(&watch));
                CHECK_OK(perf_do(p, (enum what)what, &cell, n, &x, nb));
                CHECK_OK(stopwatch_stop(&watch));
                CHECK_OK(stopwatch_seconds(&watch, &t));
                if (r > 0 && t < best)
                    best = t;
            }
            printf("%10.3f", 1e3 * best);
        }
        printf("\n");
        stopwatch_clear(&watch);
        gpu_ordering_release(&held);
        points_gpu_destroy(p);
        buf_clear(&x);
        free(h);
    }
}
