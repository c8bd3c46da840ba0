/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.c: plans of method fmm over ranks against a plan of one process with the
 * same boxes: cubes and bricks, periodic and open; numbers of ranks, points
 * given by any rank and anywhere, several right-hand sides, separate targets,
 * changes of the cell, excluded pairs, precisions. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum { MOST = 10000, MOST_RANKS = 16, RHS = 2, PAIRS = 12, SIZES = 6 };

static int64_t many = 1500; /* points */
static double x[3 * MOST], y[3 * MOST], q[RHS * MOST];

struct test {
    const char *what;
    double cell[3];
    int periodic;
    int64_t boxes[3];
    int ws;
    double tolerance, most;
    farsum_precision precision;
    int apart, order;
    farsum_surface surface;
    double stretch[4]; /* changes of the cell after create, ended by 0 */
    int excluded, sampled, checked;
    double softening;
    int64_t points;   /* 0: 1500 */
    int ranks[SIZES]; /* ended by 0; none: several */
};

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    farsum_options options;
    const struct test *test;
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    int64_t pair[2 * PAIRS];
    /* of all ranks, [RHS][many] */
    double potential[RHS * MOST], field[RHS * 3 * MOST];
    double energy[MOST_RANKS][RHS], virial[MOST_RANKS][9 * RHS];
    farsum_plan_info info[MOST_RANKS];
};

/* Copies one rank's part of all right-hand sides: width numbers per point. */
static double *part_of(const double *all, const struct shared *s, int rank,
                       int width)
{
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    double *part = check_memory((size_t)(RHS * width * n) + 1, sizeof *part);
    for (int r = 0; r < RHS && all; r++)
        memcpy(part + r * n * width, all + (r * many + first) * width,
               (size_t)(n * width) * sizeof *part);
    return part;
}

static void part_back(double *all, const struct shared *s, int rank, int width,
                      const double *part)
{
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    for (int r = 0; r < RHS; r++)
        memcpy(all + (r * many + first) * width, part + r * n * width,
               (size_t)(n * width) * sizeof *part);
}

/* Sets points `first` to `first + n`, in each cell. */
static farsum_status set(farsum_plan *plan, const struct shared *s,
                         int64_t first, int64_t n)
{
    const struct test *t = s->test;
    const double *from = n > 0 ? x + 3 * first : NULL;
    const double *to = n > 0 && t->apart ? y + 3 * first : NULL;
    int64_t m = t->apart ? n : 0;
    double cell[9];
    TRY(farsum_plan_set_points(plan, n, from, m, to));
    for (const double *by = t->stretch; *by > 0; by++) {
        for (int k = 0; k < 9; k++)
            cell[k] = s->problem.cell[k] * (k < 3 ? *by : 1);
        TRY(farsum_plan_set_cell(plan, cell));
        TRY(farsum_plan_set_points(plan, n, from, m, to));
    }
    return FARSUM_OK;
}

static farsum_result wanted(const struct shared *s, double *potential,
                            double *field, double *energy, double *virial)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = potential;
    result.field = field;
    if (!s->test->apart) {
        result.energy = energy;
        result.virial = s->test->periodic ? NULL : virial;
    }
    return result;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    const struct test *t = s->test;
    int rank = comm->rank;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    double *own_q = part_of(q, s, rank, 1);
    double *own = part_of(NULL, s, rank, 1);
    double *field = part_of(NULL, s, rank, 3);
    farsum_problem p = s->problem;
    farsum_plan *plan = NULL;
    farsum_result result =
        wanted(s, own, field, s->energy[rank], s->virial[rank]);
    p.n_sources = n;
    p.n_targets = t->apart ? n : 0;
    if (t->sampled) {
        p.sample_x = n > 0 ? x + 3 * first : NULL;
        p.sample_q = n > 0 ? own_q : NULL;
    }
    int64_t from = PAIRS * rank / comm->size;
    p.exclusions = s->pair + 2 * from;
    p.n_exclusions = t->excluded ? PAIRS * (rank + 1) / comm->size - from : 0;
    GO(plan_over_ranks(comm, &p, &s->options, &plan));
    GO(set(plan, s, first, n));
    GO(farsum_plan_execute(plan, RHS, own_q, &result));
    s->info[rank] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    GO(farsum_plan_get_info(plan, &s->info[rank]));
    part_back(s->potential, s, rank, 1, own);
    part_back(s->field, s, rank, 3, field);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    free(own_q);
    free(own);
    free(field);
    return status;
}

