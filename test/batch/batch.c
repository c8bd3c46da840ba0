/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c: batches against plans of method ewald: errors and estimates, equal
 * bits in any company and by any number of threads, faults of single
 * systems. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "batch/systems.h"
#include "check.h"

static const int64_t sizes[] = {1,  2,  3,   5,  8,   0,   16, 20,
                                33, 64, 100, 100, 150, 240, 500};
enum { SIZES = sizeof sizes / sizeof *sizes };

static farsum_batch *made(const farsum_problem *problem, int threads)
{
    farsum_batch *batch = NULL;
    farsum_options how = FARSUM_OPTIONS_INIT;
    how.threads = threads;
    if (farsum_batch_create(problem, &how, &batch) != FARSUM_OK)
        check_stop("create: %s", farsum_message());
    return batch;
}

static farsum_batch_system state(const farsum_batch *batch, int64_t s)
{
    farsum_batch_system info = FARSUM_BATCH_SYSTEM_INIT;
    CHECK_OK(farsum_batch_get_system(batch, s, &info));
    return info;
}

static void sum(farsum_batch *batch, const struct systems *s, struct sums *to)
{
    farsum_result out = sums_result(to);
    CHECK_OK(farsum_batch_set(batch, s->count, s->offsets, s->cells, s->x));
    CHECK_OK(farsum_batch_execute(batch, 1, s->q, &out));
}

/* Estimates are within a factor 5, with few particles above the error by
 * chance.  One or two have errors that vanish by symmetry. */
static void compare(const farsum_batch_system *info, struct errors e,
                    double tolerance, farsum_error_kind kind)
{
    double error = kind == FARSUM_ERROR_POTENTIAL ? e.potential : e.force;
    CHECK(error <= tolerance, "%lld sources, %s: error %.2g, tolerance %.0e, "
                              "estimate %.2g",
          (long long)info->n, info->method, error, tolerance,
          info->estimated_error);
    CHECK(info->estimated_error <= tolerance, "estimate %.2g, tolerance %.0e",
          info->estimated_error, tolerance);
    CHECK(e.energy <= 3 * tolerance && e.virial <= 30 * tolerance,
          "%lld sources, %s, %.0e: energy %.2g, virial %.2g",
          (long long)info->n, info->method, tolerance, e.energy, e.virial);
    if (strcmp(info->method, "waves") != 0 || error < 1e-12 || info->n < 3)
        return;
    double ratio = info->estimated_error / error, few = info->n < 16 ? 20 : 5;
    CHECK(ratio < few && ratio > 1 / 5.0,
          "%lld sources, %.0e: estimate %.2g, error %.2g (f32 %d, waves %lld)",
          (long long)info->n, tolerance, info->estimated_error, error,
          info->f32_pairs, (long long)info->waves);
}

static void test_errors(void)
{
    struct systems s = systems_make(SIZES, sizes, 1);
    struct sums wanted = sums_reference(&s), got = sums_make(&s);
    for (int k = 3; k <= 10; k++)
        for (int kind = FARSUM_ERROR_FORCE; kind <= FARSUM_ERROR_POTENTIAL;
             kind++) {
            double tolerance = pow(10, -k), worst = 0;
            farsum_problem problem = systems_problem(tolerance);
            problem.error = (farsum_error_kind)kind;
            farsum_batch *batch = made(&problem, 0);
            sum(batch, &s, &got);
            for (int64_t i = 0; i < s.count; i++) {
                farsum_batch_system info = state(batch, i);
                CHECK_OK(info.status);
                if (info.n == 0)
                    continue;
                struct errors e = sums_errors(&s, i, &got, &wanted);
                compare(&info, e, tolerance, problem.error);
                worst = fmax(worst, kind == FARSUM_ERROR_FORCE ? e.force
                                                               : e.potential);
            }
            printf("  %.0e, norm %d: %.2g\n", tolerance, kind, worst);
            farsum_batch_destroy(batch);
        }
    sums_free(&wanted);
    sums_free(&got);
    systems_free(&s);
}

