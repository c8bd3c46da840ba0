/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: tests of the cost model: operations counted by hand and by loops
 * over particles, predicted times, and rates of the host and of a device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "farsum/model.h"
#include "plan/model.h"
#include "stage/fft/fft.h"
#include "stage/interp/interp.h"
#include "stage/near/near.h"
#include "stage/spread/spread.h"

enum { SMALL_CACHE = 8 << 20 };

static double random_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Counted in the formulas, for polynomials of 5 coefficients: P and G cost 4
 * multiply-adds each. */
static void test_pairs(void **state)
{
    static const struct {
        const char *kernel;
        int value, slope;
        double fma, add, mul;
    } expected[] = {
        /* q (y - P): add, and the sum's multiply-add */
        {"laplace", 1, 0, 4 + 1, 1, 0},
        /* y y y - G: two products, the second with the difference */
        {"laplace", 0, 1, 4 + 1, 0, 1},
        {"r6", 1, 0, 4 + 2, 0, 2},
        /* a = y - P; f.d; y^3 - G; their product; three times a f + b d, and
         * to the sum */
        {"stokeslet", 1, 0, 8 + 2 + 1 + 3, 1 + 3, 1 + 1 + 1 + 3},
        /* y^3 - G; three of a cross product, and to the sum */
        {"rotlet", 1, 0, 4 + 1 + 3 + 3, 0, 1 + 3},
    };
    const int terms[4] = {5, 5, 5, 5};
    (void)state;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        struct count c = {{0}};
        assert_true(count_pair(expected[k].kernel, expected[k].value,
                               expected[k].slope, terms, 2, &c));
        assert_true(c.calls[COUNT_FMA] == 2 * expected[k].fma);
        assert_true(c.calls[COUNT_ADD] == 2 * expected[k].add);
        assert_true(c.calls[COUNT_MUL] == 2 * expected[k].mul);
        for (int i = COUNT_DIV; i < COUNT_KINDS; i++)
            assert_true(c.calls[i] == 0);
    }
    struct count c = {{0}};
    assert_false(count_pair("no such", 1, 1, terms, 1, &c));
    assert_false(count_closed("yukawa", 1, 1, 1, &c));
}

/* Every kernel of a mesh is counted, near and far; in closed form erfc and
 * exp occur once. */
static void test_kernels(void **state)
{
    const int terms[4] = {3, 3, 3, 3};
    (void)state;
    for (int k = 0; pair_rows[k].name; k++) {
        if (pair_rows[k].kind->moments) /* only the references sum it */
            continue;
        struct count near = {{0}}, far = {{0}};
        assert_true(count_pair(pair_rows[k].name, 1, 1, terms, 1, &near));
        assert_true(near.calls[COUNT_FMA] >= 2 * pair_rows[k].polys);
        assert_true(count_mode(pair_rows[k].name, 1, &far));
        assert_true(far.calls[COUNT_MUL] >= 2);
    }
    for (int both = 0; both < 2; both++) {
        struct count c = {{0}};
        assert_true(count_closed("laplace", 1, both, 1, &c));
        assert_true(c.calls[COUNT_ERFC] == 1 && c.calls[COUNT_EXP] == 1);
        assert_true(c.calls[COUNT_MUL] >= 5);
    }
}

/* A periodic cube of 6 cutoffs with uniform points: pairs that variants test
 * and sum, counted by loops. */
