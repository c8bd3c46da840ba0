/* SPDX-License-Identifier: Apache-2.0 */
/* soften.c: Plummer softening and gravity, against a double loop. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Stars with a total mass of 1 and different masses: a Plummer sphere of radius
 * 1, or uniform in a cube. */
struct stars {
    int n, m;          /* m separate targets; 0: the stars */
    double *x, *q, *y; /* owned */
    double *phi, *e, energy, virial[9];
};

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void stars_set(struct stars *s, int n, int m, int even)
{
    uint64_t state = 7;
    const double pi = 3.14159265358979323846;
    *s = (struct stars){.n = n, .m = m};
    s->x = check_memory((size_t)(3 * n), sizeof *s->x);
    s->q = check_memory((size_t)n, sizeof *s->q);
    s->y = check_memory((size_t)(3 * (m + 1)), sizeof *s->y);
    s->phi = check_memory((size_t)(n + m), sizeof *s->phi);
    s->e = check_memory((size_t)(3 * (n + m)), sizeof *s->e);
    for (int i = 0; i < n; i++) {
        double r = 1 / sqrt(pow(0.98 * draw(&state) + 1e-4, -2.0 / 3) - 1);
        double z = 2 * draw(&state) - 1, turn = 2 * pi * draw(&state);
        s->x[3 * i] = r * sqrt(1 - z * z) * cos(turn);
        s->x[3 * i + 1] = r * sqrt(1 - z * z) * sin(turn);
        s->x[3 * i + 2] = r * z;
        for (int d = 0; even && d < 3; d++)
            s->x[3 * i + d] = 2 * draw(&state) - 1;
        s->q[i] = (0.5 + draw(&state)) / n;
    }
    for (int i = 0; i < 3 * m; i++)
        s->y[i] = 4 * draw(&state) - 2;
}

static void stars_clear(struct stars *s)
{
    free(s->x);
    free(s->q);
    free(s->y);
    free(s->phi);
    free(s->e);
}

/* The double loop: phi, E, energy and W = 1/2 sum q q d d / (r^2 +
 * eps^2)^(3/2).  `without`: the pair of the first two is left out. */
static void stars_loop(struct stars *s, double eps, int without)
{
    int targets = s->m ? s->m : s->n;
    s->energy = 0;
    memset(s->virial, 0, sizeof s->virial);
    for (int i = 0; i < targets; i++) {
        double sum[4] = {0};
        const double *at = (s->m ? s->y : s->x) + 3 * i;
        for (int j = 0; j < s->n; j++) {
            double d[3], r2 = eps * eps;
            if ((!s->m && i == j) || (without && i + j == 1))
                continue;
            for (int a = 0; a < 3; a++) {
                d[a] = at[a] - s->x[3 * j + a];
                r2 += d[a] * d[a];
            }
            double phi = s->q[j] / sqrt(r2);
            sum[3] += phi;
            for (int a = 0; a < 3; a++)
                sum[a] += phi / r2 * d[a];
            for (int a = 0; a < 9 && !s->m; a++)
                s->virial[a] += 0.5 * s->q[i] * phi / r2 * d[a / 3] * d[a % 3];
        }
        s->phi[i] = sum[3];
        memcpy(s->e + 3 * i, sum, 3 * sizeof *sum);
        s->energy += s->m ? 0 : 0.5 * s->q[i] * sum[3];
    }
}

struct sums {
    double *phi, *e, energy, virial[9]; /* arrays owned */
    farsum_plan_info info;
};

static void sums_clear(struct sums *s)
{
    free(s->phi);
    free(s->e);
}

static farsum_problem problem_of(const struct stars *s, double eps)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.n_sources = s->n;
    p.n_targets = s->m;
    p.sample_x = s->x;
    p.sample_q = s->q;
    p.tolerance = 1e-4;
    p.softening = eps;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    return p;
}

