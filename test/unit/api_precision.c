/* SPDX-License-Identifier: Apache-2.0 */
/* api_precision.c: tests of the precision that a plan chooses. */
#include "api.h"

#include <stdlib.h>

#include "cases.h"

static char reason[600]; /* of the last plan; or "" */

/* Sums, and returns the plan's info; 0: it failed, which is reported. */
static int sum(const struct system *s, farsum_precision precision,
               farsum_precision arrays, double tolerance, const char *method,
               double *potential, farsum_plan_info *info)
{
    farsum_problem p = system_problem(s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    p.precision = precision;
    p.arrays = arrays;
    p.tolerance = tolerance;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    o.method = method;
    o.threads = 1;
    out.potential = potential;
    out.field = potential + s->p.n;
    *info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    int64_t n = s->p.n;
    int done = CHECK_OK(farsum_plan_create(&p, &o, &plan))
               && CHECK_OK(farsum_plan_set_points(plan, n, s->p.x, 0, NULL))
               && CHECK_OK(farsum_plan_execute(plan, 1, s->p.q, &out))
               && CHECK_OK(farsum_plan_get_info(plan, info));
    snprintf(reason, sizeof reason, "%s",
             info->precision_reason ? info->precision_reason : "");
    farsum_plan_destroy(plan);
    return done;
}

static void words(const farsum_plan_info *info, double tolerance)
{
    static const char *const name[] = {"", "f64", "f32", "mixed"};
    if (!CHECK(info->precision >= FARSUM_F64 && info->precision <= FARSUM_MIXED,
               "precision %d", (int)info->precision))
        return;
    CHECK(strncmp(reason, name[info->precision], strlen(name[info->precision]))
              == 0,
          "%s is not first in \"%s\"", name[info->precision], reason);
    CHECK(strstr(reason, "f64") && strstr(reason, "f32")
              && strstr(reason, "estimated"),
          "%g: \"%s\"", tolerance, reason);
}

/* Results equal those with the chosen precision named, and keep the
 * tolerance. */
static void chosen_is_as_named(void)
{
    static const double tolerances[] = {1e-2, 1e-4, 1e-7, 1e-11};
    struct system s;
    system_load(&s, "uniform", "laplace n=1000 seed=4");
    system_reference(&s);
    double *mine = check_memory(8 * (size_t)s.p.n, sizeof *mine);
    double *named = mine + 4 * s.p.n;
    for (int k = 0; k < 4; k++) {
        farsum_plan_info info, again;
        double tolerance = tolerances[k], off = 0, size = 0;
        if (!sum(&s, FARSUM_AUTO, 0, tolerance, "spectral", mine,
                 &info))
            continue;
        words(&info, tolerance);
        printf("%g: %s\n", tolerance, reason);
        if (tolerance < 4e-7) /* the smallest tolerance for pairs in f32 */
            CHECK(info.precision == FARSUM_F64 && strstr(reason, "; f32: "),
                  "%g: \"%s\"", tolerance, reason);
        if (!sum(&s, info.precision, FARSUM_F64, tolerance, "spectral", named,
                 &again))
            continue;
        CHECK(memcmp(mine, named, 4 * (size_t)s.p.n * sizeof *mine) == 0,
              "%g: not the sums of the precision that was chosen", tolerance);
        CHECK(!reason[0], "where it was named: \"%s\"", reason);
        for (int64_t i = 0; i < 3 * s.p.n; i++) {
            double q = s.p.q[i / 3], f = q * s.field[i];
            double e = q * mine[s.p.n + i] - f;
            off += e * e;
            size += f * f;
        }
        CHECK(off <= tolerance * tolerance * size, "%g: measured %.3g",
              tolerance, sqrt(off / size));
    }
    free(mine);
    system_free(&s);
}

/* Only spectral has mixed sums; direct sums in f64 for any request. */
static void other_methods(void)
{
    static const char *const methods[] = {"direct", "fmm", NULL};
    struct system s;
    system_load(&s, "open", "laplace n=800 cell=open");
    double *out = check_memory(4 * (size_t)s.p.n, sizeof *out);
    for (int k = 0; k < 3; k++) {
        farsum_plan_info info;
        if (!sum(&s, FARSUM_AUTO, FARSUM_F64, 1e-3, methods[k], out,
                 &info))
            continue;
        words(&info, 1e-3);
        CHECK(info.precision != FARSUM_MIXED
                  && !strstr(reason, "mixed"),
              "%s: \"%s\"", methods[k] ? methods[k] : "auto", reason);
    }
    free(out);
    system_free(&s);
}

/* The reported precision is the actual one: references sum in f64. */
static void done_is_told(void)
{
    static const char *const methods[] = {"direct", "ewald", NULL};
    for (int k = 0; k < 3; k++) {
        struct system s;
        farsum_plan_info info;
        system_load(&s, "told", k == 1 ? "laplace n=300 seed=4"
                                       : "laplace n=300 cell=open seed=4");
        double *out = check_memory(4 * (size_t)s.p.n, sizeof *out);
        if (sum(&s, FARSUM_F32, FARSUM_F64, 1e-12, methods[k], out, &info))
            CHECK(info.precision == FARSUM_F64, "%s: precision %d",
                  info.method, (int)info.precision);
        if (sum(&s, FARSUM_MIXED, FARSUM_F64, 1e-5, methods[k], out, &info))
            CHECK(info.precision == FARSUM_F64, "%s: precision %d",
                  info.method, (int)info.precision);
        free(out);
        system_free(&s);
    }
}

static void note(const char *line, void *data)
{
    snprintf(data, 200, "%s", line);
}

/* In open space a kernel without a fast method is summed directly, and the
 * message reports how long that takes. */
static void long_sums_are_told(void)
{
    char line[200] = "";
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    p.kernel = "yukawa";
    p.kappa = 1;
    p.n_sources = 1000000;
    o.threads = 1;
    o.log = note;
    o.log_data = line;
    CHECK_OK(farsum_plan_tune(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.method, "direct") == 0, "method %s", info.method);
    CHECK(strstr(info.method_reason, "about 2.78 hours"), "\"%s\"",
          info.method_reason);
    CHECK(strstr(line, "direct") && strstr(line, "about 2.78 hours"), "\"%s\"",
          line);
    farsum_plan_destroy(plan);
}

static void refusals(void)
{
    REFUSED(s.problem.precision = (farsum_precision)5, ERR_ARGUMENT,
            "precision is 5");
    REFUSED(s.problem.arrays = FARSUM_AUTO, ERR_ARGUMENT, "arrays");
    /* the message of f64, which comes closest */
    REFUSED((s.problem.precision = FARSUM_AUTO,
             s.options.method = "spectral", s.problem.tolerance = 1e-16),
            ERR_TOLERANCE, "1e-16");
    /* no reference instead, but advice */
    REFUSED((s.problem.precision = FARSUM_F32, s.problem.arrays = FARSUM_F64,
             s.options.method = NULL, s.problem.tolerance = 1e-12),
            ERR_TOLERANCE, "below 4e-07, the best that f32 reaches",
            "f64 reaches 1e-12: use precision f64");
    REFUSED((s.problem.precision = FARSUM_MIXED, s.options.method = NULL,
             s.problem.tolerance = 1e-12),
            ERR_TOLERANCE, "mixed reaches",
            "f64 reaches 1e-12: use precision f64");
    REFUSED((s.problem.precision = FARSUM_AUTO, s.options.method = "direct"),
            ERR_UNSUPPORTED, "method direct", "periodic");
}

void api_precisions(void)
{
    RUN(chosen_is_as_named);
    RUN(other_methods);
    RUN(done_is_told);
    RUN(long_sums_are_told);
    RUN(refusals);
}
