/* SPDX-License-Identifier: Apache-2.0 */
/* plan_life.c: the life of a small plan over ranks. */
#include "ranks/plan_life.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"

enum { NUMBERS = LIFE_RHS * (LIFE_POINTS * 4 + 1), UNTOUCHED = 0x5a };

static void draw(double *to, int64_t n, uint64_t seed, double low, double high)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = low + (high - low)
                          * ldexp((double)(random_next(&seed) >> 11), -53);
}

/* This rank's part: points `first` to `first + n` of all. */
static void given_make(struct given *g, const struct life *life,
                       const struct comm *comm)
{
    double x[2 * 3 * LIFE_POINTS], q[LIFE_RHS * LIFE_WIDTH * LIFE_POINTS];
    int64_t first = LIFE_POINTS * comm->rank / comm->size;
    int64_t n = LIFE_POINTS * (comm->rank + 1) / comm->size - first;
    int width = life->flow ? 3 : 1;
    draw(x, 2 * 3 * LIFE_POINTS, 3, 0, 2);
    draw(q, LIFE_RHS * LIFE_WIDTH * LIFE_POINTS, 4, -1, 1);
    *g = (struct given){.problem = FARSUM_PROBLEM_INIT,
                        .options = FARSUM_OPTIONS_INIT,
                        .result = FARSUM_RESULT_INIT,
                        .n = n,
                        .rhs = 1};
    g->own_x = check_memory((size_t)(2 * 3 * n), sizeof(double));
    g->own_q = check_memory((size_t)(LIFE_RHS * width * n), sizeof(double));
    memcpy(g->own_x, x + 3 * first, (size_t)(3 * n) * sizeof(double));
    memcpy(g->own_x + 3 * n, x + 3 * (LIFE_POINTS + first),
           (size_t)(3 * n) * sizeof(double));
    for (int r = 0; r < LIFE_RHS; r++)
        memcpy(g->own_q + r * n * width,
               q + (r * LIFE_POINTS + first) * width,
               (size_t)(n * width) * sizeof(double));
    g->problem.kernel = life->flow ? "stokeslet" : "laplace";
    g->problem.outputs = life->flow ? FARSUM_VELOCITY
                                    : FARSUM_POTENTIAL | FARSUM_FIELD
                                          | FARSUM_ENERGY;
    g->problem.tolerance = 0.8;
    g->problem.precision = g->problem.arrays = FARSUM_F64;
    g->problem.n_sources = n;
    for (int d = 0; d < 3; d++) {
        g->problem.periodic[d] = 1;
        g->problem.cell[4 * d] = 2;
        g->options.spectral.mesh[d] = 8;
    }
    memcpy(g->smaller, g->problem.cell, sizeof g->smaller);
    g->smaller[0] = 1.7;
    g->options.cutoff = 0.8;
    g->options.spectral.support = 4;
    g->options.threads = 1;
    g->options.verify = life->verify;
    g->options.spectral.split = "gaussian";
    g->options.spectral.window = "bspline";
    if (life->sampled) {
        g->problem.sample_x = g->own_x;
        g->problem.sample_q = g->own_q;
    }
    static const int64_t first_pairs[] = {0, 1, 2, 23, 12, 5};
    int named = life->excluded && comm->rank == 0;
    memcpy(g->pairs, first_pairs, sizeof first_pairs);
    g->problem.exclusions = named ? g->pairs : NULL;
    g->problem.n_exclusions = named ? 3 : 0;
    g->problem_at = &g->problem;
    g->result_at = &g->result;
    g->shape.ranks[0] = life->pencils ? 2 : life->size;
    g->shape.ranks[1] = life->size / g->shape.ranks[0];
}

/* Sets the result's arrays: parts of `out`. */
static void given_result(struct given *g, int flow, double *out)
{
    memset(out, UNTOUCHED, NUMBERS * sizeof *out);
    if (flow) {
        g->result.velocity = out;
        return;
    }
    g->result.potential = out;
    g->result.field = out + LIFE_RHS * LIFE_POINTS;
    g->result.energy = out + 4 * LIFE_RHS * LIFE_POINTS;
}

static int untouched(const double *out)
{
    const unsigned char *bytes = (const unsigned char *)out;
    for (size_t i = 0; i < NUMBERS * sizeof *out; i++)
        if (bytes[i] != UNTOUCHED)
            return 0;
    return 1;
}

