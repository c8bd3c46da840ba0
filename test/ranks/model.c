/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: the bytes that the model of a rank counts against those that plans
 * over ranks send. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arrays.h"
#include "base/random.h"
#include "method/spectral/ranks.h"
#include "method/spectral/ranks_model.h"
#include "plan/exported.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { MANY = 24000, MOST_RANKS = 13, WIDTH = 3 };

static const struct ranks_shape any;
static double x[3 * MANY], q[WIDTH * MANY];

struct shared {
    farsum_problem problem;
    farsum_options options;
    int strengths;
    struct ranks_info sent[MOST_RANKS]; /* spent: by one execute */
    double stored[MOST_RANKS][2];       /* mesh, spectrum */
    double held[MOST_RANKS];            /* all of the plan */
    int shape[2];
};

/* The difference of an execute's bytes; the second sum, as a plan's first one
 * may check. */
static farsum_status count(const farsum_plan *plan, struct ranks_info *info,
                           struct ranks_info *before)
{
    struct ranks_info now;
    TRY(farsum_ranks_get_info(plan, &now));
    *info = now;
    for (int k = 0; k < COMM_PARTS; k++)
        info->spent[k].bytes -= before->spent[k].bytes;
    *before = now;
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int64_t first = MANY * (int64_t)comm->rank / comm->size;
    int64_t n = MANY * (int64_t)(comm->rank + 1) / comm->size - first;
    farsum_problem p = s->problem;
    farsum_plan *plan = NULL;
    struct ranks_info before;
    double *values = check_memory((size_t)(15 * n), sizeof *values);
    farsum_result result = FARSUM_RESULT_INIT;
    if (s->strengths == 3) {
        result.velocity = values;
    } else {
        result.potential = values;
        result.field = p.outputs & FARSUM_FIELD ? values + n : NULL;
        if (p.outputs & FARSUM_PARTICLE_VIRIAL)
            result.particle_virial = values + 4 * n;
    }
    memset(&before, 0, sizeof before);
    p.n_sources = n;
    p.sample_x = x + 3 * first;
    p.sample_q = q + s->strengths * first;
    const struct ranks_shape shape = {{s->shape[0], s->shape[1]}};
    GO(plan_over_ranks_as(comm, &p, &s->options, NULL, &shape, &plan));
    GO(farsum_plan_set_points(plan, n, p.sample_x, 0, NULL));
    GO(count(plan, &s->sent[comm->rank], &before));
    GO(farsum_plan_execute(plan, 1, p.sample_q, &result));
    GO(count(plan, &s->sent[comm->rank], &before));
    s->held[comm->rank] = (double)plan->bytes;
    const struct spectral *state = plan->state;
    const struct parameters *t = &state->parameters;
    int64_t real = array_size(plan->task.problem.precision);
    const struct ranks_cut *cut = &state->ranks->cut;
    real *= plan->task.pair.channels;
    s->stored[comm->rank][0] = (double)(real * ranks_cut_channel(cut, t));
    s->stored[comm->rank][1] = (double)(real * ranks_cut_spectrum(cut, t));
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
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
    static const int shapes[][2] = {{2, 1}, {3, 1}, {4, 1}, {13, 1},
                                    {2, 2}, {1, 3}, {3, 2}, {3, 4}};
    farsum_problem p = s->problem;
    farsum_plan *plan = NULL;
    p.n_sources = MANY;
    p.sample_x = x;
    p.sample_q = q;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        int size = shapes[k][0] * shapes[k][1];
        memcpy(s->shape, shapes[k], sizeof s->shape);
        CHECK(ranks_run(size, NULL, work, s) == 0, "a rank failed");
        double all[2] = {0}, model_all[2] = {0};
        struct links links = links_expected(LINKS_HOST, size, 1);
        links.within = (struct link){0, INFINITY}; /* as those of ranks_run */
        CHECK_OK(farsum_ranks_tune(&p, &s->options, &links, &any, &plan));
        for (int r = 0; r < size; r++) {
            struct ranks_model m;
            const struct comm_spent *spent = s->sent[r].spent;
            CHECK_OK(spectral_ranks_model(&plan->task, plan->state, &links,
                                          s->shape, r, &m));
            near_to("planes", r, size, m.bytes[COMM_PLANES],
                    (double)spent[COMM_PLANES].bytes, 0);
            near_to("transform", r, size, m.bytes[COMM_TRANSFORM],
                    (double)spent[COMM_TRANSFORM].bytes, 0);
            near_to("mesh", r, size, m.mesh, s->stored[r][0], 0);
            near_to("spectrum", r, size, m.spectrum, s->stored[r][1], 0);
            near_to("all", r, size, m.held, s->held[r], 0.25);
            near_to("ghosts", r, size, m.bytes[COMM_GHOSTS],
                    (double)spent[COMM_GHOSTS].bytes, 0.1);
            near_to("route", r, size, m.bytes[COMM_ROUTE],
                    (double)spent[COMM_ROUTE].bytes, 0.1);
            near_to("number of ghosts", r, size, m.ghosts,
                    (double)s->sent[r].ghosts, 0.1);
            all[0] += (double)spent[COMM_GHOSTS].bytes;
            all[1] += (double)spent[COMM_ROUTE].bytes;
            model_all[0] += m.bytes[COMM_GHOSTS];
            model_all[1] += m.bytes[COMM_ROUTE];
            for (int j = 0; j < m.stages; j++)
                CHECK(m.seconds[j] > 0 && m.alone[j] > 0, "stage %d", j);
        }
        near_to("ghosts of all ranks", -1, size, model_all[0], all[0], 0.02);
        near_to("route of all ranks", -1, size, model_all[1], all[1], 0.02);
        farsum_plan_destroy(plan);
    }
}

