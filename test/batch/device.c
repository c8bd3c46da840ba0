/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: batches on a device, FARSUM_TEST_DEVICE or opencl:0, against the
 * host's, with arrays on either side: sums, estimates, equal bits in any
 * company, faults of single systems. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "batch/systems.h"
#include "check.h"
#include "device/buf.h"
#include "farsum/device.h"

static farsum_device *device;

static const int64_t sizes[] = {1, 2, 5, 0, 16, 33, 100, 100, 150, 310};
enum { SIZES = sizeof sizes / sizeof *sizes };

static farsum_batch *made(const farsum_problem *problem, int on_device)
{
    farsum_batch *batch = NULL;
    farsum_options how = FARSUM_OPTIONS_INIT;
    how.threads = 1;
    if (on_device)
        how.device.handle = device;
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

/* Arrays on the device, `bytes` each, that start as copies of the host's. */
enum { X, Q, POTENTIAL, FIELD, ENERGY, VIRIAL, ARRAYS };
struct arrays {
    void *host[ARRAYS], *there[ARRAYS];
    int64_t bytes[ARRAYS];
};

static void arrays_send(struct arrays *a)
{
    for (int i = 0; i < ARRAYS; i++)
        CHECK_OK(farsum_device_alloc(device, a->bytes[i] + 8, a->host[i],
                                     &a->there[i]));
}

static void arrays_get(struct arrays *a)
{
    for (int i = POTENTIAL; i < ARRAYS; i++) {
        struct buf buf;
        buf_borrow(&buf, device->device, a->there[i], a->bytes[i]);
        if (a->bytes[i] > 0)
            CHECK_OK(buf_download(&buf, 0, a->host[i], a->bytes[i]));
    }
    for (int i = 0; i < ARRAYS; i++)
        farsum_device_free(device, a->there[i]);
}

/* Sums with the arrays on the device. */
static farsum_status there(farsum_batch *batch, const struct systems *s,
                           int rhs, const double *q, struct sums *to,
                           farsum_status *set)
{
    int64_t n = 8 * s->n, count = 8 * s->count;
    struct arrays a = {.host = {s->x, (void *)(uintptr_t)q, to->potential,
                                to->field, to->energy, to->virial},
                       .bytes = {3 * n, rhs * n, rhs * n, 3 * rhs * n,
                                 rhs * count, 9 * rhs * count}};
    farsum_result out = FARSUM_RESULT_INIT;
    arrays_send(&a);
    out.potential = a.there[POTENTIAL];
    out.field = a.there[FIELD];
    out.energy = a.there[ENERGY];
    out.virial = a.there[VIRIAL];
    *set = farsum_batch_set(batch, s->count, s->offsets, s->cells, a.there[X]);
    farsum_status status = farsum_batch_execute(batch, rhs, a.there[Q], &out);
    arrays_get(&a);
    return status;
}

static void here(farsum_batch *batch, const struct systems *s, struct sums *to)
{
    farsum_result out = sums_result(to);
    CHECK_OK(farsum_batch_set(batch, s->count, s->offsets, s->cells, s->x));
    CHECK_OK(farsum_batch_execute(batch, 1, s->q, &out));
}

/* Differences up to `most` in the norms of sums_errors. */
static void alike(const struct systems *s, const farsum_batch *a,
                  const farsum_batch *b, const struct sums *got,
                  const struct sums *wanted, double most, const char *what)
{
    for (int64_t k = 0; k < s->count; k++) {
        farsum_batch_system x = state(a, k), y = state(b, k);
        if (x.n == 0) {
            CHECK(got->energy[k] == 0 && got->virial[9 * k] == 0,
                  "%s: an empty system has an energy", what);
            continue;
        }
        CHECK(strcmp(x.method, "waves") == 0 && strcmp(y.method, "waves") == 0,
              "%s, %lld sources: %s, on the host %s", what, (long long)x.n,
              x.method, y.method);
        struct errors e = sums_errors(s, k, got, wanted);
        CHECK(e.force <= most && e.potential <= most && e.energy <= most
                  && e.virial <= 10 * most,
              "%s, %lld sources: %.2g, %.2g, %.2g, %.2g", what, (long long)x.n,
              e.force, e.potential, e.energy, e.virial);
        CHECK(x.waves == y.waves && x.images == y.images
                  && x.f32_pairs == y.f32_pairs && x.sums == y.sums,
              "%s, %lld sources: another choice", what, (long long)x.n);
        CHECK(fabs(x.estimated_error / y.estimated_error - 1) < 1e-4
                  && fabs(x.norm / y.norm - 1) < 1e-4,
              "%s, %lld sources: estimates %.6g, %.6g", what, (long long)x.n,
              x.estimated_error, y.estimated_error);
    }
}

static void compare(double tolerance, farsum_error_kind kind, double most)
{
    struct systems s = systems_make(SIZES, sizes, 21);
    struct sums wanted = sums_make(&s), got = sums_make(&s);
    char what[60];
    farsum_problem problem = systems_problem(tolerance);
    farsum_status set;
    problem.error = kind;
    farsum_batch *host = made(&problem, 0);
    here(host, &s, &wanted);
    for (int k = 0; k < 2; k++) {
        problem.memory = k ? FARSUM_DEVICE : FARSUM_HOST;
        farsum_batch *batch = made(&problem, 1);
        snprintf(what, sizeof what, "%g, norm %d, memory %d", tolerance,
                 (int)kind, (int)problem.memory);
        if (k) {
            CHECK_OK(there(batch, &s, 1, s.q, &got, &set));
            CHECK_OK(set);
        } else {
            here(batch, &s, &got);
        }
        alike(&s, batch, host, &got, &wanted, most, what);
        farsum_batch_destroy(batch);
    }
    farsum_batch_destroy(host);
    sums_free(&wanted);
    sums_free(&got);
    systems_free(&s);
}

static void test_f64(void)
{
    compare(1e-6, FARSUM_ERROR_FORCE, 1e-12);
    compare(1e-9, FARSUM_ERROR_POTENTIAL, 1e-12);
}

static void test_f32(void)
{
    compare(1e-4, FARSUM_ERROR_FORCE, 1e-6);
    compare(3e-4, FARSUM_ERROR_ABSOLUTE, 1e-6); /* summed again */
}

/* In f32 the polynomials of far pairs in a needle are out of range. */
static void test_needle(void)
{
    struct systems s = systems_needle();
    struct sums got = sums_make(&s), wanted = sums_make(&s);
    farsum_problem problem = systems_problem(1e-3);
    farsum_batch *batch = made(&problem, 1), *host = made(&problem, 0);
    here(batch, &s, &got);
    here(host, &s, &wanted);
    alike(&s, batch, host, &got, &wanted, 1e-5, "needle");
    farsum_batch_destroy(batch);
    farsum_batch_destroy(host);
    sums_free(&got);
    sums_free(&wanted);
    systems_free(&s);
}

/* Each system alone has the bits that it has among the others. */
static void company(double tolerance)
{
    struct systems s = systems_make(SIZES, sizes, 22);
    struct sums all = sums_make(&s);
    farsum_problem problem = systems_problem(tolerance);
    farsum_batch *batch = made(&problem, 1);
    here(batch, &s, &all);
    sums_alone(batch, &s, &all, tolerance);
    farsum_batch_destroy(batch);
    sums_free(&all);
    systems_free(&s);
}

static void test_company(void)
{
    company(1e-3);
    company(1e-7);
}

/* System `bad` is at fault, and keeps its results; the others have theirs. */
static void fault(const struct systems *s, const struct sums *wanted,
                  int64_t bad, farsum_status wrong, const char *words)
{
    for (int memory = FARSUM_HOST; memory <= FARSUM_DEVICE; memory++) {
        struct sums got = sums_make(s);
        char text[40];
        farsum_problem problem = systems_problem(1e-4);
        farsum_result out = sums_result(&got);
        farsum_status set, status;
        problem.memory = (farsum_memory)memory;
        farsum_batch *batch = made(&problem, 1);
        for (int64_t i = 0; i < s->n; i++)
            got.potential[i] = -7;
        for (int64_t k = 0; k < s->count; k++)
            got.energy[k] = -7;
        snprintf(text, sizeof text, "system %lld: ", (long long)bad);
        if (memory == FARSUM_DEVICE) {
            status = there(batch, s, 1, s->q, &got, &set);
        } else {
            set = farsum_batch_set(batch, s->count, s->offsets, s->cells, s->x);
            status = farsum_batch_execute(batch, 1, s->q, &out);
        }
        CHECK(set == (wrong == FARSUM_ERR_CELL ? wrong : FARSUM_OK), "set: %d",
              (int)set);
        CHECK(status == wrong, "%s: %d", words, (int)status);
        CHECK_SAYS(text);
        CHECK_SAYS(words);
        for (int64_t k = 0; k < s->count; k++) {
            int64_t at = s->offsets[k], n = s->offsets[k + 1] - at;
            CHECK(state(batch, k).status == (k == bad ? wrong : FARSUM_OK),
                  "status of system %lld", (long long)k);
            if (k == bad)
                CHECK(got.potential[at] == -7 && got.energy[k] == -7,
                      "%s: system %lld has results", words, (long long)k);
            else
                CHECK(sums_same(wanted->potential + at, got.potential + at, n)
                          && sums_same(wanted->energy + k, got.energy + k, 1),
                      "%s: system %lld is spoilt", words, (long long)k);
        }
        farsum_batch_destroy(batch);
        sums_free(&got);
    }
}

static void test_faults(void)
{
    int64_t n[9];
    for (int k = 0; k < 9; k++)
        n[k] = k == 3 ? 0 : 20 + 7 * k;
    struct systems s = systems_make(9, n, 23);
    struct sums wanted = sums_make(&s);
    farsum_problem problem = systems_problem(1e-4);
    farsum_batch *batch = made(&problem, 1);
    here(batch, &s, &wanted);
    farsum_batch_destroy(batch);
    double *x = s.x + 3 * s.offsets[5], kept[9];
    memcpy(kept, x, sizeof kept);
    x[4] = NAN;
    fault(&s, &wanted, 5, FARSUM_ERR_POSITION, "source 1");
    x[4] = 1e9;
    fault(&s, &wanted, 5, FARSUM_ERR_POSITION, "source 1");
    memcpy(x, kept, sizeof kept);
    for (int d = 0; d < 3; d++) /* a lattice vector apart */
        x[6 + d] = x[d] + s.cells[9 * 5 + 3 + d];
    fault(&s, &wanted, 5, FARSUM_ERR_COINCIDENT, "sources 0 and 2");
    memcpy(x, kept, sizeof kept);
    double *q = s.q + s.offsets[5] + 3, strength = *q;
    *q = INFINITY;
    fault(&s, &wanted, 5, FARSUM_ERR_STRENGTH, "strength 3");
    *q = 1e300;
    fault(&s, &wanted, 5, FARSUM_ERR_STRENGTH, "range");
    *q = strength;
    double *cell = s.cells + 9 * 5;
    memcpy(kept, cell, sizeof kept);
    memcpy(cell + 6, cell, 3 * sizeof *cell);
    fault(&s, &wanted, 5, FARSUM_ERR_CELL, "cell");
    memcpy(cell, kept, sizeof kept);
    sums_free(&wanted);
    systems_free(&s);
}

/* Points that f32 cannot tell apart are summed in f64; those in one place may
 * be left out. */
static void test_close(void)
{
    const int64_t n[] = {40};
    struct systems s = systems_make(1, n, 6);
    struct sums got = sums_make(&s), wanted = sums_make(&s);
    farsum_problem problem = systems_problem(1e-3);
    problem.exclude_coincident = 1;
    farsum_batch *batch = made(&problem, 1), *host = made(&problem, 0);
    memcpy(s.x, s.x + 3, 3 * sizeof *s.x);
    for (int k = 0; k < 2; k++) {
        here(batch, &s, &got);
        here(host, &s, &wanted);
        CHECK(isfinite(got.energy[0])
                  && fabs(got.energy[0] / wanted.energy[0] - 1) < 1e-5,
              "energies %g, %g", got.energy[0], wanted.energy[0]);
        CHECK(state(batch, 0).f32_pairs == !k, "%d: pairs in f32", k);
        s.x[0] += 1e-11;
    }
    farsum_batch_destroy(batch);
    farsum_batch_destroy(host);
    sums_free(&got);
    sums_free(&wanted);
    systems_free(&s);
}

/* f32 arrays and two right-hand sides. */
static void test_kinds(void)
{
    struct systems s = systems_make(SIZES, sizes, 9);
    size_t n = (size_t)s.n;
    float *x = check_memory(n * 3, 4), *q = check_memory(n * 2, 4);
    float *field[2] = {check_memory(n * 6, 4), check_memory(n * 6, 4)};
    double energy[2][2 * SIZES], worst = 0;
    for (size_t i = 0; i < 3 * n; i++)
        x[i] = (float)s.x[i];
    for (size_t i = 0; i < n; i++)
        q[i] = (float)s.q[i], q[n + i] = -2 * q[i];
    for (int k = 0; k < 2; k++) {
        farsum_problem problem = systems_problem(1e-4);
        farsum_result out = FARSUM_RESULT_INIT;
        problem.precision = FARSUM_F32;
        farsum_batch *batch = made(&problem, k);
        out.field = field[k];
        out.energy = energy[k];
        CHECK_OK(farsum_batch_set(batch, s.count, s.offsets, s.cells, x));
        CHECK_OK(farsum_batch_execute(batch, 2, q, &out));
        farsum_batch_destroy(batch);
    }
    for (size_t i = 0; i < 6 * n; i++)
        worst = fmax(worst, fabs((double)(field[0][i] - field[1][i])));
    for (int64_t i = 0; i < 2 * s.count; i++)
        worst = fmax(worst, fabs(energy[0][i] - energy[1][i]));
    CHECK(worst < 1e-3, "f32 arrays: %g", worst);
    free(x);
    free(q);
    free(field[0]);
    free(field[1]);
    systems_free(&s);
}

/* Other kernels: a plan per system, with the arrays on either side. */
static void test_plans(void)
{
    const int64_t n[] = {12, 0, 12, 20};
    struct systems s = systems_make(4, n, 31);
    struct sums wanted = sums_make(&s), got = sums_make(&s);
    farsum_problem problem = systems_problem(1e-6);
    farsum_status set;
    problem.kernel = "yukawa";
    problem.kappa = 0.7;
    farsum_batch *host = made(&problem, 0);
    here(host, &s, &wanted);
    for (int k = 0; k < 2; k++) {
        problem.memory = k ? FARSUM_DEVICE : FARSUM_HOST;
        farsum_batch *batch = made(&problem, 1);
        if (k)
            CHECK_OK(there(batch, &s, 1, s.q, &got, &set));
        else
            here(batch, &s, &got);
        for (int64_t i = 0; i < s.count; i++) {
            struct errors e = sums_errors(&s, i, &got, &wanted);
            CHECK(n[i] == 0
                      ? got.energy[i] == 0
                      : e.force < 2e-6 && e.potential < 2e-5 && e.energy < 2e-5,
                  "memory %d, %lld sources: %.2g, %.2g, %.2g", k,
                  (long long)n[i], e.force, e.potential, e.energy);
            CHECK(n[i] == 0 || strcmp(state(batch, i).method, "waves") != 0,
                  "yukawa by waves");
        }
        farsum_batch_destroy(batch);
    }
    farsum_batch_destroy(host);
    /* a plan that knew the charges would have aimed at more: sum again */
    problem.error = FARSUM_ERROR_ABSOLUTE;
    for (int64_t i = 0; i < s.n; i++)
        s.q[i] *= 100;
    farsum_batch *again = made(&problem, 1);
    CHECK_OK(there(again, &s, 1, s.q, &got, &set));
    for (int64_t i = 0; i < s.count; i++)
        CHECK(n[i] == 0 || state(again, i).sums == 2,
              "system %lld: %d sums, "
              "estimate %.2g",
              (long long)i, state(again, i).sums,
              state(again, i).estimated_error);
    farsum_batch_destroy(again);
    sums_free(&wanted);
    sums_free(&got);
    systems_free(&s);
}

/* Allocation k fails, for many k: the call says so, and the next works. */
static void test_memory(void)
{
    const int64_t n[] = {30, 0, 40};
    struct systems s = systems_make(3, n, 8);
    struct sums wanted = sums_make(&s), got = sums_make(&s);
    farsum_problem problem = systems_problem(1e-4);
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_result out = sums_result(&got);
    farsum_batch *batch = made(&problem, 1);
    int failed = 0;
    here(batch, &s, &wanted);
    farsum_batch_destroy(batch);
    how.device.handle = device;
    for (int k = 1; k < 200; k += k < 8 ? 1 : 40) {
        batch = NULL;
        mem_fail_at(k);
        farsum_status status = farsum_batch_create(&problem, &how, &batch);
        mem_fail_at(0);
        CHECK(status == FARSUM_ERR_MEMORY || k > 8, "create %d: %s", k,
              farsum_message());
        farsum_batch_destroy(batch);
    }
    for (farsum_status status = FARSUM_ERR_MEMORY; status; failed++) {
        batch = made(&problem, 1);
        mem_fail_at(failed + 1);
        status = farsum_batch_set(batch, s.count, s.offsets, s.cells, s.x);
        if (status == FARSUM_OK)
            status = farsum_batch_execute(batch, 1, s.q, &out);
        mem_fail_at(0);
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_MEMORY, "%d: %s",
              failed, farsum_message());
        here(batch, &s, &got);
        CHECK(sums_same(wanted.field, got.field, 3 * s.n),
              "other sums after %d", failed);
        farsum_batch_destroy(batch);
    }
    CHECK(failed > 8, "only %d allocations", failed);
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
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (farsum_device_open(name && *name ? name : "opencl:0", &device)
        != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    /* a fast device sums all of them by waves */
    device->device->properties.clock = 1e13;
    RUN(test_f64);
    RUN(test_f32);
    RUN(test_needle);
    RUN(test_company);
    RUN(test_faults);
    RUN(test_close);
    RUN(test_kinds);
    RUN(test_plans);
    RUN(test_memory);
    RUN(test_units);
    farsum_device_close(device);
    return check_end();
}
