/* SPDX-License-Identifier: Apache-2.0 */
/* edges_points.c: tests of sources that coincide or nearly coincide, and of few
 * sources. */
#include <stdlib.h>
#include <string.h>

#include "edges.h"

static void coincident_is_an_error(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int method = 0; method < 2; method++) {
            struct edge e;
            struct edge_sum a;
            edge_make(&e, k, 20, NULL, 11);
            for (int d = 0; d < 3; d++) /* same position, another cell */
                e.x[3 * 13 + d] = e.x[3 * 4 + d] = 0.25 * (d + 1);
            e.x[3 * 13] += 3;
            e.options.method = method ? "ewald" : "spectral";
            CHECK_FAILS(edge_run(&e, &a), FARSUM_ERR_COINCIDENT);
            CHECK_SAYS("4");
            CHECK_SAYS("13");
            CHECK_SAYS("exclude_coincident");
                edge_free(&e);
        }
}

/* In open space a distance of 1 is no lattice vector, so such sources do not
 * coincide. */
static void open_space_has_no_faces(void)
{
    struct edge e;
    struct edge_sum a;
    edge_make(&e, 0, 5, NULL, 18);
    memset(e.problem.periodic, 0, sizeof e.problem.periodic);
    e.options.method = "direct";
    memcpy(e.x + 3, e.x, 24);
    e.x[3] += 1;
    CHECK_OK(edge_run(&e, &a));
    edge_sum_free(&a);
    e.x[3] -= 1;
    memcpy(e.x + 3, e.x, 24);
    CHECK_FAILS(edge_run(&e, &a), FARSUM_ERR_COINCIDENT);
    edge_free(&e);
}

/* With coincident pairs excluded, each source of a pair sees the others and
 * images. */
static void coincident_left_out(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
            struct edge e;
            edge_make(&e, k, 30, NULL, 12);
            for (int i = 0; i < 5; i++) /* four pairs and a triple */
                memcpy(e.x + 3 * (9 + i), e.x + 3 * (i / 4 ? 0 : i), 24);
            e.problem.precision = (farsum_precision)f;
            e.problem.tolerance = f == FARSUM_F32 ? 1e-4 : 1e-7;
            e.problem.exclude_coincident = 1;
            edge_right("coincident", &e, 1);
            edge_free(&e);
        }
}

/* Two nearly coincident sources: their own pair dominates, and is as accurate
 * as their coordinates. */
static void nearly(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int power = 3; power <= 11; power += 4) {
            struct edge e;
            edge_make(&e, k, 20, NULL, 13);
            memcpy(e.x + 3, e.x, 24);
            e.x[3] += pow(10, -power);
            e.problem.sample_x = e.problem.sample_q = NULL;
            e.problem.tolerance = 1e-5;
            /* rounded coordinates: 1e-16/r of the difference, times the number
             * of powers of 1/r */
            double rounds = 1e-15 * pow(10, power) * 8;
            edge_right("nearly coincident", &e, 1 + rounds / 1e-5);
            edge_free(&e);
        }
}

/* Results within the range of f32 are finite, however close the points are. */
static void nearly_in_f32(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int power = 3; power <= 7; power += 2) {
            struct edge e;
            struct edge_sum a;
            edge_make(&e, k, 20, NULL, 14);
            memcpy(e.x + 3, e.x, 24);
            e.x[3] += 3 * pow(10, -power);
            e.problem.precision = FARSUM_F32;
            e.problem.tolerance = 1e-4;
            e.problem.exclude_coincident = 1;
            e.problem.sample_x = e.problem.sample_q = NULL;
            char what[60];
            snprintf(what, sizeof what, "f32, 3e-%d apart", power);
            if (CHECK_OK(edge_run(&e, &a)))
                edge_finite(what, &e, &a);
            edge_sum_free(&a);
            edge_free(&e);
        }
}

/* Points on faces and corners of the cell, and many cells away. */
static void far_away(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++) {
        struct edge e;
        edge_make(&e, k, 12, NULL, 15);
        static const double odd[6][3] = {
            {0, 0, 0},        {-1e-17, 0.5, 1},        {1, 0.25, -1e-300},
            {0.999999999999999889, 0.75, 0.5}, {-7, 8.5, 12.5}, {64.25, 0, -3},
        };
        memcpy(e.x, odd, sizeof odd);
        edge_right("at the edge of the cell", &e, 1);
        edge_free(&e);
    }
}

static void how_few(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++) {
        struct edge e;
        struct edge_sum a;
        farsum_plan *plan = NULL;
        double out[3];
        edge_make(&e, k, 2, NULL, 16);
        edge_right("two", &e, 4); /* no RMS of many */
        for (int method = 0; method < 2; method++) {
            farsum_problem p = e.problem;
            e.options.method = method ? "ewald" : "spectral";
            p.n_sources = 0;
            CHECK_FAILS(farsum_plan_create(&p, &e.options, &plan),
                        FARSUM_ERR_ARGUMENT);
            CHECK_SAYS("at least 1");
            CHECK_OK(farsum_plan_create(&e.problem, &e.options, &plan));
            CHECK_FAILS(farsum_plan_set_points(plan, 0, e.x, 0, NULL),
                        FARSUM_ERR_ARGUMENT);
            CHECK_SAYS("at least 1");
            CHECK_FAILS(farsum_plan_set_points(plan, -1, e.x, 0, NULL),
                        FARSUM_ERR_ARGUMENT);
            farsum_result result = FARSUM_RESULT_INIT;
            result.velocity = e.flow ? out : NULL;
            CHECK_FAILS(farsum_plan_execute(plan, 1, e.q, &result),
                        FARSUM_ERR_STATE);
            farsum_plan_destroy(plan);
            plan = NULL;
        }
        e.n = e.problem.n_sources = 1;
        e.options.method = "spectral";
        CHECK_OK(edge_run(&e, &a));
        edge_finite("one", &e, &a);
        edge_sum_free(&a);
        edge_free(&e);
    }
}

void edges_points(void)
{
    RUN(coincident_is_an_error);
    RUN(open_space_has_no_faces);
    RUN(coincident_left_out);
    RUN(nearly);
    RUN(nearly_in_f32);
    RUN(far_away);
    RUN(how_few);
}
