/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_levels.c: dense trees of several levels over ranks with a device each,
 * against a plan of one process on the host with the same boxes. */
#include "check.h"
#include "ranks/fmm_case.h"
#include "ranks_device/rank_device.h"

static const struct fmm_place near_host = {rank_device_public, 0};

/* Plane waves, which devices may choose, keep the tolerance only. */
#define EXACT "gpu_rotation"

static void levels(void)
{
    static const struct fmm_test tests[] = {
        {CASE("two levels", 1, 2, 2, 2, 4, 4, 4, 1, 1e-4, 1e-12), .levels = 2,
         .sampled = 1, .ranks = {3}},
        {CASE("three levels", 1, 2, 3, 1.6, 3, 4, 2, 1, 1e-3, 1e-12),
         .levels = 3, .m2l = EXACT, .surface = FARSUM_VACUUM, .excluded = 1,
         .ranks = {2}},
        {CASE("wide", 1, 2, 2, 2, 5, 4, 4, 2, 1e-3, 1e-12), .levels = 2,
         .m2l = EXACT, .apart = 1, .ranks = {2}},
        {CASE("two layers", 1, 0.7, 2, 2, 2, 6, 6, 1, 1e-3, 1e-12), .levels = 2,
         .ranks = {1, 4}},
        {CASE("f32", 1, 2, 2, 2, 4, 4, 4, 1, 1e-4, 1e-5), .levels = 2,
         .precision = FARSUM_F32, .ranks = {2}},
        {CASE("open", 0, 2, 3, 1.6, 4, 6, 4, 1, 1e-3, 1e-12), .levels = 2,
         .apart = 1, .ranks = {2}},
        {CASE("open, three levels", 0, 2, 2, 2, 2, 2, 2, 1, 1e-4, 1e-12),
         .levels = 3, .sampled = 1, .ranks = {3}},
    };
    RUN_ALL(tests, &near_host);
}

int main(void)
{
    farsum_device *device = NULL;
    if (farsum_device_open(rank_device_name(), &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    farsum_device_close(device);
    RUN(levels);
    return check_end();
}
