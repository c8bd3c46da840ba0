/* SPDX-License-Identifier: Apache-2.0 */
/* edges_strengths.c: tests of strengths that are not numbers, huge, tiny or
 * zero. */
#include <stdlib.h>
#include <string.h>

#include "edges.h"

static void not_finite(void)
{
    static const struct {
        double value;
        const char *says;
    } bad[] = {{NAN, "nan"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}};
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int b = 0; b < 3; b++) {
            struct edge e;
            struct edge_sum a;
            char says[60];
            edge_make(&e, k, 17, NULL, 31);
            e.problem.arrays = e.problem.precision =
                b % 2 ? FARSUM_F32 : FARSUM_F64;
            e.problem.tolerance = 1e-4;
            e.options.method = (k + b) % 2 ? "ewald" : "spectral";
            /* the sample would tune the plan: not set */
            e.problem.sample_x = e.problem.sample_q = NULL;
            e.q[11 * e.width + e.width - 1] = bad[b].value;
            e.q[14 * e.width] = NAN;
            CHECK_FAILS(edge_run(&e, &a), FARSUM_ERR_STRENGTH);
            snprintf(says, sizeof says, "strength 11 of right-hand side 0 is "
                     "%s", bad[b].says);
            CHECK_SAYS(says);
            edge_free(&e);
        }
}

static void not_finite_in_the_sample(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++) {
        struct edge e;
        struct edge_sum a;
        edge_make(&e, k, 17, NULL, 32);
        e.q[11 * e.width] = NAN;
        CHECK_FAILS(edge_run(&e, &a), FARSUM_ERR_STRENGTH);
        CHECK_SAYS("11");
        edge_free(&e);
        edge_make(&e, k, 17, NULL, 32);
        e.x[3 * 11 + 1] = INFINITY;
        CHECK_FAILS(edge_run(&e, &a), FARSUM_ERR_POSITION);
        CHECK_SAYS("11");
        edge_free(&e);
    }
}

/* Powers of two scale a sum without rounding.  Results beyond the range of f64
 * are refused: for the largest strengths the energy, a square. */
static void scale(int k, int power, int given)
{
    struct edge e;
    struct edge_sum a, b;
    edge_make(&e, k, 25, NULL, 33);
    int degree = e.width == 6 ? 2 : 1;
    int held = abs(power) <= (e.flow ? 900 : 220);
    if (!given)
        e.problem.sample_x = e.problem.sample_q = NULL;
    CHECK_OK(edge_run(&e, &a));
    for (int64_t i = 0; i < e.n * e.width; i++)
        e.q[i] = ldexp(e.q[i], i / 3 % 2 && degree == 2 ? 0 : power);
    if (!held) {
        CHECK_FAILS(edge_run(&e, &b), FARSUM_ERR_STRENGTH);
        CHECK_SAYS("the largest number of the");
    } else if (CHECK_OK(edge_run(&e, &b))) {
        double worst = 0, most = 0;
        for (int64_t i = 0; i < b.count; i++) {
            worst = fmax(worst, fabs(ldexp(b.v[i], -power) - a.v[i]));
            most = fmax(most, fabs(a.v[i]));
        }
        CHECK(worst <= 1e-13 * most, "%s, strengths times 2^%d: off by %g of "
              "%g", e.kernel, power, worst, most);
        edge_finite("scaled strengths", &e, &b);
        CHECK_NEAR(b.info.estimated_error, a.info.estimated_error,
                   1e-9 * a.info.estimated_error);
    }
    edge_sum_free(&b);
    edge_sum_free(&a);
    edge_free(&e);
}

static void huge_and_tiny(void)
{
    static const int powers[] = {190, 900, -190, -900, 220, -1050};
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int p = 0; p < 6; p++)
            scale(k, powers[p], (p + k) % 2);
}

/* The same for lengths, but r6's errors scale with the 14th power. */
static void huge_and_tiny_cells(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int p = 0; p < 2; p++) {
            struct edge e;
            double size = ldexp(1, p ? 60 : -60);
            double cell[9] = {size, 0, 0, 0, size, 0, 0, 0, size};
            edge_make(&e, k, 25, cell, 34);
            edge_right(p ? "a huge cell" : "a tiny cell", &e, 1);
            edge_free(&e);
        }
}

static void nothing(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int way = 0; way < 4; way++) {
            struct edge e;
            struct edge_sum a;
            edge_make(&e, k, 19, NULL, 35);
            memset(e.q, 0, (size_t)(e.n * e.width) * sizeof *e.q);
            if (way % 2)
                e.problem.sample_x = e.problem.sample_q = NULL;
            e.problem.precision = way == 1 ? FARSUM_F32 : FARSUM_F64;
            e.problem.tolerance = 1e-4;
            e.options.method = way == 2 ? "ewald" : "spectral";
            if (!CHECK_OK(edge_run(&e, &a)))
                continue;
            double most = fabs(a.energy);
            for (int64_t i = 0; i < a.count; i++)
                most = fmax(most, fabs(a.v[i]));
            CHECK(most == 0, "%s of no strengths: %g", e.kernel, most);
            edge_finite("no strengths", &e, &a);
            edge_sum_free(&a);
            edge_free(&e);
        }
}

/* One nonzero strength among many. */
static void one_only(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++) {
        struct edge e;
        edge_make(&e, k, 19, NULL, 36);
        memset(e.q + e.width, 0, (size_t)((e.n - 1) * e.width) * sizeof *e.q);
        e.problem.tolerance = 1e-5;
        if (!e.flow) {
            e.problem.error = FARSUM_ERROR_POTENTIAL;
            e.problem.tolerance = 1e-7;
        }
        edge_right("one strength of many", &e, 1);
        edge_free(&e);
    }
}

void edges_strengths(void)
{
    RUN(not_finite);
    RUN(not_finite_in_the_sample);
    RUN(huge_and_tiny);
    RUN(huge_and_tiny_cells);
    RUN(nothing);
    RUN(one_only);
}