static farsum_status step_run(struct comm *comm, enum step step,
                              struct given *g, farsum_plan **plan)
{
    if (step == CREATE)
        return plan_over_ranks_as(comm, g->problem_at, &g->options, NULL,
                                  &g->shape, plan);
    if (step == POINTS || step == OTHER_POINTS || step == CELL_POINTS)
        return farsum_plan_set_points(*plan, g->n, g->x, g->m, g->y);
    if (step == CELL)
        return farsum_plan_set_cell(*plan, g->cell);
    if (step == EXCLUDE)
        return farsum_plan_set_exclusions(*plan, g->n_pairs, g->pairs, NULL);
    return farsum_plan_execute(*plan, g->rhs, g->q, g->result_at);
}

static void end_set(struct end *end, const struct comm *comm,
                    farsum_status status)
{
    end->status = status;
    end->calls = ranks_calls_of(comm);
    snprintf(end->words, sizeof end->words, "%s",
             status == FARSUM_OK ? "" : farsum_message());
}

static int sums(enum step step)
{
    return step == SUM || step == SUMS || step == OTHER_SUM || step == CELL_SUM
           || step == EXCLUDED_SUM;
}

/* One step; returns its status. */
static farsum_status life_step(struct life *life, struct comm *comm,
                               enum step step, struct given *g,
                               farsum_plan **plan)
{
    double out[NUMBERS];
    int rank = comm->rank;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    g->x = g->own_x + (step == OTHER_POINTS ? 3 * g->n : 0);
    g->q = g->own_q;
    g->cell = g->smaller;
    if (step == EXCLUDE) {
        g->n_pairs = life->excluded;
        g->pairs[0] = 3 + rank;
        g->pairs[1] = LIFE_POINTS - 2 - 3 * rank;
    }
    g->rhs = step == SUMS ? LIFE_RHS : 1;
    given_result(g, life->flow, out);
    if (life->change)
        life->change(life, comm, step, g);
    if (step == CREATE && life->devices)
        g->options.device.handle = life->devices[rank];
    farsum_status status = step_run(comm, step, g, plan);
    end_set(&life->ends[step][rank], comm, status);
    if (step == CREATE && status == FARSUM_OK && rank == 0) {
        CHECK_OK(farsum_plan_get_info(*plan, &info));
        life->bytes = info.bytes;
    }
    double **right = &life->right[step][rank];
    if (status != FARSUM_OK)
        CHECK(untouched(out), "step %d: rank %d writes results and fails",
              step, rank);
    else if (sums(step) && !*right) {
        *right = check_memory(NUMBERS, sizeof *out);
        memcpy(*right, out, sizeof out);
    } else if (sums(step))
        CHECK(memcmp(out, *right, sizeof out) == 0,
              "step %d: other results of rank %d", step, rank);
    return status;
}

/* A plan whose communication failed refuses all calls, without calls of
 * comm. */
static void life_is_broken(const struct comm *comm, struct given *g,
                           farsum_plan *plan)
{
    int64_t calls = ranks_calls_of(comm);
    g->x = g->own_x;
    CHECK_FAILS(farsum_plan_set_points(plan, g->n, g->x, 0, NULL),
                FARSUM_ERR_COMM);
    CHECK_SAYS("an earlier call");
    CHECK_FAILS(farsum_plan_execute(plan, 1, g->q, &g->result),
                FARSUM_ERR_COMM);
    CHECK_FAILS(farsum_plan_finish(plan), FARSUM_ERR_COMM);
    CHECK_FAILS(farsum_plan_set_cell(plan, g->problem.cell), FARSUM_ERR_COMM);
    CHECK_FAILS(farsum_plan_set_exclusions(plan, 0, NULL, NULL),
                FARSUM_ERR_COMM);
    CHECK(ranks_calls_of(comm) == calls, "a broken plan communicates");
}

/* After a failure to set exclusions the old ones stay, also if they are set
 * again: then the list has the version that the failed one had. */
static farsum_status life_excludes(struct life *quiet, struct comm *comm,
                                   enum step before, struct given *g,
                                   farsum_plan **plan)
{
    TRY(life_step(quiet, comm, before, g, plan));
    TRY(farsum_plan_set_exclusions(*plan, g->problem.n_exclusions,
                                   g->problem.exclusions, NULL));
    return life_step(quiet, comm, before, g, plan);
}

