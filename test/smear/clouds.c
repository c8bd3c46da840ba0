/* SPDX-License-Identifier: Apache-2.0 */
/* clouds.c: charges smeared into Gaussian clouds, against a sum over the modes
 * of the clouds, which needs no near part, and in open space against the
 * pairs. */
#include "parts/parts.h"

#include <stdlib.h>
#include <string.h>

#include "farsum/expert.h"

enum { N = PARTS_N, REACH = 16 };
static const double pi = 3.14159265358979323846;

struct clouds {
    double potential[N], field[3 * N], energy, virial[9], each[9 * N];
};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Neutral charges, widths from 0.13 to 0.2 in a cell with edges of 2. */
static void system_of(struct parts_case *c, double *width)
{
    double mean = 0;
    parts_system(c, "laplace", 3);
    c->problem.outputs |= FARSUM_PARTICLE_VIRIAL;
    c->problem.tolerance = 1e-8;
    for (int i = 0; i < N; i++)
        mean += c->q[i] / N;
    for (int i = 0; i < N; i++) {
        c->q[i] -= mean;
        width[i] = 0.13 + 0.07 * (i % 5) / 4;
    }
}

static void sum(const struct parts_case *c, const double *width,
                struct clouds *s)
{
    farsum_plan *plan = NULL;
    farsum_problem p = c->problem;
    farsum_result out = FARSUM_RESULT_INIT;
    memset(s, 0, sizeof *s);
    out.potential = s->potential;
    out.field = s->field;
    out.energy = &s->energy;
    out.virial = s->virial;
    if (p.outputs & FARSUM_PARTICLE_VIRIAL)
        out.particle_virial = s->each;
    if (p.n_exclusions > 0) {
        p.exclusions = c->pair;
        p.exclusion_factors = c->factor;
    }
    CHECK_OK(farsum_plan_create(&p, &c->options, &plan));
    CHECK_OK(farsum_plan_set_widths(plan, N, width));
    CHECK_OK(farsum_plan_set_points(plan, N, c->x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, c->q, &out));
    farsum_plan_destroy(plan);
}

/* Rows of 2 pi times the inverse cell; returns the volume. */
static double waves(const double *h, double k[9])
{
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++) {
            const double *a = h + 3 * ((i + 1) % 3), *b = h + 3 * ((i + 2) % 3);
            k[3 * i + d] = a[(d + 1) % 3] * b[(d + 2) % 3]
                           - a[(d + 2) % 3] * b[(d + 1) % 3];
        }
    double volume = dot(h, k);
    for (int i = 0; i < 9; i++)
        k[i] *= 2 * pi / volume;
    return volume;
}

/* Adds the mode k to potentials and fields: each cloud is q e^{-k^2 g^2/4}. */
static void mode(const struct parts_case *c, const double *width,
                 const double k[3], double front, struct clouds *s)
{
    double sum[2] = {0}, k2 = dot(k, k), g = front / k2;
    static double turn[N][2];
    for (int i = 0; i < N; i++) {
        double angle = dot(k, c->x + 3 * i);
        double of = exp(-k2 * width[i] * width[i] / 4);
        turn[i][0] = of * cos(angle);
        turn[i][1] = of * sin(angle);
        sum[0] += c->q[i] * turn[i][0];
        sum[1] -= c->q[i] * turn[i][1];
    }
    for (int i = 0; i < N; i++) {
        s->potential[i] += g * (sum[0] * turn[i][0] - sum[1] * turn[i][1]);
        for (int d = 0; d < 3; d++)
            s->field[3 * i + d] +=
                g * k[d] * (sum[0] * turn[i][1] + sum[1] * turn[i][0]);
    }
}

/* The sum over modes, without each cloud with itself, and with the constant of
 * (3.13). */
