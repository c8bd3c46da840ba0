/* SPDX-License-Identifier: Apache-2.0 */
/* balance_case.c: points in clusters, given to plans in steps. */
#include "ranks/balance_case.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "plan/ranks.h"

double x[SETS][3 * MANY], q[MANY];
static const int64_t pairs[] = {0, 1, 3, 2000, 700, 9, 1200, 1201};

static double unit(uint64_t *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

static double gauss(uint64_t *random)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += unit(random);
    return sum;
}

void draw(void)
{
    uint64_t random = 9;
    for (int i = 0; i < 3 * MANY; i++) {
        int d = i % 3, half = i / 3 % 2;
        x[EVEN][i] = 2 * unit(&random);
        x[CLUSTER][i] = 0.7 + 0.12 * gauss(&random);
        x[NEAR_IT][i] = x[CLUSTER][i] + 0.01 * unit(&random);
        x[TWO][i] = (half ? 0.3 : 1.4) + 0.1 * gauss(&random);
        x[PLANE][i] = d == 0 ? 1.01 : 2 * unit(&random);
    }
    for (int i = 0; i < MANY; i++)
        q[i] = 2 * unit(&random) - 1;
}

farsum_status set(const struct shared *s, farsum_plan *plan, int step,
                  int64_t first, int64_t n)
{
    const double *from = x[s->steps[step]];
    double cell[9], low[3], high[3];
    if (step == 1 && s->edge > 0) {
        memcpy(cell, s->problem.cell, sizeof cell);
        cell[0] = s->edge;
        TRY(farsum_plan_set_cell(plan, cell));
        if (s->rank_count > 0) {
            int rank = plan->task.comm->rank;
            TRY(farsum_ranks_domain(plan, cell, low, high));
            CHECK(low[0] == s->low[0][rank] && high[0] == s->high[0][rank],
                  "rank %d: the new cell has other cuts", rank);
        }
    }
    return farsum_plan_set_points(
        plan, n, n > 0 ? from + 3 * first : NULL, s->apart ? n : 0,
        s->apart && n > 0 ? x[NEAR_IT] + 3 * first : NULL);
}

/* One set and its sum. */
static farsum_status step_run(struct shared *s, farsum_plan *plan, int step,
                              int64_t first, int64_t n, double *energy)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = s->potential[step] + first;
    result.field = s->field[step] + 3 * first;
    result.energy = s->apart ? NULL : energy;
    TRY(set(s, plan, step, first, n));
    return farsum_plan_execute(plan, 1, n > 0 ? q + first : NULL, &result);
}

/* 1: the allocation that was to fail has not been reached. */
static int fail_is_left(int64_t at)
{
    farsum_status status = FARSUM_OK;
    for (int64_t k = 0; k < at && status == FARSUM_OK; k++) {
        void *p;
        status = mem_alloc(&p, 1, 1, 0);
        mem_free(p);
    }
    mem_fail_at(0);
    return status != FARSUM_OK;
}

farsum_status work(struct comm *comm, void *data)
{
    struct shared *s = data;
    int rank = comm->rank;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    int64_t before = mem_bytes();
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    farsum_status status = FARSUM_OK;
    p.n_sources = n;
    p.n_targets = s->apart ? n : 0;
    p.exclusions = pairs;
    p.n_exclusions = s->excluded && rank == 0 ? 4 : 0;
    if (s->devices)
        o.device.handle = s->devices[rank];
    GO(plan_over_ranks(comm, &p, &o, &plan));
    for (int step = 0; s->steps[step] != SETS; step++) {
        double cell[9], low[3], high[3], energy = 0;
        int fails = step == 1 && s->fail_at > 0 && rank == s->fail_rank;
        mem_fail_at(fails ? s->fail_at : 0);
        status = step_run(s, plan, step, first, n, &energy);
        if (fails)
            s->allocated = !fail_is_left(s->fail_at);
        s->status[step][rank] = status;
        if (status != FARSUM_OK && s->fail_at == 0)
            goto done;
        status = FARSUM_OK;
        if (rank == 0)
            s->energy[step] = energy;
        CHECK_OK(farsum_ranks_get_info(plan, &s->info[step][rank]));
        CHECK_OK(farsum_ranks_domain(plan, cell, low, high));
        s->low[step][rank] = low[0];
        s->high[step][rank] = high[0];
        if (rank == 0) {
            s->about[step] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
            CHECK_OK(farsum_plan_get_info(plan, &s->about[step]));
        }
    }
done:
    if (status != FARSUM_OK && !s->quiet)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == before, "rank %d keeps %lld bytes", rank,
          (long long)(mem_bytes() - before));
    return status;
}

void shared_make(struct shared *s, const enum places *steps)
{
    memset(s, 0, sizeof *s);
    s->problem = sums_problem("laplace", 1, 1e-6, 0, FARSUM_F64,
                              FARSUM_TINFOIL);
    s->problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
    s->options = (farsum_options)FARSUM_OPTIONS_INIT;
    s->options.method = "spectral";
    s->options.threads = 1;
    s->options.verify = FARSUM_VERIFY_OFF;
    s->options.cutoff = 0.35;
    s->steps = steps;
    s->most = 1e-12;
}

void alone(struct shared *s)
{
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    if (s->devices)
        o.device.handle = s->devices[0];
    p.n_sources = MANY;
    p.n_targets = s->apart ? MANY : 0;
    p.exclusions = pairs;
    p.n_exclusions = s->excluded ? 4 : 0;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    for (int step = 0; s->steps[step] != SETS; step++)
        CHECK_OK(step_run(s, plan, step, 0, MANY, &s->energy[step]));
    s->about[0] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &s->about[0]));
    farsum_plan_destroy(plan);
}

void share(struct shared *s, int size, int none)
{
    none = none && size > 1;
    s->rank_count = size;
    for (int r = 0; r <= size; r++)
        s->first[r] = MANY * (r > none ? r - none : 0) / (size - none);
}

void same(const struct shared *s, const struct shared *right, int step,
          int size)
{
    double values = sums_apart(s->potential[step], right->potential[step],
                               MANY);
    double forces = sums_apart(s->field[step], right->field[step], 3 * MANY);
    double energy =
        s->apart ? 0 : fabs(s->energy[step] / right->energy[step] - 1);
    int64_t own = 0;
    CHECK(values <= s->most && forces <= s->most && energy <= s->most,
          "step %d, %d ranks: %g, %g, %g", step, size, values, forces, energy);
    for (int r = 0; r < size; r++) {
        double next = r + 1 < size ? s->low[step][r + 1] : 1;
        own += s->info[step][r].own;
        CHECK(s->high[step][r] == next, "rank %d ends at %g, not %g", r,
              s->high[step][r], next);
        CHECK(s->info[step][r].work_imbalance
                      == s->info[step][0].work_imbalance
                  && s->info[step][r].recuts == s->info[step][0].recuts,
              "ranks 0 and %d report other cuts", r);
    }
    CHECK(own == MANY && s->low[step][0] == 0, "%lld own points",
          (long long)own);
}
