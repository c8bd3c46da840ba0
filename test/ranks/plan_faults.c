/* SPDX-License-Identifier: Apache-2.0 */
/* plan_faults.c: plans over ranks when an allocation or the network fails on
 * one rank.  All ranks fail with the same words, outputs stay as they are, no
 * memory is lost, and no rank waits for ever. */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ranks/plan_life.h"

enum { PATIENCE = 900 }; /* seconds, after which a rank waits for ever */

#ifndef STRIDE
#define STRIDE 1 /* tries every such allocation and call */
#endif

/* Each allocation fails on each rank. */
static void no_memory_in(int size, int flow, int excluded)
{
    struct life life = {.size = size,
                        .flow = flow,
                        .sampled = !flow,
                        .excluded = excluded,
                        .brief = excluded,
                        .verify = FARSUM_VERIFY_OFF};
    life_make(&life);
    for (int r = 0; r < size; r++) {
        int64_t n = 1, failed = 0;
        life.fail_rank = r;
        do {
            char name[80];
            life.fail_at = n;
            n += STRIDE;
            snprintf(name, sizeof name, "flow %d, allocation %lld of rank %d "
                     "of %d", flow, (long long)life.fail_at, r, size);
            life_run(&life, NULL, name);
            if (life.ended == STEPS)
                continue;
            life_ends(&life, name, life.ended, FARSUM_ERR_MEMORY,
                      "could not be allocated", r);
            failed++;
        } while (life.allocated);
        printf("  flow %d, rank %d of %d: %lld allocations, %lld fail\n", flow,
               r, size, (long long)life.fail_at - 1, (long long)failed);
        CHECK(failed > 90 / STRIDE, "%lld allocations fail",
              (long long)failed);
    }
    life_free(&life);
}

static void no_memory(void)
{
    for (int size = 1; size <= LIFE_RANKS; size++)
        for (int flow = 0; flow < 2; flow++)
            no_memory_in(size, flow, size == 2 && flow == 0);
}

/* Each call of comm fails on each rank.  If it is the last one of a step, the
 * next step fails. */
static void broken_network_in(int size, int flow, int excluded, int verify)
{
    struct life life = {.size = size,
                        .flow = flow,
                        .sampled = flow == 0 && (verify < 0 || excluded),
                        .excluded = excluded,
                        .brief = excluded || verify > 0,
                        .verify = verify};
    life_make(&life);
    int64_t calls = life.ends[EXCLUDED_SUM][0].calls;
    for (int r = 0; r < size; r++)
        for (int64_t k = 1; k <= calls; k += STRIDE) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            char name[80];
            snprintf(name, sizeof name, "flow %d, call %lld of rank %d of %d",
                     flow, (long long)k, r, size);
            life_run(&life, &play, name);
            CHECK((life.ended == STEPS) == (k == calls), "%s: step %d ends",
                  name, life.ended);
            if (life.ended == STEPS)
                continue;
            life_ends(&life, name, life.ended, FARSUM_ERR_COMM,
                      "is made to fail", r);
        }
    printf("  flow %d, %d ranks: %lld calls\n", flow, size, (long long)calls);
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