static void wanted(const struct parts_case *c, const double *width,
                   struct clouds *s)
{
    double b[9], volume = waves(c->problem.cell, b), even = 0;
    memset(s, 0, sizeof *s);
    for (int u = 0; u <= REACH; u++)
        for (int v = u ? -REACH : 0; v <= REACH; v++)
            for (int w = u || v ? -REACH : 1; w <= REACH; w++) {
                double k[3];
                for (int d = 0; d < 3; d++)
                    k[d] = u * b[d] + v * b[3 + d] + w * b[6 + d];
                mode(c, width, k, 8 * pi / volume, s);
            }
    for (int i = 0; i < N; i++)
        even -= pi / volume * c->q[i] * width[i] * width[i];
    for (int i = 0; i < N; i++) {
        s->potential[i] += even - sqrt(2 / pi) * c->q[i] / width[i];
        s->potential[i] *= c->problem.coulomb;
        s->energy += 0.5 * c->q[i] * s->potential[i];
    }
    for (int i = 0; i < 3 * N; i++)
        s->field[i] *= c->problem.coulomb;
}

static double off(const double *a, const double *b, int n)
{
    double up = 0, down = 0;
    for (int i = 0; i < n; i++) {
        up += (a[i] - b[i]) * (a[i] - b[i]);
        down += a[i] * a[i];
    }
    return sqrt(up / down);
}

static void same(const struct clouds *a, const struct clouds *b, double most,
                 const char *what)
{
    double phi = off(a->potential, b->potential, N);
    double e = off(a->field, b->field, 3 * N);
    CHECK(phi < most, "%s: potentials are off by %.2g", what, phi);
    CHECK(e < most, "%s: fields are off by %.2g", what, e);
    CHECK(fabs(a->energy - b->energy) < most * fabs(a->energy),
          "%s: energy %.12g, not %.12g", what, b->energy, a->energy);
}

/* The shares of the virial add up to it, and its trace is the energy's slope by
 * the scale of cell and positions. */
static void scaled(struct parts_case *c, const double *width,
                   const struct clouds *s)
{
    static struct clouds at[2];
    double slope, all[9] = {0}, step = 1e-4;
    struct parts_case *other = check_memory(1, sizeof *other);
    for (int up = 0; up < 2; up++) {
        *other = *c;
        for (int i = 0; i < 9; i++)
            other->problem.cell[i] *= 1 + (up ? step : -step);
        for (int i = 0; i < 3 * N; i++)
            other->x[i] *= 1 + (up ? step : -step);
        wanted(other, width, &at[up]);
    }
    slope = (at[1].energy - at[0].energy) / (2 * step);
    CHECK_NEAR(s->virial[0] + s->virial[4] + s->virial[8], -slope,
               1e-5 * fabs(slope));
    for (int i = 0; i < 9 * N; i++)
        all[i % 9] += s->each[i];
    for (int a = 0; a < 9; a++)
        CHECK_NEAR(all[a], s->virial[a], 1e-6 * fabs(s->virial[0]));
    free(other);
}

static void test_cell(void)
{
    static struct parts_case c;
    static struct clouds s, modes;
    static double width[N];
    static const char *const methods[] = {"ewald", "spectral"};
    system_of(&c, width);
    wanted(&c, width, &modes);
    for (int k = 0; k < 2; k++) {
        c.options.method = methods[k];
        sum(&c, width, &s);
        same(&modes, &s, 1e-7, methods[k]);
    }
    scaled(&c, width, &s);
}

