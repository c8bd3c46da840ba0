/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.c: the method fmm against the Ewald sum and the direct sum, through the
 * public interface. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cases.h"
#include "base/random.h"

enum { MOST = 1500 };

static uint64_t seed = 11;
static double uniform(void)
{
    return (double)(random_next(&seed) >> 11) * 0x1p-53;
}

struct sums {
    double potential[MOST], field[3 * MOST], energy, virial[9];
};

/* Particles and the request. */
struct setting {
    const char *name;
    int n, charged; /* 1: all charges +1 */
    farsum_problem problem;
    double x[3 * MOST], q[MOST];
    struct sums wanted, found;
};

static struct setting set; /* large */

static void setting_make(const char *name, int n, int charged,
                         const double *edge)
{
    set = (struct setting){.name = name, .n = n, .charged = charged};
    set.problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3 && edge; d++) {
        set.problem.cell[4 * d] = edge[d];
        set.problem.periodic[d] = 1;
    }
    for (int i = 0; i < 3 * n; i++) {
        double u = uniform(), size = edge ? edge[i % 3] : 1;
        if (name[0] == 's' && i % 3 == 2)
            size *= 0.05;
        if (name[0] == 'l' && i % 3 > 0)
            size = 0;
        set.x[i] = size * u;
    }
    for (int i = 0; i < n; i++) {
        if (name[0] == 'p') { /* Plummer's sphere */
            double m = 0.99 * uniform() + 1e-6;
            double r = 1 / sqrt(pow(m, -2.0 / 3) - 1), z = 2 * uniform() - 1;
            double phi = 2 * M_PI * uniform(), rho = sqrt(1 - z * z);
            set.x[3 * i] = 7 + r * rho * cos(phi);
            set.x[3 * i + 1] = r * rho * sin(phi) - 3;
            set.x[3 * i + 2] = r * z;
        }
        set.q[i] = charged || i % 2 ? 1 : -1;
    }
    set.problem.n_sources = n;
    set.problem.sample_x = set.x;
    set.problem.sample_q = set.q;
}

static farsum_status run(const char *method, farsum_options options,
                         struct sums *to, farsum_plan_info *info)
{
    farsum_problem problem = set.problem;
    farsum_result result = FARSUM_RESULT_INIT;
    int open = !problem.periodic[0];
    problem.precision = strcmp(method, "fmm") ? FARSUM_F64 : problem.precision;
    problem.arrays = FARSUM_F64;
    if (strcmp(method, "fmm") != 0) {
        problem.tolerance = open ? 1e-14 : 1e-13;
        problem.error = FARSUM_ERROR_FORCE;
    }
    if (open)
        problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                          | FARSUM_VIRIAL;
    options.method = method;
    options.threads = options.threads ? options.threads : 2;
    result.potential = to->potential;
    result.field = to->field;
    result.energy = &to->energy;
    result.virial = open ? to->virial : NULL;
    return sum_once(&problem, &options, set.n, set.x, 0, NULL, set.q, &result,
                    info);
}

static void reference(void)
{
    CHECK_OK(run(set.problem.periodic[0] ? "ewald" : "direct",
                 (farsum_options)FARSUM_OPTIONS_INIT, &set.wanted, NULL));
}

static double error_of(int n, const double *a, const double *b)
{
    double error = 0, size = 0;
    for (int i = 0; i < n; i++) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(error / size);
}

static double force_error(void)
{
    double error = 0, size = 0, least = 0;
    for (int i = 0; i < 3 * set.n; i++) {
        double d = set.found.field[i] - set.wanted.field[i];
        error += d * d;
        size += set.wanted.field[i] * set.wanted.field[i];
    }
    if (set.problem.periodic[0])
        least = pow(set.n / (set.problem.cell[0] * set.problem.cell[4]
                             * set.problem.cell[8]),
                    2.0 / 3);
    return sqrt(error / set.n) / fmax(sqrt(size / set.n), least);
}

