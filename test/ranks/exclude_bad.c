/* SPDX-License-Identifier: Apache-2.0 */
/* exclude_bad.c: excluded pairs over ranks that fail, and coincident sources:
 * all ranks fail with the words of one, and the old pairs stay. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum { SIZE = 3, EACH = 40, MANY = SIZE * EACH };

static double x[3 * MANY], q[MANY];

static void points(void)
{
    uint64_t random = 9;
    for (int i = 0; i < 3 * MANY; i++)
        x[i] = 2 * ldexp((double)(random_next(&random) >> 11), -53);
    for (int i = 0; i < MANY; i++)
        q[i] = i % 2 ? 1 : -1;
}

static farsum_problem problem_of(int rank, int sampled)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 2;
    }
    p.n_sources = EACH;
    p.tolerance = 1e-4;
    p.precision = FARSUM_F64;
    p.outputs = FARSUM_POTENTIAL | FARSUM_ENERGY;
    p.sample_x = sampled ? x + 3 * EACH * rank : NULL;
    p.sample_q = sampled ? q + EACH * rank : NULL;
    return p;
}

static farsum_status make(struct comm *comm, const farsum_problem *p,
                          farsum_plan **plan)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.threads = 1;
    o.verify = FARSUM_VERIFY_OFF;
    const struct ranks_shape shape = sums_shape(comm->size);
    return plan_over_ranks_as(comm, p, &o, NULL, &shape, plan);
}

static farsum_status set(farsum_plan *plan, int rank)
{
    return farsum_plan_set_points(plan, EACH, x + 3 * EACH * rank, 0, NULL);
}

static farsum_status sum(farsum_plan *plan, int rank, double potential[EACH])
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = potential;
    return farsum_plan_execute(plan, 1, q + EACH * rank, &result);
}

/* A list that each rank names. */
struct naming {
    int64_t count[SIZE], pair[SIZE][4];
    double factor[SIZE][2];
    const char *words;
};
static const struct naming good = {
    {1, 2, 0}, {{0, 50}, {119, 3, 80, 81}}, {{0}, {0.5, 0}}, NULL};
static const struct naming bad[] = {
    {{1, 0, 2}, {{0, 50}, {0}, {7, 8, 5, 120}}, {{0}},
     "rank 2: exclusion 1, pair 5 120: there is no source 120, they are "
     "0 .. 119"},
    {{1, 1, 1}, {{0, 50}, {-1, 50}, {7, 8}}, {{0}},
     "rank 1: exclusion 0, pair -1 50: there is no source -1, they are "
     "0 .. 119"},
    {{1, 2, 0}, {{0, 50}, {1, 2, 77, 77}}, {{0}},
     "rank 1: exclusion 1, pair 77 77: a particle with itself"},
    {{2, 0, 1}, {{3, 4, 3, 90}, {0}, {90, 3}}, {{0}},
     "exclusion 1 of rank 0 and exclusion 0 of rank 2 name the same pair, "
     "3 90"},
    {{0, 2, 0}, {{0}, {100, 101, 100, 101}}, {{0}},
     "exclusion 0 of rank 1 and exclusion 1 of rank 1 name the same pair, "
     "100 101"},
};
enum { BAD = sizeof bad / sizeof *bad };
/* Fails without points too: factors do not depend on them. */
static const struct naming factors = {
    {1, 1, 0}, {{0, 50}, {3, 4}}, {{0}, {1.5}},
    "rank 1: exclusion 0, pair 3 4: factor 1.5 is not 0 .. 1"};

static farsum_status name(farsum_plan *plan, const struct naming *n, int rank)
{
    return farsum_plan_set_exclusions(plan, n->count[rank], n->pair[rank],
                                      n->factor[rank]);
}

