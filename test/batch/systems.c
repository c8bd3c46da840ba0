/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/systems.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Squared distance of the nearest image among 27. */
static double nearest(const double *cell, const double *x, const double *y)
{
    double least = INFINITY;
    for (int k = 0; k < 27; k++) {
        double r2 = 0;
        for (int d = 0; d < 3; d++) {
            double v = x[d] - y[d] + (k % 3 - 1) * cell[d]
                       + (k / 3 % 3 - 1) * cell[3 + d]
                       + (k / 9 - 1) * cell[6 + d];
            r2 += v * v;
        }
        if (r2 < least)
            least = r2;
    }
    return least;
}

static void place(double *x, int64_t n, const double *cell, uint64_t *state)
{
    double apart = 0.5; /* a density of 1 */
    for (int64_t i = 0; i < n; i++)
        for (int good = 0; !good;) {
            double s[3];
            for (int d = 0; d < 3; d++)
                s[d] = uniform(state);
            for (int d = 0; d < 3; d++)
                x[3 * i + d] = s[0] * cell[d] + s[1] * cell[3 + d]
                               + s[2] * cell[6 + d];
            good = 1;
            for (int64_t j = 0; j < i && good; j++)
                good = nearest(cell, x + 3 * i, x + 3 * j) > apart * apart;
        }
}

struct systems systems_make(int64_t count, const int64_t *n, uint64_t seed)
{
    struct systems s = {.count = count};
    uint64_t state = seed;
    s.offsets = check_memory((size_t)count + 1, sizeof *s.offsets);
    s.cells = check_memory((size_t)count * 9, sizeof *s.cells);
    for (int64_t k = 0; k < count; k++)
        s.offsets[k + 1] = s.offsets[k] + n[k];
    s.n = s.offsets[count];
    s.x = check_memory((size_t)s.n * 3 + 1, sizeof *s.x);
    s.q = check_memory((size_t)s.n + 1, sizeof *s.q);
    for (int64_t k = 0; k < count; k++) {
        double *cell = s.cells + 9 * k, l = cbrt((double)(n[k] ? n[k] : 1));
        int64_t at = s.offsets[k];
        for (int d = 0; d < 3; d++) {
            for (int e = 0; e < d; e++)
                cell[3 * d + e] = l * 0.6 * (uniform(&state) - 0.5);
            cell[4 * d] = l * (0.85 + 0.3 * uniform(&state));
        }
        place(s.x + 3 * at, n[k], cell, &state);
        for (int64_t i = 0; i < n[k]; i++)
            s.q[at + i] = (i % 2 ? -1 : 1) * (0.5 + uniform(&state));
        if (k % 3 == 0 && n[k] > 1) {
            double net = 0;
            for (int64_t i = 0; i < n[k]; i++)
                net += s.q[at + i];
            for (int64_t i = 0; i < n[k]; i++)
                s.q[at + i] -= net / (double)n[k];
        }
    }
    return s;
}

void systems_free(struct systems *s)
{
    free(s->offsets);
    free(s->cells);
    free(s->x);
    free(s->q);
}

struct sums sums_make(const struct systems *s)
{
    size_t n = (size_t)s->n + 1, count = (size_t)s->count + 1;
    return (struct sums){check_memory(n, 8), check_memory(3 * n, 8),
                         check_memory(count, 8), check_memory(9 * count, 8)};
}

void sums_free(struct sums *s)
{
    free(s->potential);
    free(s->field);
    free(s->energy);
    free(s->virial);
}

farsum_result sums_result(struct sums *s)
{
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = s->potential;
    r.field = s->field;
    r.energy = s->energy;
    r.virial = s->virial;
    return r;
}

farsum_problem systems_problem(double tolerance)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.periodic[0] = p.periodic[1] = p.periodic[2] = 1;
    p.tolerance = tolerance;
    p.coulomb = 2.5;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    return p;
}

struct sums sums_reference(const struct systems *s)
{
    struct sums sums = sums_make(s);
    farsum_options how = FARSUM_OPTIONS_INIT;
    how.method = "ewald";
    how.threads = 1;
    for (int64_t k = 0; k < s->count; k++) {
        farsum_problem problem = systems_problem(1e-12);
        farsum_plan *plan = NULL;
        int64_t at = s->offsets[k], n = s->offsets[k + 1] - at;
        struct sums part = {sums.potential + at, sums.field + 3 * at,
                            sums.energy + k, sums.virial + 9 * k};
        farsum_result out = sums_result(&part);
        if (n == 0)
            continue;
        memcpy(problem.cell, s->cells + 9 * k, sizeof problem.cell);
        problem.n_sources = n;
        if (farsum_plan_create(&problem, &how, &plan) != FARSUM_OK
            || farsum_plan_set_points(plan, n, s->x + 3 * at, 0, NULL)
                   != FARSUM_OK
            || farsum_plan_execute(plan, 1, s->q + at, &out) != FARSUM_OK)
            check_stop("reference of system %d: %s", (int)k, farsum_message());
        farsum_plan_destroy(plan);
    }
    return sums;
}

static double volume_of(const double *a)
{
    return fabs(a[0] * (a[4] * a[8] - a[5] * a[7])
                - a[1] * (a[3] * a[8] - a[5] * a[6])
                + a[2] * (a[3] * a[7] - a[4] * a[6]));
}

