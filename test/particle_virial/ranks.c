/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: the virial of each particle over ranks against one process: kernels,
 * slabs and pencils, points given by any rank, exclusions, parts, another
 * cell. */
#include "parts/parts.h"

#include <stdlib.h>
#include <string.h>

#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"
#include "task/shape.h"

enum { N = PARTS_N, RHS = 2, MOST_RANKS = 6 };

/* What the ranks' threads share. */
struct shared {
    struct parts_case c;
    int width;      /* strengths of a point */
    double stretch; /* of the cell, after create; 0: none */
    struct ranks_shape shape;
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    double each[RHS * 9 * N];      /* of all ranks */
    double virial[MOST_RANKS][9 * RHS];
};

static const struct ranks_shape shapes[] = {
    {{1, 1}}, {{2, 1}}, {{3, 1}}, {{5, 1}}, {{1, 2}}, {{2, 2}}, {{2, 3}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Points from `first` on, in the cell after create and in the last one. */
static farsum_status set(farsum_plan *plan, const struct shared *s,
                         int64_t first, int64_t n)
{
    double cell[9];
    const double *x = n > 0 ? s->c.x + 3 * first : NULL;
    TRY(farsum_plan_set_points(plan, n, x, 0, NULL));
    if (s->stretch == 0)
        return FARSUM_OK;
    for (int k = 0; k < 9; k++)
        cell[k] = s->stretch * s->c.problem.cell[k];
    TRY(farsum_plan_set_cell(plan, cell));
    return farsum_plan_set_points(plan, n, x, 0, NULL);
}

/* Excluded pairs k of the list that a rank names: each rank some of them. */
static void exclusions(const struct shared *s, farsum_problem *p, int rank,
                       int size)
{
    int64_t all = s->c.problem.n_exclusions;
    int64_t begin = all * rank / size, end = all * (rank + 1) / size;
    p->n_exclusions = end - begin;
    p->exclusions = end > begin ? s->c.pair + 2 * begin : NULL;
    p->exclusion_factors = end > begin ? s->c.factor + begin : NULL;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int rank = comm->rank, width = s->width;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    double *q = check_memory((size_t)(RHS * width * n) + 1, sizeof *q);
    double *each = check_memory((size_t)(RHS * 9 * n) + 1, sizeof *each);
    farsum_problem p = s->c.problem;
    farsum_options o = s->c.options;
    farsum_plan *plan = NULL;
    farsum_result result = FARSUM_RESULT_INIT;
    result.virial = s->virial[rank];
    result.particle_virial = each;
    p.n_sources = n;
    exclusions(s, &p, rank, comm->size);
    for (int r = 0; r < RHS; r++)
        memcpy(q + r * n * width, s->c.q + width * (r + first),
               (size_t)(n * width) * sizeof *q);
    p.sample_x = n > 0 ? s->c.x + 3 * first : NULL;
    p.sample_q = n > 0 ? q : NULL;
    GO(plan_over_ranks_as(comm, &p, &o, NULL, &s->shape, &plan));
    GO(set(plan, s, first, n));
    GO(farsum_plan_execute(plan, RHS, q, &result));
    for (int r = 0; r < RHS; r++)
        memcpy(s->each + 9 * (r * N + first), each + 9 * r * n,
               (size_t)(9 * n) * sizeof *each);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    free(q);
    free(each);
    return status;
}

/* The same sum by one process; the ranks take its parameters. */
static void alone(struct shared *s, double *each, double *virial)
{
    static double q[RHS * PARTS_WIDTH * N];
    farsum_problem p = s->c.problem;
    farsum_plan *plan = NULL;
    farsum_result result = FARSUM_RESULT_INIT;
    for (int r = 0; r < RHS; r++)
        memcpy(q + r * N * s->width, s->c.q + s->width * r,
               (size_t)(N * s->width) * sizeof *q);
    exclusions(s, &p, 0, 1);
    p.sample_x = s->c.x;
    p.sample_q = s->c.q;
    s->c.options.verify = FARSUM_VERIFY_OFF;
    result.virial = virial;
    result.particle_virial = each;
    CHECK_OK(farsum_plan_create(&p, &s->c.options, &plan));
    CHECK_OK(set(plan, s, 0, N));
    CHECK_OK(farsum_plan_execute(plan, RHS, q, &result));
    CHECK_OK(farsum_plan_get_options(plan, &s->c.options));
    s->c.options.verify = FARSUM_VERIFY_OFF;
    farsum_plan_destroy(plan);
}

/* most: allowed difference from one process. */
static void compare(struct shared *s, const char *what, double most)
{
    static double each[RHS * 9 * N], virial[9 * RHS];
    s->c.problem.outputs = FARSUM_VIRIAL | FARSUM_PARTICLE_VIRIAL;
    s->width = strcmp(s->c.problem.kernel, "charge_dipole") == 0 ? 4 : 1;
    alone(s, each, virial);
    for (int k = 0; k < SHAPES; k++) {
        int size = shapes[k].ranks[0] * shapes[k].ranks[1];
        s->shape = shapes[k];
        for (int r = 0; r <= size; r++) /* the first of some gives none */
            s->first[r] = size < 3 ? N * r / size
                          : r > 0  ? N * (r - 1) / (size - 1)
                                   : 0;
        memset(s->each, 0, sizeof s->each);
        CHECK(ranks_run(size, NULL, work, s) == 0, "%s: a rank failed", what);
        double off = sums_apart(s->each, each, RHS * 9 * N);
        double all[9 * RHS] = {0};
        for (int i = 0; i < RHS * 9 * N; i++)
            all[9 * (i / (9 * N)) + i % 9] += s->each[i];
        double sums = sums_apart(all, s->virial[0], 9 * RHS);
        printf("  %s, %d x %d ranks: %.1e, sums %.1e\n", what,
               shapes[k].ranks[0], shapes[k].ranks[1], off, sums);
        CHECK(off <= most, "%s, %d ranks: %g", what, size, off);
        /* the virial's near pairs have the error that the tolerance allows */
        CHECK(sums <= fmax(1e-3 * s->c.problem.tolerance, 50 * most),
              "%s, %d ranks: shares add up to the virial within %g", what, size,
              sums);
    }
}

static void test_kernels(void)
{
    static const char *const kernels[] = {"laplace", "yukawa", "r6",
                                          "charge_dipole"};
    static struct shared s;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        parts_system(&s.c, kernels[k], 7);
        s.stretch = 0;
        if (k % 3 == 0)
            s.c.problem.surface = FARSUM_VACUUM;
        compare(&s, kernels[k], 1e-12);
    }
}

static void test_excluded(void)
{
    static struct shared s;
    parts_system(&s.c, "laplace", 7);
    parts_exclude(&s.c);
    compare(&s, "exclusions", 1e-12);
    parts_system(&s.c, "charge_dipole", 7);
    parts_exclude(&s.c);
    compare(&s, "exclusions of dipoles", 1e-12);
}

static void test_parts(void)
{
    static struct shared s;
    for (farsum_part part = FARSUM_NEAR; part <= FARSUM_FAR; part++) {
        parts_system(&s.c, "laplace", 7);
        parts_exclude(&s.c);
        s.c.problem.part = part;
        compare(&s, part == FARSUM_NEAR ? "near" : "far", 1e-12);
    }
}

static void test_cells(void)
{
    static struct shared s;
    for (int k = 0; k < 2; k++) {
        parts_system(&s.c, "laplace", 7);
        s.c.problem.tolerance = 1e-4;
        s.stretch = k == 0 ? 1.01 : 0.93;
        compare(&s, "another cell", 1e-12);
    }
}

static void test_precisions(void)
{
    static struct shared s;
    s.stretch = 0;
    parts_system(&s.c, "laplace", 7);
    s.c.problem.tolerance = 1e-4;
    s.c.problem.arrays = FARSUM_F64;
    s.c.problem.precision = FARSUM_MIXED;
    compare(&s, "mixed", 1e-6);
    s.c.problem.precision = FARSUM_F32;
    compare(&s, "f32", 1e-5);
}

int main(void)
{
    RUN(test_kernels);
    RUN(test_excluded);
    RUN(test_parts);
    RUN(test_cells);
    RUN(test_precisions);
    return check_end();
}
