/* SPDX-License-Identifier: Apache-2.0 */
/* soften.c: softened 1/r in periodic cells on the host. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geometry/soften_cloud.h"
#include "geometry/sums.h"
#include "farsum/batch.h"

static void ladder(void)
{
    for (int step = 0; step < 2; step++) {
        struct cloud c;
        struct cloud_sums exact;
        cloud_make(&c, 1);
        if (step)
            cloud_exclude(&c);
        cloud_reference(&c, &exact);
        for (int digits = 2 + step; digits <= 12; digits += 2) {
            c.problem.tolerance = pow(10, -digits);
            c.problem.sample_x = digits % 4 < 2 ? c.x : NULL;
            c.problem.sample_q = digits % 4 < 2 ? c.q : NULL;
            c.options.method = "spectral";
            cloud_compare(&c, &exact, "spectral");
            c.options.method = "ewald";
            if (digits % 3 == 0)
                cloud_compare(&c, &exact, "ewald");
        }
    }
}

static void others(void)
{
    struct cloud c;
    struct cloud_sums exact;
    cloud_make(&c, 1e-10);
    c.problem.coulomb = -3; /* masses */
    cloud_reference(&c, &exact);
    for (int k = 0; k < 4; k++) {
        c.options.cutoff = CLOUD_RADIUS * (1.0001 + k * k * 0.2);
        cloud_compare(&c, &exact, "another cutoff");
    }
    c.options.cutoff = 0;
    c.options.spectral.near = "plain";
    cloud_compare(&c, &exact, "near plain");
    c.options.spectral.near = NULL;
    for (int k = 0; k < 4; k++) {
        c.problem.tolerance = k & 1 ? 1e-3 : 1e-5;
        c.problem.precision = k & 2 ? FARSUM_F32 : FARSUM_MIXED;
        cloud_compare(&c, &exact, k & 2 ? "f32" : "mixed");
    }
    c.m = CLOUD_TARGETS;
    c.problem.tolerance = 1e-7;
    c.problem.precision = FARSUM_F64;
    cloud_reference(&c, &exact);
    cloud_compare(&c, &exact, "targets");
    c.options.method = "ewald";
    cloud_compare(&c, &exact, "targets of ewald");
}