/* With points: the old list stays. */
static farsum_status work_with_points(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    farsum_problem p = problem_of(comm->rank, 1);
    farsum_plan *plan = NULL;
    double before[EACH], after[EACH];
    (void)data;
    GO(make(comm, &p, &plan));
    GO(set(plan, comm->rank));
    GO(name(plan, &good, comm->rank));
    GO(sum(plan, comm->rank, before));
    for (int k = 0; k <= BAD; k++) {
        const struct naming *n = k < BAD ? &bad[k] : &factors;
        CHECK_FAILS(name(plan, n, comm->rank), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS(n->words);
        GO(sum(plan, comm->rank, after));
        CHECK(memcmp(before, after, sizeof before) == 0,
              "list %d: the old pairs are lost", k);
        GO(k % 2 ? set(plan, comm->rank) : FARSUM_OK);
        GO(sum(plan, comm->rank, after));
        CHECK(memcmp(before, after, sizeof before) == 0,
              "list %d: the old pairs are lost in set_points", k);
    }
    CHECK_FAILS(farsum_plan_set_exclusions(plan, comm->rank, NULL, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("rank 1: 1 exclusions with no pairs");
    CHECK_FAILS(farsum_plan_set_exclusions(plan, -(comm->rank == 2), NULL,
                                           NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("rank 2: -1 exclusions with no pairs");
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

static void with_points(void)
{
    points();
    CHECK(ranks_run(SIZE, NULL, work_with_points, NULL) == 0, "a rank failed");
}

/* Without points: set_points fails. */
static farsum_status work_before(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    farsum_problem p = problem_of(comm->rank, 0);
    farsum_plan *plan = NULL;
    double potential[EACH];
    (void)data;
    for (int k = 0; k < BAD; k++) {
        farsum_plan_destroy(plan);
        plan = NULL;
        GO(make(comm, &p, &plan));
        GO(name(plan, &bad[k], comm->rank));
        CHECK_FAILS(set(plan, comm->rank), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS(bad[k].words);
        CHECK_FAILS(sum(plan, comm->rank, potential), FARSUM_ERR_STATE);
        GO(name(plan, &good, comm->rank));
        GO(set(plan, comm->rank));
        GO(sum(plan, comm->rank, potential));
    }
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

static void before_points(void)
{
    CHECK(ranks_run(SIZE, NULL, work_before, NULL) == 0, "a rank failed");
}

/* In the problem: with a sample its numbers are known. */
static farsum_status work_problem(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    int rank = comm->rank;
    (void)data;
    for (int k = 0; k <= BAD; k++)
        for (int sampled = 0; sampled < 2; sampled++) {
            const struct naming *n = k < BAD ? &bad[k] : &factors;
            farsum_problem p = problem_of(rank, sampled);
            farsum_plan *plan = NULL;
            p.n_exclusions = n->count[rank];
            p.exclusions = n->pair[rank];
            p.exclusion_factors = n->factor[rank];
            status = make(comm, &p, &plan);
            if (!sampled && k < BAD) {
                CHECK_OK(status);
                status = set(plan, rank);
            }
            CHECK(status == FARSUM_ERR_ARGUMENT, "list %d in the problem", k);
            CHECK_SAYS(n->words);
            farsum_plan_destroy(plan);
        }
    return FARSUM_OK;
}

static void in_problem(void)
{
    CHECK(ranks_run(SIZE, NULL, work_problem, NULL) == 0, "a rank failed");
}

/* Sources 7 and 100 coincide. */
static farsum_status work_together(struct comm *comm, void *data)
{
    static const struct naming drude = {
        {0, 1, 0}, {{0}, {100, 7}}, {{0}}, NULL};
    static const struct naming half = {
        {0, 0, 1}, {{0}, {0}, {7, 100}}, {{0}, {0}, {0.5}}, NULL};
    const double *right = data;
    farsum_status status = FARSUM_OK;
    farsum_problem p = problem_of(comm->rank, 0);
    farsum_plan *plan = NULL;
    double potential[EACH];
    p.exclude_coincident = 1;
    p.tolerance = 1e-8;
    GO(make(comm, &p, &plan));
    GO(set(plan, comm->rank));
    GO(sum(plan, comm->rank, potential));
    farsum_plan_destroy(plan);
    plan = NULL;
    for (int i = 0; i < EACH; i++)
        CHECK_NEAR(potential[i], right[EACH * comm->rank + i], 1e-6);
    p.exclude_coincident = 0;
    GO(make(comm, &p, &plan));
    CHECK_FAILS(set(plan, comm->rank), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 7 and 100 coincide");
    GO(name(plan, &half, comm->rank));
    CHECK_FAILS(set(plan, comm->rank), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 7 and 100 coincide, and their exclusion's factor 0.5");
    GO(name(plan, &drude, comm->rank));
    GO(set(plan, comm->rank));
    GO(sum(plan, comm->rank, potential));
    for (int i = 0; i < EACH; i++)
        CHECK_NEAR(potential[i], right[EACH * comm->rank + i], 1e-6);
    GO(name(plan, &good, comm->rank));
    CHECK_FAILS(sum(plan, comm->rank, potential), FARSUM_ERR_STATE);
    CHECK_FAILS(set(plan, comm->rank), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 7 and 100 coincide");
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

/* What one process sums if coincident pairs are left out. */
static void together_right(double potential[MANY])
{
    farsum_problem p = problem_of(0, 1);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    farsum_result result = FARSUM_RESULT_INIT;
    p.n_sources = MANY;
    p.exclude_coincident = 1;
    p.tolerance = 1e-13;
    o.method = "ewald";
    result.potential = potential;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, MANY, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &result));
    farsum_plan_destroy(plan);
}

/* across: on opposite faces of the cell, so that they have two owners. */
static void two_together(int across)
{
    double right[MANY];
    points();
    if (across)
        x[3 * 7] = 0;
    memcpy(x + 3 * 100, x + 3 * 7, 3 * sizeof *x);
    if (across)
        x[3 * 100] = nextafter(2, 0);
    together_right(right);
    CHECK(ranks_run(SIZE, NULL, work_together, right) == 0, "a rank failed");
    points();
}

static void together(void)
{
    two_together(0);
}

static void together_across(void)
{
    two_together(1);
}

/* Each allocation of each rank fails, in set_exclusions and set_points; then
 * the sum is that of the old pairs, or of the new ones. */
static farsum_status fail_once(farsum_plan *plan, int rank, int r, int64_t k,
                               int how, const double right[2][EACH])
{
    double potential[EACH];
    farsum_status status = FARSUM_OK;
    TRY(farsum_plan_set_exclusions(plan, 0, NULL, NULL));
    if (how == 0)
        TRY(set(plan, rank));
    else
        TRY(name(plan, &good, rank));
    mem_fail_at(rank == r ? k : 0);
    farsum_status found = how == 0 ? name(plan, &good, rank) : set(plan, rank);
    mem_fail_at(0);
    CHECK(found == FARSUM_OK || found == FARSUM_ERR_MEMORY,
          "allocation %lld: %s", (long long)k, farsum_message());
    if (how == 1 && found != FARSUM_OK)
        TRY(set(plan, rank));
    status = sum(plan, rank, potential);
    int new = how == 1 || found == FARSUM_OK;
    CHECK(status != FARSUM_OK
              || memcmp(potential, right[new], sizeof potential) == 0,
          "rank %d, allocation %lld of rank %d: %s pairs", rank, (long long)k,
          r, new ? "new" : "old");
    return status == FARSUM_OK ? found : status;
}

static farsum_status work_no_memory(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    farsum_problem p = problem_of(comm->rank, 1);
    farsum_plan *plan = NULL;
    double right[2][EACH];
    int64_t before = mem_bytes();
    (void)data;
    GO(make(comm, &p, &plan));
    GO(set(plan, comm->rank));
    GO(sum(plan, comm->rank, right[0]));
    GO(name(plan, &good, comm->rank));
    GO(sum(plan, comm->rank, right[1]));
    for (int how = 0; how < 2; how++)
        for (int r = 0; r < SIZE; r++) {
            int64_t k = 1;
            do {
                status = fail_once(plan, comm->rank, r, k++, how, right);
            } while (status == FARSUM_ERR_MEMORY);
            GO(status);
            CHECK(k > 20, "only %lld allocations", (long long)k);
        }
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == before, "%lld bytes are kept",
          (long long)(mem_bytes() - before));
    return status;
}

static void no_memory(void)
{
    CHECK(ranks_run(SIZE, NULL, work_no_memory, NULL) == 0, "a rank failed");
}

/* New pairs with and without points, and their sums. */
static farsum_status work_broken(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    farsum_problem p = problem_of(comm->rank, 0);
    farsum_plan *plan = NULL;
    double potential[EACH];
    int64_t *created = data;
    GO(make(comm, &p, &plan));
    if (comm->rank == 0)
        *created = ranks_calls_of(comm);
    GO(name(plan, &good, comm->rank));
    GO(set(plan, comm->rank));
    GO(sum(plan, comm->rank, potential));
    GO(farsum_plan_set_exclusions(plan, 0, NULL, NULL));
    GO(name(plan, &good, comm->rank));
    GO(sum(plan, comm->rank, potential));
done:
    CHECK(status == FARSUM_OK || status == FARSUM_ERR_COMM, "rank %d: %s",
          comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

/* Each call of each rank fails, and then all ranks.  A failure in the last
 * agreement is told by the next one. */
static void broken_network(void)
{
    int64_t created = 0;
    CHECK(ranks_run(SIZE, NULL, work_broken, &created) == 0, "a rank failed");
    int64_t calls = ranks_calls();
    CHECK(calls - created > 50, "only %lld calls", (long long)calls - created);
    for (int r = 0; r < SIZE; r++)
        for (int64_t k = created + 1; k < calls; k++) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            int failed = ranks_run(SIZE, &play, work_broken, &(int64_t){0});
            CHECK(failed == SIZE || (failed == 0 && k > calls - 3),
                  "call %lld of rank %d fails, and so do %d ranks",
                  (long long)k, r, failed);
        }
}

int main(void)
{
    points();
    RUN(with_points);
    RUN(before_points);
    RUN(in_problem);
    RUN(together);
    RUN(together_across);
    RUN(no_memory);
    RUN(broken_network);
    return check_end();
}
