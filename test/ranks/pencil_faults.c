/* SPDX-License-Identifier: Apache-2.0 */
/* pencil_faults.c: plans over 2 x 2 ranks when an allocation or the network
 * fails on one rank, as plan_faults.c has it for slabs. */
#include <unistd.h>

#include "check.h"
#include "ranks/life_faults.h"

enum {
    PATIENCE = 900, /* seconds, after which a rank waits for ever */
    RANKS = 4,
    STRIDE = 3 /* tries every third allocation and call, of each rank others */
};

static const char *const kinds[] = {"charges", "flows"};

static struct life life_of(int flow)
{
    return (struct life){.size = RANKS,
                         .flow = flow,
                         .pencils = 1,
                         .sampled = !flow,
                         .excluded = !flow,
                         .verify = FARSUM_VERIFY_OFF};
}

static void no_memory_in(int flow)
{
    struct life life = life_of(flow);
    int64_t failed[RANKS];
    life_no_memory(&life, kinds[flow], STRIDE, failed);
    for (int r = 0; r < RANKS; r++)
        CHECK(failed[r] > 100 / STRIDE, "%lld allocations fail",
              (long long)failed[r]);
    life_free(&life);
}

static void no_memory(void)
{
    no_memory_in(0);
    no_memory_in(1);
}

static void broken_network_in(int flow)
{
    struct life life = life_of(flow);
    life_no_network(&life, kinds[flow], STRIDE);
    life_free(&life);
}

static void broken_network(void)
{
    broken_network_in(0);
    broken_network_in(1);
}

int main(void)
{
    alarm(PATIENCE);
    RUN(no_memory);
    RUN(broken_network);
    return check_end();
}
