/* SPDX-License-Identifier: Apache-2.0 */
/* plan_bad.c: plans over ranks with bad input on one rank: all ranks fail with
 * the same words, and the next call works.  Also input that may differ. */
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "check.h"
#include "ranks/plan_life.h"

enum { PATIENCE = 900 }; /* seconds, after which a rank waits for ever */

/* Bad input: what one rank passes in a step. */
struct bad {
    const char *name;
    enum step step;
    void (*spoil)(struct given *given);
    farsum_status status;
    const char *words; /* after "rank R: " */
    int relates;       /* 1: only with other ranks; 2: and any one is named */
};

static void change_one(struct life *life, struct comm *comm, enum step step,
                       struct given *given)
{
    const struct bad *bad = life->bad;
    if (step == bad->step && comm->rank == life->bad_rank)
        bad->spoil(given);
}

static void position_nan(struct given *g)
{
    static const double x[3 * LIFE_POINTS] = {0, 0, 0, 1, (double)NAN, 1};
    g->x = x;
}

static void strength_infinite(struct given *g)
{
    static const double q[3 * LIFE_POINTS] = {0, (double)INFINITY};
    g->q = q;
}

static void no_x(struct given *g)
{
    g->x = NULL;
}

static void negative_n(struct given *g)
{
    g->n = -1;
}

static void no_y(struct given *g)
{
    g->m = 3;
}

static void unexpected_targets(struct given *g)
{
    g->m = 3;
    g->y = g->x;
}

static void other_rhs(struct given *g)
{
    g->rhs = 2;
}

static void no_rhs(struct given *g)
{
    g->rhs = 0;
}

static void no_q(struct given *g)
{
    g->q = NULL;
}

static void no_result(struct given *g)
{
    g->result_at = NULL;
}

static void no_potential(struct given *g)
{
    g->result.potential = NULL;
}

static void more_virial(struct given *g)
{
    static double virial[9 * LIFE_RHS];
    g->result.virial = virial;
}

static void result_size(struct given *g)
{
    g->result.size = 3;
}

static void no_cell(struct given *g)
{
    g->cell = NULL;
}

static void other_cell(struct given *g)
{
    g->smaller[4] = 1.9;
}

static void flat_cell(struct given *g)
{
    memset(g->smaller, 0, sizeof g->smaller);
}

static void no_problem(struct given *g)
{
    g->problem_at = NULL;
}

static void problem_size(struct given *g)
{
    g->problem.size = 1 << 20;
}

static void options_size(struct given *g)
{
    g->options.size = 1;
}

static void unknown_kernel(struct given *g)
{
    g->problem.kernel = "lapalce";
}

static void negative_sources(struct given *g)
{
    g->problem.n_sources = -7;
}

static void half_a_sample(struct given *g)
{
    g->problem.sample_x = g->x;
    g->problem.sample_q = NULL;
}

static void sample_nan(struct given *g)
{
    static const double x[3 * LIFE_POINTS] = {0, 0, (double)NAN};
    g->problem.sample_x = x;
    g->problem.sample_q = g->q;
}

static void other_tolerance(struct given *g)
{
    g->problem.tolerance = 0.7;
}

static void other_problem_cell(struct given *g)
{
    g->problem.cell[8] = 2.5;
}

static void other_kernel(struct given *g)
{
    g->problem.kernel = "r6";
}

static void other_outputs(struct given *g)
{
    g->problem.outputs |= FARSUM_VIRIAL;
}

static void other_arrays(struct given *g)
{
    g->problem.arrays = FARSUM_F32;
}

static void little_memory(struct given *g)
{
    g->options.memory_limit = 1000;
}

static void unknown_isa(struct given *g)
{
    g->options.isa = "avx1024";
}

static void too_many_threads(struct given *g)
{
    g->options.threads = 5000;
}