struct errors sums_errors(const struct systems *s, int64_t index,
                          const struct sums *got, const struct sums *wanted)
{
    int64_t from = s->offsets[index], to = s->offsets[index + 1];
    double n = (double)(to - from), v = volume_of(s->cells + 9 * index);
    double df = 0, f = 0, dp = 0, p = 0, q2 = 0, half = 0, dw = 0;
    for (int64_t i = from; i < to; i++) {
        double q = s->q[i], phi = wanted->potential[i];
        q2 += q * q / n;
        p += phi * phi;
        dp += (got->potential[i] - phi) * (got->potential[i] - phi);
        half += fabs(q * phi) / 2;
        for (int d = 0; d < 3; d++) {
            double e = wanted->field[3 * i + d];
            f += q * q * e * e / n;
            e -= got->field[3 * i + d];
            df += q * q * e * e / n;
        }
    }
    for (int k = 0; k < 9; k++)
        dw = fmax(dw, fabs(got->virial[9 * index + k]
                           - wanted->virial[9 * index + k]));
    double norm = fmax(sqrt(f), 2.5 * q2 * pow(n / v, 2.0 / 3));
    return (struct errors){
        sqrt(df) / norm, sqrt(dp / p),
        fabs(got->energy[index] - wanted->energy[index]) / half, dw / half};
}

struct systems systems_needle(void)
{
    const int64_t n[] = {16};
    struct systems s = systems_make(1, n, 41);
    memset(s.cells, 0, 9 * sizeof *s.cells);
    for (int d = 0; d < 3; d++)
        s.cells[4 * d] = d < 2 ? 1 : 960;
    for (int i = 0; i < 16; i++) {
        s.x[3 * i] = 0.3 * (i % 3);
        s.x[3 * i + 1] = 0.2 * (i % 4);
        s.x[3 * i + 2] = 60 * i;
    }
    return s;
}

int sums_same(const double *a, const double *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

void sums_alone(farsum_batch *batch, const struct systems *s,
                const struct sums *all, double tolerance)
{
    struct sums one = sums_make(s);
    for (int64_t k = s->count - 1; k >= 0; k--) {
        int64_t at = s->offsets[k], n = s->offsets[k + 1] - at;
        const int64_t offsets[] = {0, n};
        farsum_result out = sums_result(&one);
        CHECK_OK(farsum_batch_set(batch, 1, offsets, s->cells + 9 * k,
                                  s->x + 3 * at));
        CHECK_OK(farsum_batch_execute(batch, 1, s->q + at, &out));
        CHECK(sums_same(all->potential + at, one.potential, n)
                  && sums_same(all->field + 3 * at, one.field, 3 * n)
                  && sums_same(all->energy + k, one.energy, 1)
                  && sums_same(all->virial + 9 * k, one.virial, 9),
              "system %lld of %lld sources alone has other bits, at %g",
              (long long)k, (long long)n, tolerance);
    }
    sums_free(&one);
}

/* Numbers that are not 2^e times those of `base`. */
static int64_t differ(const double *found, const double *base, int64_t n, int e)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < n; i++)
        bad += found[i] != ldexp(base[i], e);
    return bad;
}

static void scale(double *to, const double *from, int64_t n, int e)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = ldexp(from[i], e);
}

void sums_units(farsum_batch *batch)
{
    static const int64_t sizes[] = {2, 16, 60};
    static const int steps[][2] = {{0, 0},       {7, -5},      {-300, 200},
                                   {300, -300},  {-600, -300}, {600, 300},
                                   {-333, -333}, {0, -600},    {-500, 100}};
    struct systems s = systems_make(3, sizes, 11), other = s;
    struct sums base = sums_make(&s), sums = sums_make(&s);
    double cutoff = 0, error = 0;
    other.x = check_memory((size_t)(3 * s.n), sizeof *other.x);
    other.q = check_memory((size_t)s.n, sizeof *other.q);
    other.cells = check_memory((size_t)(9 * s.count), sizeof *other.cells);
    for (int t = 0; t < 9; t++) {
        int k = steps[t][0], m = steps[t][1];
        farsum_result out = sums_result(t ? &sums : &base);
        farsum_batch_system info = FARSUM_BATCH_SYSTEM_INIT;
        scale(other.x, s.x, 3 * s.n, k);
        scale(other.cells, s.cells, 9 * s.count, k);
        scale(other.q, s.q, s.n, m);
        CHECK_OK(
            farsum_batch_set(batch, s.count, s.offsets, other.cells, other.x));
        farsum_status status = farsum_batch_execute(batch, 1, other.q, &out);
        if (t > 6) { /* energies below f64, fields above */
            CHECK_FAILS(status, FARSUM_ERR_STRENGTH);
            CHECK_SAYS("out of range");
            continue;
        }
        CHECK_OK(status);
        CHECK_OK(farsum_batch_get_system(batch, 1, &info));
        CHECK(strcmp(info.method, "waves") == 0, "by %s", info.method);
        if (t == 0) {
            cutoff = info.cutoff;
            error = info.estimated_error;
            continue;
        }
        CHECK(differ(sums.potential, base.potential, s.n, m - k)
                      + differ(sums.field, base.field, 3 * s.n, m - 2 * k)
                      + differ(sums.energy, base.energy, s.count, 2 * m - k)
                      + differ(sums.virial, base.virial, 9 * s.count, 2 * m - k)
                  == 0,
              "k %d, m %d: not the same numbers", k, m);
        CHECK(info.cutoff == ldexp(cutoff, k) && info.estimated_error == error,
              "k %d, m %d: cutoff %g, error %g; %g, %g before", k, m,
              info.cutoff, info.estimated_error, cutoff, error);
    }
    free(other.x);
    free(other.q);
    free(other.cells);
    sums_free(&sums);
    sums_free(&base);
    systems_free(&s);
}
