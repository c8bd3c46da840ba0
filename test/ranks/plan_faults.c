/* SPDX-License-Identifier: Apache-2.0 */
/* plan_faults.c: plans over ranks when an allocation or the network fails on
 * one rank.  All ranks fail with the same words, outputs stay as they are, no
 * memory is lost, and no rank waits for ever. */
#include <unistd.h>

#include "check.h"
#include "ranks/life_faults.h"

enum { PATIENCE = 900 }; /* seconds, after which a rank waits for ever */

#ifndef STRIDE
#define STRIDE 1 /* tries every such allocation and call */
#endif

static const char *const kinds[] = {"charges", "flows"};

/* Each allocation fails on each rank. */
static void no_memory_in(int size, int flow, int excluded)
{
    struct life life = {.size = size,
                        .flow = flow,
                        .sampled = !flow,
                        .excluded = excluded,
                        .brief = excluded,
                        .verify = FARSUM_VERIFY_OFF};
    int64_t failed[LIFE_RANKS];
    life_no_memory(&life, kinds[flow], STRIDE, failed);
    for (int r = 0; r < size; r++)
        CHECK(failed[r] > 90 / STRIDE, "%lld allocations fail",
              (long long)failed[r]);
    life_free(&life);
}

static void no_memory(void)
{
    for (int size = 1; size <= LIFE_RANKS; size++)
        for (int flow = 0; flow < 2; flow++)
            no_memory_in(size, flow, size == 2 && flow == 0);
}

/* Each call of comm fails on each rank. */
static void broken_network_in(int size, int flow, int excluded, int verify)
{
    struct life life = {.size = size,
                        .flow = flow,
                        .sampled = flow == 0 && (verify < 0 || excluded),
                        .excluded = excluded,
                        .brief = excluded || verify > 0,
                        .verify = verify};
    life_no_network(&life, kinds[flow], STRIDE);
    life_free(&life);
}

static void broken_network(void)
{
    for (int size = 2; size <= LIFE_RANKS; size++)
        for (int flow = 0; flow < 2; flow++)
            broken_network_in(size, flow, size == 2 && flow == 0,
                              FARSUM_VERIFY_OFF);
}

/* The same for plans that a second sum checks: in create, or in the first sum.
 * check_faults.c lets their allocations fail. */
static void checked(void)
{
    for (int excluded = 0; excluded < 2; excluded++)
        broken_network_in(2, 0, excluded, 1);
}

int main(void)
{
    alarm(PATIENCE);
    RUN(no_memory);
    RUN(broken_network);
    RUN(checked);
    return check_end();
}
