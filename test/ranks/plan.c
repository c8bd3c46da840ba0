/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: plans over ranks against a plan of one process with the same
 * parameters: kernels, precisions, cells, numbers of ranks, points given by
 * any rank, several right-hand sides. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { MANY = 2400, MOST_RANKS = 13, RHS = 2, WIDTH = 6 };

static double x[3 * MANY], q[RHS * WIDTH * MANY];

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    farsum_options options;
    int strengths, values, rhs;
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    /* of all ranks, [rhs][MANY] */
    double potential[RHS * 3 * MANY], field[RHS * 3 * MANY];
    double energy[MOST_RANKS][RHS], estimated[MOST_RANKS];
};

static int flow(const struct shared *s)
{
    return s->values == 3;
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
    farsum_problem p = s->problem;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    p.n_sources = n;
    p.sample_x = n > 0 ? x + 3 * first : NULL;
    p.sample_q = n > 0 ? own_q : NULL;
    GO(plan_over_ranks(comm, &p, &s->options, &plan));
    GO(farsum_plan_set_points(plan, n, n > 0 ? x + 3 * first : NULL, 0, NULL));
    if (flow(s))
        result.velocity = own;
    else {
        result.potential = own;
        result.field = field;
        result.energy = s->energy[rank];
    }
    GO(farsum_plan_execute(plan, s->rhs, own_q, &result));
    GO(farsum_plan_get_info(plan, &info));
    s->estimated[rank] = info.estimated_error;
    part_back(s->potential, s, rank, s->values, own);
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

static double apart(const double *found, const double *right, int n)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(found[i] - right[i]));
        size = fmax(size, fabs(right[i]));
    }
    return most / size;
}

/* The same sum by one process, with parameters chosen from the same sample. */
static void alone(const struct shared *s, double *potential, double *field,
                  double *energy, double *estimated)
{
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    p.n_sources = MANY;
    p.sample_x = x;
    p.sample_q = q;
    o.method = "spectral";
    o.verify = FARSUM_VERIFY_OFF;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, MANY, x, 0, NULL));
    if (flow(s)) {
        result.velocity = potential;
    } else {
        result.potential = potential;
        result.field = field;
        result.energy = energy;
    }
    CHECK_OK(farsum_plan_execute(plan, s->rhs, q, &result));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    *estimated = info.estimated_error;
    farsum_plan_destroy(plan);
}

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
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    static double potential[RHS * 3 * MANY], field[RHS * 3 * MANY];
    double energy[RHS] = {0}, estimated;
    int count = s->rhs * s->values * MANY;
    alone(s, potential, field, energy, &estimated);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (enum share how = EVEN; how < SHARES; how++) {
            int size = sizes[k];
            share(s, size, how);
            CHECK(ranks_run(size, NULL, work, s) == 0, "%s: a rank failed",
                  what);
            double values = apart(s->potential, potential, count);
            double forces =
                flow(s) ? 0 : apart(s->field, field, 3 * s->rhs * MANY);
            double energies = 0;
            for (int r = 0; r < s->rhs && !flow(s); r++)
                energies =
                    fmax(energies, fabs(s->energy[0][r] / energy[r] - 1));
            printf("  %s, %d ranks: %.1e, %.1e, %.1e\n", what, size, values,
                   forces, energies);
            CHECK(values <= most && forces <= most && energies <= most,
                  "%s, %d ranks, share %d: %g, %g, %g", what, size, (int)how,
                  values, forces, energies);
            for (int r = 0; r < size; r++) {
                CHECK(memcmp(s->energy[r], s->energy[0], sizeof s->energy[0])
                          == 0,
                      "%s: energy of rank %d", what, r);
                CHECK(fabs(s->estimated[r] / estimated - 1) < 1e-6,
                      "%s: rank %d estimates %g, one process %g", what, r,
                      s->estimated[r], estimated);
            }
        }
}

static void kernel(const char *name, int strengths, int values,
                   double tolerance, int oblique, int f32, double most)
{
    static const double rows[2][9] = {{2, 0, 0, 0, 2, 0, 0, 0, 2},
                                      {2, 0, 0, 0.3, 1.8, 0, -0.4, 0.5, 1.6}};
    static struct shared s;
    memset(&s, 0, sizeof s);
    s.problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    s.options = (farsum_options)FARSUM_OPTIONS_INIT;
    s.problem.kernel = name;
    s.problem.kappa = strcmp(name, "yukawa") == 0 ? 3 : 0;
    s.problem.tolerance = tolerance;
    s.problem.precision = f32 ? FARSUM_F32 : FARSUM_F64;
    s.problem.arrays = FARSUM_F64;
    s.problem.outputs = values == 3 ? FARSUM_VELOCITY
                                    : FARSUM_POTENTIAL | FARSUM_FIELD
                                          | FARSUM_ENERGY;
    memcpy(s.problem.cell, rows[oblique], sizeof s.problem.cell);
    for (int d = 0; d < 3; d++)
        s.problem.periodic[d] = 1;
    s.options.threads = 1;
    s.strengths = strengths;
    s.values = values;
    s.rhs = RHS;
    compare(&s, name, most);
}

static void charges(void)
{
    kernel("laplace", 1, 1, 1e-6, 0, 0, 1e-12);
    kernel("laplace", 1, 1, 1e-10, 1, 0, 1e-12);
    kernel("yukawa", 1, 1, 1e-6, 1, 0, 1e-12);
    kernel("r6", 1, 1, 1e-5, 0, 0, 1e-12);
}

static void flows(void)
{
    kernel("stokeslet", 3, 3, 1e-6, 1, 0, 1e-12);
    kernel("rotlet", 3, 3, 1e-5, 0, 0, 1e-12);
    kernel("stresslet", 6, 3, 1e-5, 0, 0, 1e-12);
}

static void in_f32(void)
{
    kernel("laplace", 1, 1, 1e-4, 0, 1, 1e-4);
}

int main(void)
{
    uint64_t random = 3;
    for (int i = 0; i < 3 * MANY; i++)
        x[i] = 2 * ldexp((double)(random_next(&random) >> 11), -53);
    for (int i = 0; i < RHS * WIDTH * MANY; i++)
        q[i] = ldexp((double)(random_next(&random) >> 11), -52) - 1;
    RUN(charges);
    RUN(flows);
    RUN(in_f32);
    return check_end();
}
