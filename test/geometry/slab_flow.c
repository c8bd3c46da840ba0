/* SPDX-License-Identifier: Apache-2.0 */
/* slab_flow.c: flows in slabs by method `spectral` against `ewald`, whose slabs
 * have no gap. */
#include <string.h>

#include "check.h"
#include "geometry/slab_flow_case.h"
#include "geometry/sums.h"

enum { N = FLOW_POINTS, M = FLOW_TARGETS };

static void compare(const struct flow *f, const char *what)
{
    struct flow exact = *f;
    double a[3 * N], b[3 * N];
    int m = f->m ? f->m : N;
    exact.options = (farsum_options)FARSUM_OPTIONS_INIT;
    exact.options.threads = 1;
    exact.options.method = "ewald";
    exact.problem.precision = FARSUM_F64;
    exact.problem.arrays = FARSUM_F64;
    exact.problem.tolerance = 1e-14;
    CHECK_OK(flow_sum(f, a, NULL));
    CHECK_OK(flow_sum(&exact, b, NULL));
    double off = geometry_off(a, b, NULL, m, 3);
    CHECK(off <= f->problem.tolerance, "%s, %s at %g: off by %g", what,
          f->problem.kernel, f->problem.tolerance, off);
}

/* Each kernel and open axis, with a net force along and across the plane. */
static void axes(void)
{
    static const double tolerances[] = {1e-2, 1e-4, 1e-7, 1e-10};
    for (int kernel = 0; kernel < FLOWS; kernel++)
        for (int open = 0; open < 3; open++)
            for (int k = 0; k < 4; k++) {
                struct flow f;
                flow_make(&f, kernel, open, 4, (open + k) % 2, tolerances[k]);
                if (k % 2) {
                    f.problem.sample_x = f.x;
                    f.problem.sample_q = f.q;
                }
                compare(&f, "a slab");
                if (k == 2)
                    f.m = M;
                if (k == 2)
                    compare(&f, "separate targets");
            }
}

/* Thin and thick slabs, other gaps and cutoffs. */
static void gaps(void)
{
    for (int kernel = 0; kernel < FLOWS; kernel++)
        for (int k = 0; k < 5; k++) {
            static const double thick[] = {1e-3, 0.3, 3, 3, 40};
            struct flow f;
            flow_make(&f, kernel, k % 3, thick[k], 1, 1e-6);
            compare(&f, "without a sample");
            f.options.cutoff = k == 3 ? 2.2 : 0;
            if (k == 3)
                f.problem.cell[4 * f.open] = 12;
            f.problem.sample_x = k == 3 ? NULL : f.x;
            f.problem.sample_q = k == 3 ? NULL : f.q;
            compare(&f, "another gap");
        }
}

static void precisions(void)
{
    for (int kernel = 0; kernel < FLOWS; kernel++)
        for (int k = 0; k < 2; k++) {
            struct flow f;
            flow_make(&f, kernel, k, 4, 1, k ? 1e-3 : 3e-5);
            f.problem.precision = k ? FARSUM_F32 : FARSUM_MIXED;
            f.problem.arrays = FARSUM_F64;
            compare(&f, k ? "f32" : "mixed");
        }
}

static void exclusions(void)
{
    int64_t pairs[2 * 20];
    double factors[20];
    for (int kernel = 0; kernel < FLOWS; kernel++) {
        struct flow f;
        flow_make(&f, kernel, 2, 9, 1, 1e-6);
        for (int k = 0; k < 20; k++) {
            pairs[2 * k] = 2 * k;
            pairs[2 * k + 1] = 2 * k + 50;
            factors[k] = k % 3 ? 0 : 0.5;
        }
        f.problem.n_exclusions = 20;
        f.problem.exclusions = pairs;
        f.problem.exclusion_factors = factors;
        compare(&f, "exclusions");
    }
}

/* Several right-hand sides in cells that change, by the method that `auto`
 * selects. */
static void cells(void)
{
    enum { ROWS = 2 };
    for (int kernel = 0; kernel < FLOWS; kernel++) {
        static double q[ROWS * 6 * N], u[ROWS * 3 * N];
        struct flow f;
        farsum_plan *plan = NULL;
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        farsum_result r = FARSUM_RESULT_INIT;
        flow_make(&f, kernel, kernel, 4, 1, 1e-8);
        int width = f.width;
        f.options.method = NULL;
        CHECK_OK(farsum_plan_create(&f.problem, &f.options, &plan));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK(strcmp(info.method, "spectral") == 0, "method %s", info.method);
        for (int step = 0; step < 2; step++) {
            for (int k = 0; k < 9; k++)
                f.problem.cell[k] *= k / 3 == f.open ? 1 + step : 0.999;
            for (int k = 0; k < ROWS * width * N; k++)
                q[k] = k < width * N ? f.q[k] : sin(k) + 0.1;
            CHECK_OK(farsum_plan_set_cell(plan, f.problem.cell));
            CHECK_OK(farsum_plan_set_points(plan, N, f.x, 0, NULL));
            r.velocity = u;
            CHECK_OK(farsum_plan_execute(plan, ROWS, q, &r));
            for (int k = 0; k < ROWS; k++) {
                struct flow exact = f;
                double b[3 * N];
                memcpy(exact.q, q + k * width * N,
                       (size_t)(width * N) * sizeof *q);
                exact.options.method = "ewald";
                exact.problem.tolerance = 1e-13;
                CHECK_OK(flow_sum(&exact, b, NULL));
                double off = geometry_off(u + k * 3 * N, b, NULL, N, 3);
                CHECK(off < 2e-8, "step %d, row %d: off by %g", step, k, off);
            }
        }
        farsum_plan_destroy(plan);
    }
}

/* A sheet of forces along x moves the fluid by -4 pi |z| f/A; forces along the
 * normal do not. */
static void sheets(void)
{
    struct flow f;
    double u[3 * N];
    flow_make(&f, 0, 2, 0, 0, 1e-9);
    memset(f.problem.cell, 0, sizeof f.problem.cell);
    f.problem.cell[0] = 8;
    f.problem.cell[4] = 8;
    f.problem.cell[8] = 20;
    f.problem.error = FARSUM_ERROR_ABSOLUTE;
    for (int along = 0; along < 3; along++) {
        for (int i = 0; i < 64; i++) {
            double x[3] = {i % 8, i / 8, 0};
            memcpy(f.x + 3 * i, x, sizeof x);
            for (int d = 0; d < 3; d++)
                f.q[3 * i + d] = d == along;
        }
        f.m = 4;
        for (int i = 0; i < 4; i++) {
            double y[3] = {0.3 * i, 1.7 * i, i < 2 ? -8 - i : 5 + i};
            memcpy(f.y + 3 * i, y, sizeof y);
        }
        f.problem.n_sources = 64;
        CHECK_OK(flow_sum(&f, u, NULL));
        for (int i = 0; i < 4; i++)
            for (int d = 0; d < 3; d++)
                CHECK_NEAR(u[3 * i + d],
                           d == along && d < 2
                               ? -4 * 3.14159265358979324 * fabs(f.y[3 * i + 2])
                               : 0,
                           1e-7);
    }
}

int main(void)
{
    RUN(axes);
    RUN(gaps);
    RUN(precisions);
    RUN(exclusions);
    RUN(cells);
    RUN(sheets);
    return check_end();
}
