/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c: slabs or pencils, as a caller requests or as a plan chooses; even
 * and clustered points against one process; what is refused. */
#include "task/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "plan/exported.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum { MANY = 3000, MOST_RANKS = 12 };

static const struct ranks_shape any;
static double even[3 * MANY], corner[3 * MANY], q[MANY];

/* All ways to cut, each once, slabs first. */
static void steps(void)
{
    static const int wanted[][2] = {
        {12, 1}, {1, 12}, {6, 2}, {2, 6}, {4, 3}, {3, 4}, {0, 0}, {4, 1},
        {1, 4},  {2, 2},  {0, 0}, {7, 1}, {1, 7}, {0, 0}, {1, 1}, {0, 0}};
    int shape[2] = {0, 0};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        int more = shape[0] > 0 && ranks_shape_next(shape);
        if (wanted[k][0] == 0) {
            CHECK(!more, "%d x %d follows", shape[0], shape[1]);
            shape[0] = 0;
            continue;
        }
        if (shape[0] == 0)
            memcpy(shape, wanted[k], sizeof shape);
        CHECK(memcmp(shape, wanted[k], sizeof shape) == 0,
              "%d x %d instead of %d x %d", shape[0], shape[1], wanted[k][0],
              wanted[k][1]);
    }
}

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    const double *x;
    int sampled;
    struct ranks_shape wanted;
    double potential[MANY], field[3 * MANY], energy[MOST_RANKS];
    struct ranks_info info[MOST_RANKS];
    double part[MOST_RANKS]; /* volumes, as parts of the cell */
};

static farsum_options one_thread(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = "spectral";
    o.threads = 1;
    o.verify = FARSUM_VERIFY_OFF;
    return o;
}

static farsum_result results(struct shared *s, int64_t first, double *energy)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = s->potential + first;
    result.field = s->field + 3 * first;
    result.energy = energy;
    return result;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int r = comm->rank;
    int64_t first = MANY * (int64_t)r / comm->size;
    int64_t n = MANY * (int64_t)(r + 1) / comm->size - first;
    farsum_problem p = s->problem;
    farsum_options o = one_thread();
    farsum_plan *plan = NULL;
    farsum_result result = results(s, first, &s->energy[r]);
    double low[3], high[3];
    p.n_sources = n;
    p.sample_x = s->sampled ? s->x + 3 * first : NULL;
    p.sample_q = s->sampled ? q + first : NULL;
    GO(plan_over_ranks_as(comm, &p, &o, NULL, &s->wanted, &plan));
    GO(farsum_plan_set_points(plan, n, s->x + 3 * first, 0, NULL));
    GO(farsum_plan_execute(plan, 1, q + first, &result));
    GO(farsum_ranks_get_info(plan, &s->info[r]));
    GO(farsum_ranks_domain(plan, NULL, low, high));
    s->part[r] = 1;
    for (int d = 0; d < 3; d++)
        s->part[r] *= high[d] - low[d];
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", r, farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

static void alone(const struct shared *s, struct shared *right)
{
    farsum_problem p = s->problem;
    farsum_options o = one_thread();
    farsum_plan *plan = NULL;
    farsum_result result = results(right, 0, &right->energy[0]);
    p.n_sources = MANY;
    p.sample_x = s->sampled ? s->x : NULL;
    p.sample_q = s->sampled ? q : NULL;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, MANY, s->x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &result));
    farsum_plan_destroy(plan);
}

/* Compares with one process, and returns the ranks along axis 1. */
static int compare(struct shared *s, const struct shared *right, int size)
{
    double volume = 0;
    int64_t own = 0;
    CHECK(ranks_run(size, NULL, work, s) == 0, "a rank failed");
    int across = s->info[0].across > 1 ? s->info[0].across : 1;
    double potentials = sums_apart(s->potential, right->potential, MANY);
    double fields = sums_apart(s->field, right->field, 3 * MANY);
    double energies = fabs(s->energy[0] / right->energy[0] - 1);
    printf("  %s points, %d x %d ranks: %.1e, %.1e, %.1e\n",
           s->x == even ? "even" : "clustered", size / across, across,
           potentials, fields, energies);
    CHECK(potentials <= 1e-12 && fields <= 1e-12 && energies <= 1e-12,
          "%d x %d ranks: %g, %g, %g", size / across, across, potentials,
          fields, energies);
    for (int r = 0; r < size; r++) {
        CHECK(s->info[r].across == s->info[0].across
                  && s->energy[r] == s->energy[0],
              "rank %d has %d ranks along axis 1", r, s->info[r].across);
        volume += s->part[r];
        own += s->info[r].own;
    }
    CHECK(fabs(volume - 1) < 1e-12 && own == MANY,
          "the parts have %.17g of the cell and %lld points", volume,
          (long long)own);
    return across;
}

