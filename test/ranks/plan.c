/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: plans over ranks against a plan of one process with the same
 * parameters: kernels, precisions, cells, numbers of ranks, points given by
 * any rank, several right-hand sides, separate targets, changes of the cell.
 * With PENCILS (sums.h) the ranks cut along two axes, also into thin parts. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum { MANY = 2400, MOST_RANKS = 13, RHS = 2, WIDTH = 6 };

/* Ranks along axes 0 and 1. */
static const int shapes[][2] = {
#if PENCILS
    {1, 2}, {2, 2}, {1, 3}, {3, 2}, {7, 1}, {1, 7}, {3, 3}, {4, 3}, {1, 13},
#else
    {1, 1}, {2, 1}, {3, 1}, {4, 1}, {7, 1}, {13, 1},
#endif
};

static double x[3 * MANY], y[3 * MANY], q[RHS * WIDTH * MANY];

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    farsum_options options;
    int strengths, values, rhs;
    int apart;          /* 1: separate targets, as many as sources */
    double stretch[4];  /* changes of the cell after create, ended by 0 */
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    int shape[2];
    /* of all ranks, [rhs][MANY] */
    double potential[RHS * 3 * MANY], field[RHS * 3 * MANY];
    double gradient[RHS * 6 * MANY];
    double energy[MOST_RANKS][RHS], virial[MOST_RANKS][9 * RHS];
    double estimated[MOST_RANKS];
};

static int flow(const struct shared *s)
{
    return s->values == 3;
}

static int moments(const struct shared *s)
{
    return s->problem.outputs & FARSUM_GRADIENT ? 1 : 0;
}

/* Copies one rank's part of all right-hand sides: width numbers per point. */
static double *part_of(const double *all, const struct shared *s, int rank,
                       int width)
{
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    double *part = check_memory((size_t)(s->rhs * width * n) + 1, sizeof *part);
    for (int r = 0; r < s->rhs; r++)
        memcpy(part + r * n * width, all + (r * MANY + first) * width,
               (size_t)(n * width) * sizeof *part);
    return part;
}

static void part_back(double *all, const struct shared *s, int rank, int width,
                      const double *part)
{
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    for (int r = 0; r < s->rhs; r++)
        memcpy(all + (r * MANY + first) * width, part + r * n * width,
               (size_t)(n * width) * sizeof *part);
}

/* Sets points `first` to `first + n`, in each cell. */
static farsum_status set(farsum_plan *plan, const struct shared *s,
                         int64_t first, int64_t n)
{
    const double *from = n > 0 ? x + 3 * first : NULL;
    const double *to = n > 0 && s->apart ? y + 3 * first : NULL;
    int64_t m = s->apart ? n : 0;
    double cell[9];
    TRY(farsum_plan_set_points(plan, n, from, m, to));
    for (const double *by = s->stretch; *by > 0; by++) {
        for (int k = 0; k < 9; k++)
            cell[k] = s->problem.cell[k] * (k < 3 ? *by : 1);
        TRY(farsum_plan_set_cell(plan, cell));
        TRY(farsum_plan_set_points(plan, n, from, m, to));
    }
    return FARSUM_OK;
}

/* Requests all results; *values, field and gradient hold this rank's. */
static farsum_result wanted(struct shared *s, double *values, double *field,
                            double *gradient, double *energy, double *virial)
{
    farsum_result result = FARSUM_RESULT_INIT;
    if (flow(s)) {
        result.velocity = values;
        return result;
    }
    result.potential = values;
    result.field = field;
    result.gradient = moments(s) ? gradient : NULL;
    if (!s->apart) {
        result.energy = energy;
        result.virial = virial;
    }
    return result;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int rank = comm->rank;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    double *own_q = part_of(q, s, rank, s->strengths);
    double *own = check_memory((size_t)(s->rhs * s->values * n) + 1,
                               sizeof *own);
    double *field = check_memory((size_t)(s->rhs * 3 * n) + 1, sizeof *field);
    double *gradient =
        check_memory((size_t)(s->rhs * 6 * n) + 1, sizeof *gradient);
    farsum_problem p = s->problem;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result result =
        wanted(s, own, field, gradient, s->energy[rank], s->virial[rank]);
    p.n_sources = n;
    p.n_targets = s->apart ? n : 0;
    p.sample_x = n > 0 ? x + 3 * first : NULL;
    p.sample_q = n > 0 ? own_q : NULL;
    const struct ranks_shape shape = {{s->shape[0], s->shape[1]}};
    GO(plan_over_ranks_as(comm, &p, &s->options, NULL, &shape, &plan));
    GO(set(plan, s, first, n));
    GO(farsum_plan_execute(plan, s->rhs, own_q, &result));
    GO(farsum_plan_get_info(plan, &info));
    s->estimated[rank] = info.estimated_error;
    part_back(s->potential, s, rank, s->values, own);
    part_back(s->field, s, rank, 3, field);
    part_back(s->gradient, s, rank, 6, gradient);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    free(own_q);
    free(own);
    free(field);
    free(gradient);
    return status;
}

