/* SPDX-License-Identifier: Apache-2.0 */
/* api_result.c: tests of execute: its refusals, untouched arrays, and equal
 * sums for all types of arrays, several right-hand sides and reused plans. */
#include "api.h"

#include <stdlib.h>

/* All outputs of one right-hand side. */
struct sums {
    double potential[SALT_N], field[SALT_N][3], energy, virial[9];
};

static farsum_result all_of(struct sums *s)
{
    farsum_result out = FARSUM_RESULT_INIT;
    out.potential = s->potential;
    out.field = s->field;
    out.energy = &s->energy;
    out.virial = s->virial;
    return out;
}

/* The largest difference over the largest value. */
static double differ(const double *a, const double *b, int n)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return isfinite(most) ? most / size : INFINITY;
}

static void same(const struct sums *a, const struct sums *b, double most,
                 const char *what)
{
    CHECK(differ(a->potential, b->potential, SALT_N) <= most, "%s: potential "
          "off by %g", what, differ(a->potential, b->potential, SALT_N));
    CHECK(differ(a->field[0], b->field[0], 3 * SALT_N) <= most, "%s: field off "
          "by %g", what, differ(a->field[0], b->field[0], 3 * SALT_N));
    CHECK(differ(&a->energy, &b->energy, 1) <= most, "%s: energy %.17g, not "
          "%.17g", what, a->energy, b->energy);
    CHECK(differ(a->virial, b->virial, 9) <= most, "%s: virial off by %g", what,
          differ(a->virial, b->virial, 9));
}

static void refused(void)
{
    struct salt s;
    struct sums sums, before;
    salt_set(&s);
    memset(&sums, 0x5a, sizeof sums);
    before = sums;
    farsum_result out = all_of(&sums);
    farsum_plan *plan = salt_ready(&s);
    CHECK_FAILS(farsum_plan_execute(NULL, 1, s.q, &out), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("plan is NULL");
    CHECK_FAILS(farsum_plan_execute(plan, 1, NULL, &out), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("q is NULL");
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("result is NULL");
    CHECK_FAILS(farsum_plan_execute(plan, 0, s.q, &out), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("rhs is 0");
    CHECK_FAILS(farsum_plan_execute(plan, -1, s.q, &out), FARSUM_ERR_ARGUMENT);
    out.size = 3;
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("FARSUM_RESULT_INIT");
    out.size = sizeof out;
    s.q[23] = NAN;
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_STRENGTH);
    CHECK_SAYS("strength 23 of right-hand side 0 is ");
    CHECK_SAYS("nan");
    double two[2 * SALT_N];
    salt_set(&s);
    memcpy(two, s.q, sizeof s.q);
    memcpy(two + SALT_N, s.q, sizeof s.q);
    two[SALT_N + 5] = -INFINITY;
    CHECK_FAILS(farsum_plan_execute(plan, 2, two, &out), FARSUM_ERR_STRENGTH);
    CHECK_SAYS("strength 5 of right-hand side 1 is -inf");
    CHECK(memcmp(&sums, &before, sizeof sums) == 0,
          "a failed execute wrote its outputs");
    farsum_plan_destroy(plan);
}

static void not_asked_for(void)
{
    static const char *const names[] = {"potential", "field", "energy",
                                        "virial"};
    struct salt s;
    struct sums sums = {0};
    for (unsigned left = 0; left < 4; left++) {
        farsum_result out = all_of(&sums);
        salt_set(&s);
        s.problem.outputs &= ~(1u << left);
        farsum_plan *plan = salt_ready(&s);
        CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out),
                    FARSUM_ERR_ARGUMENT);
        CHECK_SAYS(names[left]);
        CHECK_SAYS("outputs");
        farsum_plan_destroy(plan);
    }
    /* energy and virial are those of the sources */
    farsum_result out = all_of(&sums);
    salt_set(&s);
    s.problem.n_targets = 2;
    farsum_plan *plan = salt_plan(&s);
    CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 2, s.x[5]));
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("energy");
    farsum_plan_destroy(plan);
}