static struct shared shared_of(const double *x, int sampled)
{
    return (struct shared){.problem = sums_problem("laplace", 1, 1e-6, 0,
                                                   FARSUM_F64, FARSUM_TINFOIL),
                           .x = x,
                           .sampled = sampled};
}

/* The wanted parts, of which a number may be left out.  Slabs are cut by
 * weight, pencils are not: then some ranks own no points. */
static void wanted(void)
{
    static const struct {
        struct ranks_shape shape;
        int size, across;
    } rows[] = {{{{2, 2}}, 4, 2},  {{{0, 4}}, 4, 4}, {{{4, 0}}, 4, 1},
                {{{3, 2}}, 6, 2},  {{{2, 0}}, 6, 3}, {{{6, 1}}, 6, 1},
                {{{4, 3}}, 12, 3}, {{{0, 2}}, 12, 2}};
    static struct shared s, right;
    for (int clustered = 0; clustered < 2; clustered++) {
        s = shared_of(clustered ? corner : even, 0);
        right = s;
        alone(&s, &right);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const struct ranks_info *i = s.info;
            s.wanted = rows[k].shape;
            int across = compare(&s, &right, rows[k].size);
            CHECK(across == rows[k].across, "%d ranks along axis 1", across);
            CHECK((i->recuts > 0) == (clustered && across == 1)
                      && (i->work_imbalance >= 1) == (across == 1),
                  "%d recuts, work %g", (int)i->recuts, i->work_imbalance);
            CHECK(!clustered || across == 1
                      || i->imbalance > 0.99 * rows[k].size / 4,
                  "imbalance %g", i->imbalance);
        }
    }
}

/* Exchanges of ranks_run cost nothing in the model.  So 12 ranks have pencils,
 * which have less halo, unless the points are clustered; a plan knows that from
 * a sample. */
static void chosen(void)
{
    static struct shared s, right;
    s = shared_of(even, 1);
    alone(&s, &right);
    int across = compare(&s, &right, 12);
    CHECK(across > 1 && across < 12, "%d ranks along axis 1", across);
    across = compare(&s, &right, 2);
    CHECK(across == 1, "%d ranks along axis 1", across);
    s = shared_of(corner, 1);
    alone(&s, &right);
    across = compare(&s, &right, 12);
    CHECK(across == 1, "clustered: %d ranks along axis 1", across);
    s.sampled = 0;
    alone(&s, &right);
    across = compare(&s, &right, 12);
    CHECK(across > 1, "no sample: %d ranks along axis 1", across);
}

/* The model of the slowest of so many ranks; edges: of the cell. */
static struct ranks_model model(const double edge[3], int size, int nodes,
                                struct ranks_shape shape)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = one_thread();
    farsum_plan *plan = NULL;
    struct links links = links_expected(LINKS_HOST, size, nodes);
    struct ranks_model m;
    p.n_sources = 4000000;
    p.tolerance = 1e-5;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = edge[d];
    }
    CHECK_OK(farsum_ranks_tune(&p, &o, &links, &shape, &plan));
    CHECK_OK(farsum_ranks_model(plan, &links, &m));
    farsum_plan_destroy(plan);
    printf("  %d ranks on %d nodes: %d x %d, %.3g s\n", size, nodes, m.shape[0],
           m.shape[1], ranks_model_seconds(&m));
    return m;
}

/* On paper: few ranks have slabs, many have pencils, and what is chosen is
 * faster; a long axis 1 is cut more often. */
