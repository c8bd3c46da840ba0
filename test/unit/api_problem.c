/* SPDX-License-Identifier: Apache-2.0 */
/* api_problem.c: tests of invalid problems: cells, counts, tolerances, enums,
 * NULLs. */
#include "api.h"

static void nothing_given(void)
{
    struct salt s;
    farsum_plan *plan = NULL;
    salt_set(&s);
    CHECK_FAILS(farsum_plan_create(NULL, NULL, &plan), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("problem is NULL");
    CHECK_FAILS(farsum_plan_create(&s.problem, NULL, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("plan is NULL");
    CHECK_FAILS(farsum_plan_tune(NULL, NULL, &plan), FARSUM_ERR_ARGUMENT);
    CHECK(plan == NULL, "a failed create wrote to its output");
    farsum_plan_destroy(NULL);
    s.problem.size = 7;
    CHECK_FAILS(salt_create(&s), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("FARSUM_PROBLEM_INIT");
    CHECK_SAYS("size is 7");
    salt_set(&s);
    s.options.size = 7;
    CHECK_FAILS(salt_create(&s), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("FARSUM_OPTIONS_INIT");
}

static void cells(void)
{
    REFUSED(s.problem.cell[4] = NAN, ERR_CELL, "vector 1, component 1", "nan");
    REFUSED(s.problem.cell[2] = -INFINITY, ERR_CELL, "vector 0, component 2",
            "-inf");
    REFUSED(memset(s.problem.cell, 0, sizeof s.problem.cell), ERR_CELL, "zero");
    REFUSED(s.problem.cell[8] = 0, ERR_CELL, "plane", "volume");
    /* c nearly in the plane of a and b */
    REFUSED((s.problem.cell[6] = 4, s.problem.cell[8] = 1e-14), ERR_CELL,
            "plane");
}

static void axes(void)
{
    REFUSED((s.problem.periodic[2] = 0, s.problem.kernel = "r6",
             s.problem.outputs = FARSUM_POTENTIAL,
             s.options.method = "spectral"),
            ERR_UNSUPPORTED, "method spectral", "three periodic axes",
            "kernel r6", "has 2");
    REFUSED((s.problem.periodic[0] = s.problem.periodic[1] = 0,
             s.options.method = "fmm", s.options.strict = 1),
            ERR_UNSUPPORTED, "method fmm", "strict", "1 periodic axes");
    REFUSED((s.problem.periodic[1] = 0, s.options.method = "direct"),
            ERR_UNSUPPORTED, "method direct", "open boundaries");
    REFUSED(s.problem.periodic[1] = 7, ERR_ARGUMENT, "periodic[1] is 7");
    REFUSED((memset(s.problem.periodic, 0, sizeof s.problem.periodic),
             s.problem.surface = FARSUM_VACUUM, s.options.method = NULL),
            ERR_ARGUMENT, "vacuum", "three periodic axes");
}

static void counts(void)
{
    REFUSED(s.problem.n_sources = 0, ERR_ARGUMENT, "n_sources is 0",
            "at least 1");
    REFUSED(s.problem.n_sources = -5, ERR_ARGUMENT, "n_sources is -5");
    REFUSED(s.problem.n_targets = -2, ERR_ARGUMENT, "n_targets is -2");
    REFUSED(s.problem.sample_q = NULL, ERR_ARGUMENT, "sample_x and sample_q");
    REFUSED(s.problem.sample_x = NULL, ERR_ARGUMENT, "sample_x and sample_q");
    REFUSED(s.options.threads = -1, ERR_ARGUMENT, "threads is -1");
}

/* create checks the sample. */
static void samples(void)
{
    REFUSED(s.x[5][1] = NAN, ERR_POSITION, " 5", "nan");
    REFUSED(s.x[63][2] = INFINITY, ERR_POSITION, " 63", "inf");
    REFUSED(s.q[17] = -INFINITY, ERR_STRENGTH, " 17", "-inf");
    REFUSED(s.q[0] = NAN, ERR_STRENGTH, " 0", "nan");
}

static void numbers(void)
{
    REFUSED(s.problem.tolerance = NAN, ERR_ARGUMENT, "tolerance nan");
    REFUSED(s.problem.tolerance = -1e-3, ERR_ARGUMENT, "tolerance -0.001");
    REFUSED(s.problem.tolerance = INFINITY, ERR_ARGUMENT, "tolerance inf");
    REFUSED(s.problem.tolerance = 1, ERR_ARGUMENT, "tolerance 1", "below 1");
    REFUSED(s.problem.coulomb = -INFINITY, ERR_ARGUMENT, "-inf");
    REFUSED(s.problem.coulomb = NAN, ERR_ARGUMENT, "nan");
    REFUSED(s.problem.outputs = 256, ERR_ARGUMENT, "0x100");
    REFUSED(s.problem.precision = 9, ERR_ARGUMENT, "precision is 9");
    REFUSED(s.problem.arrays = 9, ERR_ARGUMENT, "arrays is 9");
    REFUSED(s.problem.error = 9, ERR_ARGUMENT, "error is 9");
    REFUSED(s.problem.surface = 9, ERR_ARGUMENT, "surface is 9");
}

/* A tolerance below the limit of the arithmetic is refused with that limit. */
static void tolerances(void)
{
    REFUSED(s.problem.tolerance = 1e-17, ERR_TOLERANCE, "1e-17", "3e-15",
            "f64 reaches", "spectral");
    REFUSED((s.problem.tolerance = 1e-9, s.problem.precision = FARSUM_F32,
             s.problem.arrays = FARSUM_F64),
            ERR_TOLERANCE, "1e-09", "4e-07", "f32 reaches");
    REFUSED((s.problem.tolerance = 1e-17, s.options.method = "ewald"),
            ERR_TOLERANCE, "1e-17", "reaches");
    /* a window whose limit is above that of the precision */
    REFUSED((s.problem.tolerance = 1e-13,
             s.options.spectral.window = "gaussian"),
            ERR_TOLERANCE, "1e-13", "cannot be reached", "at best",
            "gaussian");
    /* the parameters set by hand do not suffice */
    REFUSED((s.problem.tolerance = 1e-10, s.options.spectral.support = 3),
            ERR_TOLERANCE, "support 3", "reaches");
    REFUSED((s.problem.tolerance = 1e-10, s.options.cutoff = 1.5,
             s.options.spectral.mesh[0] = s.options.spectral.mesh[1] = 8,
             s.options.spectral.mesh[2] = 8),
            ERR_TOLERANCE, "8 x 8 x 8", "1.5", "reaches");
    /* no method at all: the message still has the limit */
    REFUSED((s.problem.tolerance = 1e-30, s.options.method = NULL),
            ERR_TOLERANCE, "below 3e-15", "1e-30");
}

void api_problems(void)
{
    RUN(nothing_given);
    RUN(cells);
    RUN(axes);
    RUN(counts);
    RUN(samples);
    RUN(numbers);
    RUN(tolerances);
}