/* The same sum by one process. */
static void alone(const struct shared *s, double *potential, double *field,
                  double *energy, double *virial, farsum_plan_info *info)
{
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    farsum_result result = wanted(s, potential, field, energy, virial);
    p.n_sources = many;
    p.n_targets = s->test->apart ? many : 0;
    p.sample_x = s->test->sampled ? x : NULL;
    p.sample_q = s->test->sampled ? q : NULL;
    p.exclusions = s->pair;
    p.n_exclusions = s->test->excluded ? PAIRS : 0;
    for (int d = 0; d < 3; d++) /* with free boxes those that rank 0 chose */
        o.fmm.boxes[d] =
            s->info[0].boxes[d] ? s->info[0].boxes[d] : s->options.fmm.boxes[d];
    o.fmm.lattice = "fft";
    o.fmm.tree = "dense";
    o.fmm.levels = 1;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(set(plan, s, 0, many));
    CHECK_OK(farsum_plan_execute(plan, RHS, q, &result));
    CHECK_OK(farsum_plan_get_info(plan, info));
    farsum_plan_destroy(plan);
}

enum share { EVEN, ALL, NONE, SHARES };

/* Even parts; the last rank gives all; or the first gives none. */
static void share(struct shared *s, int size, enum share how)
{
    for (int r = 0; r <= size; r++)
        s->first[r] = how == ALL ? (r == size ? many : 0)
                      : how == NONE && size > 1
                          ? many * (r > 0 ? r - 1 : 0) / (size - 1)
                          : many * r / size;
}

static void compare(struct shared *s)
{
    static const int several[SIZES] = {1, 2, 3, 4, 7, 13};
    static double potential[RHS * MOST], field[RHS * 3 * MOST];
    const struct test *t = s->test;
    double energy[RHS] = {0}, virial[9 * RHS] = {0};
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    const int *sizes = t->ranks[0] ? t->ranks : several;
    int free_boxes = t->boxes[0] == 0;
    if (!free_boxes)
        alone(s, potential, field, energy, virial, &info);
    for (int k = 0; k < SIZES && sizes[k]; k++)
        for (enum share how = EVEN; how < SHARES; how++) {
            int size = sizes[k];
            if (how != EVEN && size != 3)
                continue;
            share(s, size, how);
            CHECK(ranks_run(size, NULL, work, s) == 0, "%s: a rank failed",
                  t->what);
            if (free_boxes)
                alone(s, potential, field, energy, virial, &info);
            double values = sums_apart(s->potential, potential, RHS * many);
            double forces = sums_apart(s->field, field, 3 * RHS * many);
            double energies =
                t->apart ? 0 : sums_apart(s->energy[0], energy, RHS);
            double virials = t->apart || t->periodic
                                 ? 0
                                 : sums_apart(s->virial[0], virial, 9 * RHS);
            printf("  %s, %d ranks: %.1e, %.1e, %.1e, %.1e, order %d\n",
                   t->what, size, values, forces, energies, virials,
                   s->info[0].order);
            CHECK(values <= t->most && forces <= t->most && energies <= t->most
                      && virials <= t->most,
                  "%s, %d ranks, share %d: %g, %g, %g, %g", t->what, size,
                  (int)how, values, forces, energies, virials);
            for (int r = 0; r < size; r++) {
                const farsum_plan_info *i = &s->info[r];
                CHECK(memcmp(s->energy[r], s->energy[0], sizeof s->energy[0])
                              == 0
                          && memcmp(s->virial[r], s->virial[0],
                                    sizeof s->virial[0])
                                 == 0,
                      "%s: energy or virial of rank %d", t->what, r);
                CHECK(i->order == info.order, "%s: order %d, one process %d",
                      t->what, i->order, info.order);
                CHECK((i->checked_targets > 0) == t->checked,
                      "%s: rank %d checks %lld targets", t->what, r,
                      (long long)i->checked_targets);
                double error = i->estimated_error / info.estimated_error - 1;
                double norm = i->norm / info.norm - 1;
                if (t->checked) /* by other targets */
                    error = 0;
                CHECK(fabs(error) < 1e-6 && fabs(norm) < 1e-6,
                      "%s: rank %d estimates %g of norm %g, one process %g of "
                      "%g",
                      t->what, r, i->estimated_error, i->norm,
                      info.estimated_error, info.norm);
            }
        }
}

static void problem_of(struct shared *s, const struct test *t)
{
    memset(s, 0, sizeof *s);
    s->test = t;
    s->problem =
        sums_problem("laplace", 1, t->tolerance, 0, t->precision, t->surface);
    s->options = (farsum_options)FARSUM_OPTIONS_INIT;
    s->options.method = "fmm";
    s->options.threads = 1;
    s->options.verify = t->checked ? 1 : FARSUM_VERIFY_OFF;
    s->options.fmm.order = t->order;
    s->options.fmm.separation = t->ws;
    s->problem.softening = t->softening;
    for (int d = 0; d < 3; d++) {
        s->problem.cell[4 * d] = t->cell[d];
        s->problem.periodic[d] = t->periodic;
        s->options.fmm.boxes[d] = t->boxes[d];
    }
    if (t->periodic)
        s->problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
    for (int k = 0; k < PAIRS; k++) {
        s->pair[2 * k] = 7 * k;
        s->pair[2 * k + 1] = many - 1 - 31 * k;
    }
}