/* 0: no plan, with the reason in *status. */
static int sum_by(const struct stars *s, const farsum_problem *p,
                  const farsum_options *options, struct sums *out,
                  farsum_status *status)
{
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    size_t targets = (size_t)(s->m ? s->m : s->n);
    *out = (struct sums){.info = FARSUM_PLAN_INFO_INIT};
    out->phi = check_memory(targets, sizeof *out->phi);
    out->e = check_memory(3 * targets, sizeof *out->e);
    r.potential = out->phi;
    r.field = out->e;
    if (!s->m)
        r.energy = &out->energy;
    if (!s->m && p->outputs & FARSUM_VIRIAL)
        r.virial = out->virial;
    *status = farsum_plan_create(p, options, &plan);
    if (*status == FARSUM_OK)
        *status =
            farsum_plan_set_points(plan, s->n, s->x, s->m, s->m ? s->y : NULL);
    if (*status == FARSUM_OK)
        *status = farsum_plan_execute(plan, 1, s->q, &r);
    if (*status == FARSUM_OK)
        *status = farsum_plan_get_info(plan, &out->info);
    farsum_plan_destroy(plan);
    return *status == FARSUM_OK;
}

/* RMS difference of forces over their RMS; for separate targets, of fields. */
static double error_of(const struct stars *s, const struct sums *got)
{
    double difference = 0, size = 0;
    for (int i = 0; i < 3 * (s->m ? s->m : s->n); i++) {
        double q = s->m ? 1 : s->q[i / 3], d = q * (got->e[i] - s->e[i]);
        difference += d * d;
        size += q * q * s->e[i] * s->e[i];
    }
    return sqrt(difference / size);
}

static double potentials_off(const struct stars *s, const struct sums *got)
{
    double difference = 0, size = 0;
    for (int i = 0; i < (s->m ? s->m : s->n); i++) {
        difference += pow(got->phi[i] - s->phi[i], 2);
        size += s->phi[i] * s->phi[i];
    }
    return sqrt(difference / size);
}

static void direct_is_the_loop(void)
{
    static const double eps[] = {0, 1e-3, 0.3};
    for (int k = 0; k < 6; k++) {
        struct stars s;
        struct sums got;
        farsum_status status;
        farsum_options options = FARSUM_OPTIONS_INIT;
        stars_set(&s, 300, k < 3 ? 0 : 70, 0);
        farsum_problem p = problem_of(&s, eps[k % 3]);
        options.method = "direct";
        stars_loop(&s, eps[k % 3], 0);
        if (sum_by(&s, &p, &options, &got, &status)) {
            CHECK_NEAR(error_of(&s, &got), 0, 1e-13);
            CHECK_NEAR(potentials_off(&s, &got), 0, 1e-14);
            CHECK_NEAR(got.energy, s.m ? 0 : s.energy, 1e-13 * s.energy);
            for (int a = 0; a < 9; a++)
                CHECK_NEAR(got.virial[a], s.m ? 0 : s.virial[a],
                           1e-12 * s.energy);
        }
        CHECK(status == FARSUM_OK, "%s", farsum_message());
        sums_clear(&got);
        stars_clear(&s);
    }
}

/* A softening below any distance's precision changes no bit. */
static void none_is_none(void)
{
    static const char *const methods[] = {"direct", "fmm"};
    struct stars s;
    stars_set(&s, 600, 0, 0);
    for (int k = 0; k < 2; k++) {
        struct sums a, b;
        farsum_status status;
        farsum_options options = FARSUM_OPTIONS_INIT;
        farsum_problem p = problem_of(&s, 0), tiny = problem_of(&s, 1e-170);
        options.method = methods[k];
        CHECK(sum_by(&s, &p, &options, &a, &status), "%s", farsum_message());
        CHECK(sum_by(&s, &tiny, &options, &b, &status), "%s", farsum_message());
        CHECK(memcmp(a.phi, b.phi, (size_t)s.n * sizeof *a.phi) == 0
                  && memcmp(a.e, b.e, (size_t)s.n * 3 * sizeof *a.e) == 0
                  && a.energy == b.energy,
              "%s: a softening of 1e-170 is seen", methods[k]);
        sums_clear(&a);
        sums_clear(&b);
    }
    stars_clear(&s);
}