/* One and two periodic axes. */
static void fewer_axes(void)
{
    struct cloud c;
    struct cloud_sums exact;
    cloud_make(&c, 1e-10);
    c.problem.periodic[0] = 0;
    cloud_reference(&c, &exact);
    c.options.method = "ewald";
    cloud_compare(&c, &exact, "slab by ewald");
    c.options.method = "spectral";
    for (int k = 0; k < 2; k++) {
        c.problem.tolerance = k ? 1e-9 : 1e-5;
        c.problem.sample_x = k ? c.x : NULL;
        c.problem.sample_q = k ? c.q : NULL;
        cloud_compare(&c, &exact, "slab by spectral");
    }
    c.problem.periodic[2] = 0;
    c.problem.sample_x = c.problem.sample_q = NULL;
    cloud_reference(&c, &exact);
    c.options.method = "ewald";
    cloud_compare(&c, &exact, "wire");
    c.options.method = "spectral";
    CHECK_FAILS(cloud_sum(&c, &exact), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("does not soften with one periodic axis");
}

/* By boxes, of which only near ones hold softened pairs. */
static void boxes(void)
{
    struct cloud c;
    struct cloud_sums exact;
    cloud_brick(&c, 1);
    cloud_exclude(&c);
    cloud_reference(&c, &exact);
    c.options.method = "fmm";
    for (int digits = 2; digits <= 11; digits += 3) {
        c.options.fmm.tree = digits % 2 ? "dense" : "sparse";
        c.options.fmm.p2p = digits == 8 ? "plain" : NULL;
        c.options.fmm.leaf = digits % 2 ? 0 : 8;
        c.problem.tolerance = pow(10, -digits);
        c.problem.sample_x = digits < 8 ? c.x : NULL;
        c.problem.sample_q = digits < 8 ? c.q : NULL;
        cloud_compare(&c, &exact, c.options.fmm.tree);
    }
    c.options.fmm.tree = c.options.fmm.p2p = NULL;
    c.options.fmm.leaf = 0;
    c.problem.precision = FARSUM_F32;
    c.problem.tolerance = 1e-4;
    cloud_compare(&c, &exact, "fmm f32");
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
    struct cloud_sums a, b;
    cloud_make(&c, 1e-12);
    for (int d = 0; d < 3; d++)
        c.x[d] = c.x[3 + d] + apart;
    t = c;
    t.q[1] += t.q[0];
    t.q[0] = 0;
    CHECK_OK(cloud_sum(&c, &a));
    CHECK_OK(cloud_sum(&t, &b));
    double field =
        geometry_off(a.field + 6, b.field + 6, NULL, CLOUD_POINTS - 2, 3);
    CHECK(field < 10 * apart && field > 0, "fields differ by %g", field);
    CHECK_NEAR(a.potential[1] - b.potential[1], c.q[0] * 35 / 16 / CLOUD_RADIUS,
               10 * apart);
    field = geometry_off(a.field + 3, b.field + 3, NULL, 1, 3);
    CHECK(field < 10 * apart, "field of a pair differs by %g", field);
}

static void close(void)
{
    close_by(1e-8);
    close_by(1e-11); /* the far part of the pair, by its series */
}

/* In f32 a softened pair keeps its potential, or the pair is refused. */
static void close_in_f32(void)
{
    static const farsum_precision kinds[] = {FARSUM_F32, FARSUM_MIXED};
    static const double apart[] = {1e-6, 3e-7, 1e-9};
    for (int k = 0; k < 6; k++) {
        struct cloud c;
        struct cloud_sums a, b;
        cloud_make(&c, 1e-4);
        for (int d = 0; d < 3; d++)
            c.x[d] = c.x[3 + d] + (d == 0 ? apart[k / 2] : 0);
        c.problem.sample_x = c.x;
        c.problem.sample_q = c.q;
        CHECK_OK(cloud_sum(&c, &b));
        c.problem.precision = kinds[k % 2];
        farsum_status status = cloud_sum(&c, &a);
        if (apart[k / 2] < 1e-8) {
            CHECK(status == FARSUM_ERR_TOLERANCE, "status %d", (int)status);
            continue;
        }
        CHECK(status == FARSUM_OK, "%g apart: %s", apart[k / 2],
              farsum_message());
        CHECK_NEAR(a.potential[0], b.potential[0], 1e-3);
        CHECK_NEAR(a.energy, b.energy, 1e-3 * fabs(b.energy));
    }
}

/* More sources than create was told of shorten the cutoff, but not below the
 * softening. */
static void more(void)
{
    static struct cloud c;
    static struct cloud_sums expected, later;
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
        for (int i = 0; i < 3 * CLOUD_POINTS; i++)
            CHECK_NEAR(later.field[i], expected.field[i], 1e-6);
    }
    CHECK(tried > 4, "%d cases", tried);
}

static void batch(void)
{
    const int64_t offsets[2] = {0, CLOUD_POINTS};
    struct cloud c;
    struct cloud_sums exact, a;
    farsum_batch *b = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    cloud_make(&c, 1e-6);
    cloud_reference(&c, &exact);
    r.potential = a.potential;
    r.field = a.field;
    c.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    CHECK_OK(farsum_batch_create(&c.problem, NULL, &b));
    CHECK_OK(farsum_batch_set(b, 1, offsets, c.problem.cell, c.x));
    CHECK_OK(farsum_batch_execute(b, 1, c.q, &r));
    double force = geometry_off(a.field, exact.field, c.q, CLOUD_POINTS, 3);
    CHECK(force <= 1e-6, "batch: forces off by %g", force);
    farsum_batch_destroy(b);
}

static void refused(void)
{
    struct cloud c;
    struct cloud_sums a;
    cloud_make(&c, 1e-5);
    c.options.cutoff = 0.9 * CLOUD_RADIUS;
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
    c.problem.kernel = "charge_dipole";
    CHECK_FAILS(cloud_sum(&c, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("of kernel charge_dipole requires open space");
}

int main(void)
{
    RUN(ladder);
    RUN(others);
    RUN(fewer_axes);
    RUN(boxes);
    RUN(close);
    RUN(close_in_f32);
    RUN(more);
    RUN(batch);
    RUN(refused);
    return check_end();
}