static const struct bad bads[] = {
    {"nan", POINTS, position_nan, FARSUM_ERR_POSITION, "source 1", 0},
    {"nan again", OTHER_POINTS, position_nan, FARSUM_ERR_POSITION, "source 1",
     0},
    {"infinite", SUM, strength_infinite, FARSUM_ERR_STRENGTH,
     "strength 1 of right-hand side 0 is inf", 0},
    {"x", POINTS, no_x, FARSUM_ERR_ARGUMENT, "x is NULL", 0},
    {"n", POINTS, negative_n, FARSUM_ERR_ARGUMENT, "-1 sources", 0},
    {"y", OTHER_POINTS, no_y, FARSUM_ERR_ARGUMENT, "y is NULL", 0},
    {"targets", POINTS, unexpected_targets, FARSUM_ERR_STATE,
     "this plan has no separate targets", 0},
    {"rhs", SUM, other_rhs, FARSUM_ERR_ARGUMENT, "rhs differs", 2},
    {"no rhs", SUMS, no_rhs, FARSUM_ERR_ARGUMENT, "rhs is 0", 0},
    {"q", SUM, no_q, FARSUM_ERR_ARGUMENT, "q is NULL", 0},
    {"result", SUM, no_result, FARSUM_ERR_ARGUMENT, "result is NULL", 0},
    {"potential", SUMS, no_potential, FARSUM_ERR_ARGUMENT,
     "result.potential is NULL", 1},
    {"virial", SUM, more_virial, FARSUM_ERR_ARGUMENT,
     "virial is not among the problem's outputs", 0},
    {"result size", OTHER_SUM, result_size, FARSUM_ERR_ARGUMENT,
     "a struct's size is 3", 0},
    {"cell", CELL, no_cell, FARSUM_ERR_ARGUMENT, "cell is NULL", 0},
    {"other cell", CELL, other_cell, FARSUM_ERR_ARGUMENT, "cell differs", 2},
    {"flat cell", CELL, flat_cell, FARSUM_ERR_ARGUMENT, "cell differs", 2},
    {"problem", CREATE, no_problem, FARSUM_ERR_ARGUMENT, "problem is NULL", 0},
    {"problem size", CREATE, problem_size, FARSUM_ERR_ARGUMENT,
     "a struct's size is 1048576", 0},
    {"options size", CREATE, options_size, FARSUM_ERR_ARGUMENT,
     "a struct's size is 1,", 0},
    {"kernel", CREATE, unknown_kernel, FARSUM_ERR_ARGUMENT, "lapalce", 2},
    {"sources", CREATE, negative_sources, FARSUM_ERR_ARGUMENT,
     "n_sources is -7", 0},
    {"half a sample", CREATE, half_a_sample, FARSUM_ERR_ARGUMENT, "sample_x",
     0},
    {"tolerance", CREATE, other_tolerance, FARSUM_ERR_ARGUMENT,
     "set the same on all ranks", 2},
    {"problem.cell", CREATE, other_problem_cell, FARSUM_ERR_ARGUMENT,
     "cell[8] is 2", 2},
    {"other kernel", CREATE, other_kernel, FARSUM_ERR_ARGUMENT, "kernel is ",
     2},
    {"other outputs", CREATE, other_outputs, FARSUM_ERR_ARGUMENT, "outputs is ",
     2},
    {"other arrays", CREATE, other_arrays, FARSUM_ERR_ARGUMENT, "arrays is ",
     2},
    {"memory", CREATE, little_memory, FARSUM_ERR_MEMORY, "1000", 2},
    {"isa", CREATE, unknown_isa, FARSUM_ERR_UNKNOWN, "avx1024", 0},
    {"threads", CREATE, too_many_threads, FARSUM_ERR_ARGUMENT, "5000", 0},
};

static void ends_as(const struct life *life, const struct bad *bad)
{
    life_ends(life, bad->name, bad->step, bad->status, bad->words,
              bad->relates == 2 ? -1 : life->bad_rank);
}

static void bad_input(void)
{
    for (int size = 1; size <= LIFE_RANKS; size++) {
        struct life life;
        life = (struct life){.size = size, .verify = FARSUM_VERIFY_OFF};
        life_make(&life);
        life.change = change_one;
        life.creates_again = 1;
        for (size_t k = 0; k < sizeof bads / sizeof *bads; k++)
            for (int r = 0; r < size; r++) {
                if (size == 1 && bads[k].relates)
                    continue;
                life.bad = &bads[k];
                life.bad_rank = r;
                life_run(&life, NULL, bads[k].name);
                ends_as(&life, &bads[k]);
            }
        life_free(&life);
    }
}