/* Crystals of NaCl, whose waves add up in phase. */
static void test_crystals(void)
{
    static double x[216][3], q[216], phi[216];
    const double madelung = -1.74756459463318 * 2.5;
    for (int m = 2; m <= 6; m += 2)
        for (int k = 3; k <= 9; k++) {
            const int64_t offsets[] = {0, m * m * m};
            double cell[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, worst = 0;
            farsum_problem problem = systems_problem(pow(10, -k));
            farsum_result out = FARSUM_RESULT_INIT;
            problem.error = FARSUM_ERROR_POTENTIAL;
            farsum_batch *batch = made(&problem, 1);
            out.potential = phi;
            for (int i = 0; i < m * m * m; i++) {
                int at[3] = {i % m, i / m % m, i / m / m};
                for (int d = 0; d < 3; d++)
                    x[i][d] = at[d];
                q[i] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
            }
            CHECK_OK(farsum_batch_set(batch, 1, offsets, cell, x));
            CHECK_OK(farsum_batch_execute(batch, 1, q, &out));
            for (int i = 0; i < m * m * m; i++)
                worst = fmax(worst, fabs(phi[i] * q[i] / madelung - 1));
            CHECK(worst <= problem.tolerance, "%d ions, 1e-%d: error %.2g, "
                                              "estimate %.2g",
                  m * m * m, k, worst, state(batch, 0).estimated_error);
            farsum_batch_destroy(batch);
        }
}

static void test_absolute(void)
{
    struct systems s = systems_make(SIZES, sizes, 7);
    for (int64_t i = 0; i < s.n; i++)
        s.q[i] *= 20;
    struct sums wanted = sums_reference(&s), got = sums_make(&s);
    farsum_problem problem = systems_problem(1e-4);
    problem.error = FARSUM_ERROR_ABSOLUTE;
    farsum_batch *batch = made(&problem, 0);
    sum(batch, &s, &got);
    for (int64_t k = 0; k < s.count; k++) {
        double square = 0, n = (double)(s.offsets[k + 1] - s.offsets[k]);
        for (int64_t i = s.offsets[k]; i < s.offsets[k + 1]; i++)
            for (int d = 0; d < 3; d++) {
                double e = got.field[3 * i + d] - wanted.field[3 * i + d];
                square += s.q[i] * s.q[i] * e * e;
            }
        CHECK(n == 0 || sqrt(square / n) <= 1e-4, "system %lld: error %.2g",
              (long long)k, sqrt(square / n));
        CHECK(n < 16 || strcmp(state(batch, k).method, "waves") != 0
                  || state(batch, k).sums > 1,
              "system %lld: one sum", (long long)k);
    }
    farsum_batch_destroy(batch);
    sums_free(&wanted);
    sums_free(&got);
    systems_free(&s);
}

/* Each system on its own, in another order, by 1 and 3 threads, after other
 * calls: the same bits. */
static void company(double tolerance)
{
    const int64_t other[] = {700, 12, 100, 3};
    struct systems s = systems_make(SIZES, sizes, 3);
    struct systems o = systems_make(4, other, 4);
    struct sums all = sums_make(&s), one = sums_make(&s), rest = sums_make(&o);
    farsum_problem problem = systems_problem(tolerance);
    farsum_batch *batch = made(&problem, 1), *three = made(&problem, 3);
    sum(batch, &s, &all);
    sum(three, &o, &rest);
    sum(three, &s, &one);
    CHECK(sums_same(all.potential, one.potential, s.n)
              && sums_same(all.field, one.field, 3 * s.n)
              && sums_same(all.energy, one.energy, s.count)
              && sums_same(all.virial, one.virial, 9 * s.count),
          "other bits by 3 threads, at %g", tolerance);
    sums_alone(batch, &s, &all, tolerance);
    farsum_batch_destroy(batch);
    farsum_batch_destroy(three);
    sums_free(&all);
    sums_free(&one);
    sums_free(&rest);
    systems_free(&s);
    systems_free(&o);
}

static void test_company(void)
{
    company(1e-3);
    company(1e-7);
}

/* The systems except for `bad` have the bits of `wanted`; those of `bad` are
 * -7, as before the call. */
static void others(const struct systems *s, int64_t bad,
                   const struct sums *wanted, const struct sums *got)
{
    for (int64_t k = 0; k < s->count; k++) {
        int64_t at = s->offsets[k], n = s->offsets[k + 1] - at;
        if (k == bad) {
            CHECK(n == 0 || (got->potential[at] == -7 && got->energy[k] == -7),
                  "system %lld has results", (long long)k);
            continue;
        }
        CHECK(sums_same(wanted->potential + at, got->potential + at, n)
                  && sums_same(wanted->energy + k, got->energy + k, 1),
              "system %lld is spoilt", (long long)k);
    }
}

static void fault(const struct systems *s, const struct sums *wanted,
                  int64_t bad, farsum_status status, const char *words,
                  int at_set)
{
    struct sums got = sums_make(s);
    char text[40];
    farsum_problem problem = systems_problem(1e-4);
    farsum_batch *batch = made(&problem, 2);
    farsum_result out = sums_result(&got);
    for (int64_t i = 0; i < s->n; i++)
        got.potential[i] = -7;
    for (int64_t k = 0; k < s->count; k++)
        got.energy[k] = -7;
    snprintf(text, sizeof text, "system %lld: ", (long long)bad);
    farsum_status set = farsum_batch_set(batch, s->count, s->offsets, s->cells,
                                         s->x);
    CHECK(set == (at_set ? status : FARSUM_OK), "set: %s", farsum_message());
    if (at_set)
        CHECK_SAYS(text);
    CHECK_FAILS(farsum_batch_execute(batch, 1, s->q, &out), status);
    CHECK_SAYS(text);
    CHECK_SAYS(words);
    others(s, bad, wanted, &got);
    for (int64_t k = 0; k < s->count; k++)
        CHECK(state(batch, k).status == (k == bad ? status : FARSUM_OK),
              "status of system %lld", (long long)k);
    farsum_batch_destroy(batch);
    sums_free(&got);
}

static void test_faults(void)
{
    int64_t n[24];
    for (int k = 0; k < 24; k++)
        n[k] = k == 5 ? 600 : k == 9 ? 0 : 20 + k;
    struct systems s = systems_make(24, n, 5);
    struct sums wanted = sums_make(&s);
    farsum_problem problem = systems_problem(1e-4);
    farsum_batch *batch = made(&problem, 1);
    sum(batch, &s, &wanted);
    farsum_batch_destroy(batch);
    double *x = s.x + 3 * s.offsets[17], kept[9];
    memcpy(kept, x, sizeof kept);
    x[4] = NAN;
    fault(&s, &wanted, 17, FARSUM_ERR_POSITION, "source 1", 1);
    memcpy(x, kept, sizeof kept);
    for (int d = 0; d < 3; d++) /* a lattice vector apart */
        x[6 + d] = x[d] + s.cells[9 * 17 + 3 + d];
    fault(&s, &wanted, 17, FARSUM_ERR_COINCIDENT, "sources 0 and 2", 0);
    memcpy(x, kept, sizeof kept);
    double *q = s.q + s.offsets[17] + 3, strength = *q;
    *q = INFINITY;
    fault(&s, &wanted, 17, FARSUM_ERR_STRENGTH, "strength 3", 0);
    *q = strength;
    double *cell = s.cells + 9 * 17;
    memcpy(kept, cell, sizeof kept);
    memcpy(cell + 6, cell, 3 * sizeof *cell);
    fault(&s, &wanted, 17, FARSUM_ERR_CELL, "", 1);
    memcpy(cell, kept, sizeof kept);
    s.q[s.offsets[5] + 1] = NAN; /* a plan's system */
    fault(&s, &wanted, 5, FARSUM_ERR_STRENGTH, "strength 1", 0);
    sums_free(&wanted);
    systems_free(&s);
}

/* Points that f32 cannot tell apart are summed in f64; those in one place may
 * be left out. */
static void test_close(void)
{
    int64_t n[] = {40};
    struct systems s = systems_make(1, n, 6);
    struct sums got = sums_make(&s);
    farsum_problem problem = systems_problem(1e-3);
    problem.exclude_coincident = 1;
    farsum_batch *batch = made(&problem, 1);
    memcpy(s.x, s.x + 3, 3 * sizeof *s.x);
    sum(batch, &s, &got);
    CHECK(isfinite(got.energy[0]), "energy %g", got.energy[0]);
    s.x[0] += 1e-11;
    struct sums wanted = sums_reference(&s);
    sum(batch, &s, &got);
    struct errors e = sums_errors(&s, 0, &got, &wanted);
    CHECK(e.force <= 1e-3 && state(batch, 0).f32_pairs == 0, "error %g",
          e.force);
    farsum_batch_destroy(batch);
    sums_free(&got);
    sums_free(&wanted);
    systems_free(&s);
}

/* f32 arrays, several right-hand sides, other kernels and open space. */
static void test_kinds(void)
{
    struct systems s = systems_make(SIZES, sizes, 9);
    struct sums wanted = sums_reference(&s);
    float *x = check_memory((size_t)s.n * 3, 4), *q = check_memory((size_t)s.n
                                                                   * 2, 4);
    float *field = check_memory((size_t)s.n * 6, 4);
    for (int64_t i = 0; i < 3 * s.n; i++)
        x[i] = (float)s.x[i];
    for (int64_t i = 0; i < s.n; i++)
        q[i] = (float)s.q[i], q[s.n + i] = -2 * q[i];
    farsum_problem problem = systems_problem(1e-4);
    problem.precision = FARSUM_F32;
    farsum_batch *batch = made(&problem, 2);
    farsum_result out = FARSUM_RESULT_INIT;
    out.field = field;
    CHECK_OK(farsum_batch_set(batch, s.count, s.offsets, s.cells, x));
    CHECK_OK(farsum_batch_execute(batch, 2, q, &out));
    for (int64_t i = 0; i < 3 * s.n; i++)
        CHECK_NEAR(field[i], -field[3 * s.n + i] / 2, 1e-3);
    for (int64_t i = 0; i < 3 * s.n; i++)
        CHECK_NEAR(field[i], wanted.field[i], 1e-2);
    farsum_batch_destroy(batch);
    problem = systems_problem(1e-6);
    memset(problem.periodic, 0, sizeof problem.periodic);
    batch = made(&problem, 2);
    struct sums got = sums_make(&s);
    out = sums_result(&got);
    CHECK_OK(farsum_batch_set(batch, s.count, s.offsets, NULL, s.x));
    CHECK_OK(farsum_batch_execute(batch, 1, s.q, &out));
    CHECK_NEAR(got.energy[0], 0, 0);
    CHECK_NEAR(got.potential[1] * s.q[1], got.energy[1], 1e-9);
    farsum_batch_destroy(batch);
    free(x);
    free(q);
    free(field);
    sums_free(&got);
    sums_free(&wanted);
    systems_free(&s);
}

/* Slabs are summed by plans. */
static void test_slab(void)
{
    const int64_t n[] = {20, 12};
    struct systems s = systems_make(2, n, 11);
    farsum_problem problem = systems_problem(1e-5);
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    double energy[2], one = 0;
    farsum_result out = FARSUM_RESULT_INIT;
    problem.periodic[2] = 0;
    farsum_batch *batch = made(&problem, 2);
    out.energy = energy;
    CHECK_OK(farsum_batch_set(batch, 2, s.offsets, s.cells, s.x));
    CHECK_OK(farsum_batch_execute(batch, 1, s.q, &out));
    memcpy(problem.cell, s.cells + 9, sizeof problem.cell);
    problem.n_sources = n[1];
    how.threads = 1;
    how.verify = FARSUM_VERIFY_OFF;
    out.energy = &one;
    CHECK_OK(farsum_plan_create(&problem, &how, &plan));
    CHECK_OK(farsum_plan_set_points(plan, n[1], s.x + 3 * n[0], 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q + n[0], &out));
    CHECK_NEAR(energy[1], one, 1e-5 * fabs(one));
    CHECK(strcmp(state(batch, 1).method, "waves") != 0, "a slab by waves");
    farsum_plan_destroy(plan);
    farsum_batch_destroy(batch);
    systems_free(&s);
}

static void test_refused(void)
{
    farsum_batch *batch = NULL;
    farsum_problem problem = systems_problem(1e-4);
    farsum_options how = FARSUM_OPTIONS_INIT;
    how.device.queues = 2;
    CHECK_FAILS(farsum_batch_create(&problem, &how, &batch),
                FARSUM_ERR_UNSUPPORTED);
    how.device.queues = 0;
    problem.memory = FARSUM_DEVICE;
    CHECK_FAILS(farsum_batch_create(&problem, &how, &batch),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("device");
    problem.memory = FARSUM_HOST;
    how.cutoff = 1;
    CHECK_FAILS(farsum_batch_create(&problem, &how, &batch),
                FARSUM_ERR_UNSUPPORTED);
    problem.n_targets = 3;
    CHECK_FAILS(farsum_batch_create(&problem, NULL, &batch),
                FARSUM_ERR_UNSUPPORTED);
    problem.n_targets = 0;
    CHECK_FAILS(farsum_batch_create(NULL, NULL, &batch), FARSUM_ERR_ARGUMENT);
    CHECK(!batch, "a failed create wrote a batch");
    batch = made(&problem, 1);
    const int64_t bad[] = {0, 2, 1}, none[] = {0};
    const double cells[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[6] = {0};
    const double q[2] = {0};
    farsum_result out = FARSUM_RESULT_INIT;
    CHECK_FAILS(farsum_batch_execute(batch, 1, q, &out), FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_batch_set(batch, 2, bad, cells, x),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("offsets[2]");
    CHECK_FAILS(farsum_batch_set(batch, 1, bad, NULL, x), FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_batch_set(batch, 0, none, NULL, NULL));
    CHECK_OK(farsum_batch_execute(batch, 1, NULL, &out));
    CHECK_FAILS(farsum_batch_execute(batch, 0, NULL, &out),
                FARSUM_ERR_ARGUMENT);
    farsum_batch_destroy(batch);
    farsum_batch_destroy(NULL);
}

/* Allocation n of set fails, for all n: the batch has no systems then, and the
 * next set works.  execute's own allocations too. */
static void test_memory(void)
{
    const int64_t n[] = {30, 100, 40, 650};
    struct systems s = systems_make(4, n, 8);
    struct sums wanted = sums_make(&s), got = sums_make(&s);
    farsum_problem problem = systems_problem(1e-4);
    farsum_batch *batch = made(&problem, 1);
    farsum_result out = sums_result(&got);
    sum(batch, &s, &wanted);
    farsum_batch_destroy(batch);
    int64_t k = 1;
    for (farsum_status status = FARSUM_ERR_MEMORY; status; k++) {
        batch = made(&problem, 1);
        mem_fail_at(k);
        status = farsum_batch_set(batch, s.count, s.offsets, s.cells, s.x);
        mem_fail_at(0);
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_MEMORY, "%s",
              farsum_message());
        if (status != FARSUM_OK)
            CHECK_FAILS(farsum_batch_execute(batch, 1, s.q, &out),
                        FARSUM_ERR_STATE);
        sum(batch, &s, &got);
        CHECK(sums_same(wanted.field, got.field, 3 * s.n),
              "other sums after %d", (int)k);
        farsum_batch_destroy(batch);
    }
    CHECK(k > 8, "set allocates only %d times", (int)k);
    int named = 0; /* failures in the plan's system, after the first */
    for (k = 1; k < 40; k += k < 8 ? 1 : 8) {
        batch = made(&problem, 1);
        CHECK_OK(farsum_batch_set(batch, s.count, s.offsets, s.cells, s.x));
        mem_fail_at(k);
        farsum_status status = farsum_batch_execute(batch, 1, s.q, &out);
        mem_fail_at(0);
        CHECK(status == FARSUM_ERR_MEMORY || (k > 1 && status == FARSUM_OK),
              "allocation %d: %s", (int)k, farsum_message());
        if (k > 1 && status != FARSUM_OK)
            named += CHECK_SAYS("system 3: ");
        CHECK(sums_same(wanted.field, got.field, 3 * s.offsets[3]),
              "other sums after %d", (int)k);
        farsum_batch_destroy(batch);
    }
    CHECK(named > 2, "%d failures in the plan", named);
    mem_fail_at(1);
    batch = NULL;
    CHECK_FAILS(farsum_batch_create(&problem, NULL, &batch), FARSUM_ERR_MEMORY);
    mem_fail_at(0);
    sums_free(&wanted);
    sums_free(&got);
    systems_free(&s);
}

static void test_units(void)
{
    farsum_problem p = systems_problem(1e-6);
    farsum_batch *batch = made(&p, 1);
    sums_units(batch);
    farsum_batch_destroy(batch);
}

int main(void)
{
    RUN(test_errors);
    RUN(test_crystals);
    RUN(test_absolute);
    RUN(test_company);
    RUN(test_faults);
    RUN(test_close);
    RUN(test_kinds);
    RUN(test_slab);
    RUN(test_refused);
    RUN(test_memory);
    RUN(test_units);
    return check_end();
}
