/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_case.h: plans of method fmm over ranks against a plan of one process on
 * the host with the same boxes. */
#ifndef FARSUM_TEST_RANKS_FMM_CASE_H
#define FARSUM_TEST_RANKS_FMM_CASE_H

#include <farsum/device.h>

#include "comm/comm.h"

enum { MOST = 10000, SIZES = 6 };

struct fmm_test {
    const char *what;
    double cell[3];
    int periodic;
    int64_t boxes[3];
    int ws;
    double tolerance, most;
    farsum_precision precision;
    int apart, order, levels;
    const char *m2l; /* of the ranks, exact; NULL: chosen */
    farsum_surface surface;
    double stretch[4]; /* changes of the cell after create, ended by 0 */
    int excluded, sampled, checked;
    double softening;
    int64_t points;   /* 0: 1500 */
    int ranks[SIZES]; /* ended by 0; none: several */
};

/* Where the ranks sum. */
struct fmm_place {
    /* Opens a rank's device; NULL: the host. */
    farsum_status (*open)(int rank, farsum_device **device);
    int there; /* 1: the ranks' arrays are on the devices */
};

/* Fails checks if ranks and one process differ. */
void fmm_cases(const struct fmm_test *tests, size_t n,
               const struct fmm_place *place);
#define RUN_ALL(tests, place)                                                  \
    fmm_cases(tests, sizeof(tests) / sizeof *(tests), place)

/* Edges of the cell, boxes, separation, tolerance, difference from one
 * process. */
#define CASE(name, cyclic, a, b, c, i, j, k, apart_by, error, difference)      \
    .what = name, .periodic = cyclic, .cell = {a, b, c}, .boxes = {i, j, k},   \
    .ws = apart_by, .tolerance = error, .most = difference
#endif