/* The error of unsoftened far boxes stays below a third of the tolerance.  The
 * order is so high that no other error matters. */
static void fmm_keeps_tolerances(void)
{
    static const double eps[] = {1e-3, 4e-3, 0.02, 1};
    static const double tolerances[] = {1e-2, 1e-3, 1e-4};
    static const char *const trees[] = {"dense", "sparse"};
    int seen = 0;
    for (int k = 0; k < 24; k++) {
        struct stars s;
        struct sums got;
        farsum_status status;
        farsum_options options = FARSUM_OPTIONS_INIT;
        double softening = eps[k % 4], measured;
        stars_set(&s, 2000, 0, k < 12);
        farsum_problem p = problem_of(&s, softening);
        options.method = "fmm";
        options.fmm.tree = trees[k / 12];
        options.fmm.order = 16;
        options.verify = FARSUM_VERIFY_OFF; /* the estimate is tested */
        options.fmm.leaf = k < 12 ? 0 : 20; /* as deep as softening permits */
        p.tolerance = tolerances[k / 4 % 3];
        stars_loop(&s, softening, 0);
        CHECK(sum_by(&s, &p, &options, &got, &status), "%s: %s",
              options.fmm.tree, farsum_message());
        if (status == FARSUM_OK) {
            measured = error_of(&s, &got);
            seen += measured > 1e-6;
            CHECK(measured <= p.tolerance / 3
                      && measured <= got.info.estimated_error + 1e-6,
                  "%s, eps %g: %g, estimated %g, tolerance %g",
                  options.fmm.tree, softening, measured,
                  got.info.estimated_error, p.tolerance);
            CHECK(got.info.estimated_error <= p.tolerance, "estimated %g",
                  got.info.estimated_error);
        }
        sums_clear(&got);
        stars_clear(&s);
    }
    CHECK(seen >= 8, "far boxes left something unsoftened in %d cases", seen);
}

/* If the user's boxes are too small for the softening, they are refused with
 * advice, and the advice works. */
static void small_boxes_are_refused(void)
{
    struct stars s;
    struct sums got;
    farsum_status status;
    farsum_options options = FARSUM_OPTIONS_INIT;
    stars_set(&s, 1000, 0, 1);
    farsum_problem p = problem_of(&s, 1);
    options.method = "fmm";
    options.fmm.tree = "dense";
    options.fmm.levels = 5;
    options.fmm.boxes[0] = options.fmm.boxes[1] = options.fmm.boxes[2] = 1;
    sum_by(&s, &p, &options, &got, &status);
    CHECK(status == FARSUM_ERR_TOLERANCE, "status %d", (int)status);
    CHECK_SAYS("softening 1 leaves");
    const char *most = strstr(farsum_message(), "up to ");
    CHECK(most, "no largest softening: %s", farsum_message());
    sums_clear(&got);
    p.softening = most ? 0.99 * strtod(most + 6, NULL) : 0;
    CHECK(p.softening > 0 && p.softening < 1, "largest %g", p.softening);
    CHECK(sum_by(&s, &p, &options, &got, &status), "%s", farsum_message());
    stars_loop(&s, p.softening, 0);
    CHECK(error_of(&s, &got) <= p.tolerance, "error %g", error_of(&s, &got));
    sums_clear(&got);
    stars_clear(&s);
}

