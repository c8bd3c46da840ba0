/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: slabs by method `spectral` against `ewald` and known numbers. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geometry/slab_case.h"
#include "geometry/sums.h"

enum { POINTS = SLAB_POINTS, TARGETS = SLAB_TARGETS };

static farsum_status slab_sum(const struct slab *s, struct sums *to)
{
    return geometry_sums(&s->problem, &s->options, POINTS, s->x, s->q, s->m,
                         s->y, to);
}

/* The sum by `ewald`.  The last KEPT sums stay, because many cases differ only
 * in what `ewald` does not read.  A sample is the slab's own x and q.  Sums
 * with exclusions are not kept, because these are behind pointers. */
static const struct sums *reference(const struct slab *s)
{
    enum { KEPT = 8 };
    static struct {
        struct slab of;
        struct sums sums;
    } kept[KEPT];
    static int next;
    struct slab t;
    memcpy(&t, s, sizeof t); /* with its padding, which memcmp compares */
    t.options = (farsum_options)FARSUM_OPTIONS_INIT;
    t.options.threads = 1;
    t.options.method = "ewald";
    t.problem.precision = FARSUM_F64;
    t.problem.arrays = FARSUM_F64;
    t.problem.tolerance = 1e-14;
    for (int k = 0; k < KEPT && !t.problem.n_exclusions; k++)
        if (memcmp(&kept[k].of, &t, sizeof t) == 0)
            return &kept[k].sums;
    int to = next++ % KEPT;
    memset(&kept[to].of, 0, sizeof t);
    if (CHECK_OK(slab_sum(&t, &kept[to].sums)))
        memcpy(&kept[to].of, &t, sizeof t);
    return &kept[to].sums;
}

static void compare(const struct slab *s, const char *what)
{
    struct sums a;
    CHECK_OK(slab_sum(s, &a));
    geometry_compare(s->problem.tolerance, &a, reference(s), s->q, POINTS, s->m,
                     12, what);
    if (!(s->problem.kappa > 0) && !s->m)
        CHECK_NEAR(a.virial[0] + a.virial[4] + a.virial[8], a.energy,
                   1e-13 * fabs(a.energy));
}

static void axes(void)
{
    static const double tolerances[] = {1e-3, 1e-5, 1e-8, 1e-12};
    for (int open = 0; open < 3; open++)
        for (int net = 0; net <= 20; net += 20)
            for (int k = 0; k < 4; k++) {
                struct slab s;
                slab_make(&s, open, 4, net, tolerances[k]);
                compare(&s, "without a sample");
                s.problem.sample_x = s.x;
                s.problem.sample_q = s.q;
                compare(&s, "with a sample");
                if (k == 1)
                    s.m = TARGETS;
                if (k == 1)
                    compare(&s, "separate targets");
            }
}

/* Each tolerance, screened and not. */
static void ladder(void)
{
    static const double kappas[] = {0, 0.15, 0.6, 2};
    for (int digits = 2; digits <= 12; digits++)
        for (int k = 0; k < 4; k++)
            for (int net = 0; net <= 20; net += 20) {
                struct slab s;
                slab_make(&s, 2, 4, net, pow(10, -digits));
                if (kappas[k] > 0)
                    s.problem.kernel = "yukawa";
                s.problem.kappa = kappas[k];
                s.problem.sample_x = s.x;
                s.problem.sample_q = s.q;
                compare(&s, k ? "yukawa" : "laplace");
            }
}

static void screened(void)
{
    for (int open = 0; open < 3; open++)
        for (int thick = 0; thick < 3; thick++) {
            struct slab s;
            slab_make(&s, open,
                      thick == 0   ? 1e-3
                      : thick == 1 ? 3
                                   : 40,
                      7, 1e-7);
            s.problem.kernel = "yukawa";
            s.problem.kappa = 0.3;
            s.problem.coulomb = -2.5;
            compare(&s, "yukawa without a sample");
            s.m = thick > 0 ? TARGETS : 0;
            compare(&s, "yukawa at targets");
        }
}

/* A screening length far above the cell: the mode 0 is as large as 1/kappa, or
 * 1/kappa^2 with three axes, and multiplies only the net charge. */