enum { POINTS = 1500 };
static void test_looked(void **state)
{
    const double edge = 6, rows[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    static double x[POINTS][3];
    uint64_t seed = 7;
    struct cell cell;
    double within = 0, around = 0;
    (void)state;
    assert_int_equal(cell_set(&cell, rows, 1), FARSUM_OK);
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++)
            x[i][d] = edge * random_next(&seed);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++) {
            double r2 = 0;
            int close = 1;
            for (int d = 0; d < 3; d++) {
                double r = x[i][d] - x[j][d];
                int step = abs((int)x[i][d] - (int)x[j][d]);
                r -= edge * round(r / edge);
                r2 += r * r;
                close = close && (step <= 1 || step == (int)edge - 1);
            }
            within += r2 < 1;
            around += close; /* in one of 27 cells */
        }
    struct near_poly poly = {.n = 5, .c = {{1, 1, 1, 1, 1}, {1, 1, 1, 1}}};
    struct device device = {.properties = {.subgroup = 1, .f64 = 1}};
    struct split split;
    assert_int_equal(split_set(&split, "gaussian", 40), FARSUM_OK);
    struct near_args args = {.precision = FARSUM_F64,
                             .outputs = FARSUM_POTENTIAL,
                             .cell = &cell,
                             .poly = &poly,
                             .n_sources = POINTS,
                             .neighbours = within / POINTS,
                             .split = &split,
                             .device = &device};
    struct work plain = {.launches = 0}, team = {.launches = 0};
    const struct variant_row *row = near_stage.rows;
    near_stage.work(&args, &plain);
    while (strcmp(row->name, "gm_1d") != 0)
        row++;
    stage_work(&near_stage, row, &args, &team);
    /* for those within: 3 differences, y - P; one root; 2 for the square, v, 4
     * of P, 1 for the sum */
    assert_float_equal(plain.count.calls[COUNT_RSQRT], within, 1e-6 * within);
    assert_float_equal(plain.count.calls[COUNT_ADD], 4 * within, 1e-6 * within);
    assert_float_equal(plain.count.calls[COUNT_FMA], 8 * within, 1e-6 * within);
    assert_true(plain.count.calls[COUNT_ERFC] == 0);
    /* threads outside of warps sum only the pairs within */
    assert_float_equal(team.count.calls[COUNT_ERFC], within, 1e-6 * within);
    assert_float_equal(team.count.calls[COUNT_EXP], within, 1e-6 * within);
    assert_float_equal(team.count.calls[COUNT_ADD] / 3, around, 0.05 * around);
    /* a warp's threads sum for each other, but no more pairs than are tested */
    device.properties.subgroup = 32;
    struct work step = {.launches = 0};
    stage_work(&near_stage, row, &args, &step);
    assert_true(step.count.calls[COUNT_ERFC] > 3 * within);
    assert_true(step.count.calls[COUNT_ERFC] < around);
}

/* Counts of the loops that spread and interpolate. */
static void test_mesh(void **state)
{
    enum { N = 3, P = 4, D = 5, C = 2 };
    struct window window = {.support = P, .degree = D};
    struct spread_args spread = {.precision = FARSUM_F64,
                                 .mesh = {8, 6, 10},
                                 .ldz = 10,
                                 .channels = C,
                                 .window = &window,
                                 .n = N};
    struct interp_args interp = {.precision = FARSUM_F32,
                                 .outputs = FARSUM_POTENTIAL | FARSUM_FIELD,
                                 .mesh = {8, 6, 10},
                                 .ldz = 10,
                                 .window = &window,
                                 .n = N};
    struct work s = {.launches = 0}, t = {.launches = 0};
    double fma = 0, mul = 0, along = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        for (int axis = 0; axis < 3; axis++, fma++) /* the place */
            for (int p = 0; p < P; p++)
                for (int d = 0; d < D; d++)
                    fma++;
        for (int a = 0; a < P; a++) {
            mul += C; /* strengths times the weights of x */
            for (int b = 0; b < P; b++) {
                mul++; /* weights of y and z */
                for (int c = 0; c < P; c++)
                    fma += C;
            }
        }
    }
    spread_stage.work(&spread, &s);
    assert_true(s.count.calls[COUNT_FMA] == fma);
    assert_true(s.count.calls[COUNT_MUL] == mul);
    assert_true(s.read == N * (24 + 8 * C) && s.written == 8 * 6 * 10 * 8 * C);
    for (int i = 0; i < N; i++) {
        along += 9 + 3; /* out of fractions; the place */
        along += 3 * P * (D + D - 1);
        for (int a = 0; a < P; a++, along += 4)
            for (int b = 0; b < P; b++, along += 3)
                for (int c = 0; c < P; c++)
                    along += 2;
    }
    interp_stage.work(&interp, &t);
    assert_true(t.count.calls[COUNT_FMA] == along);
    assert_true(t.read == N * 24 + 4 * (8 * 6 * 10 + 4 * N));
}