static void on_paper(void)
{
    static const double cube[3] = {1, 1, 1}, beam[3] = {0.2, 5, 1};
    struct ranks_model m = model(cube, 4, 1, any);
    CHECK(m.shape[0] == 4 && m.shape[1] == 1, "%d x %d", m.shape[0],
          m.shape[1]);
    struct ranks_model other = model(cube, 4, 1, (struct ranks_shape){{2, 2}});
    CHECK(other.shape[1] == 2
              && ranks_model_seconds(&m) <= ranks_model_seconds(&other),
          "slabs are not faster");
    m = model(cube, 512, 64, any);
    CHECK(m.shape[0] > 4 && m.shape[1] > 4, "%d x %d", m.shape[0], m.shape[1]);
    other = model(cube, 512, 64, (struct ranks_shape){{512, 1}});
    CHECK(other.shape[1] == 1
              && 2 * ranks_model_seconds(&m) < ranks_model_seconds(&other),
          "pencils are not faster");
    m = model(beam, 8, 1, any);
    CHECK(m.shape[1] > m.shape[0], "beam: %d x %d", m.shape[0], m.shape[1]);
}

/* What is refused, on all ranks. */
static farsum_status work_refused(struct comm *comm, void *data)
{
    static const struct {
        struct ranks_shape shape;
        const char *method, *device;
        farsum_status status;
        const char *words;
    } rows[] = {
        {{{3, 2}},
         NULL,
         NULL,
         FARSUM_ERR_ARGUMENT,
         "domain is 3 x 2, which does not make 4, the number of ranks"},
        {{{0, 3}}, NULL, NULL, FARSUM_ERR_ARGUMENT, "domain is 0 x 3, "},
        {{{2, 1}}, NULL, NULL, FARSUM_ERR_ARGUMENT, "domain is 2 x 1, "},
        {{{65536, 65536}}, NULL, NULL, FARSUM_ERR_ARGUMENT, "65536 x 65536"},
        {{{-2, -2}}, NULL, NULL, FARSUM_ERR_ARGUMENT, "domain[0] is -2"},
        {{{0, -4}}, NULL, NULL, FARSUM_ERR_ARGUMENT, "domain[1] is -4"},
        {{{2, 2}},
         "fmm",
         NULL,
         FARSUM_ERR_UNSUPPORTED,
         "domain is 2 x 2; with method fmm only slabs work yet, 4 x 1"},
        {{{0, 2}},
         NULL,
         "opencl",
         FARSUM_ERR_UNSUPPORTED,
         "domain is 2 x 2; on devices only slabs work yet, 4 x 1"},
    };
    farsum_problem p =
        sums_problem("laplace", 1, 1e-4, 0, FARSUM_F64, FARSUM_TINFOIL);
    const struct ranks_shape other = {{2, 2}};
    farsum_plan *plan = NULL;
    (void)data;
    p.n_sources = 10;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        farsum_options o = FARSUM_OPTIONS_INIT;
        o.method = rows[k].method;
        o.device.name = rows[k].device;
        CHECK_FAILS(
            plan_over_ranks_as(comm, &p, &o, NULL, &rows[k].shape, &plan),
            rows[k].status);
        CHECK_SAYS(rows[k].words);
    }
    /* one rank requests another shape */
    CHECK_FAILS(plan_over_ranks_as(comm, &p, NULL, NULL,
                                   comm->rank == 2 ? &other : &any, &plan),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("domain is 0 x 0 on rank 0 and 2 x 2 on rank 2");
    CHECK(!plan, "a plan was made");
    return FARSUM_OK;
}

static void refused(void)
{
    CHECK(ranks_run(4, NULL, work_refused, NULL) == 0, "a rank failed");
}

int main(void)
{
    uint64_t state = 11;
    for (int i = 0; i < 3 * MANY; i++) {
        even[i] = 2 * ldexp((double)(random_next(&state) >> 11), -53);
        corner[i] = 0.2 * even[i];
    }
    for (int i = 0; i < MANY; i++)
        q[i] = ldexp((double)(random_next(&state) >> 11), -52) - 1;
    RUN(steps);
    RUN(wanted);
    RUN(chosen);
    RUN(on_paper);
    RUN(refused);
    return check_end();
}