static void weakly_screened(void)
{
    for (int k = 0; k < 16; k++) {
        struct slab s;
        int f32 = k & 1, net = k & 2 ? 10 : 0;
        slab_make(&s, k & 4 ? 1 : 2, 4, net, f32 ? 2e-5 : 1e-11);
        s.problem.precision = f32 ? FARSUM_F32 : FARSUM_F64;
        s.problem.arrays = FARSUM_F64;
        s.problem.kernel = "yukawa";
        s.problem.kappa = k & 8 ? 1e-5 : 1e-3;
        compare(&s, net ? "weak screen, net charge" : "weak screen");
        if (k & 8) /* a net charge's own rounding is 1/kappa^2 as large */
            continue;
        s.problem.periodic[0] = s.problem.periodic[1] = 1;
        s.problem.periodic[2] = 1;
        compare(&s, "weak screen, three axes");
    }
}

/* Sums in f32, and with near pairs in f32. */
static void precisions(void)
{
    for (int k = 0; k < 8; k++) {
        struct slab s;
        slab_make(&s, k % 3, 4, k & 2 ? 10 : 0, k & 4 ? 1e-3 : 2e-5);
        s.problem.precision = k & 1 ? FARSUM_F32 : FARSUM_MIXED;
        s.problem.arrays = FARSUM_F64;
        compare(&s, k & 1 ? "f32" : "mixed");
        s.problem.kernel = "yukawa";
        s.problem.kappa = 0.5;
        compare(&s, k & 1 ? "f32, yukawa" : "mixed, yukawa");
    }
}

/* Neither the thickness of the vacuum nor the cutoff matters. */
static void gaps(void)
{
    for (int k = 0; k < 6; k++) {
        struct slab s;
        slab_make(&s, 2, 3, 10, 1e-10);
        s.problem.cell[8] = 3 + 2 * k;
        compare(&s, "another gap");
        s.options.cutoff = 1.5 + 0.4 * k;
        compare(&s, "another cutoff");
        s.problem.cell[7] =
            100; /* of an open row only the normal part counts */
        s.problem.cell[6] = -30;
        compare(&s, "a tilted open row");
    }
    struct slab s;
    slab_make(&s, 1, 1e-3, 0, 1e-6); /* a sheet */
    compare(&s, "a sheet");
    slab_make(&s, 0, 60, 0, 1e-6);
    compare(&s, "a thick slab");
}

/* Excluded pairs, of which some are far apart along the open axis, and one is
 * nearest through a side of the cell. */
static void exclusions(void)
{
    int64_t pairs[2 * 20];
    double factors[20];
    for (int open = 0; open < 3; open++)
        for (int sample = 0; sample < 2; sample++) {
            struct slab s;
            slab_make(&s, open, 60, 3, 1e-6);
            for (int k = 0; k < 20; k++) {
                int at = 100;
                for (int j = 101; j < POINTS; j++) /* the farthest */
                    at = fabs(s.x[3 * j + open] - s.x[9 * k + open])
                                 > fabs(s.x[3 * at + open] - s.x[9 * k + open])
                             ? j
                             : at;
                pairs[2 * k] = 3 * k;
                pairs[2 * k + 1] = k % 2 ? at : 3 * k + 100;
                factors[k] = k % 3 ? 0 : 0.5;
            }
            s.problem.n_exclusions = 20;
            s.problem.exclusions = pairs;
            s.problem.exclusion_factors = factors;
            s.problem.sample_x = sample ? s.x : NULL;
            s.problem.sample_q = sample ? s.q : NULL;
            compare(&s, "exclusions");
        }
}

/* A square lattice of alternating charges. */
static void lattice(void)
{
    struct slab s;
    struct sums a;
    slab_make(&s, 2, 1, 0, 1e-12);
    memset(s.problem.cell, 0, sizeof s.problem.cell);
    s.problem.cell[0] = 20; /* 20 x 15 charges need even numbers: 20 x 14 */
    s.problem.cell[4] = 14;
    int n = 0;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 14; j++, n++) {
            s.x[3 * n] = i;
            s.x[3 * n + 1] = j;
            s.x[3 * n + 2] = 0;
            s.q[n] = (i + j) % 2 ? -1 : 1;
        }
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    s.problem.n_sources = n;
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    s.problem.outputs = FARSUM_POTENTIAL;
    s.problem.sample_x = s.x;
    s.problem.sample_q = s.q;
    r.potential = a.potential;
    CHECK_OK(farsum_plan_create(&s.problem, &s.options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, n, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &r));
    for (int i = 0; i < n; i++)
        CHECK_NEAR(a.potential[i], s.q[i] * -1.6155426267128, 1.7e-12);
    farsum_plan_destroy(plan);
}