/* Each output by itself, and none, against all of them together. */
static void one_at_a_time(void)
{
    struct salt s;
    struct sums all, part;
    salt_set(&s);
    farsum_plan *plan = salt_ready(&s);
    farsum_result out = all_of(&all), none = FARSUM_RESULT_INIT;
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    part = all;
    for (int k = 0; k < 4; k++) {
        farsum_result one = FARSUM_RESULT_INIT, every = all_of(&part);
        one.potential = k == 0 ? every.potential : NULL;
        one.field = k == 1 ? every.field : NULL;
        one.energy = k == 2 ? every.energy : NULL;
        one.virial = k == 3 ? every.virial : NULL;
        memset(k == 0   ? (void *)part.potential
               : k == 1 ? (void *)part.field
               : k == 2 ? (void *)&part.energy
                        : (void *)part.virial,
               0x5a, 8); /* the first value must be written */
        CHECK_OK(farsum_plan_execute(plan, 1, s.q, &one));
        same(&part, &all, 1e-11, "one output alone");
    }
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &none));
    farsum_plan_destroy(plan);
}

static void right_hand_sides(void)
{
    static const char *const methods[] = {"spectral", "ewald", "direct"};
    enum { R = 3 };
    for (int k = 0; k < 3; k++) {
        struct salt s;
        double q[R][SALT_N], potential[R][SALT_N], field[R][SALT_N][3];
        double energy[R], virial[R][9];
        farsum_result out = FARSUM_RESULT_INIT;
        salt_set(&s);
        s.options.method = methods[k];
        if (k == 2)
            memset(s.problem.periodic, 0, sizeof s.problem.periodic);
        for (int i = 0; i < SALT_N; i++) {
            q[0][i] = s.q[i];
            q[1][i] = 0.5 * s.q[i] + (i == 4); /* charged */
            q[2][i] = sin(i) * s.q[i];
        }
        out.potential = potential;
        out.field = field;
        out.energy = energy;
        out.virial = virial[0];
        farsum_plan *plan = salt_ready(&s);
        CHECK_OK(farsum_plan_execute(plan, R, q, &out));
        for (int r = 0; r < R; r++) {
            struct sums one, of;
            farsum_result o = all_of(&one);
            CHECK_OK(farsum_plan_execute(plan, 1, q[r], &o));
            memcpy(of.potential, potential[r], sizeof of.potential);
            memcpy(of.field, field[r], sizeof of.field);
            of.energy = energy[r];
            memcpy(of.virial, virial[r], sizeof of.virial);
            same(&of, &one, 1e-12, methods[k]);
        }
        farsum_plan_destroy(plan);
    }
}

/* f32 arrays with sums in f64, and the reverse, against f64 throughout.
 * Positions are exact in f32 in each case. */
static void array_types(void)
{
    struct salt s;
    struct sums wanted;
    float x[SALT_N][3], q[SALT_N], potential[SALT_N], field[SALT_N][3];
    double energy, virial[9];
    salt_set(&s);
    for (int i = 0; i < SALT_N; i++)
        for (int d = 0; d < 3; d++)
            s.x[i][d] = x[i][d] = (float)s.x[i][d], q[i] = (float)s.q[i];
    farsum_result out = all_of(&wanted);
    farsum_plan *plan = salt_ready(&s);
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    farsum_plan_destroy(plan);
    for (int k = 0; k < 3; k++) { /* sums f64, f32; f32 sums of f64 arrays */
        struct sums got;
        int narrow = k < 2;
        s.problem.precision = k == 0 ? FARSUM_F64 : FARSUM_F32;
        s.problem.arrays = narrow ? FARSUM_F32 : FARSUM_F64;
        s.problem.sample_x = narrow ? (void *)x : (void *)s.x;
        s.problem.sample_q = narrow ? (void *)q : (void *)s.q;
        plan = salt_plan(&s);
        out = all_of(&got);
        if (narrow) {
            out.potential = potential;
            out.field = field;
            out.energy = &energy;
            out.virial = virial;
        }
        CHECK_OK(farsum_plan_set_points(plan, SALT_N, narrow ? (void *)x : s.x,
                                        0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, narrow ? (void *)q : s.q, &out));
        for (int i = 0; i < SALT_N && narrow; i++) {
            got.potential[i] = potential[i];
            for (int d = 0; d < 3; d++)
                got.field[i][d] = field[i][d];
        }
        if (narrow) {
            got.energy = energy;
            memcpy(got.virial, virial, sizeof virial);
        }
        /* other precisions may select other plans: tolerance, with a margin for
         * maxima over RMS and for the virial, which has no guarantee */
        same(&got, &wanted, k == 0 ? 1e-6 : 2e-3, "types");
        farsum_plan_destroy(plan);
    }
    /* an infinity in f32 is detected */
    s.problem.arrays = FARSUM_F32;
    s.problem.sample_x = x;
    s.problem.sample_q = q;
    plan = salt_plan(&s);
    x[11][2] = INFINITY;
    CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("source 11: z = inf");
    farsum_plan_destroy(plan);
}