static void excluded_pairs_are_softened(void)
{
    static const int64_t pair[2] = {0, 1};
    static const char *const methods[] = {"direct", "fmm"};
    struct stars s;
    stars_set(&s, 500, 0, 0);
    for (int d = 0; d < 3; d++) /* near each other */
        s.x[3 + d] = s.x[d] + 0.01;
    stars_loop(&s, 0.1, 1);
    for (int k = 0; k < 2; k++) {
        struct sums got;
        farsum_status status;
        farsum_options options = FARSUM_OPTIONS_INIT;
        farsum_problem p = problem_of(&s, 0.1);
        p.n_exclusions = 1;
        p.exclusions = pair;
        options.method = methods[k];
        CHECK(sum_by(&s, &p, &options, &got, &status), "%s", farsum_message());
        CHECK(error_of(&s, &got) <= (k ? 1e-4 : 1e-13), "%s: %g", methods[k],
              error_of(&s, &got));
        CHECK_NEAR(got.energy, s.energy, (k ? 1e-4 : 1e-13) * s.energy);
        sums_clear(&got);
    }
    stars_clear(&s);
}

/* A negative constant reverses the sign of all results and changes no digit. */
static void gravity_is_the_other_way_round(void)
{
    static const char *const methods[] = {"direct", "fmm", "spectral", "ewald"};
    struct stars s;
    stars_set(&s, 200, 0, 0);
    for (int k = 0; k < 4; k++) {
        struct sums charges, masses;
        farsum_status status;
        farsum_options options = FARSUM_OPTIONS_INIT;
        farsum_problem p = problem_of(&s, k < 2 ? 0.05 : 0);
        options.method = methods[k];
        options.threads = 1;
        for (int d = 0; d < 3; d++) {
            p.periodic[d] = k >= 2;
            p.cell[4 * d] = 20;
        }
        p.coulomb = 2;
        CHECK(sum_by(&s, &p, &options, &charges, &status), "%s",
              farsum_message());
        p.coulomb = -2;
        CHECK(sum_by(&s, &p, &options, &masses, &status), "%s",
              farsum_message());
        for (int i = 0; i < 3 * s.n; i++)
            if (charges.e[i] != -masses.e[i]
                || charges.phi[i / 3] != -masses.phi[i / 3])
                CHECK(0, "%s: target %d: %g, %g", methods[k], i / 3,
                      charges.e[i], masses.e[i]);
        for (int a = 0; a < 9; a++)
            CHECK(charges.virial[a] == -masses.virial[a], "virial %d", a);
        CHECK(charges.energy == -masses.energy && (k > 1 || masses.energy < 0),
              "%s: energies %g and %g", methods[k], charges.energy,
              masses.energy);
        CHECK(masses.info.norm == charges.info.norm && masses.info.norm >= 0
                  && masses.info.estimated_error == charges.info.estimated_error
                  && masses.info.estimated_error > 0,
              "%s: norm %g, estimate %g", methods[k], masses.info.norm,
              masses.info.estimated_error);
        sums_clear(&charges);
        sums_clear(&masses);
    }
    stars_clear(&s);
}

static void refusals(void)
{
    struct stars s;
    farsum_plan *plan = NULL;
    stars_set(&s, 50, 0, 0);
    farsum_problem p = problem_of(&s, -1);
    CHECK_FAILS(farsum_plan_create(&p, NULL, &plan), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("softening is -1");
    p.softening = NAN;
    CHECK_FAILS(farsum_plan_create(&p, NULL, &plan), FARSUM_ERR_ARGUMENT);
    p.softening = 0.1;
    p.kernel = "r6";
    CHECK_FAILS(farsum_plan_create(&p, NULL, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("not r6");
    p.kernel = NULL;
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1, p.cell[4 * d] = 20;
    p.kernel = "charge_dipole";
    CHECK_FAILS(farsum_plan_create(&p, NULL, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("open space");
    stars_clear(&s);
}

int main(void)
{
    RUN(direct_is_the_loop);
    RUN(none_is_none);
    RUN(fmm_keeps_tolerances);
    RUN(small_boxes_are_refused);
    RUN(excluded_pairs_are_softened);
    RUN(gravity_is_the_other_way_round);
    RUN(refusals);
    return check_end();
}
