/* SPDX-License-Identifier: Apache-2.0 */
/* soften.c: softened 1/r in periodic cells, against `ewald` without softening
 * and a loop over the pairs that are softened. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geometry/sums.h"
#include "farsum/batch.h"

enum { POINTS = 300, TARGETS = 30, PAIRS = 12 };
static const double radius = 0.9;

struct cloud {
    farsum_problem problem;
    farsum_options options;
    double x[3 * POINTS], q[POINTS], y[3 * TARGETS], factors[PAIRS];
    int64_t pairs[2 * PAIRS];
    int m;
};

struct sums {
    double potential[POINTS], field[3 * POINTS], energy, virial[9];
};

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Random points in a tilted cell, of which some are very near each other. */
static void cloud_in(struct cloud *c, double tolerance, const double cell[9])
{
    uint64_t state = 3;
    *c = (struct cloud){.problem = FARSUM_PROBLEM_INIT,
                        .options = FARSUM_OPTIONS_INIT};
    farsum_problem *p = &c->problem;
    for (int i = 0; i < POINTS + TARGETS; i++) {
        double *x = i < POINTS ? c->x + 3 * i : c->y + 3 * (i - POINTS);
        double s[3] = {draw(&state), draw(&state), draw(&state)};
        for (int d = 0; d < 3; d++)
            x[d] = s[0] * cell[d] + s[1] * cell[3 + d] + s[2] * cell[6 + d];
        if (i < POINTS)
            c->q[i] = draw(&state) - 0.3;
    }
    for (int i = 0; i < 40; i += 2) /* up to lattice vectors */
        for (int d = 0; d < 3; d++)
            c->x[3 * i + d] = c->x[3 * i + 3 + d] + 0.2 * pow(10, -i / 40.0)
                              + (i % 3 == 1 ? cell[3 + d] : 0);
    memcpy(p->cell, cell, sizeof p->cell);
    for (int d = 0; d < 3; d++)
        p->periodic[d] = 1;
    p->coulomb = 1;
    p->softening = radius;
    p->tolerance = tolerance;
    p->precision = FARSUM_F64;
    p->arrays = FARSUM_F64;
    p->n_sources = POINTS;
    p->outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    c->options.threads = 1;
    c->options.method = "spectral";
}

static void cloud_make(struct cloud *c, double tolerance)
{
    static const double cell[9] = {6, 0, 0, 1.5, 7, 0, -1, 2, 5.5};
    cloud_in(c, tolerance, cell);
}

static void exclude(struct cloud *c)
{
    for (int k = 0; k < PAIRS; k++) {
        c->pairs[2 * k] = 2 * k;
        c->pairs[2 * k + 1] = k % 3 ? 2 * k + 1 : 100 + k;
        c->factors[k] = k % 2 ? 0 : 0.25;
    }
    c->problem.n_exclusions = PAIRS;
    c->problem.exclusions = c->pairs;
    c->problem.exclusion_factors = c->factors;
}

static farsum_status cloud_sum(const struct cloud *c, struct sums *to)
{
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = to->potential;
    r.field = to->field;
    r.energy = &to->energy;
    r.virial = to->virial;
    return geometry_sum(&c->problem, &c->options, POINTS, c->x, c->q, c->m,
                        c->y, r, NULL);
}

/* What remains of the nearest image of sources i and j. */
static double stays(const struct cloud *c, int i, int j)
{
    for (int k = 0; k < c->problem.n_exclusions; k++)
        if ((c->pairs[2 * k] == i && c->pairs[2 * k + 1] == j)
            || (c->pairs[2 * k] == j && c->pairs[2 * k + 1] == i))
            return c->factors[k];
    return 1;
}

/* Adds the softened less the whole interaction of one image.  With u = r/h a
 * ball of density 105/(32 pi h^3) (1 - u^2)^2 has the charge
 * (35 u^3 - 42 u^5 + 15 u^7)/8 within u. */
static void image_add(const struct cloud *c, int i, int j, const double d[3],
                      double factor, struct sums *to)
{
    double u = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / radius,
           h = radius;
    if (u >= 1 || u == 0)
        return;
    double u2 = u * u, big = c->problem.coulomb * c->q[j] * factor;
    double inside = (35 - 42 * u2 + 15 * u2 * u2) * u2 * u / 8;
    double g = big * (inside - 1) / pow(u * h, 3);
    double phi =
        big * ((35 - 35 * u2 + 21 * u2 * u2 - 5 * u2 * u2 * u2) / 16 - 1 / u)
        / h;
    to->potential[i] += phi;
    for (int k = 0; k < 3; k++)
        to->field[3 * i + k] += g * d[k];
    if (c->m)
        return;
    to->energy += 0.5 * c->q[i] * phi;
    for (int k = 0; k < 9; k++)
        to->virial[k] += 0.5 * c->q[i] * g * d[k / 3] * d[k % 3];
}

