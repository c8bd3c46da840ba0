/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_faults.c: plans of method fmm over ranks when an allocation or the
 * network fails on one rank, as plan_faults.c has it for spectral. */
#include <unistd.h>

#include "check.h"
#include "ranks/life_faults.h"

enum { PATIENCE = 900, SIZE = 2 };

#ifndef STRIDE
#define STRIDE 1 /* tries every such allocation and call */
#endif

static const char *const spaces[] = {"periodic", "open"};

/* Each allocation fails on each rank. */
static void no_memory(void)
{
    for (int open = 0; open < 2; open++) {
        struct life life = life_fmm(SIZE, open, FARSUM_VERIFY_OFF);
        int64_t failed[LIFE_RANKS];
        life_no_memory(&life, spaces[open], STRIDE, failed);
        for (int r = 0; r < SIZE; r++)
            CHECK(failed[r] > 90 / STRIDE, "%lld allocations fail",
                  (long long)failed[r]);
        life_free(&life);
    }
}

static void broken_network_in(int open, int verify)
{
    struct life life = life_fmm(SIZE, open, verify);
    life_no_network(&life, spaces[open], STRIDE);
    life_free(&life);
}

static void broken_network(void)
{
    for (int open = 0; open < 2; open++) {
        broken_network_in(open, FARSUM_VERIFY_OFF);
        broken_network_in(open, 1);
    }
}

int main(void)
{
    alarm(PATIENCE);
    RUN(no_memory);
    RUN(broken_network);
    return check_end();
}
