/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.c: plans of method fmm over ranks with a device each, against a plan of
 * one process on the host with the same boxes. */
#include "check.h"
#include "ranks/fmm_case.h"
#include "ranks_device/rank_device.h"

static const struct fmm_place near_host = {rank_device_public, 0};
static const struct fmm_place on_device = {rank_device_public, 1};

static void periodic(void)
{
    static const struct fmm_test tests[] = {
        {CASE("cube", 1, 2, 2, 2, 8, 8, 8, 1, 1e-5, 1e-12), .sampled = 1,
         .ranks = {1, 2, 3}},
        {CASE("brick", 1, 2, 3, 1.6, 5, 8, 4, 1, 1e-3, 1e-12),
         .surface = FARSUM_VACUUM, .ranks = {2, 7}},
        {CASE("few layers", 1, 2, 2, 2, 3, 4, 4, 2, 1e-3, 1e-12),
         .ranks = {1, 4}},
        {CASE("targets", 1, 2, 2, 2, 6, 5, 6, 1, 1e-3, 1e-12), .apart = 1,
         .surface = FARSUM_VACUUM, .ranks = {2}},
        {CASE("cells", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .stretch = {1.05, 0.93}, .ranks = {2}},
        {CASE("f32", 1, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-5),
         .precision = FARSUM_F32, .ranks = {2}},
    };
    RUN_ALL(tests, &near_host);
}

static void open_space(void)
{
    static const struct fmm_test tests[] = {
        {CASE("open cube", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .sampled = 1,
         .ranks = {1, 3}},
        {CASE("open brick", 0, 2, 3, 1.6, 6, 8, 5, 1, 1e-3, 1e-12),
         .ranks = {2, 4}},
        {CASE("open, few layers", 0, 0.5, 2, 2, 2, 6, 6, 2, 1e-4, 1e-12),
         .ranks = {4}},
        {CASE("open targets", 0, 2, 2, 2, 5, 6, 5, 1, 1e-3, 1e-12), .apart = 1,
         .ranks = {2}},
        {CASE("softened", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .softening = 1e-3, .sampled = 1, .ranks = {2}},
    };
    RUN_ALL(tests, &near_host);
}

static void pairs(void)
{
    static const struct fmm_test tests[] = {
        {CASE("pairs", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .excluded = 1,
         .ranks = {1, 2}},
        {CASE("softened pairs", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .excluded = 1, .softening = 0.3, .ranks = {2}},
        {CASE("open pairs", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .excluded = 1,
         .softening = 1e-3, .ranks = {2}},
    };
    RUN_ALL(tests, &near_host);
}

static void on_the_device(void)
{
    static const struct fmm_test tests[] = {
        {CASE("there", 1, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-12), .ranks = {3}},
        {CASE("open there", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .ranks = {2}},
    };
    RUN_ALL(tests, &on_device);
}

int main(void)
{
    farsum_device *device = NULL;
    if (farsum_device_open(rank_device_name(), &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    farsum_device_close(device);
    RUN(pairs);
    RUN(periodic);
    RUN(open_space);
    RUN(on_the_device);
    return check_end();
}
