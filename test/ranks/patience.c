/* SPDX-License-Identifier: Apache-2.0 */
/* patience.c: plans over ranks whose calls wait for other ranks for a limited
 * time, while one rank is late, or its work has ended. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "check.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { MOST_RANKS = 4, SETS = 2, ENDS = 120 }; /* ENDS: seconds of any case */

struct shared {
    int ends; /* rank 1 ends before its first sum */
    double potential[SETS][MOST_RANKS];
    farsum_status status[MOST_RANKS];
    char words[MOST_RANKS][200];
};

static farsum_status sum(farsum_plan *plan, int rank, int set,
                         double *potential)
{
    const double q = 1, x[3] = {0.1 + 0.2 * rank, 0.2 + 0.3 * set, 0.3};
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = potential;
    TRY(farsum_plan_set_points(plan, 1, x, 0, NULL));
    return farsum_plan_execute(plan, 1, &q, &result);
}

/* A plan that lost the other ranks refuses all calls immediately. */
static void refuses(farsum_plan *plan, int rank)
{
    double untouched = 7, start = clock_seconds();
    CHECK_FAILS(sum(plan, rank, 0, &untouched), FARSUM_ERR_COMM);
    CHECK_SAYS("an earlier call");
    CHECK(untouched == 7, "a failed sum writes %g", untouched);
    CHECK_FAILS(farsum_plan_set_exclusions(plan, 0, NULL, NULL),
                FARSUM_ERR_COMM);
    CHECK_FAILS(farsum_plan_finish(plan), FARSUM_ERR_COMM);
    CHECK(clock_seconds() - start < 1, "it waits again");
}

static farsum_status work(struct comm *comm, void *data)
{
    struct shared *s = data;
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    farsum_status status = FARSUM_OK;
    int rank = comm->rank;
    int64_t bytes = mem_bytes();
    p.tolerance = 1e-3;
    p.outputs = FARSUM_POTENTIAL;
    p.n_sources = 1;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    o.method = "spectral";
    o.threads = 1;
    o.deterministic = 1;
    o.verify = FARSUM_VERIFY_OFF;
    GO(plan_over_ranks(comm, &p, &o, &plan));
    for (int set = 0; set < SETS && !(s->ends && rank == 1); set++)
        GO(sum(plan, rank, set, &s->potential[set][rank]));
done:
    s->status[rank] = status;
    snprintf(s->words[rank], sizeof s->words[rank], "%s",
             status == FARSUM_OK ? "" : farsum_message());
    if (status != FARSUM_OK && plan)
        refuses(plan, rank);
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == bytes, "rank %d keeps memory", rank);
    return status;
}

/* Some rank waited for `rank`, and all that failed have lost ranks. */
static void lost(const struct shared *s, int size, int rank, int64_t call)
{
    char said[32];
    int named = 0;
    snprintf(said, sizeof said, "s for ranks %d;", rank);
    for (int r = 0; r < size; r++) {
        if (s->status[r] == FARSUM_OK)
            continue;
        CHECK(s->status[r] == FARSUM_ERR_COMM
                  && (strstr(s->words[r], " waited ")
                      || strstr(s->words[r], "an earlier call")),
              "call %lld, rank %d: status %d, \"%s\"", (long long)call, r,
              s->status[r], s->words[r]);
        named += strstr(s->words[r], said) != NULL;
    }
    CHECK(named > 0, "call %lld: no rank of %d says \"%s\": \"%s\", \"%s\"",
          (long long)call, size, said, s->words[0], s->words[1]);
}

/* Ranks that come in time: the same results as without patience. */
static void in_time(void)
{
    static struct shared s, right;
    for (int size = 1; size <= MOST_RANKS; size++) {
        struct ranks_play play = {.patience = ENDS,
                                  .late_rank = size - 1,
                                  .late_call = 9,
                                  .late = 0.3};
        CHECK(ranks_run(size, NULL, work, &right) == 0, "a rank failed");
        CHECK(ranks_run(size, &play, work, &s) == 0, "%s", s.words[0]);
        CHECK(memcmp(s.potential, right.potential, sizeof s.potential) == 0,
              "%d ranks: other results", size);
    }
}

/* A rank is late in one call of create, set_points or execute. */
static void late(void)
{
    static struct shared s;
    for (int size = 2; size <= 3; size++) {
        CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
        int64_t calls = ranks_calls();
        for (int part = 0; part < 5; part++) {
            struct ranks_play play = {.patience = 1,
                                      .late_rank = part % size,
                                      .late_call = 1 + (calls - 1) * part / 4,
                                      .late = 3};
            double start = clock_seconds();
            memset(&s, 0, sizeof s);
            CHECK(ranks_run(size, &play, work, &s) > 0, "no rank failed");
            lost(&s, size, play.late_rank, play.late_call);
            CHECK(clock_seconds() - start < ENDS, "it took %g s",
                  clock_seconds() - start);
        }
    }
}

/* A rank that never comes. */
static void gone(void)
{
    static struct shared s;
    struct ranks_play play = {.patience = 1};
    s.ends = 1;
    CHECK(ranks_run(3, &play, work, &s) == 2, "rank 0: %s", s.words[0]);
    lost(&s, 3, 1, 0);
}

/* --- a comm by itself --- */

static farsum_status work_comm(struct comm *comm, void *data)
{
    double one = comm->rank, all[MOST_RANKS];
    int64_t to[MOST_RANKS] = {8, 8}, from[MOST_RANKS];
    (void)data;
    if (comm->rank == 1)
        return FARSUM_OK;
    memset(all, 1, sizeof all);
    CHECK_OK(comm_gather(comm, &one, all, 8));
    CHECK(all[0] == 0 && all[1] == 0, "outputs are %g, %g", all[0], all[1]);
    CHECK(comm->lost && !comm->broken, "not lost");
    double start = clock_seconds();
    CHECK_OK(comm_counts(comm, to, from));
    CHECK_OK(comm_trade(comm, COMM_ROUTE, all, to, all, to));
    for (int k = 0; k < 2; k++) {
        CHECK_FAILS(comm_agree(comm, k ? FARSUM_OK
                                       : status_fail(FARSUM_ERR_MEMORY, "no")),
                    FARSUM_ERR_COMM);
        CHECK_SAYS("rank 0 waited 0.5 s for ranks 1");
    }
    CHECK(comm->broken, "not broken");
    CHECK(clock_seconds() - start < 0.4, "it waits again");
    return FARSUM_OK;
}

static void comm_alone(void)
{
    const struct ranks_play play = {.patience = 0.5};
    CHECK(ranks_run(2, &play, work_comm, NULL) == 0, "a rank failed");
}

int main(void)
{
    alarm(10 * ENDS);
    RUN(comm_alone);
    RUN(in_time);
    RUN(late);
    RUN(gone);
    return check_end();
}