/* All pairs of clouds, those of exclusions with their factors. */
static void pairs(const struct parts_case *c, const double *width,
                  struct clouds *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double d[3], g = hypot(width[i], width[j]), left = 1;
            for (int k = 0; k < c->problem.n_exclusions; k++)
                if ((c->pair[2 * k] == i && c->pair[2 * k + 1] == j)
                    || (c->pair[2 * k] == j && c->pair[2 * k + 1] == i))
                    left = c->factor[k];
            for (int a = 0; a < 3; a++)
                d[a] = c->x[3 * i + a] - c->x[3 * j + a];
            double r = sqrt(dot(d, d)), x = g > 0 ? r / g : 100;
            if (i == j)
                continue;
            double u = left * c->problem.coulomb * c->q[j] * erf(x) / r;
            double f = u
                       - left * c->problem.coulomb * c->q[j] * 2 / sqrt(pi) * x
                             / r * exp(-x * x);
            s->potential[i] += u;
            s->energy += 0.5 * c->q[i] * u;
            for (int a = 0; a < 3; a++)
                s->field[3 * i + a] += f * d[a] / (r * r);
            for (int a = 0; a < 9; a++)
                s->virial[a] +=
                    0.5 * c->q[i] * f * d[a / 3] * d[a % 3] / (r * r);
        }
}

static void test_open(void)
{
    static struct parts_case c;
    static struct clouds s, plain;
    static double width[N];
    for (int k = 0; k < 4; k++) {
        system_of(&c, width);
        memset(c.problem.periodic, 0, sizeof c.problem.periodic);
        if (k % 2)
            parts_exclude(&c);
        for (int i = 0; i < N; i++)
            width[i] = i % 4 ? 3 * width[i] : 0; /* some points */
        c.options.method = k < 2 ? "direct" : "fmm";
        c.problem.tolerance = k < 2 ? 1e-12 : 1e-6;
        if (k >= 2)
            c.problem.outputs &= ~(unsigned)FARSUM_PARTICLE_VIRIAL;
        sum(&c, width, &s);
        pairs(&c, width, &plain);
        same(&plain, &s, k < 2 ? 1e-11 : 1e-5, c.options.method);
        CHECK(off(plain.virial, s.virial, 9) < (k < 2 ? 1e-11 : 1e-5),
              "virial off by %.2g", off(plain.virial, s.virial, 9));
    }
}

/* Two clouds at one place, given by different images, are left out. */
static void test_coincident(void)
{
    static struct parts_case c;
    static struct clouds apart, same_place;
    static double width[N];
    system_of(&c, width);
    c.problem.exclude_coincident = 1;
    for (int d = 0; d < 3; d++)
        c.x[3 + d] = c.x[d];
    sum(&c, width, &apart);
    for (int d = 0; d < 3; d++)
        c.x[3 + d] += c.problem.cell[d];
    sum(&c, width, &same_place);
    same(&apart, &same_place, 1e-7, "images");
}

/* One execute of clouds of which the first two are `apart` away from each
 * other; *error: the plan's estimate. */
static farsum_status close_sum(struct parts_case *c, double *width,
                               double apart, struct clouds *s, double *error)
{
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    out.potential = s->potential;
    out.field = s->field;
    out.energy = &s->energy;
    memcpy(c->x + 3, c->x, 3 * sizeof *c->x);
    c->x[3] += apart;
    if (c->problem.n_exclusions > 0) {
        c->problem.exclusions = c->pair;
        c->problem.exclusion_factors = c->factor;
    }
    CHECK_OK(farsum_plan_create(&c->problem, &c->options, &plan));
    CHECK_OK(farsum_plan_set_widths(plan, N, width));
    CHECK_OK(farsum_plan_set_points(plan, N, c->x, 0, NULL));
    farsum_status status = farsum_plan_execute(plan, 1, c->q, &out);
    CHECK_OK(farsum_plan_get_info(plan, &info));
    *error = info.estimated_error;
    farsum_plan_destroy(plan);
    return status;
}

/* Clouds much nearer than they are wide, whose 1/r cancels only up to the
 * rounding of positions: the estimate says so, and a sum without a digit is
 * refused, both also of a pair that is excluded. */