/* (5/2) n log2 n flops of a real transform, each axis read and written. */
static void test_fft(void **state)
{
    struct fft_args args = {
        .precision = FARSUM_F64, .mesh = {16, 16, 16}, .ldz = 18};
    struct work w = {.launches = 0};
    const double *c = w.count.calls;
    (void)state;
    fft_stage.work(&args, &w);
    assert_float_equal(2 * c[COUNT_FMA] + c[COUNT_ADD] + c[COUNT_MUL],
                       2.5 * 4096 * 12, 1e-9);
    assert_float_equal(w.read + w.written, 3 * 2 * 8 * 4096, 1e-9);
}

/* The longest part is the bound. */
static void test_bound(void **state)
{
    struct model_rates rates = {.seconds = {1, 1, 1, 4, 6, 10, 40},
                                .byte = 0.5, .cache_byte = 0.125,
                                .cache = 1000, .launch = 7};
    struct work work = {.count = {{10, 0, 0, 0, 0, 1, 1}}, .read = 100};
    const char *bound;
    (void)state;
    /* 10 + 10 + 40 seconds, with a multiply-add of two flops per second */
    assert_float_equal(model_flops(&rates, &work.count), 120, 1e-9);
    assert_float_equal(model_seconds(&rates, &work, 500, 0, &bound), 60, 1e-9);
    assert_string_equal(bound, "flops");
    work.read = 1000;
    assert_float_equal(model_seconds(&rates, &work, 500, 0, &bound), 125, 1e-9);
    assert_string_equal(bound, "cache");
    assert_float_equal(model_seconds(&rates, &work, 2e3, 0, &bound), 500, 1e-9);
    assert_string_equal(bound, "bytes");
    work.launches = 100;
    assert_float_equal(model_seconds(&rates, &work, 2e3, 0, &bound), 700, 1e-9);
    assert_string_equal(bound, "launches");
    work.sums = 1000;
    assert_float_equal(model_seconds(&rates, &work, 2e3, 1, &bound), 1e3, 1e-9);
    assert_string_equal(bound, "sums");
}

/* Faster than any processor would mean that the work was not done.  A lower
 * limit is not tested, since others may use the processor too. */
static void test_host(void **state)
{
    struct machine_place place = {NULL, isa_best(), FARSUM_F64, 1};
    struct model_rates r, kept;
    (void)state;
    assert_int_equal(model_rates_get(&place, 1, &r), FARSUM_OK);
    assert_int_equal(r.kept, 0);
    for (int k = 0; k < COUNT_KINDS; k++)
        assert_true(r.seconds[k] > 1e-13 && isfinite(r.seconds[k]));
    assert_true(r.byte > 1e-13 && isfinite(r.byte));
    assert_true(r.cache_byte <= r.byte);
    assert_int_equal(model_rates_get(&place, 0, &kept), FARSUM_OK);
    if (!kept.kept) /* there is no folder to keep it in */
        return;
    assert_float_equal(kept.seconds[COUNT_ERFC], r.seconds[COUNT_ERFC],
                       1e-4 * r.seconds[COUNT_ERFC]);
    assert_float_equal(kept.cache, r.cache, 1e-4 * r.cache);
}