static void problem(const char *kernel, int strengths,
                    farsum_precision precision, double tolerance,
                    unsigned outputs)
{
    static struct shared s;
    memset(&s, 0, sizeof s);
    s.problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    s.options = (farsum_options)FARSUM_OPTIONS_INIT;
    s.problem.kernel = kernel;
    s.problem.tolerance = tolerance;
    s.problem.precision = precision;
    s.problem.arrays = FARSUM_F64;
    s.problem.outputs = outputs;
    for (int d = 0; d < 3; d++) {
        s.problem.periodic[d] = 1;
        s.problem.cell[4 * d] = 1;
    }
    s.options.method = "spectral";
    s.options.threads = 1;
    s.options.verify = FARSUM_VERIFY_OFF;
    s.strengths = strengths;
    compare(&s);
}

static void charges(void)
{
    problem("laplace", 1, FARSUM_F64, 1e-5, FARSUM_POTENTIAL | FARSUM_FIELD);
    problem("laplace", 1, FARSUM_MIXED, 1e-5, FARSUM_POTENTIAL);
    problem("laplace", 1, FARSUM_F32, 1e-3, FARSUM_POTENTIAL | FARSUM_FIELD);
    problem("laplace", 1, FARSUM_F64, 1e-4,
            FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_PARTICLE_VIRIAL);
}

static void flows(void)
{
    problem("stokeslet", 3, FARSUM_F64, 1e-4, FARSUM_VELOCITY);
}

/* More ranks than planes, thin slabs, and what has no model. */
static void limits(void)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    struct ranks_model m;
    struct links links = links_expected(LINKS_HOST, 4096, 8);
    p.n_sources = MANY;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    o.method = "spectral";
    CHECK_OK(farsum_plan_tune(&p, &o, &plan));
    CHECK_OK(farsum_ranks_model(plan, &links, &m));
    CHECK(m.planes == 1 && m.mesh0 < 4096, "%lld planes", (long long)m.planes);
    links = links_expected(LINKS_HOST, 1, 1);
    CHECK_OK(farsum_ranks_model(plan, &links, &m));
    for (int k = 0; k < COMM_PARTS; k++)
        CHECK(m.bytes[k] == 0 && m.exchange[k] == 0,
              "one rank sends %g bytes in %g s", m.bytes[k], m.exchange[k]);
    CHECK(m.planes == m.mesh0 && m.points == MANY, "all is its own");
    links.ranks = 0;
    CHECK_FAILS(farsum_ranks_model(plan, &links, &m), FARSUM_ERR_ARGUMENT);
    links.ranks = 2;
    farsum_plan_destroy(plan);
    o.method = "ewald";
    CHECK_OK(farsum_plan_tune(&p, &o, &plan));
    CHECK_FAILS(farsum_ranks_model(plan, &links, &m), FARSUM_ERR_UNSUPPORTED);
    farsum_plan_destroy(plan);
}

/* The mesh of rank 0's choice for ranks with these links. */
static int64_t chosen_mesh(const struct links *links, struct ranks_model *m)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    p.n_sources = 1000000;
    p.tolerance = 1e-6;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    o.threads = 1;
    o.method = "spectral";
    CHECK_OK(farsum_ranks_tune(&p, &o, links, &any, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK_OK(farsum_ranks_model(plan, links, m));
    farsum_plan_destroy(plan);
    return info.mesh[0];
}

/* Slow links make the mesh coarser and the cutoff longer; exchanges concurrent
 * with near pairs cost nothing while they are shorter. */
static void slow_links(void)
{
    struct ranks_model m;
    struct links links = links_expected(LINKS_HOST, 8, 8);
    int64_t alone, slow, beside;
    links.between.bandwidth = 1e15;
    links.between.latency = 0;
    alone = chosen_mesh(&links, &m);
    CHECK(m.hidden == 0, "hosts hide %g s", m.hidden);
    links.between.bandwidth = 2e7;
    slow = chosen_mesh(&links, &m);
    CHECK(slow < alone, "mesh %lld over slow links, %lld over fast ones",
          (long long)slow, (long long)alone);
    links.between.bandwidth = 1e10;
    links.beside = 1;
    beside = chosen_mesh(&links, &m);
    double wanted = fmin(m.seconds[RANKS_NEAR],
                         m.exchange[COMM_PLANES] + m.exchange[COMM_TRANSFORM]);
    CHECK(beside == alone && m.hidden == wanted && wanted > 0,
          "mesh %lld with hidden exchanges, %lld; %g s hidden",
          (long long)beside, (long long)alone, m.hidden);
}

int main(void)
{
    uint64_t state = 5;
    for (int64_t i = 0; i < 3 * MANY; i++)
        x[i] = ldexp((double)(random_next(&state) >> 11), -53);
    for (int64_t i = 0; i < WIDTH * MANY; i++)
        q[i] = ldexp((double)(random_next(&state) >> 11), -52) - 1;
    RUN(charges);
    RUN(flows);
    RUN(limits);
    RUN(slow_links);
    return check_end();
}