static void test_close(void)
{
    static const struct {
        const char *method;
        int open, f32, excluded;
        double fine, rough, bad; /* distances */
    } t[] = {{"ewald", 0, 0, 0, 0.02, 1e-5, 1e-13},
             {"spectral", 0, 0, 0, 0.02, 1e-5, 1e-13},
             {"spectral", 0, 1, 0, 0.1, 3e-3, 1e-6},
             {"spectral", 0, 0, 1, 0.02, 1e-5, 1e-13},
             {"direct", 1, 0, 0, 1e-4, 1e-6, 1e-13},
             {"fmm", 1, 0, 0, 0.02, 1e-5, 1e-7}};
    static struct parts_case c;
    static struct clouds s, plain;
    static double width[N];
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        double error;
        system_of(&c, width);
        c.options.method = t[k].method;
        c.problem.outputs &= ~(unsigned)FARSUM_PARTICLE_VIRIAL;
        c.problem.arrays = FARSUM_F64;
        c.problem.precision = t[k].f32 ? FARSUM_F32 : FARSUM_F64;
        c.problem.tolerance = t[k].f32 ? 1e-4 : t[k].open ? 1e-6 : 1e-8;
        if (t[k].open)
            memset(c.problem.periodic, 0, sizeof c.problem.periodic);
        if (t[k].excluded) {
            c.problem.n_exclusions = 1;
            c.pair[0] = 0;
            c.pair[1] = 1;
            c.factor[0] = 0;
        }
        CHECK_OK(close_sum(&c, width, t[k].fine, &s, &error));
        CHECK(error < c.problem.tolerance, "case %zu: %g at %g", k, error,
              t[k].fine);
        CHECK_OK(close_sum(&c, width, t[k].rough, &s, &error));
        if (t[k].open)
            pairs(&c, width, &plain);
        else
            wanted(&c, width, &plain);
        double is = off(plain.field, s.field, 3 * N);
        CHECK(error > c.problem.tolerance && (t[k].excluded || error > is),
              "case %zu: estimate %g of %g", k, error, is);
        c.options.on_excess = FARSUM_EXCESS_FAIL;
        CHECK_FAILS(close_sum(&c, width, t[k].rough, &s, &error),
                    FARSUM_ERR_TOLERANCE);
        c.options.on_excess = FARSUM_EXCESS_SAY;
        CHECK_FAILS(close_sum(&c, width, t[k].bad, &s, &error),
                    FARSUM_ERR_TOLERANCE);
        CHECK_SAYS("clouds 0 and 1");
    }
}

/* An excluded pair is as far apart in a cell as in open space; exclusions that
 * come after the points count, too. */
static void test_excluded(void)
{
    static struct parts_case c;
    static struct clouds all, less;
    static double width[N];
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    system_of(&c, width);
    parts_exclude(&c);
    sum(&c, width, &less);
    c.problem.n_exclusions = 0;
    out.potential = all.potential;
    out.field = all.field;
    out.energy = &all.energy;
    CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
    CHECK_OK(farsum_plan_set_widths(plan, N, width));
    CHECK_OK(farsum_plan_set_points(plan, N, c.x, 0, NULL));
    CHECK_OK(farsum_plan_set_exclusions(plan, PARTS_PAIRS, c.pair, c.factor));
    CHECK_OK(farsum_plan_execute(plan, 1, c.q, &out));
    same(&less, &all, 1e-7, "later exclusions");
    /* points again */
    CHECK_OK(farsum_plan_set_widths(plan, 0, NULL));
    CHECK_FAILS(farsum_plan_execute(plan, 1, c.q, &out), FARSUM_ERR_STATE);
    CHECK_OK(farsum_plan_set_points(plan, N, c.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, c.q, &out));
    memset(width, 0, sizeof width);
    c.problem.n_exclusions = PARTS_PAIRS;
    sum(&c, width, &less);
    same(&less, &all, 1e-7, "points");
    farsum_plan_destroy(plan);
}