/* The same sum by one process, with parameters chosen from the same sample. */
static void alone(struct shared *s, double *potential, double *field,
                  double *gradient, double *energy, double *virial,
                  double *estimated)
{
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result result =
        wanted(s, potential, field, gradient, energy, virial);
    p.n_sources = MANY;
    p.n_targets = s->apart ? MANY : 0;
    p.sample_x = x;
    p.sample_q = q;
    o.method = "spectral";
    o.verify = FARSUM_VERIFY_OFF;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(set(plan, s, 0, MANY));
    CHECK_OK(farsum_plan_execute(plan, s->rhs, q, &result));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    *estimated = info.estimated_error;
    farsum_plan_destroy(plan);
}

/* Pairs with ghosts are summed by another variant for the virial.  One process
 * computes a pair's root only as exactly as the tolerance needs. */
#define VIRIAL 1e-5

enum share { EVEN, ALL, NONE, SHARES };

/* Even parts; the last rank gives all; or the first gives none. */
static void share(struct shared *s, int size, enum share how)
{
    for (int r = 0; r <= size; r++)
        s->first[r] = how == ALL                ? (r == size ? MANY : 0)
                      : how == NONE && size > 1 ? MANY * (r > 0 ? r - 1 : 0)
                                                      / (size - 1)
                                                : MANY * r / size;
}

static void compare(struct shared *s, const char *what, double most)
{
    static double potential[RHS * 3 * MANY], field[RHS * 3 * MANY];
    static double gradient[RHS * 6 * MANY];
    double energy[RHS] = {0}, virial[9 * RHS] = {0}, estimated;
    int count = s->rhs * s->values * MANY;
    int sums = !flow(s) && !s->apart;
    alone(s, potential, field, gradient, energy, virial, &estimated);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (enum share how = EVEN; how < SHARES; how++) {
            int size = shapes[k][0] * shapes[k][1];
            memcpy(s->shape, shapes[k], sizeof s->shape);
            if (how != EVEN && size != 3 && size != 7)
                continue;
            share(s, size, how);
            CHECK(ranks_run(size, NULL, work, s) == 0, "%s: a rank failed",
                  what);
            double values = sums_apart(s->potential, potential, count);
            double forces =
                flow(s) ? 0 : sums_apart(s->field, field, 3 * s->rhs * MANY);
            if (moments(s))
                forces = fmax(forces, sums_apart(s->gradient, gradient,
                                                 6 * s->rhs * MANY));
            double energies = 0, virials = 0;
            for (int r = 0; r < s->rhs && sums; r++)
                energies =
                    fmax(energies, fabs(s->energy[0][r] / energy[r] - 1));
            if (sums)
                virials = sums_apart(s->virial[0], virial, 9 * s->rhs);
            printf("  %s, %d x %d ranks: %.1e, %.1e, %.1e, %.1e\n", what,
                   shapes[k][0], shapes[k][1], values, forces, energies,
                   virials);
            CHECK(values <= most && forces <= most && energies <= most
                      && virials <= fmax(most, VIRIAL * s->problem.tolerance),
                  "%s, %d ranks, share %d: %g, %g, %g, %g", what, size,
                  (int)how, values, forces, energies, virials);
            for (int r = 0; r < size; r++) {
                CHECK(memcmp(s->energy[r], s->energy[0], sizeof s->energy[0])
                              == 0
                          && memcmp(s->virial[r], s->virial[0],
                                    sizeof s->virial[0])
                                 == 0,
                      "%s: energy or virial of rank %d", what, r);
                CHECK(fabs(s->estimated[r] / estimated - 1) < 1e-6,
                      "%s: rank %d estimates %g, one process %g", what, r,
                      s->estimated[r], estimated);
            }
        }
}