/* Fewer points, more points, other points: results as from a new plan. */
static void points_again(void)
{
    enum { BIG = 3 * SALT_N };
    struct salt s;
    double(*x)[3] = check_memory(BIG, sizeof *x);
    double *q = check_memory(BIG, sizeof *q);
    struct sums got, wanted;
    salt_set(&s);
    for (int i = 0; i < BIG; i++) {
        for (int d = 0; d < 3; d++)
            x[i][d] = s.x[i % SALT_N][d] + 0.3 * (i / SALT_N) - 40 * (d == 1);
        q[i] = s.q[i % SALT_N] * (1 + i / SALT_N);
    }
    double *big = check_memory(BIG, sizeof *big);
    farsum_result out = all_of(&wanted), bigger = FARSUM_RESULT_INIT;
    bigger.potential = big;
    farsum_plan *plan = salt_ready(&s);
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    static const int counts[] = {BIG, 1, BIG, 2};
    for (int k = 0; k < 4; k++) {
        CHECK_OK(farsum_plan_set_points(plan, counts[k], x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, q, &bigger));
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK(info.n_sources == counts[k], "n_sources %lld",
              (long long)info.n_sources);
    }
    out = all_of(&got);
    CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    same(&got, &wanted, 1e-12, "points again");
    farsum_plan_destroy(plan);
    free(big);
    free(q);
    free(x);
}

/* One charge with its periodic images and background: the constant of a simple
 * cubic lattice, -2.837297479480619 / L (Nijboer and de Wette 1957). */
static void one_particle(void)
{
    static const char *const methods[] = {"spectral", "ewald"};
    for (int k = 0; k < 2; k++) {
        struct salt s;
        double x[3] = {0.3, -7, 100}, q = 2, potential = 0, energy = 0;
        double field[3];
        farsum_result out = FARSUM_RESULT_INIT;
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        salt_set(&s);
        s.options.method = methods[k];
        s.problem.n_sources = 1;
        s.problem.sample_x = x;
        s.problem.sample_q = &q;
        s.problem.tolerance = 1e-8;
        s.problem.error = FARSUM_ERROR_POTENTIAL;
        out.potential = &potential;
        out.field = field;
        out.energy = &energy;
        farsum_plan *plan = salt_plan(&s);
        CHECK_OK(farsum_plan_set_points(plan, 1, x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, &q, &out));
        CHECK_NEAR(potential, -2.837297479480619 * 2 / SALT_SIDE, 3e-8);
        CHECK_NEAR(energy, potential, 1e-12);
        CHECK_NEAR(fabs(field[0]) + fabs(field[1]) + fabs(field[2]), 0, 3e-8);
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK_NEAR(info.net_strength, 2, 1e-15);
        farsum_plan_destroy(plan);
    }
    struct salt s; /* and by itself in open space */
    double q = 3, potential = 5;
    farsum_result out = FARSUM_RESULT_INIT;
    salt_set(&s);
    memset(s.problem.periodic, 0, sizeof s.problem.periodic);
    s.options.method = NULL;
    s.problem.n_sources = 1;
    s.problem.sample_q = &q;
    out.potential = &potential;
    farsum_plan *plan = salt_plan(&s);
    CHECK_OK(farsum_plan_set_points(plan, 1, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, &q, &out));
    CHECK(potential == 0, "a charge feels itself: %g", potential);
    farsum_plan_destroy(plan);
}