static void run(const struct test *tests, size_t n)
{
    static struct shared s;
    for (size_t k = 0; k < n; k++) {
        const struct test *t = &tests[k];
        many = t->points ? t->points : 1500;
        problem_of(&s, t);
        uint64_t random = 3;
        for (int i = 0; i < 3 * many; i++) {
            x[i] = t->cell[i % 3]
                   * ldexp((double)(random_next(&random) >> 11), -53);
            y[i] = t->cell[i % 3]
                   * ldexp((double)(random_next(&random) >> 11), -53);
        }
        /* on faces of boxes, as crystals have points, and in other cells */
        for (int i = 0; i < 96; i++)
            x[i] = t->cell[i % 3] / 16 * floor(16 * x[i] / t->cell[i % 3]);
        for (int i = 96; i < 192; i++)
            x[i] += t->periodic ? (i % 5 - 2) * t->cell[i % 3] : 0;
        compare(&s);
    }
}
#define RUN_ALL(tests) run(tests, sizeof(tests) / sizeof *(tests))

/* Edges of the cell, boxes, separation, tolerance, difference from one
 * process. */
#define CASE(name, cyclic, a, b, c, i, j, k, apart_by, error, difference)      \
    .what = name, .periodic = cyclic, .cell = {a, b, c}, .boxes = {i, j, k},   \
    .ws = apart_by, .tolerance = error, .most = difference

static void periodic(void)
{
    static const struct test tests[] = {
        {CASE("cube", 1, 2, 2, 2, 8, 8, 8, 1, 1e-5, 1e-12), .sampled = 1},
        {CASE("brick", 1, 2, 3, 1.6, 5, 8, 4, 1, 1e-3, 1e-12),
         .surface = FARSUM_VACUUM},
        {CASE("few layers", 1, 2, 2, 2, 3, 4, 4, 2, 1e-4, 1e-12)},
        {CASE("targets", 1, 2, 2, 2, 8, 6, 8, 1, 1e-3, 1e-12), .apart = 1,
         .surface = FARSUM_VACUUM},
        {CASE("cells", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .stretch = {1.05, 0.93}},
        {CASE("pairs", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .excluded = 1},
        {CASE("f32", 1, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-5),
         .precision = FARSUM_F32},
        {CASE("checked", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .checked = 1},
        {CASE("sample checked", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .checked = 1, .sampled = 1},
        {CASE("many boxes", 1, 2, 2, 2, 16, 16, 16, 1, 1e-5, 1e-12),
         .points = MOST, .ranks = {13, 16}},
        {CASE("free boxes", 1, 2, 2, 2, 0, 0, 0, 1, 1e-4, 1e-12),
         .ranks = {1, 3, 7}},
        {CASE("two layers", 1, 0.7, 2, 2, 2, 6, 6, 1, 1e-4, 1e-12),
         .ranks = {1, 3}},
        {CASE("order", 1, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-12), .order = 5},
    };
    RUN_ALL(tests);
}

static void open_space(void)
{
    static const struct test tests[] = {
        {CASE("open cube", 0, 2, 2, 2, 8, 8, 8, 1, 1e-3, 1e-12), .sampled = 1},
        {CASE("open brick", 0, 2, 3, 1.6, 6, 8, 5, 1, 1e-3, 1e-12)},
        {CASE("open, few layers", 0, 0.5, 2, 2, 2, 6, 6, 2, 1e-4, 1e-12)},
        {CASE("open targets", 0, 2, 2, 2, 8, 6, 8, 1, 1e-3, 1e-12), .apart = 1},
        {CASE("open, many boxes", 0, 2, 2, 2, 16, 16, 16, 1, 1e-5, 1e-11),
         .points = MOST, .ranks = {13, 16}},
        {CASE("open, free boxes", 0, 2, 2, 2, 0, 0, 0, 1, 1e-4, 1e-12),
         .ranks = {1, 3, 7}, .sampled = 1},
        {CASE("open, two layers", 0, 0.7, 2, 2, 2, 6, 6, 1, 1e-4, 1e-12),
         .ranks = {1, 3}},
        {CASE("open pairs", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .excluded = 1},
        {CASE("open f32", 0, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-5),
         .precision = FARSUM_F32},
        {CASE("open checked", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .checked = 1},
        {CASE("open sample checked", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .checked = 1, .sampled = 1, .excluded = 1},
        {CASE("softened", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .softening = 1e-3, .sampled = 1},
    };
    RUN_ALL(tests);
}

int main(void)
{
    uint64_t random = 5;
    for (int i = 0; i < RHS * MOST; i++)
        q[i] = ldexp((double)(random_next(&random) >> 11), -52) - 1;
    RUN(periodic);
    RUN(open_space);
    return check_end();
}