static void loop(const struct cloud *c, struct sums *to)
{
    const double *a = c->problem.cell;
    for (int i = 0; i < (c->m ? c->m : POINTS); i++)
        for (int j = 0; j < POINTS; j++)
            for (int n = 0; n < 125; n++) {
                const double *x = (c->m ? c->y : c->x) + 3 * i;
                double d[3];
                for (int k = 0; k < 3; k++)
                    d[k] = x[k] - c->x[3 * j + k] + (n / 25 - 2) * a[k]
                           + (n / 5 % 5 - 2) * a[3 + k]
                           + (n % 5 - 2) * a[6 + k];
                image_add(c, i, j, d, c->m ? 1 : stays(c, i, j), to);
            }
}

/* Pairs are at least 0.03 apart, or rounding of 1/r would be seen. */
static void reference(const struct cloud *c, struct sums *to)
{
    struct cloud t = *c;
    t.options = (farsum_options)FARSUM_OPTIONS_INIT;
    t.options.threads = 1;
    t.options.method = "ewald";
    t.problem.precision = FARSUM_F64;
    t.problem.tolerance = 1e-14;
    t.problem.softening = 0;
    memset(to, 0, sizeof *to);
    CHECK_OK(cloud_sum(&t, to));
    loop(c, to);
}

static void compare(const struct cloud *c, const struct sums *exact,
                    const char *what)
{
    struct sums a;
    int n = c->m ? c->m : POINTS;
    double limit = c->problem.tolerance;
    CHECK_OK(cloud_sum(c, &a));
    double force =
        geometry_off(a.field, exact->field, c->m ? NULL : c->q, n, 3);
    double phi = geometry_off(a.potential, exact->potential, NULL, n, 1);
    CHECK(force <= limit, "%s: forces off by %g, %g allowed", what, force,
          limit);
    CHECK(phi <= limit, "%s: potentials off by %g", what, phi);
    if (c->m)
        return;
    CHECK_NEAR(a.energy, exact->energy, 3 * limit * fabs(exact->energy));
    CHECK(geometry_off(a.virial, exact->virial, NULL, 9, 1) <= 10 * limit,
          "%s: virial off by %g", what,
          geometry_off(a.virial, exact->virial, NULL, 9, 1));
}

static void ladder(void)
{
    for (int step = 0; step < 2; step++) {
        struct cloud c;
        struct sums exact;
        cloud_make(&c, 1);
        if (step)
            exclude(&c);
        reference(&c, &exact);
        for (int digits = 2 + step; digits <= 12; digits += 2) {
            c.problem.tolerance = pow(10, -digits);
            c.problem.sample_x = digits % 4 < 2 ? c.x : NULL;
            c.problem.sample_q = digits % 4 < 2 ? c.q : NULL;
            c.options.method = "spectral";
            compare(&c, &exact, "spectral");
            c.options.method = "ewald";
            if (digits % 3 == 0)
                compare(&c, &exact, "ewald");
        }
    }
}

static void others(void)
{
    struct cloud c;
    struct sums exact;
    cloud_make(&c, 1e-10);
    c.problem.coulomb = -3; /* masses */
    reference(&c, &exact);
    for (int k = 0; k < 4; k++) {
        c.options.cutoff = radius * (1.0001 + k * k * 0.2);
        compare(&c, &exact, "another cutoff");
    }
    c.options.cutoff = 0;
    c.options.spectral.near = "plain";
    compare(&c, &exact, "near plain");
    c.options.spectral.near = NULL;
    for (int k = 0; k < 4; k++) {
        c.problem.tolerance = k & 1 ? 1e-3 : 1e-5;
        c.problem.precision = k & 2 ? FARSUM_F32 : FARSUM_MIXED;
        compare(&c, &exact, k & 2 ? "f32" : "mixed");
    }
    c.m = TARGETS;
    c.problem.tolerance = 1e-7;
    c.problem.precision = FARSUM_F64;
    reference(&c, &exact);
    compare(&c, &exact, "targets");
    c.options.method = "ewald";
    compare(&c, &exact, "targets of ewald");
}

