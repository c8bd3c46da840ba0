/* SPDX-License-Identifier: Apache-2.0 */
/* check_faults.c: a call or an allocation fails on one rank while a plan is
 * checked.  All ranks then fail with the same words, or none does, and nothing
 * hangs. */
#include "unit/verify_check.h"

#include "base/mem.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { RANKS = 3 };

/* What the ranks' threads share. */
struct shared {
    int late;           /* 1: the first sum is checked */
    int verify;         /* options.verify */
    int64_t fail_at;    /* this allocation of rank 1 fails; 0: none */
    farsum_status status[RANKS];
    char words[RANKS][1024];
    double checked[RANKS];
};

static struct system s;
static struct shared of;

/* Checks the plan's sample, as create does. */
static farsum_status check_early(farsum_plan **plan, const farsum_problem *own)
{
    farsum_problem whole = problem_of(&s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.threads = 1;
    o.method = "spectral";
    (*plan)->task.options.verify = of.verify;
    return plan_verify(&whole, &o, own, plan);
}

static farsum_status check_late(farsum_plan *plan, int64_t n, const double *x,
                                const double *q)
{
    static _Thread_local double e[3 * MOST];
    farsum_result r = FARSUM_RESULT_INIT;
    r.field = e;
    TRY(farsum_plan_set_points(plan, n, x, 0, NULL));
    return farsum_plan_execute(plan, 1, q, &r);
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    int rank = comm->rank;
    int64_t first = s.n * rank / RANKS, n = s.n * (rank + 1) / RANKS - first;
    const double *x = s.x + 3 * first, *q = s.q + first;
    farsum_problem own = problem_of(&s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    (void)data;
    own.n_sources = n;
    own.sample_x = of.late ? NULL : x;
    own.sample_q = of.late ? NULL : q;
    o.threads = 1;
    o.verify = of.late ? of.verify : FARSUM_VERIFY_OFF;
    of.checked[rank] = -1;
    GO(plan_over_ranks(comm, &own, &o, &plan));
    if (rank == 1)
        mem_fail_at(of.fail_at);
    status = of.late ? check_late(plan, n, x, q)
                     : check_early(&plan, &own);
    mem_fail_at(0);
    if (status == FARSUM_OK)
        GO(farsum_plan_get_info(plan, &info));
    of.checked[rank] = info.checked_error;
done:
    of.status[rank] = status;
    snprintf(of.words[rank], sizeof of.words[rank], "%s",
             status == FARSUM_OK ? "" : farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

/* All ranks have the same status, words and result. */
static int together(int failed, const char *what, int64_t at)
{
    CHECK(failed == 0 || failed == RANKS, "%s, %lld: %d ranks failed", what,
          (long long)at, failed);
    for (int r = 1; r < RANKS; r++)
        CHECK(of.status[r] == of.status[0]
                  && strcmp(of.words[r], of.words[0]) == 0
                  && of.checked[r] == of.checked[0],
              "%s, %lld: rank %d: %d \"%s\", rank 0: %d \"%s\"", what,
              (long long)at, r, of.status[r], of.words[r], of.status[0],
              of.words[0]);
    return failed == 0 && of.checked[0] >= 0;
}

static void begin_sums(int late, int verify)
{
    uint64_t random = 47;
    of = (struct shared){.late = late, .verify = verify};
    begin(&s, "uniform", 300, 1, 1e-4);
    for (int i = 0; i < 3 * s.n; i++)
        s.x[i] = uniform(&random);
    for (int i = 0; i < s.n; i++)
        s.q[i] = normal(&random);
}

static void memory(int late, int verify, const char *what)
{
    int failed = 0, skipped = 0;
    begin_sums(late, verify);
    for (of.fail_at = 1;; of.fail_at++) {
        int ranks = ranks_run(RANKS, NULL, work, NULL);
        failed += ranks > 0;
        skipped += ranks == 0 && of.checked[0] < 0;
        if (together(ranks, what, of.fail_at))
            break;
        if (ranks > 0)
            CHECK(of.status[0] == FARSUM_ERR_MEMORY, "%s: %d, %s", what,
                  of.status[0], of.words[0]);
    }
    printf("  %s: %lld allocations, %d fail, %d checks are skipped\n", what,
           (long long)of.fail_at, failed, skipped);
    CHECK(of.fail_at > 20, "%s: %lld allocations", what,
          (long long)of.fail_at);
    CHECK(verify > 0 || !late ? skipped == 0 : skipped > 0,
          "%s: %d checks are skipped", what, skipped);
}

static void out_of_memory(void)
{
    memory(0, 1, "the sample's sum");
    memory(1, 1, "the first sum");
    memory(1, 0, "the first sum, by default");
}

/* Calls of ranks in turn fail.  A failure of the last one shows in the next
 * call of the plan. */
static void network(int late, const char *what)
{
    struct ranks_play play = {.fail_status = FARSUM_ERR_COMM};
    begin_sums(late, 0);
    CHECK(ranks_run(RANKS, NULL, work, NULL) == 0, "%s: %s", what,
          of.words[0]);
    CHECK(of.checked[0] >= 0, "%s: not checked", what);
    int64_t calls = ranks_calls(), tried = 0;
    for (play.fail_call = 1; play.fail_call < calls; play.fail_call += 7) {
        play.fail_rank = (int)(play.fail_call % RANKS);
        int failed = ranks_run(RANKS, &play, work, NULL);
        together(failed, what, play.fail_call);
        CHECK(failed == RANKS && of.status[0] == FARSUM_ERR_COMM,
              "%s, call %lld: status %d", what, (long long)play.fail_call,
              of.status[0]);
        tried++;
    }
    printf("  %s: %lld of %lld calls fail\n", what, (long long)tried,
           (long long)calls);
}

static void broken_network(void)
{
    network(0, "the sample's sum");
    network(1, "the first sum");
}

int main(void)
{
    RUN(out_of_memory);
    RUN(broken_network);
    return check_end();
}