/* Separate targets, one of them at a source: that pair is skipped. */
static void separate_targets(void)
{
    struct salt s;
    struct sums all;
    double y[3][3], potential[3], field[3][3];
    farsum_result out = all_of(&all), apart = FARSUM_RESULT_INIT;
    salt_set(&s);
    farsum_plan *plan = salt_ready(&s);
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    farsum_plan_destroy(plan);
    memcpy(y[0], s.x[10], sizeof y[0]);
    memcpy(y[1], s.x[20], sizeof y[1]);
    memcpy(y[2], s.x[20], sizeof y[2]);
    y[2][0] += SALT_SIDE; /* an image of it */
    s.problem.n_targets = 3;
    apart.potential = potential;
    apart.field = field;
    plan = salt_plan(&s);
    CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 3, y));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &apart));
    static const int at[] = {10, 20, 20};
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(potential[i], all.potential[at[i]], 1e-3);
        for (int d = 0; d < 3; d++)
            CHECK_NEAR(field[i][d], all.field[at[i]][d], 1e-3);
    }
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.n_targets == 3, "n_targets %lld", (long long)info.n_targets);
    farsum_plan_destroy(plan);
}

static void infos(void)
{
    struct salt s;
    double energy;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan_info i = FARSUM_PLAN_INFO_INIT;
    salt_set(&s);
    s.options.isa = "base";
    farsum_plan *plan = NULL;
    CHECK_OK(farsum_plan_tune(&s.problem, &s.options, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &i));
    CHECK(i.bytes > SALT_N && i.mesh[0] > 0, "predicted %llu bytes, mesh %lld",
          (unsigned long long)i.bytes, (long long)i.mesh[0]);
    farsum_plan_destroy(plan);
    plan = salt_ready(&s);
    out.energy = &energy;
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    CHECK_FAILS(farsum_plan_get_info(NULL, &i), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_get_info(plan, NULL), FARSUM_ERR_ARGUMENT);
    i.size = 3;
    CHECK_FAILS(farsum_plan_get_info(plan, &i), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("FARSUM_PLAN_INFO_INIT");
    i.size = sizeof i;
    CHECK_OK(farsum_plan_get_info(plan, &i));
    CHECK(i.size == sizeof i, "size %zu", i.size);
    CHECK(!strcmp(i.kernel, "laplace") && !strcmp(i.method, "spectral")
          && !strcmp(i.device, "host") && !strcmp(i.isa, "base"),
          "%s by %s on %s, %s", i.kernel, i.method, i.device, i.isa);
    CHECK(i.split && i.window && i.precision == FARSUM_F64 && i.threads == 2,
          "split, window, precision or %d threads", i.threads);
    CHECK(i.n_sources == SALT_N && i.n_targets == SALT_N, "counts");
    CHECK(i.tolerance == 1e-4 && i.estimated_error > 0
          && i.estimated_error <= 1e-4, "estimate %g", i.estimated_error);
    CHECK(i.norm > 0 && i.cutoff > 0 && i.bandwidth > 0 && i.upsampling >= 1
          && i.shape > 0 && i.support >= 2 && i.near_coefficients > 0,
          "a parameter is missing: norm %g, rc %g, c %g, sigma %g, shape %g, "
          "P %d, %d terms", i.norm, i.cutoff, i.bandwidth, i.upsampling,
          i.shape, i.support, i.near_coefficients);
    CHECK(fabs(i.net_strength) < 1e-12, "net strength %g", i.net_strength);
    CHECK(i.seconds_create > 0 && i.seconds_set_points > 0
          && i.seconds_execute > 0, "seconds");
    CHECK(i.n_stages == 5, "%d stages", i.n_stages);
    double sum = 0;
    for (int k = 0; k < i.n_stages; k++) {
        CHECK(i.stages[k].stage && i.stages[k].variant
              && strstr(i.stages[k].reason, "fits"), "stage %d has no reason",
              k);
        sum += i.stages[k].seconds;
    }
    CHECK(sum > 0 && sum <= i.seconds_execute, "stages take %g s of %g s", sum,
          i.seconds_execute);
    farsum_plan_destroy(plan);
}

void api_results(void)
{
    RUN(refused);
    RUN(not_asked_for);
    RUN(one_at_a_time);
    RUN(right_hand_sides);
    RUN(array_types);
    RUN(points_again);
    RUN(one_particle);
    RUN(separate_targets);
    RUN(infos);
}
