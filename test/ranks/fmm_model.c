/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_model.c: what the model of a rank counts for method fmm, and the bytes
 * that a plan reports, against plans over ranks. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "method/fmm/fmm.h"
#include "plan/exported.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "task/ranks_model.h"

enum { MANY = 12000, MOST_RANKS = 5 };

static const struct ranks_shape any;
static double x[3 * MANY], q[MANY];

struct shared {
    farsum_problem problem;
    farsum_options options;
    struct ranks_info sent[MOST_RANKS]; /* spent: by one execute */
    int64_t boxes[MOST_RANKS];
    double held[MOST_RANKS]; /* bytes of the plan and its points */
    int refused[2];          /* at 0.6 and twice that */
};

/* The bytes of the second sum, as a plan's first one may check. */
static farsum_status sums(farsum_plan *plan, const double *strengths,
                          farsum_result *result, struct ranks_info *info)
{
    struct ranks_info before;
    TRY(farsum_ranks_get_info(plan, &before));
    TRY(farsum_plan_execute(plan, 1, strengths, result));
    TRY(farsum_ranks_get_info(plan, info));
    for (int k = 0; k < COMM_PARTS; k++)
        info->spent[k].bytes -= before.spent[k].bytes;
    return FARSUM_OK;
}

/* Creates plans with memory limits below and above what they hold. */
static farsum_status limited(struct comm *comm, struct shared *s,
                             const farsum_problem *p)
{
    static const double part[2] = {0.6, 2};
    farsum_options options = s->options;
    farsum_plan *plan = NULL;
    for (int k = 0; k < 2; k++) {
        options.memory_limit = (uint64_t)(part[k] * s->held[comm->rank]);
        farsum_status status = plan_over_ranks(comm, p, &options, &plan);
        farsum_plan_destroy(plan);
        plan = NULL;
        if (status != FARSUM_OK && status != FARSUM_ERR_MEMORY)
            return status;
        if (comm->rank == 0)
            s->refused[k] = status == FARSUM_ERR_MEMORY;
    }
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int r = comm->rank;
    int64_t first = MANY * (int64_t)r / comm->size;
    int64_t n = MANY * (int64_t)(r + 1) / comm->size - first;
    farsum_problem p = s->problem;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    double *values = check_memory((size_t)(4 * n), sizeof *values);
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = values;
    result.field = p.outputs & FARSUM_FIELD ? values + n : NULL;
    p.n_sources = n;
    GO(plan_over_ranks(comm, &p, &s->options, &plan));
    GO(farsum_plan_set_points(plan, n, x + 3 * first, 0, NULL));
    GO(sums(plan, q + first, &result, &s->sent[r]));
    GO(farsum_plan_get_info(plan, &info));
    s->boxes[r] = ((const struct fmm *)plan->state)->tree.n_boxes;
    s->held[r] = (double)info.bytes;
    farsum_plan_destroy(plan);
    plan = NULL;
    GO(limited(comm, s, &p));
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", r, farsum_message());
    farsum_plan_destroy(plan);
    free(values);
    return status;
}

static void near_to(const char *what, int rank, int size, double model,
                    double sent, double part)
{
    CHECK(fabs(model - sent) <= part * sent,
          "%s of rank %d of %d: the model has %.0f bytes, the plan %.0f", what,
          rank, size, model, sent);
}

static void compare(struct shared *s)
{
    static const int sizes[] = {2, 3, 5};
    farsum_problem p = s->problem;
    farsum_plan *plan = NULL;
    p.n_sources = MANY;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int size = sizes[k];
        struct links links = links_expected(LINKS_HOST, size, 1);
        links.within = (struct link){0, INFINITY}; /* as those of ranks_run */
        CHECK(ranks_run(size, NULL, work, s) == 0, "a rank failed");
        CHECK_OK(farsum_ranks_tune(&p, &s->options, &links, &any, &plan));
        const struct fmm *state = plan->state;
        double number = 2 * sizeof(double) * multipole_size(state->shape.order);
        for (int r = 0; r < size; r++) {
            struct ranks_model m;
            const struct comm_spent *spent = s->sent[r].spent;
            CHECK_OK(fmm_ranks_model_of(&plan->task, state, &links, r, &m));
            near_to("transform", r, size, m.bytes[COMM_TRANSFORM],
                    (double)spent[COMM_TRANSFORM].bytes, 0);
            near_to("ghosts", r, size, m.bytes[COMM_GHOSTS],
                    (double)spent[COMM_GHOSTS].bytes, 0.1);
            near_to("route", r, size, m.bytes[COMM_ROUTE],
                    (double)spent[COMM_ROUTE].bytes, 0.1);
            near_to("number of ghosts", r, size, m.ghosts,
                    (double)s->sent[r].ghosts, 0.1);
            near_to("all", r, size, m.held, s->held[r], 0.3);
            near_to("expansions", r, size, m.mesh, number * (double)s->boxes[r],
                    0);
            for (int j = 0; j < m.stages; j++)
                CHECK(m.seconds[j] > 0 && m.alone[j] > 0, "%s", m.stage[j]);
        }
        CHECK(s->refused[0] && !s->refused[1],
              "%d ranks: memory limit 0.6 of %.0f bytes: refused %d, twice: %d",
              size, s->held[0], s->refused[0], s->refused[1]);
        farsum_plan_destroy(plan);
    }
}

static void problem(int periodic, int levels, unsigned outputs)
{
    static struct shared s;
    memset(&s, 0, sizeof s);
    s.problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    s.options = (farsum_options)FARSUM_OPTIONS_INIT;
    s.problem.tolerance = 1e-3;
    s.problem.precision = s.problem.arrays = FARSUM_F64;
    s.problem.outputs = outputs;
    for (int d = 0; d < 3; d++) {
        s.problem.periodic[d] = periodic;
        s.problem.cell[4 * d] = 1;
        s.options.fmm.boxes[d] = 20 >> levels;
    }
    s.options.method = "fmm";
    s.options.fmm.levels = levels;
    s.options.fmm.tree = "dense";
    s.options.fmm.lattice = "fft";
    s.options.threads = 1;
    s.options.verify = FARSUM_VERIFY_OFF;
    compare(&s);
}

static void periodic(void)
{
    problem(1, 1, FARSUM_POTENTIAL | FARSUM_FIELD);
    problem(1, 2, FARSUM_POTENTIAL);
}

static void open_space(void)
{
    problem(0, 1, FARSUM_POTENTIAL);
}

int main(void)
{
    uint64_t state = 5;
    for (int64_t i = 0; i < 3 * MANY; i++)
        x[i] = ldexp((double)(random_next(&state) >> 11), -53);
    for (int64_t i = 0; i < MANY; i++)
        q[i] = ldexp((double)(random_next(&state) >> 11), -52) - 1;
    RUN(periodic);
    RUN(open_space);
    return check_end();
}
