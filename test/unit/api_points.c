/* SPDX-License-Identifier: Apache-2.0 */
/* api_points.c: tests of points, calls in the wrong order, and set_cell. */
#include "api.h"

static void bad_points(void)
{
    struct salt s;
    salt_set(&s);
    farsum_plan *plan = salt_plan(&s);
    struct salt bad = s;
    CHECK_FAILS(farsum_plan_set_points(NULL, SALT_N, s.x, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("plan is NULL");
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, NULL, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("x is NULL");
    CHECK_FAILS(farsum_plan_set_points(plan, 0, s.x, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("0 sources");
    CHECK_FAILS(farsum_plan_set_points(plan, -3, s.x, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("-3 sources");
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, -1, s.x),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("m is -1");
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, 4, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("m is 4");
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, 0, s.x),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, SALT_N, s.x),
                FARSUM_ERR_STATE);
    CHECK_SAYS("n_targets");
    bad.x[41][2] = NAN;
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, bad.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("source 41");
    CHECK_SAYS("z = ");
    CHECK_SAYS("nan");
    bad.x[7][0] = -INFINITY; /* the first one is named */
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, bad.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("source 7: x = -inf");
    bad = s;
    bad.x[9][1] = 1e14;
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, bad.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("source 9");
    CHECK_SAYS("cells away");
    /* the plan can still be used */
    CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL));
    farsum_plan_destroy(plan);
}

/* For each method, since each has its own copy of the points. */
static void coincident(void)
{
    static const char *const methods[] = {"spectral", "ewald", "direct"};
    for (int k = 0; k < 3; k++) {
        struct salt s;
        double field[SALT_N][3];
        farsum_result out = FARSUM_RESULT_INIT;
        salt_set(&s);
        out.field = field;
        s.options.method = methods[k];
        if (k == 2)
            memset(s.problem.periodic, 0, sizeof s.problem.periodic);
        memcpy(s.x[50], s.x[13], sizeof s.x[0]);
        s.problem.sample_x = s.problem.sample_q = NULL;
        farsum_plan *plan = salt_plan(&s);
        CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL),
                    FARSUM_ERR_COINCIDENT);
        CHECK_SAYS("13");
        CHECK_SAYS("50");
        CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_STATE);
        farsum_plan_destroy(plan);
        s.problem.exclude_coincident = 1;
        plan = salt_plan(&s);
        CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
        for (int d = 0; d < 3; d++)
            CHECK(isfinite(field[13][d]) && field[13][d] != 0,
                  "%s: field %g of one of two that coincide", methods[k],
                  field[13][d]);
        farsum_plan_destroy(plan);
    }
}

/* A periodic image of another particle coincides too. */
static void coincident_images(void)
{
    struct salt s;
    salt_set(&s);
    for (int d = 0; d < 3; d++)
        s.x[3][d] = d == 1 ? 2.5 : 0.25, s.x[60][d] = s.x[3][d];
    s.x[60][1] -= SALT_SIDE;
    s.problem.sample_x = s.problem.sample_q = NULL;
    farsum_plan *plan = salt_plan(&s);
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL),
                FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("3 and 60");
    farsum_plan_destroy(plan);
}

static void too_early(void)
{
    struct salt s;
    double energy = 7;
    farsum_result out = FARSUM_RESULT_INIT;
    salt_set(&s);
    out.energy = &energy;
    farsum_plan *plan = salt_plan(&s);
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_STATE);
    CHECK_SAYS("no points");
    CHECK(energy == 7, "a failed execute wrote its output");
    CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    CHECK_OK(farsum_plan_set_cell(plan, s.problem.cell));
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_STATE);
    farsum_plan_destroy(plan);
    /* a plan that only reports its choices */
    CHECK_OK(farsum_plan_tune(&s.problem, &s.options, &plan));
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL),
                FARSUM_ERR_STATE);
    CHECK_SAYS("farsum_plan_tune");
    CHECK_FAILS(farsum_plan_set_cell(plan, s.problem.cell), FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_STATE);
    farsum_plan_destroy(plan);
}

static void bad_cells(void)
{
    struct salt s;
    salt_set(&s);
    farsum_plan *plan = salt_ready(&s);
    double cell[9], energy = 0;
    farsum_result out = FARSUM_RESULT_INIT;
    out.energy = &energy;
    memcpy(cell, s.problem.cell, sizeof cell);
    CHECK_FAILS(farsum_plan_set_cell(plan, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_set_cell(NULL, cell), FARSUM_ERR_ARGUMENT);
    cell[8] = NAN;
    CHECK_FAILS(farsum_plan_set_cell(plan, cell), FARSUM_ERR_CELL);
    CHECK_SAYS("nan");
    cell[8] = 0;
    CHECK_FAILS(farsum_plan_set_cell(plan, cell), FARSUM_ERR_CELL);
    CHECK_SAYS("plane");
    /* a much larger cell: mesh and cutoff are too coarse for it */
    for (int i = 0; i < 9; i++)
        cell[i] = 3 * s.problem.cell[i];
    CHECK_FAILS(farsum_plan_set_cell(plan, cell), FARSUM_ERR_TOLERANCE);
    CHECK_SAYS("0.0001");
    CHECK_SAYS("estimated error");
    /* and the plan is as before, including its points */
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.estimated_error <= 1e-4, "estimate %g", info.estimated_error);
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    CHECK(energy < -50, "energy %g", energy);
    farsum_plan_destroy(plan);
    memset(s.problem.periodic, 0, sizeof s.problem.periodic);
    s.options.method = "direct";
    plan = salt_plan(&s);
    CHECK_FAILS(farsum_plan_set_cell(plan, s.problem.cell), FARSUM_ERR_STATE);
    CHECK_SAYS("no periodic axis");
    farsum_plan_destroy(plan);
}

/* After a small change of the cell, results agree with a new plan's, to
 * tolerance. */
static void cell_followed(void)
{
    struct salt s;
    double energy[2] = {0}, cell[9];
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    salt_set(&s);
    farsum_plan *plan = salt_ready(&s);
    memcpy(cell, s.problem.cell, sizeof cell);
    cell[0] *= 0.997;
    cell[3] = 0.01;
    cell[8] *= 0.998;
    CHECK_OK(farsum_plan_set_cell(plan, cell));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.estimated_error > 0 && info.estimated_error <= 1e-4,
          "estimate %g", info.estimated_error);
    CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL));
    out.energy = &energy[0];
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    farsum_plan_destroy(plan);
    memcpy(s.problem.cell, cell, sizeof cell);
    s.options.method = "ewald";
    s.problem.tolerance = 1e-12;
    plan = salt_ready(&s);
    out.energy = &energy[1];
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    CHECK_NEAR(energy[0], energy[1], 1e-4 * fabs(energy[1]));
    farsum_plan_destroy(plan);
}

void api_points(void)
{
    RUN(bad_points);
    RUN(coincident);
    RUN(coincident_images);
    RUN(too_early);
    RUN(bad_cells);
    RUN(cell_followed);
}
