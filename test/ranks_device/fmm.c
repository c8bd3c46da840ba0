/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.c: plans of method fmm over ranks with a device each, against a plan of
 * one process on the host with the same boxes. */
#include "check.h"
#include "ranks/fmm_case.h"
#include "ranks_device/rank_device.h"

static farsum_status open_device(struct comm *comm, farsum_device **device)
{
    (void)comm;
    TRY(farsum_device_open(rank_device_name(), device));
    rank_device_turns((*device)->device);
    return FARSUM_OK;
}

static const struct fmm_place near_host = {open_device, 0};
static const struct fmm_place on_device = {open_device, 1};

static void periodic(void)
{
    static const struct fmm_test tests[] = {
        {CASE("cube", 1, 2, 2, 2, 8, 8, 8, 1, 1e-5, 1e-12), .sampled = 1,
         .ranks = {1, 2, 3}},
    };
    RUN_ALL(tests, &near_host);
}

static void on_the_device(void)
{
    static const struct fmm_test tests[] = {
        {CASE("cube", 1, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-12), .ranks = {3}},
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
    RUN(periodic);
    RUN(on_the_device);
    return check_end();
}