/* A case of a kernel; the fields that a test sets apart. */
struct test {
    const char *kernel;
    int strengths, values;
    double tolerance;
    int oblique;
    farsum_precision precision;
    double most; /* allowed difference from one process */
    int apart;
    farsum_surface surface;
    double stretch[4];
    double skin;
};

#define CASE(name, from, to, error, tilted, type, difference)                  \
    .kernel = name, .strengths = from, .values = to, .tolerance = error,       \
    .oblique = tilted, .precision = type, .most = difference

static void kernel(const struct test *t)
{
    static struct shared s;
    memset(&s, 0, sizeof s);
    s.options = (farsum_options)FARSUM_OPTIONS_INIT;
    s.problem = sums_problem(t->kernel, t->values, t->tolerance, t->oblique,
                             t->precision, t->surface);
    s.options.threads = 1;
    s.options.verify = FARSUM_VERIFY_OFF;
    s.options.spectral.skin = t->skin;
    s.strengths = t->strengths;
    s.values = t->values;
    s.rhs = RHS;
    s.apart = t->apart;
    memcpy(s.stretch, t->stretch, sizeof s.stretch);
    compare(&s, t->kernel, t->most);
}

static void charges(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-6, 0, FARSUM_F64, 1e-12)},
        {CASE("laplace", 1, 1, 1e-10, 1, FARSUM_F64, 1e-12)},
        {CASE("laplace", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12),
         .surface = FARSUM_VACUUM},
        {CASE("laplace", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12), .skin = 0.05},
        {CASE("yukawa", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12)},
        {CASE("r6", 1, 1, 1e-5, 0, FARSUM_F64, 1e-12)},
        {CASE("charge_dipole", 4, 1, 1e-7, 1, FARSUM_F64, 1e-12),
         .surface = FARSUM_VACUUM},
    };
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        kernel(&tests[k]);
}

static void flows(void)
{
    static const struct test tests[] = {
        {CASE("stokeslet", 3, 3, 1e-6, 1, FARSUM_F64, 1e-12)},
        {CASE("rotlet", 3, 3, 1e-5, 0, FARSUM_F64, 1e-12)},
        {CASE("stresslet", 6, 3, 1e-5, 0, FARSUM_F64, 1e-12)},
    };
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        kernel(&tests[k]);
}

static void targets(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12), .apart = 1,
         .surface = FARSUM_VACUUM},
        {CASE("stresslet", 6, 3, 1e-5, 0, FARSUM_F64, 1e-12), .apart = 1},
        {CASE("charge_dipole", 4, 1, 1e-5, 1, FARSUM_F64, 1e-12), .apart = 1,
         .surface = FARSUM_VACUUM},
    };
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        kernel(&tests[k]);
}

static void cells(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12),
         .stretch = {1.002, 0.93, 0.92}},
        {CASE("stokeslet", 3, 3, 1e-6, 0, FARSUM_F64, 1e-12),
         .stretch = {1.002, 0.93, 0.92}},
    };
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        kernel(&tests[k]);
}

static void less_precise(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-4, 0, FARSUM_F32, 1e-4)},
        {CASE("laplace", 1, 1, 1e-5, 1, FARSUM_MIXED, 1e-5)},
    };
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        kernel(&tests[k]);
}

/* Draws point i.  Returns 0 if it is so near to another one that rounding of
 * their forces would hide the virial. */
static int place(int i, uint64_t *random)
{
    for (int d = 0; d < 3; d++)
        x[3 * i + d] = 2 * ldexp((double)(random_next(random) >> 11), -53);
    for (int j = 0; j < i; j++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (x[3 * i + d] - x[3 * j + d])
                      * (x[3 * i + d] - x[3 * j + d]);
        if (square < 0.05 * 0.05)
            return 0;
    }
    return 1;
}

int main(void)
{
    uint64_t random = 3;
    for (int i = 0; i < MANY;)
        i += place(i, &random);
    x[0] = 0; /* on the faces, as most crystals have points */
    for (int i = 0; i < RHS * WIDTH * MANY; i++)
        q[i] = ldexp((double)(random_next(&random) >> 11), -52) - 1;
    for (int i = 0; i < 3 * MANY; i++)
        y[i] = 2 * ldexp((double)(random_next(&random) >> 11), -53);
    RUN(charges);
    RUN(flows);
    RUN(targets);
    RUN(cells);
    RUN(less_precise);
    return check_end();
}