/* A tolerance is kept, and the estimate is near the measured error. */
static void ladder(farsum_precision precision, double tolerance)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    set.problem.precision = precision;
    set.problem.tolerance = tolerance;
    CHECK_OK(run("fmm", (farsum_options)FARSUM_OPTIONS_INIT, &set.found,
                 &info));
    double error = force_error();
    CHECK(error <= tolerance, "%s %s: error %.3g, tolerance %.3g (order %d)",
          set.name, precision == FARSUM_F32 ? "f32" : "f64", error, tolerance,
          info.order);
    CHECK(info.estimated_error <= tolerance * 1.5,
          "%s: estimate %.3g, tolerance %.3g", set.name, info.estimated_error,
          tolerance);
    CHECK(error <= 5 * info.estimated_error, "%s: error %.3g, estimate %.3g",
          set.name, error, info.estimated_error);
    double size = 0;
    for (int i = 0; i < set.n; i++)
        size += 0.5 * fabs(set.q[i] * set.wanted.potential[i]);
    CHECK_NEAR(set.found.energy, set.wanted.energy, 100 * tolerance * size);
}

static void tolerances_are_kept(void)
{
    static const double cube[3] = {10, 10, 10}, brick[3] = {8, 13, 20};
    static const struct {
        const char *name;
        int n, charged;
        const double *edge;
    } all[] = {
        {"cube", 1000, 0, cube},   {"cube, charged", 1000, 1, cube},
        {"brick", 1200, 0, brick}, {"open", 1000, 0, NULL},
        {"open, charged", 1000, 1, NULL}, {"plummer", 1500, 1, NULL},
        {"plummer", 1000, 0, NULL}, {"slab", 1000, 0, NULL},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        setting_make(all[k].name, all[k].n, all[k].charged, all[k].edge);
        reference();
        ladder(FARSUM_F64, 1e-3);
        ladder(FARSUM_F64, 1e-6);
        ladder(FARSUM_F64, 1e-9);
        ladder(FARSUM_F32, 1e-4);
    }
}

/* Potentials include their constant, for any boxes. */
static void high_orders_are_ewald(void)
{
    static const double edge[3] = {5, 6, 7};
    for (int charged = 0; charged < 2; charged++)
        for (int vacuum = 0; vacuum < 2; vacuum++) {
            farsum_options options = FARSUM_OPTIONS_INIT;
            setting_make("brick", 300, charged, edge);
            set.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
            reference();
            options.fmm.order = 30;
            options.fmm.separation = 2;
            CHECK_OK(run("fmm", options, &set.found, NULL));
            CHECK_NEAR(error_of(set.n, set.found.potential,
                                set.wanted.potential), 0, 1e-10);
            CHECK_NEAR(error_of(3 * set.n, set.found.field, set.wanted.field),
                       0, 1e-10);
            CHECK_NEAR(set.found.energy / set.wanted.energy, 1, 1e-10);
            options.fmm.order = 12;
            options.fmm.separation = 2;
            options.fmm.levels = 2;
            options.fmm.boxes[0] = 1,
            options.fmm.boxes[1] = options.fmm.boxes[2] = 2;
            CHECK_OK(run("fmm", options, &set.found, NULL));
            CHECK_NEAR(error_of(set.n, set.found.potential,
                                set.wanted.potential), 0, 1e-5);
        }
}

static void open_sums_are_direct(void)
{
    static const char *const trees[] = {"dense", "sparse"};
    for (int k = 0; k < 2; k++) {
        farsum_options options = FARSUM_OPTIONS_INIT;
        setting_make("plummer", 800, 0, NULL);
        reference();
        options.fmm.tree = trees[k];
        options.fmm.order = 24;
        CHECK_OK(run("fmm", options, &set.found, NULL));
        CHECK_NEAR(error_of(set.n, set.found.potential, set.wanted.potential),
                   0, 1e-7);
        CHECK_NEAR(error_of(3 * set.n, set.found.field, set.wanted.field), 0,
                   1e-7);
        CHECK_NEAR(error_of(9, set.found.virial, set.wanted.virial), 0, 1e-6);
    }
}

