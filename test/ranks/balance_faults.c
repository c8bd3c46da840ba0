/* SPDX-License-Identifier: Apache-2.0 */
/* balance_faults.c: plans that cut their mesh again, or their layers of root
 * boxes with FMM, when an allocation or the network fails on one rank. */
#include "check.h"
#include "ranks/balance_case.h"

#ifndef FMM
#define FMM 0
#endif

static void make(struct shared *s, const enum places *steps)
{
    shared_make(s, steps);
    if (FMM)
        shared_fmm(s, 0, 1);
}

/* Each allocation of a set that cuts again fails on one rank.  Either all ranks
 * fail, or they keep the old cuts.  The next set works. */
static void no_memory(void)
{
    static const enum places steps[] = {EVEN, CLUSTER, CLUSTER, SETS};
    static struct shared s, right;
    int64_t failed = 0, kept = 0;
    enum { SIZE = 2 };
    make(&right, steps);
    alone(&right);
    for (int rank = 0; rank < SIZE; rank++) {
        int64_t n = 1 + rank;
        do {
            make(&s, steps);
            share(&s, SIZE, 0);
            s.fail_rank = rank;
            s.fail_at = n;
            n += SIZE;
            CHECK(ranks_run(SIZE, NULL, work, &s) == 0, "a rank failed");
            CHECK(s.status[1][0] == s.status[1][1]
                      && s.status[2][0] == FARSUM_OK
                      && s.status[2][1] == FARSUM_OK,
                  "allocation %lld: status %d, %d, then %d, %d",
                  (long long)s.fail_at, s.status[1][0], s.status[1][1],
                  s.status[2][0], s.status[2][1]);
            same(&s, &right, 2, SIZE);
            failed += s.status[1][0] != FARSUM_OK;
            if (s.status[1][0] != FARSUM_OK)
                continue;
            same(&s, &right, 1, SIZE);
            kept += s.info[1][0].recuts == 0;
            CHECK(s.info[1][0].recuts == 1
                      || s.info[1][0].work_imbalance > 1.25,
                  "allocation %lld: old cuts, work %g", (long long)s.fail_at,
                  s.info[1][0].work_imbalance);
        } while (s.allocated);
    }
    printf("  %lld allocations fail the set, %lld keep the old cuts\n",
           (long long)failed, (long long)kept);
    CHECK(failed > 10 && kept > 20, "%lld, %lld", (long long)failed,
          (long long)kept);
}

/* The network fails in each call; no rank waits for ever. */
static void no_network(void)
{
    static const enum places steps[] = {EVEN, CLUSTER, SETS};
    static struct shared s;
    make(&s, steps);
    share(&s, 2, 0);
    CHECK(ranks_run(2, NULL, work, &s) == 0, "a rank failed");
    CHECK(s.info[1][0].recuts == 1, "not cut again");
    int64_t calls = ranks_calls();
    for (int64_t k = 1; k < calls; k++) {
        struct ranks_play play = {.fail_rank = (int)(k % 2), .fail_call = k};
        make(&s, steps);
        share(&s, 2, 0);
        s.quiet = 1;
        CHECK(ranks_run(2, &play, work, &s) == 2, "call %lld fails unnoticed",
              (long long)k);
    }
}

int main(void)
{
    draw();
    RUN(no_memory);
    RUN(no_network);
    return check_end();
}