static void test_device(void **state)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct device *device = NULL;
    (void)state;
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        print_message("no device: %s\n", farsum_message());
        skip();
    }
    /* a server's cache is too large for a CPU's OpenCL device in seconds */
    if (device->properties.cache > SMALL_CACHE)
        device->properties.cache = SMALL_CACHE;
    for (int f = 0; f < 2; f++) {
        struct machine_place place = {device, isa_best(),
                                      f ? FARSUM_F32 : FARSUM_F64, 1};
        struct model_rates r;
        int64_t before = device->bytes;
        assert_int_equal(model_rates_get(&place, 1, &r), FARSUM_OK);
        assert_true(device->bytes == before);
        for (int k = 0; k < COUNT_KINDS; k++)
            assert_true(r.seconds[k] > 0 && isfinite(r.seconds[k]));
        assert_true(r.byte > 0 && r.launch > 0 && r.transfer > 0);
    }
    device_close(device);
}

/* The interface: a plan that was only tuned, one that has summed, and one
 * without stages. */
static void test_plan(void **state)
{
    enum { N = 500 };
    static double x[N][3], q[N], potential[N];
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_model model = FARSUM_MODEL_INIT, other = {.size = 1};
    farsum_plan *plan = NULL;
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < N; i++) {
        for (int d = 0; d < 3; d++)
            x[i][d] = 8 * random_next(&seed);
        q[i] = i % 2 ? 1 : -1;
    }
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = 8;
        problem.periodic[d] = 1;
    }
    problem.n_sources = N;
    problem.outputs = FARSUM_POTENTIAL;
    how.method = "spectral";
    how.threads = 1;
    assert_int_equal(farsum_plan_tune(&problem, &how, &plan), FARSUM_OK);
    assert_int_equal(farsum_plan_get_model(plan, 0, &model), FARSUM_OK);
    assert_int_equal(farsum_plan_get_model(plan, 0, &other),
                     FARSUM_ERR_ARGUMENT);
    assert_int_equal(farsum_plan_get_model(plan, 0, NULL), FARSUM_ERR_ARGUMENT);
    assert_int_equal(model.n_stages, 8);
    assert_true(model.predicted > 0 && model.planned > 0);
    assert_true(model.measured == 0 && model.stages[1].measured == 0);
    farsum_plan_destroy(plan);
    assert_int_equal(farsum_plan_create(&problem, &how, &plan), FARSUM_OK);
    assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL), FARSUM_OK);
    result.potential = potential;
    assert_int_equal(farsum_plan_execute(plan, 1, q, &result), FARSUM_OK);
    assert_int_equal(farsum_plan_get_model(plan, 0, &model), FARSUM_OK);
    double sum = 0;
    for (int k = 1; k < model.n_stages; k++)
        sum += model.stages[k].measured;
    assert_float_equal(sum, model.measured, 1e-9 + 1e-6 * sum);
    assert_true(model.machine.flop_equivalents[FARSUM_MODEL_FMA] == 2);
    for (int k = 0; k < model.n_stages; k++) {
        const farsum_model_stage *t = &model.stages[k];
        assert_true(t->flops > 0 && t->read > 0 && t->written > 0);
        assert_true(t->predicted > 0 && t->bound);
        if (t->measured > 0)
            assert_float_equal(t->share_of_peak,
                               t->flops / t->measured / model.machine.peak,
                               1e-9);
    }
    farsum_plan_destroy(plan);
    how.method = "ewald";
    assert_int_equal(farsum_plan_tune(&problem, &how, &plan), FARSUM_OK);
    assert_int_equal(farsum_plan_get_model(plan, 0, &model),
                     FARSUM_ERR_UNSUPPORTED);
    farsum_plan_destroy(plan);
    assert_string_equal(farsum_model_kind(FARSUM_MODEL_RSQRT), "rsqrt");
    assert_null(farsum_model_kind(FARSUM_MODEL_KINDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),  cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_looked), cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_fft),    cmocka_unit_test(test_bound),
        cmocka_unit_test(test_host),   cmocka_unit_test(test_device),
        cmocka_unit_test(test_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