/* A plan that gets other cells, and several right-hand sides. */
static void cells(void)
{
    enum { ROWS = 3 };
    for (int open = 0; open < 3; open++) {
        struct slab s;
        struct sums a[ROWS], b;
        double q[ROWS * POINTS], phi[ROWS * POINTS], field[3 * ROWS * POINTS];
        double energy[ROWS], virial[9 * ROWS];
        farsum_plan *plan = NULL;
        farsum_result r = FARSUM_RESULT_INIT;
        slab_make(&s, open, 4, 2, 1e-9);
        s.problem.coulomb = -0.5; /* masses */
        CHECK_OK(farsum_plan_create(&s.problem, &s.options, &plan));
        for (int step = 0; step < 3; step++) {
            for (int k = 0; k < 9; k++)
                s.problem.cell[k] *= k / 3 == open ? 1 + step : 0.999;
            s.problem.cell[(3 * open + 4) % 9] += 0.02;
            CHECK_OK(farsum_plan_set_cell(plan, s.problem.cell));
            CHECK_OK(farsum_plan_set_points(plan, POINTS, s.x, 0, NULL));
            for (int k = 0; k < ROWS * POINTS; k++)
                q[k] = s.q[k % POINTS] + (k < POINTS ? 0 : sin(k) + 0.1);
            r.potential = phi;
            r.field = field;
            r.energy = energy;
            r.virial = virial;
            CHECK_OK(farsum_plan_execute(plan, ROWS, q, &r));
            for (int k = 0; k < ROWS; k++) {
                struct slab t = s;
                memcpy(t.q, q + k * POINTS, sizeof t.q);
                t.options = (farsum_options)FARSUM_OPTIONS_INIT;
                t.options.threads = 1;
                t.options.method = "ewald";
                t.problem.tolerance = 1e-13;
                CHECK_OK(slab_sum(&t, &b));
                memcpy(a[k].potential, phi + k * POINTS, sizeof b.potential);
                double off_field = geometry_off(field + 3 * k * POINTS, b.field,
                                                NULL, POINTS, 3);
                double off_phi =
                    geometry_off(a[k].potential, b.potential, NULL, POINTS, 1);
                CHECK(off_field < 2e-9 && off_phi < 2e-9,
                      "step %d, row %d: off by %g and %g", step, k, off_field,
                      off_phi);
                CHECK_NEAR(energy[k], b.energy, 1e-8 * fabs(b.energy));
                for (int d = 0; d < 9; d++)
                    CHECK_NEAR(virial[9 * k + d], b.virial[d],
                               1e-7 * geometry_size(b.virial, 9));
            }
        }
        farsum_plan_destroy(plan);
    }
}

static void refused(void)
{
    static const int64_t pair[2] = {0, 1};
    struct slab s;
    struct sums a;
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = a.potential;
    slab_make(&s, 2, 4, 0, 1e-5);
    s.problem.kernel = "r6";
    CHECK_FAILS(slab_sum(&s, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("kernel r6");
    /* exclusions in a gap without room, and points beyond it */
    slab_make(&s, 2, 60, 0, 1e-5);
    s.problem.cell[8] = 66;
    CHECK_OK(farsum_plan_create(&s.problem, &s.options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, POINTS, s.x, 0, NULL));
    CHECK_OK(farsum_plan_set_exclusions(plan, 1, pair, NULL));
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &r), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("exclusions with two periodic axes");
    CHECK_OK(farsum_plan_set_exclusions(plan, 0, NULL, NULL));
    s.x[2] += 90;
    CHECK_FAILS(farsum_plan_set_points(plan, POINTS, s.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("open axis");
    s.x[2] -= 90;
    CHECK_OK(farsum_plan_set_points(plan, POINTS, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &r));
    farsum_plan_destroy(plan);
}

int main(void)
{
    RUN(axes);
    RUN(ladder);
    RUN(screened);
    RUN(weakly_screened);
    RUN(precisions);
    RUN(gaps);
    RUN(exclusions);
    RUN(cells);
    RUN(lattice);
    RUN(refused);
    return check_end();
}
