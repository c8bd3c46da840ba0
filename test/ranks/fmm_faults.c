/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_faults.c: plans of method fmm over ranks when an allocation or the
 * network fails on one rank, as plan_faults.c has it for spectral. */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ranks/plan_life.h"

enum { PATIENCE = 900, SIZE = 2 };

#ifndef STRIDE
#define STRIDE 1 /* tries every such allocation and call */
#endif

static void periodic(struct life *life, struct comm *comm, enum step step,
                     struct given *g)
{
    (void)life;
    (void)comm;
    if (step != CREATE)
        return;
    g->options = (farsum_options)FARSUM_OPTIONS_INIT;
    g->options.method = "fmm";
    g->options.threads = 1;
    g->options.verify = life->verify;
    g->options.fmm.boxes[0] = 3;
    g->options.fmm.boxes[1] = g->options.fmm.boxes[2] = 2;
    g->options.fmm.order = 2;
    g->options.fmm.separation = 1;
}

static void open_space(struct life *life, struct comm *comm, enum step step,
                       struct given *g)
{
    periodic(life, comm, step, g);
    for (int d = 0; d < 3; d++)
        g->problem.periodic[d] = 0;
}

static struct life life_of(int open, int verify)
{
    return (struct life){.size = SIZE,
                         .sampled = 1,
                         .excluded = 1,
                         .brief = open || verify > 0,
                         .verify = verify,
                         .change = open ? open_space : periodic};
}

/* Each allocation fails on each rank. */
static void no_memory(void)
{
    for (int open = 0; open < 2; open++)
        for (int r = 0; r < SIZE; r++) {
            struct life life = life_of(open, FARSUM_VERIFY_OFF);
            int64_t n = 1, failed = 0;
            life_make(&life);
            life.fail_rank = r;
            do {
                char name[80];
                life.fail_at = n;
                n += STRIDE;
                snprintf(name, sizeof name,
                         "open %d, allocation %lld of "
                         "rank %d",
                         open, (long long)life.fail_at, r);
                life_run(&life, NULL, name);
                if (life.ended == STEPS)
                    continue;
                life_ends(&life, name, life.ended, FARSUM_ERR_MEMORY,
                          "could not be allocated", r);
                failed++;
            } while (life.allocated);
            printf("  open %d, rank %d: %lld allocations, %lld fail\n", open, r,
                   (long long)life.fail_at - 1, (long long)failed);
            CHECK(failed > 90 / STRIDE, "%lld allocations fail",
                  (long long)failed);
            life_free(&life);
        }
}

/* Each call of comm fails on each rank.  If it is the last one of a step, the
 * next step fails. */
static void broken_network_in(int open, int verify)
{
    struct life life = life_of(open, verify);
    life_make(&life);
    int64_t calls = life.ends[EXCLUDED_SUM][0].calls;
    for (int r = 0; r < SIZE; r++)
        for (int64_t k = 1; k <= calls; k += STRIDE) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            char name[80];
            snprintf(name, sizeof name, "open %d, call %lld of rank %d", open,
                     (long long)k, r);
            life_run(&life, &play, name);
            CHECK((life.ended == STEPS) == (k == calls), "%s: step %d ends",
                  name, life.ended);
            if (life.ended == STEPS)
                continue;
            life_ends(&life, name, life.ended, FARSUM_ERR_COMM,
                      "is made to fail", r);
        }
    printf("  open %d: %lld calls\n", open, (long long)calls);
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