/* A sample that lies nowhere: rank 0 reports it. */
static void bad_sample(void)
{
    static const struct bad bad = {"sample", CREATE, sample_nan,
                                   FARSUM_ERR_POSITION, "source", 2};
    struct life life;
    life = (struct life){.size = 3, .verify = FARSUM_VERIFY_OFF, .sampled = 1};
    life_make(&life);
    life.change = change_one;
    life.bad = &bad;
    life.creates_again = 1;
    for (life.bad_rank = 0; life.bad_rank < 3; life.bad_rank++) {
        life_run(&life, NULL, "sample");
        ends_as(&life, &bad);
    }
    life_free(&life);
}

/* The memory limit of one rank permits the plan, but not points that are more
 * than expected. */
static double many_points[3 * 20000];

static void change_memory(struct life *life, struct comm *comm, enum step step,
                          struct given *given)
{
    if (step == CREATE && comm->rank == life->bad_rank)
        given->options.memory_limit = 4 * life->bytes;
    if (step == POINTS) {
        given->n = 20000 / life->size;
        given->x = many_points;
    }
}

static void memory_for_points(void)
{
    struct life life;
    uint64_t random = 1;
    for (int i = 0; i < 3 * 20000; i++)
        many_points[i] = ldexp((double)(random_next(&random) >> 11), -52);
    life = (struct life){.size = 3, .verify = FARSUM_VERIFY_OFF};
    life_make(&life);
    life.change = change_memory;
    life.spent = 1;
    for (life.bad_rank = 0; life.bad_rank < 3; life.bad_rank++) {
        const struct bad bad = {"memory", POINTS, NULL, FARSUM_ERR_MEMORY,
                                "the limit is", 0};
        uint64_t bytes = life.bytes;
        life_run(&life, NULL, "memory");
        ends_as(&life, &bad);
        life.bytes = bytes;
    }
    life_free(&life);
}

/* Steps in a wrong order, on all ranks. */
static farsum_status work_order(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    double q[1] = {1}, x[3] = {1, 1, 1}, out[1] = {7};
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    (void)data;
    p.tolerance = 0.5;
    p.outputs = FARSUM_POTENTIAL;
    p.n_sources = 1;
    o.threads = 1;
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1, p.cell[4 * d] = 2;
    GO(plan_over_ranks(comm, &p, &o, &plan));
    result.potential = out;
    CHECK_FAILS(farsum_plan_execute(plan, 1, q, &result), FARSUM_ERR_STATE);
    CHECK_SAYS("no points are set");
    CHECK_FAILS(farsum_plan_set_points(plan, 0, NULL, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("all ranks have 0 sources");
    CHECK_FAILS(farsum_plan_execute(plan, 1, q, &result), FARSUM_ERR_STATE);
    CHECK(out[0] == 7, "a failed sum writes %g", out[0]);
    /* all points on the last rank: the others pass nothing */
    int has = comm->rank == comm->size - 1;
    result.potential = has ? out : NULL;
    GO(farsum_plan_set_points(plan, has, has ? x : NULL, 0, NULL));
    GO(farsum_plan_execute(plan, 1, has ? q : NULL, &result));
    CHECK((out[0] == 7) == !has, "rank %d gets %g", comm->rank, out[0]);
done:
    CHECK(status == FARSUM_OK, "%s", farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

static void wrong_order(void)
{
    for (int size = 1; size <= LIFE_RANKS; size++)
        CHECK(ranks_run(size, NULL, work_order, NULL) == 0, "a rank failed");
}

/* Options that may differ. */
static void change_threads(struct life *life, struct comm *comm,
                           enum step step, struct given *given)
{
    (void)life;
    if (step == CREATE) {
        given->options.threads = 1 + comm->rank;
        given->options.memory_limit = (uint64_t)1 << (30 + comm->rank);
        given->options.isa = comm->rank == 0 ? "base" : NULL;
    }
}

static void different_options(void)
{
    struct life life = {.size = 3, .change = change_threads,
                        .verify = FARSUM_VERIFY_OFF};
    life_run(&life, NULL, "different options");
    CHECK(life.ended == STEPS, "step %d fails", life.ended);
    life_free(&life);
}

int main(void)
{
    alarm(PATIENCE);
    RUN(bad_input);
    RUN(bad_sample);
    RUN(memory_for_points);
    RUN(wrong_order);
    RUN(different_options);
    return check_end();
}