static void test_refused(void)
{
    static struct parts_case c;
    static double width[N];
    farsum_plan *plan = NULL;
    system_of(&c, width);
    CHECK_FAILS(farsum_plan_set_widths(NULL, N, width), FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
    CHECK_FAILS(farsum_plan_set_widths(plan, N, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_plan_set_widths(plan, N, width));
    CHECK_FAILS(farsum_plan_set_points(plan, N - 1, c.x, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("89 sources, but 90 widths");
    width[3] = -1;
    CHECK_FAILS(farsum_plan_set_widths(plan, N, width), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("width 3 is -1");
    farsum_plan_destroy(plan);
    plan = NULL;
    system_of(&c, width);
    c.problem.part = FARSUM_FAR;
    c.problem.outputs &= ~(unsigned)FARSUM_PARTICLE_VIRIAL;
    CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
    CHECK_FAILS(farsum_plan_set_widths(plan, N, width), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("part of the sum");
    farsum_plan_destroy(plan);
    plan = NULL;
    parts_system(&c, "yukawa", 1);
    CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
    CHECK_FAILS(farsum_plan_set_widths(plan, N, width), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("laplace");
    farsum_plan_destroy(plan);
}

/* Clouds far wider than their distances: in open space a search ends there, and
 * in a cell it is refused if too many images overlap. */
static void test_wide(void)
{
    static const double wide[] = {40, 1e5, 1e160, 1e300};
    static struct parts_case c;
    static struct clouds s, plain;
    static double width[N];
    farsum_plan *plan = NULL;
    system_of(&c, width);
    c.options.method = "direct";
    c.problem.tolerance = 1e-12;
    memset(c.problem.periodic, 0, sizeof c.problem.periodic);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < N; i++)
            width[i] = wide[k];
        sum(&c, width, &s);
        pairs(&c, width, &plain);
        CHECK_NEAR(s.energy, plain.energy, 1e-10);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(s.potential[i], plain.potential[i], 1e-10);
    }
    system_of(&c, width);
    for (int k = 1; k < 4; k++) {
        width[7] = wide[k];
        CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
        CHECK_OK(farsum_plan_set_widths(plan, N, width));
        CHECK_FAILS(farsum_plan_set_points(plan, N, c.x, 0, NULL),
                    FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("times an edge of the cell");
        farsum_plan_destroy(plan);
        plan = NULL;
    }
}

/* Lengths times 2^k and charges times 2^m give the same digits. */
static void test_units(void)
{
    static const int steps[][2] = {{-600, -300}, {600, 300}, {7, -5}};
    static struct parts_case c, other;
    static struct clouds s, far;
    static double width[N], wide[N];
    system_of(&c, width);
    c.options.deterministic = 1;
    memset(c.problem.periodic, 0, sizeof c.problem.periodic);
    c.options.method = "direct";
    sum(&c, width, &s);
    for (int t = 0; t < 3; t++) {
        int k = steps[t][0], m = steps[t][1];
        other = c;
        for (int i = 0; i < 3 * N; i++)
            other.x[i] = ldexp(c.x[i], k);
        for (int i = 0; i < N; i++) {
            other.q[i] = ldexp(c.q[i], m);
            wide[i] = ldexp(width[i], k);
        }
        sum(&other, wide, &far);
        int bad = far.energy != ldexp(s.energy, 2 * m - k);
        for (int i = 0; i < N; i++)
            bad += far.potential[i] != ldexp(s.potential[i], m - k);
        for (int i = 0; i < 3 * N; i++)
            bad += far.field[i] != ldexp(s.field[i], m - 2 * k);
        for (int i = 0; i < 9 * N; i++)
            bad += far.each[i] != ldexp(s.each[i], 2 * m - k);
        for (int i = 0; i < 9; i++)
            bad += far.virial[i] != ldexp(s.virial[i], 2 * m - k);
        CHECK(bad == 0, "k %d, m %d: %d numbers are not the same", k, m, bad);
    }
}

int main(void)
{
    RUN(test_cell);
    RUN(test_open);
    RUN(test_coincident);
    RUN(test_close);
    RUN(test_excluded);
    RUN(test_refused);
    RUN(test_wide);
    RUN(test_units);
    return check_end();
}