/* By boxes, of which only near ones hold softened pairs. */
static void boxes(void)
{
    static const double brick[9] = {6, 0, 0, 0, 7, 0, 0, 0, 5.5};
    struct cloud c;
    struct sums exact;
    cloud_in(&c, 1, brick);
    exclude(&c);
    reference(&c, &exact);
    c.options.method = "fmm";
    for (int digits = 2; digits <= 11; digits += 3) {
        c.options.fmm.tree = digits % 2 ? "dense" : "sparse";
        c.options.fmm.p2p = digits == 8 ? "plain" : NULL;
        c.options.fmm.leaf = digits % 2 ? 0 : 8;
        c.problem.tolerance = pow(10, -digits);
        c.problem.sample_x = digits < 8 ? c.x : NULL;
        c.problem.sample_q = digits < 8 ? c.q : NULL;
        compare(&c, &exact, c.options.fmm.tree);
    }
    c.options.fmm.tree = c.options.fmm.p2p = NULL;
    c.options.fmm.leaf = 0;
    c.problem.precision = FARSUM_F32;
    c.problem.tolerance = 1e-4;
    compare(&c, &exact, "fmm f32");
    c.problem.precision = FARSUM_F64;
    for (int k = 0; k < 3; k++)
        c.options.fmm.boxes[k] = 10;
    c.options.fmm.levels = 1;
    c.options.fmm.separation = 1;
    CHECK_FAILS(cloud_sum(&c, &exact), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("0.9 is longer than 0.55");
}

/* A softened pair at a distance of almost 0 is one charge. */
static void close_by(double apart)
{
    struct cloud c, t;
    struct sums a, b;
    cloud_make(&c, 1e-12);
    for (int d = 0; d < 3; d++)
        c.x[d] = c.x[3 + d] + apart;
    t = c;
    t.q[1] += t.q[0];
    t.q[0] = 0;
    CHECK_OK(cloud_sum(&c, &a));
    CHECK_OK(cloud_sum(&t, &b));
    double field = geometry_off(a.field + 6, b.field + 6, NULL, POINTS - 2, 3);
    CHECK(field < 10 * apart && field > 0, "fields differ by %g", field);
    CHECK_NEAR(a.potential[1] - b.potential[1], c.q[0] * 35 / 16 / radius,
               10 * apart);
    field = geometry_off(a.field + 3, b.field + 3, NULL, 1, 3);
    CHECK(field < 10 * apart, "field of a pair differs by %g", field);
}

static void close(void)
{
    close_by(1e-8);
    close_by(1e-11); /* the far part of the pair, by its series */
}

/* More sources than create was told of shorten the cutoff, but not below the
 * softening. */
static void more(void)
{
    static struct cloud c;
    static struct sums expected, later;
    int tried = 0;
    for (double h = 0.9; h < 9; h += 0.5) {
        cloud_make(&c, 1e-9);
        c.problem.softening = h;
        c.options.method = "ewald";
        if (cloud_sum(&c, &expected) != FARSUM_OK)
            continue;
        c.problem.n_sources = 3;
        if (cloud_sum(&c, &later) != FARSUM_OK)
            continue;
        tried++;
        CHECK_NEAR(later.energy, expected.energy, 1e-7 * fabs(expected.energy));
        for (int i = 0; i < 3 * POINTS; i++)
            CHECK_NEAR(later.field[i], expected.field[i], 1e-6);
    }
    CHECK(tried > 4, "%d cases", tried);
}

static void batch(void)
{
    const int64_t offsets[2] = {0, POINTS};
    struct cloud c;
    struct sums exact, a;
    farsum_batch *b = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    cloud_make(&c, 1e-6);
    reference(&c, &exact);
    r.potential = a.potential;
    r.field = a.field;
    c.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    CHECK_OK(farsum_batch_create(&c.problem, NULL, &b));
    CHECK_OK(farsum_batch_set(b, 1, offsets, c.problem.cell, c.x));
    CHECK_OK(farsum_batch_execute(b, 1, c.q, &r));
    double force = geometry_off(a.field, exact.field, c.q, POINTS, 3);
    CHECK(force <= 1e-6, "batch: forces off by %g", force);
    farsum_batch_destroy(b);
}

static void refused(void)
{
    struct cloud c;
    struct sums a;
    cloud_make(&c, 1e-5);
    c.options.cutoff = 0.9 * radius;
    for (int k = 0; k < 2; k++) {
        c.options.method = k ? "ewald" : "spectral";
        CHECK_FAILS(cloud_sum(&c, &a), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("shorter than the softening");
    }
    c.options.cutoff = 0;
    c.options.method = "spectral";
    c.problem.part = FARSUM_FAR;
    CHECK_FAILS(cloud_sum(&c, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("part far is not softened");
    c.problem.part = FARSUM_WHOLE;
    c.problem.periodic[1] = 0;
    c.options.method = "ewald";
    CHECK_FAILS(cloud_sum(&c, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("three periodic axes or none");
}

int main(void)
{
    RUN(ladder);
    RUN(others);
    RUN(boxes);
    RUN(close);
    RUN(more);
    RUN(batch);
    RUN(refused);
    return check_end();
}
