/* SPDX-License-Identifier: Apache-2.0 */
/* together.c: tests of coincident excluded sources, such as a Drude particle on
 * its core, and of left-handed cells: by every method, on the host and, as
 *
 *     test_unit_together device
 *
 * on FARSUM_TEST_DEVICE (default: opencl:0). */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { N = 40 };

static const char *device; /* NULL: the host */

/* Two ions; the first consists of two coincident particles. */
static const double pair_x[3][3] = {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}};
static const double pair_q[3] = {1.5, -0.5, -1};
#define PERIODIC (-0.23620329644) /* in a cube of 10 */
#define OPEN (-0.19245008972987526)

static farsum_problem make_problem(int periodic, double tolerance)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 10;
        p.periodic[d] = periodic;
    }
    p.n_sources = 3;
    p.tolerance = tolerance;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY;
    return p;
}

static farsum_plan *make_plan(const farsum_problem *p, const char *method)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = method;
    o.device.name = device;
    if (farsum_plan_create(p, &o, &plan) != FARSUM_OK)
        check_stop("%s: no plan: %s", method, farsum_message());
    return plan;
}

static void sum_pair(farsum_plan *plan, const char *method, double right,
                     double most)
{
    double energy = 0, potential[3], field[9];
    farsum_result out = FARSUM_RESULT_INIT;
    out.energy = &energy;
    out.potential = potential;
    out.field = field;
    CHECK_OK(farsum_plan_execute(plan, 1, pair_q, &out));
    CHECK(fabs(energy - right) <= most, "%s: energy %.15g, not %.15g", method,
          energy, right);
    CHECK_NEAR(potential[2], -right, most);
    CHECK_NEAR(potential[0] * 1.5 - potential[1] * 0.5, right, 2 * most);
}

