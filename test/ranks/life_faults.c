/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks/life_faults.h"

#include <stdio.h>

#include "check.h"

void life_no_memory(struct life *life, const char *what, int stride,
                    int64_t *failed)
{
    life_make(life);
    for (int r = 0; r < life->size; r++) {
        int64_t n = 1 + r % stride; /* ranks take turns */
        failed[r] = 0;
        life->fail_rank = r;
        do {
            char name[96];
            life->fail_at = n;
            n += stride;
            snprintf(name, sizeof name, "%s, allocation %lld of rank %d of %d",
                     what, (long long)life->fail_at, r, life->size);
            life_run(life, NULL, name);
            if (life->ended == STEPS)
                continue;
            life_ends(life, name, life->ended, FARSUM_ERR_MEMORY,
                      "could not be allocated", r);
            failed[r]++;
        } while (life->allocated);
        printf("  %s, rank %d of %d: %lld allocations, %lld fail\n", what, r,
               life->size, (long long)life->fail_at - 1, (long long)failed[r]);
    }
    life->fail_at = 0;
}

void life_no_network(struct life *life, const char *what, int stride)
{
    life_make(life);
    int64_t calls = life->ends[EXCLUDED_SUM][0].calls;
    for (int r = 0; r < life->size; r++)
        for (int64_t k = 1 + r % stride; k <= calls; k += stride) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            char name[96];
            snprintf(name, sizeof name, "%s, call %lld of rank %d of %d", what,
                     (long long)k, r, life->size);
            life_run(life, &play, name);
            CHECK((life->ended == STEPS) == (k == calls), "%s: step %d ends",
                  name, life->ended);
            if (life->ended == STEPS)
                continue;
            life_ends(life, name, life->ended, FARSUM_ERR_COMM,
                      "is made to fail", r);
        }
    printf("  %s, %d ranks: %lld calls\n", what, life->size, (long long)calls);
}

static void fmm_periodic(struct life *life, struct comm *comm, enum step step,
                         struct given *g)
{
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
    g->options.fmm.levels = 1;
}

static void fmm_open(struct life *life, struct comm *comm, enum step step,
                     struct given *g)
{
    fmm_periodic(life, comm, step, g);
    g->options.fmm.levels = 2;
    for (int d = 0; d < 3; d++)
        g->problem.periodic[d] = 0;
}

struct life life_fmm(int size, int open, int verify)
{
    return (struct life){.size = size,
                         .sampled = 1,
                         .excluded = 1,
                         .brief = open || verify > 0,
                         .verify = verify,
                         .change = open ? fmm_open : fmm_periodic};
}