/* After a failure of a step the plan works again. */
static void life_recovers(struct life *life, struct comm *comm, enum step step,
                          farsum_plan **plan)
{
    static const enum step again[][4] = {{POINTS, SUM, SUMS, STEPS},
                                         {CELL_POINTS, CELL_SUM, STEPS},
                                         {CELL_POINTS, EXCLUDED_SUM, STEPS},
                                         {CREATE, POINTS, SUM, STEPS},
                                         {POINTS, SUM, STEPS},
                                         {POINTS, EXCLUDED_SUM, STEPS}};
    int which = step == CREATE ? 3
                : life->brief  ? 4 + (step > EXCLUDE)
                               : (step > CELL) + (step > EXCLUDE);
    /* not a copy: other ranks may still write their ends */
    struct life quiet = {.flow = life->flow, .excluded = life->excluded};
    struct given g;
    farsum_status status = FARSUM_OK;
    for (int k = 0; k < STEPS; k++)
        quiet.right[k][comm->rank] = life->right[k][comm->rank];
    given_make(&g, life, comm);
    if (step == EXCLUDE)
        status =
            life_excludes(&quiet, comm, life->brief ? SUM : CELL_SUM, &g, plan);
    const enum step *next = again[which];
    for (; *next < STEPS && status == FARSUM_OK; next++)
        status = life_step(&quiet, comm, *next, &g, plan);
    free(g.own_x);
    free(g.own_q);
    CHECK(status == FARSUM_OK, "the plan does not recover: %s",
          farsum_message());
    end_set(&life->after[comm->rank], comm, status);
}

static farsum_status life_rank(struct comm *comm, void *data)
{
    struct life *life = data;
    int64_t before = mem_bytes();
    farsum_plan *plan = NULL;
    struct given g;
    enum step step = CREATE;
    int fails = comm->rank == life->fail_rank && life->fail_at > 0;
    given_make(&g, life, comm);
    mem_fail_at(fails ? life->fail_at : 0);
    while (step < STEPS
           && life_step(life, comm, step, &g, &plan) == FARSUM_OK)
        step = life->brief && step == SUM ? EXCLUDE : step + 1;
    if (fails)
        life->allocated = !ranks_fail_is_left(life->fail_at);
    if (comm->rank == 0)
        life->ended = step;
    if (step == CREATE)
        CHECK(!plan, "a failed create leaves a plan");
    else if (step < STEPS && comm->broken)
        life_is_broken(comm, &g, plan);
    else if (step < STEPS && !life->spent)
        life_recovers(life, comm, step, &plan);
    if (step == CREATE && life->creates_again)
        life_recovers(life, comm, step, &plan);
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == before, "rank %d keeps %lld bytes after step %d",
          comm->rank, (long long)(mem_bytes() - before), step);
    free(g.own_x);
    free(g.own_q);
    return FARSUM_OK;
}

static void ends_same(const struct end *ends, int size, const char *name,
                      int step)
{
    for (int r = 1; r < size; r++)
        CHECK(ends[r].status == ends[0].status
                  && strcmp(ends[r].words, ends[0].words) == 0
                  && ends[r].calls == ends[0].calls,
              "%s, step %d: rank 0 ends with %d after %lld calls (%s), rank %d "
              "with %d after %lld (%s)",
              name, step, ends[0].status, (long long)ends[0].calls,
              ends[0].words, r, ends[r].status, (long long)ends[r].calls,
              ends[r].words);
}

void life_run(struct life *life, const struct ranks_play *play,
              const char *name)
{
    memset(life->ends, 0, sizeof life->ends);
    memset(life->after, 0, sizeof life->after);
    life->allocated = 0;
    CHECK(ranks_run(life->size, play, life_rank, life) == 0, "a rank failed");
    for (int step = CREATE; step < STEPS && step <= (int)life->ended; step++)
        ends_same(life->ends[step], life->size, name, step);
    ends_same(life->after, life->size, name, STEPS);
    if (life->after_run)
        life->after_run(life, name);
}

void life_make(struct life *life)
{
    life_run(life, NULL, "no failure");
    CHECK(life->ended == STEPS, "step %d fails: %s", life->ended,
          life->ended < STEPS ? life->ends[life->ended][0].words : "");
}

void life_ends(const struct life *life, const char *name, enum step step,
               farsum_status status, const char *words, int rank)
{
    const struct end *end = &life->ends[step][0];
    char start[32] = "";
    if (life->size > 1 && rank >= 0)
        snprintf(start, sizeof start, "rank %d: ", rank);
    CHECK(life->ended == step, "%s: step %d fails, not %d", name, life->ended,
          step);
    CHECK(end->status == status && strstr(end->words, words)
              && strncmp(end->words, start, strlen(start)) == 0,
          "%s, rank %d of %d: status %d, not %d: \"%s\", not \"%s%s\"", name,
          rank, life->size, end->status, status, end->words, start, words);
}

void life_free(struct life *life)
{
    for (int step = 0; step < STEPS; step++)
        for (int r = 0; r < LIFE_MOST; r++)
            free(life->right[step][r]);
}