/* Exclusions before points, after them, fewer, with a factor. */
static void pair_by(const char *method, int periodic)
{
    const int64_t one[2] = {1, 0}, other[2] = {1, 2};
    const double half = 0.5;
    double tolerance = 1e-6, right = periodic ? PERIODIC : OPEN, energy;
    farsum_problem p = make_problem(periodic, tolerance);
    farsum_plan *plan = make_plan(&p, method);
    farsum_result out = FARSUM_RESULT_INIT;
    out.energy = &energy;
    CHECK_FAILS(farsum_plan_set_points(plan, 3, pair_x, 0, NULL),
                FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("0 and 1");
    CHECK_OK(farsum_plan_set_exclusions(plan, 1, one, NULL));
    CHECK_OK(farsum_plan_set_points(plan, 3, pair_x, 0, NULL));
    sum_pair(plan, method, right, 1e-6);
    /* without the exclusions that admitted them the points are dropped */
    CHECK_OK(farsum_plan_set_exclusions(plan, 1, other, NULL));
    CHECK_FAILS(farsum_plan_execute(plan, 1, pair_q, &out), FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_plan_set_points(plan, 3, pair_x, 0, NULL),
                FARSUM_ERR_COINCIDENT);
    CHECK_OK(farsum_plan_set_exclusions(plan, 1, one, &half));
    CHECK_FAILS(farsum_plan_set_points(plan, 3, pair_x, 0, NULL),
                FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("factor 0.5");
    CHECK_OK(farsum_plan_set_exclusions(plan, 1, one, NULL));
    CHECK_OK(farsum_plan_set_points(plan, 3, pair_x, 0, NULL));
    sum_pair(plan, method, right, 1e-6);
    farsum_plan_destroy(plan);
    /* in the problem itself, with the sample */
    p.sample_x = pair_x;
    p.sample_q = pair_q;
    p.n_exclusions = 1;
    p.exclusions = one;
    plan = make_plan(&p, method);
    CHECK_OK(farsum_plan_set_points(plan, 3, pair_x, 0, NULL));
    sum_pair(plan, method, right, 1e-6);
    farsum_plan_destroy(plan);
}

static void pairs(void)
{
    if (!device)
        pair_by("direct", 0);
    if (!device)
        pair_by("ewald", 1);
    pair_by("spectral", 1);
    pair_by("fmm", 0);
}

/* With three sources at one position, each pair must be excluded. */
static void three(void)
{
    static const double x[4][3] = {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {1, 2, 3}};
    const double q[4] = {1.5, -0.75, -1, 0.25};
    const int64_t list[6] = {0, 1, 3, 0, 1, 3};
    double energy;
    farsum_problem p = make_problem(1, 1e-6);
    farsum_result out = FARSUM_RESULT_INIT;
    p.n_sources = 4;
    out.energy = &energy;
    farsum_plan *plan = make_plan(&p, "spectral");
    for (int count = 1; count <= 3; count++) {
        CHECK_OK(farsum_plan_set_exclusions(plan, count, list, NULL));
        farsum_status status = farsum_plan_set_points(plan, 4, x, 0, NULL);
        CHECK(status == (count < 3 ? FARSUM_ERR_COINCIDENT : FARSUM_OK),
              "%d of 3 pairs: status %d", count, (int)status);
    }
    CHECK_OK(farsum_plan_execute(plan, 1, q, &out));
    CHECK_NEAR(energy, PERIODIC, 1e-6);
    farsum_plan_destroy(plan);
}

/* --- left-handed cells --- */

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

struct sums {
    double potential[N], field[3 * N], energy, virial[9];
};

static void sum_in(farsum_plan *plan, const double x[N][3], const double q[N],
                   struct sums *s)
{
    farsum_result out = FARSUM_RESULT_INIT;
    out.potential = s->potential;
    out.field = s->field;
    out.energy = &s->energy;
    out.virial = s->virial;
    CHECK_OK(farsum_plan_set_points(plan, N, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &out));
}

static void same(const struct sums *a, const struct sums *b, const char *what)
{
    double most = 1e-6 * fabs(b->energy);
    CHECK(fabs(a->energy - b->energy) <= most, "%s: energy %.12g, not %.12g",
          what, a->energy, b->energy);
    for (int i = 0; i < N; i++)
        CHECK(fabs(a->potential[i] - b->potential[i]) <= most,
              "%s: potential %d is %.12g, not %.12g", what, i, a->potential[i],
              b->potential[i]);
    for (int i = 0; i < 3 * N; i++)
        CHECK(fabs(a->field[i] - b->field[i]) <= most,
              "%s: field %d is %.12g, not %.12g", what, i, a->field[i],
              b->field[i]);
    for (int i = 0; i < 9; i++)
        CHECK(fabs(a->virial[i] - b->virial[i]) <= most,
              "%s: virial %d is %.12g, not %.12g", what, i, a->virial[i],
              b->virial[i]);
}

static void left_by(const char *method, const double right[9])
{
    static const int swaps[4][3] = {{1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {0, 1, 2}};
    static const double signs[4] = {1, 1, 1, -1};
    double x[N][3], q[N], left[9];
    uint64_t state = 7;
    struct sums want, got;
    for (int i = 0; i < N; i++) {
        q[i] = i % 2 ? -1 : 1;
        for (int d = 0; d < 3; d++)
            x[i][d] = 40 * random_unit(&state) - 20;
    }
    farsum_problem p = make_problem(1, 1e-9);
    p.n_sources = N;
    p.outputs |= FARSUM_VIRIAL;
    p.sample_x = x;
    p.sample_q = q;
    memcpy(p.cell, right, sizeof p.cell);
    farsum_plan *plan = make_plan(&p, method);
    sum_in(plan, x, q, &want);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 9; i++)
            left[i] = signs[k] * right[3 * swaps[k][i / 3] + i % 3];
        memcpy(p.cell, left, sizeof left);
        farsum_plan *other = make_plan(&p, method);
        sum_in(other, x, q, &got);
        same(&got, &want, method);
        /* and back, and again, with set_cell */
        CHECK_OK(farsum_plan_set_cell(other, left));
        sum_in(other, x, q, &got);
        same(&got, &want, "the same cell set");
        farsum_plan_destroy(other);
    }
    for (int i = 6; i < 9; i++)
        left[i] = -right[i];
    memcpy(left, right, 6 * sizeof *left);
    CHECK_OK(farsum_plan_set_cell(plan, left));
    sum_in(plan, x, q, &got);
    same(&got, &want, "the other hand set");
    farsum_plan_destroy(plan);
}

static void left_handed(void)
{
    static const double brick[9] = {9, 0, 0, 0, 10, 0, 0, 0, 11};
    static const double leaning[9] = {9, 0.5, 0, -4, 10, 1, 3, 2, 11};
    left_by("spectral", leaning);
    left_by("fmm", brick);
    if (!device)
        left_by("ewald", leaning);
}

/* A mesh set by the user stays along the caller's axes. */
static void mesh_along(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_problem p = make_problem(1, 1e-4);
    farsum_plan *plan = NULL;
    const double cell[9] = {0, 10, 0, 20, 0, 0, 0, 0, 30};
    memcpy(p.cell, cell, sizeof cell);
    p.n_sources = 200;
    o.method = "spectral";
    o.device.name = device;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.mesh[0] < info.mesh[1] && info.mesh[1] < info.mesh[2],
          "mesh %d x %d x %d along edges of 10, 20, 30", (int)info.mesh[0],
          (int)info.mesh[1], (int)info.mesh[2]);
    farsum_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        device = getenv("FARSUM_TEST_DEVICE");
        device = device ? device : "opencl:0";
        farsum_problem p = make_problem(1, 1e-3);
        farsum_options o = FARSUM_OPTIONS_INIT;
        farsum_plan *plan = NULL;
        o.device.name = device;
        o.method = "spectral";
        if (farsum_plan_create(&p, &o, &plan) == FARSUM_ERR_DEVICE) {
            printf("no device: %s\n", farsum_message());
            return CHECK_SKIPPED;
        }
        farsum_plan_destroy(plan);
    }
    RUN(pairs);
    RUN(three);
    if (!device)
        RUN(left_handed);
    if (!device)
        RUN(mesh_along);
    return check_end();
}
