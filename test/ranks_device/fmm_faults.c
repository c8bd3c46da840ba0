/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_faults.c: plans of method fmm over ranks on devices when an allocation or
 * the network fails on one rank, as plan_faults.c has it for spectral. */
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "ranks_device/life_device.h"

enum { PATIENCE = 550, SIZE = 2 }; /* seconds, after which a rank waits for
                                      ever */

#ifndef STRIDE
#define STRIDE 61 /* tries every such allocation and call */
#endif

static struct life life_of(int open)
{
    struct life life = life_fmm(SIZE, open, FARSUM_VERIFY_OFF);
    life_on_devices(&life);
    return life;
}

static void no_memory(void)
{
    for (int open = 0; open < 2; open++) {
        struct life life = life_of(open);
        int64_t failed[LIFE_RANKS], all = 0;
        life_no_memory(&life, open ? "open" : "periodic", STRIDE, failed);
        for (int r = 0; r < SIZE; r++)
            all += failed[r];
        CHECK(all > 200 / STRIDE, "%lld allocations fail", (long long)all);
        life_free(&life);
    }
}

/* One rank's device is too small. */
static void small_device(void)
{
    struct life life = life_of(0);
    life_small_device(&life, 2);
    life_free(&life);
}

static void broken_network(void)
{
    struct life life = life_of(0);
    life_no_network(&life, "periodic", STRIDE);
    life_free(&life);
}

int main(void)
{
    alarm(PATIENCE);
    if (life_devices_open(SIZE) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(no_memory);
    RUN(small_device);
    RUN(broken_network);
    life_devices_close();
    return check_end();
}
