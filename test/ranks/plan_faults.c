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

/* The words of all ranks start with "rank R: ". */
static void names_rank(const struct life *life, int rank,
                       farsum_status wanted)
{
    const struct end *end = &life->ends[life->ended][0];
    char start[32] = "";
    if (life->size > 1)
        snprintf(start, sizeof start, "rank %d: ", rank);
    CHECK(end->status == wanted, "step %d: status %d: %s", life->ended,
          end->status, end->words);
    CHECK(strncmp(end->words, start, strlen(start)) == 0,
          "step %d: the words do not start with \"%s\": %s", life->ended,
          start, end->words);
}

/* Each allocation fails on each rank. */
static void no_memory_in(int size, int flow, int sampled)
{
    struct life life;
    life_make(&life, size, flow, sampled);
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
            names_rank(&life, r, FARSUM_ERR_MEMORY);
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
            no_memory_in(size, flow, flow == 0);
}

/* Each call of comm fails on each rank.  If it is the last one of a step, the
 * next step fails. */
static void broken_network_in(int size, int flow)
{
    struct life life;
    life_make(&life, size, flow, !flow);
    int64_t calls = life.ends[CELL_SUM][0].calls;
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
            names_rank(&life, r, FARSUM_ERR_COMM);
            CHECK(strstr(life.ends[life.ended][0].words, "made to fail"),
                  "%s: %s", name, life.ends[life.ended][0].words);
        }
    printf("  flow %d, %d ranks: %lld calls\n", flow, size, (long long)calls);
    life_free(&life);
}

static void broken_network(void)
{
    for (int size = 2; size <= LIFE_RANKS; size++)
        for (int flow = 0; flow < 2; flow++)
            broken_network_in(size, flow);
}

int main(void)
{
    alarm(PATIENCE);
    RUN(no_memory);
    RUN(broken_network);
    return check_end();
}