static void few_points_are_summed(void)
{
    farsum_options options = FARSUM_OPTIONS_INIT;
    for (int n = 1; n <= 3; n++)
        for (int k = 0; k < 2; k++) {
            static const double edge[3] = {2, 2, 2};
            setting_make(k ? "line" : "few", n, 1, k ? edge : NULL);
            set.problem.error = FARSUM_ERROR_POTENTIAL;
            reference();
            CHECK_OK(run("fmm", (farsum_options)FARSUM_OPTIONS_INIT,
                         &set.found, NULL));
            for (int i = 0; i < n; i++)
                CHECK_NEAR(set.found.potential[i], set.wanted.potential[i],
                           1e-4 * fabs(set.wanted.potential[i]) + 1e-12);
        }
    setting_make("line", 500, 0, NULL);
    reference();
    options.fmm.order = 20;
    CHECK_OK(run("fmm", options, &set.found, NULL));
    CHECK_NEAR(error_of(set.n, set.found.potential, set.wanted.potential), 0,
               1e-7);
}

static void refusals_say_why(void)
{
    static const double edge[3] = {3, 3, 3};
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    options.method = "fmm";
    setting_make("cube", 100, 0, edge);
    set.problem.outputs = 0;
    set.problem.cell[3] = 0.5;
    CHECK_FAILS(farsum_plan_create(&set.problem, &options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("right angles");
    set.problem.cell[3] = 0;
    set.problem.kernel = "r6";
    CHECK_FAILS(farsum_plan_create(&set.problem, &options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("solid harmonics");
    set.problem.kernel = NULL;
    options.fmm.tree = "oak";
    CHECK_FAILS(farsum_plan_create(&set.problem, &options, &plan),
                FARSUM_ERR_UNKNOWN);
    options.fmm.tree = NULL;
    options.fmm.order = 41;
    CHECK_FAILS(farsum_plan_create(&set.problem, &options, &plan),
                FARSUM_ERR_ARGUMENT);
}

/* Separate targets, two right-hand sides, an excluded pair: each against an
 * independent sum. */
static void targets_and_sets_of_strengths(void)
{
    static const double edge[3] = {4, 4, 4};
    farsum_options options = FARSUM_OPTIONS_INIT;
    double q[2 * 200], found[2 * 100], wanted[2 * 100];
    const int64_t pair[2] = {5, 9};
    for (int k = 0; k < 2; k++) {
        farsum_result result = FARSUM_RESULT_INIT;
        setting_make("cube", 300, 0, edge);
        farsum_problem problem = set.problem;
        farsum_plan *plan = NULL;
        problem.n_sources = 200;
        problem.n_targets = 100;
        problem.outputs = FARSUM_POTENTIAL;
        problem.tolerance = k ? 1e-6 : 1e-12;
        problem.n_exclusions = 1;
        problem.exclusions = pair;
        options.method = k ? "fmm" : "ewald";
        options.fmm.order = k ? 20 : 0;
        for (int i = 0; i < 400; i++)
            q[i] = i < 200 ? set.q[i] : i % 7 - 2.5;
        result.potential = k ? found : wanted;
        CHECK_OK(farsum_plan_create(&problem, &options, &plan));
        seed = 99;
        for (int i = 0; i < 900; i++)
            set.x[i] = 4 * uniform();
        CHECK_OK(farsum_plan_set_points(plan, 200, set.x, 100, set.x + 600));
        CHECK_OK(farsum_plan_execute(plan, 2, q, &result));
        farsum_plan_destroy(plan);
    }
    CHECK_NEAR(error_of(200, found, wanted), 0, 2e-7);
}

int main(void)
{
    RUN(few_points_are_summed);
    RUN(refusals_say_why);
    RUN(targets_and_sets_of_strengths);
    RUN(open_sums_are_direct);
    RUN(high_orders_are_ewald);
    RUN(tolerances_are_kept);
    return check_end();
}
