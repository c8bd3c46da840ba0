/* SPDX-License-Identifier: Apache-2.0 */
/* multipole.c: harmonics, operators between expansions, and lattice sums,
 * against their definitions. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "math/multipole.h"

static uint64_t seed = 1;
static double uniform(void)
{
    return (double)(random_next(&seed) >> 11) * 0x1p-53 - 0.5;
}

static double distance(const double x[3], const double y[3])
{
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1])
                + (x[2] - y[2]) * (x[2] - y[2]));
}

static void apply(int p, const double *t, const double *from, double *to)
{
    int size = multipole_size(p);
    for (int i = 0; i < size; i++) {
        to[i] = 0;
        for (int j = 0; j < size; j++)
            to[i] += t[(int64_t)i * size + j] * from[j];
    }
}

/* Closed forms of low degree, scaled by sqrt((n-m)! (n+m)!). */
static void harmonics_are_what_they_are(void)
{
    const double x = 0.3, y = -0.7, z = 0.45, r2 = x * x + y * y + z * z;
    const double at[3] = {x, y, z};
    double r[MULTIPOLE_FIELD], s[MULTIPOLE_FIELD];
    multipole_regular(4, at, r);
    CHECK_NEAR(r[multipole_at(0, 0)], 1, 1e-15);
    CHECK_NEAR(r[multipole_at(1, 0)], z, 1e-15);
    CHECK_NEAR(r[multipole_at(1, 1)], x / 2 * sqrt(2), 1e-15);
    CHECK_NEAR(r[multipole_at(1, -1)], y / 2 * sqrt(2), 1e-15);
    CHECK_NEAR(r[multipole_at(2, 0)], (3 * z * z - r2) / 4 * 2, 1e-15);
    CHECK_NEAR(r[multipole_at(2, 1)], x * z / 2 * sqrt(6), 1e-15);
    CHECK_NEAR(r[multipole_at(2, -2)], 2 * x * y / 8 * sqrt(24), 1e-15);
    CHECK_NEAR(r[multipole_at(3, 3)],
               (x * x * x - 3 * x * y * y) / 48 * sqrt(720), 1e-15);
    multipole_singular(80, at, s);
    CHECK_NEAR(s[0], 1 / sqrt(r2), 1e-14);
    CHECK_NEAR(s[multipole_at(1, 1)], x / (r2 * sqrt(r2)) / sqrt(2), 1e-14);
    for (int k = 0; k < MULTIPOLE_FIELD; k++)
        CHECK(isfinite(s[k]), "S number %d is %g", k, s[k]);
}

/* (10.3) */
static void distance_is_expanded(void)
{
    for (int trial = 0; trial < 20; trial++) {
        double x[3], y[3], s[MULTIPOLE_SIZE], r[MULTIPOLE_SIZE];
        for (int d = 0; d < 3; d++) {
            y[d] = 0.4 * uniform();
            x[d] = uniform() + (d == trial % 3 ? 2 : 0);
        }
        multipole_singular(MULTIPOLE_MOST, x, s);
        multipole_regular(MULTIPOLE_MOST, y, r);
        double found = multipole_dot(MULTIPOLE_MOST, s, r);
        CHECK_NEAR(found * distance(x, y), 1, 1e-14);
    }
}

/* (10.6) and (10.8) are exact for the given coefficients. */
static void shifts_are_exact(void)
{
    static const int orders[] = {0, 1, 4, 9, 16};
    for (int k = 0; k < 5; k++) {
        int p = orders[k], size = multipole_size(p);
        double *t = check_memory((size_t)size * (size_t)size, sizeof *t);
        double y[3], d[3], in[3], low[MULTIPOLE_SIZE], high[MULTIPOLE_SIZE];
        double moved[MULTIPOLE_SIZE], local[MULTIPOLE_SIZE];
        for (int c = 0; c < 3; c++) {
            y[c] = uniform();
            d[c] = uniform() < 0 ? -0.25 : 0.25;
            in[c] = y[c] / 2 + d[c];
        }
        multipole_regular(p, y, low);
        multipole_regular(p, in, high);
        multipole_m2m(p, d, 0.5, t);
        apply(p, t, low, moved);
        for (int i = 0; i < size; i++)
            CHECK_NEAR(moved[i], high[i], 2e-15);
        /* a polynomial's value does not change */
        for (int i = 0; i < size; i++)
            local[i] = uniform();
        multipole_l2l(p, d, 0.5, t);
        apply(p, t, local, moved);
        CHECK_NEAR(multipole_dot(p, moved, low),
                   multipole_dot(p, local, high) / 2, 4e-15 * size);
        free(t);
    }
}

static void slopes_are_derivatives(void)
{
    int p = 12;
    double local[MULTIPOLE_SIZE], slope[MULTIPOLE_SIZE], r[MULTIPOLE_SIZE];
    const double x[3] = {0.31, -0.22, 0.17}, h = 1e-5;
    for (int i = 0; i < multipole_size(p); i++)
        local[i] = uniform();
    for (int axis = 0; axis < 3; axis++) {
        double value[2];
        for (int s = 0; s < 2; s++) {
            double at[3] = {x[0], x[1], x[2]};
            at[axis] += s ? h : -h;
            multipole_regular(p, at, r);
            value[s] = multipole_dot(p, local, r);
        }
        multipole_slope(p, local, axis, slope);
        multipole_regular(p, x, r);
        CHECK_NEAR(multipole_dot(p, slope, r),
                   (value[1] - value[0]) / (2 * h), 1e-8);
    }
}

/* The potential of sources in one box at points in another, and the bound of
 * its error. */
static void far_boxes_converge(void)
{
    static const double offsets[][3] = {
        {2, 0, 0}, {-2, 1, -3}, {3, 3, 3}, {0, -2, 0}, {1, 2, 1}, {2, -2, 0}};
    for (int o = 0; o < 6; o++) {
        const double *d = offsets[o];
        double y[3], x[3], s[MULTIPOLE_FIELD], m[MULTIPOLE_SIZE];
        double local[MULTIPOLE_SIZE], r[MULTIPOLE_SIZE], before = 1;
        for (int c = 0; c < 3; c++) {
            y[c] = d[c] > 0 ? 0.5 : -0.5; /* corners that face each other */
            x[c] = -y[c];
        }
        for (int p = 2; p <= 20; p += 6) {
            int size = multipole_size(p);
            double *t = check_memory((size_t)size * (size_t)size, sizeof *t);
            multipole_singular(2 * p, d, s);
            multipole_m2l(p, s, t);
            multipole_regular(p, y, m);
            apply(p, t, m, local);
            multipole_regular(p, x, r);
            double at[3] = {d[0] + x[0], d[1] + x[1], d[2] + x[2]};
            double error = multipole_dot(p, local, r) - 1 / distance(at, y);
            /* 2 A/(r - a) (a/r)^(p+1) with a = sqrt(3)/2, r >= 3/2 */
            double bound =
                2 / (1.5 - sqrt(0.75)) * pow(sqrt(0.75) / 1.5, p + 1);
            CHECK(fabs(error) < bound, "p %d: error %g, bound %g", p, error,
                  bound);
            CHECK(fabs(error) < before, "p %d: error %g, before %g", p, error,
                  before);
            before = fabs(error);
            free(t);
        }
    }
}

/* T(-r) is the transpose of T(r), up to (-1)^(n + k): forces are opposite. */
static void far_boxes_are_symmetric(void)
{
    int p = 6, size = multipole_size(p);
    const double d[3] = {2, -1, 3}, back[3] = {-2, 1, -3};
    double s[MULTIPOLE_FIELD], *a, *b, x[MULTIPOLE_SIZE], y[MULTIPOLE_SIZE];
    double to[MULTIPOLE_SIZE];
    a = check_memory((size_t)size * (size_t)size, sizeof *a);
    b = check_memory((size_t)size * (size_t)size, sizeof *b);
    multipole_singular(2 * p, d, s);
    multipole_m2l(p, s, a);
    multipole_singular(2 * p, back, s);
    multipole_m2l(p, s, b);
    for (int i = 0; i < size; i++) {
        x[i] = uniform();
        y[i] = uniform();
    }
    apply(p, a, x, to);
    double there = multipole_dot(p, to, y);
    apply(p, b, y, to);
    CHECK_NEAR(multipole_dot(p, to, x), there, 1e-13 * fabs(there));
    free(a);
    free(b);
}

/* (10.11): B B = 1, B is symmetric in the weights of (10.9), and it exchanges x
 * and z. */
static void swaps_swap(void)
{
    const double x[3] = {0.4, -0.9, 0.2}, turned[3] = {0.2, -0.9, 0.4};
    double r[MULTIPOLE_SIZE], q[MULTIPOLE_SIZE];
    multipole_regular(MULTIPOLE_MOST, x, r);
    multipole_regular(MULTIPOLE_MOST, turned, q);
    for (int n = 0; n <= MULTIPOLE_MOST; n++) {
        int wide = 2 * n + 1, zeros = 0;
        double *b = check_memory((size_t)wide * (size_t)wide, sizeof *b);
        multipole_swap(n, b);
        for (int i = 0; i < wide; i++) {
            double sum = 0;
            for (int j = 0; j < wide; j++) {
                double square = 0;
                sum += b[i * wide + j] * r[n * n + j];
                for (int k = 0; k < wide; k++)
                    square += b[i * wide + k] * b[k * wide + j];
                CHECK_NEAR(square, i == j, 1e-13);
                double wi = i == n ? 1 : 2, wj = j == n ? 1 : 2;
                CHECK_NEAR(wi * b[i * wide + j], wj * b[j * wide + i], 1e-13);
                zeros += b[i * wide + j] == 0;
            }
            CHECK_NEAR(sum, q[n * n + i], 1e-13);
        }
        /* about one quarter is nonzero */
        CHECK(wide * wide - zeros <= n * n + n + 3, "degree %d: %d numbers", n,
              wide * wide - zeros);
        free(b);
    }
}

/* Sums over all cells except 27, edge 1: Lambda of the literature, computed
 * with 20 digits. */
static void lattice_sums_are_known(void)
{
    static const struct {
        int l, m;
        double value; /* unscaled */
    } known[] = {
        {4, 0, 2.8119304871888668},     {4, 4, 14.059652435944334},
        {6, 0, 0.54795908739321644},    {6, 4, -3.8357136117525151},
        {8, 0, 121.56157302097919},     {8, 4, 121.56157302097919},
        {8, 8, 7901.5022463636473},     {10, 0, 311.79916736109123},
        {10, 4, -685.95816819440071},   {10, 8, -11661.288859304812},
        {12, 0, 242456.12747359092},    {12, 4, 203758.58264140267},
        {12, 8, 706826.66545985001},    {12, 12, 237024359.84527078},
    };
    const double cell[3] = {1, 1, 1}, near[3] = {1.5, 1.5, 1.5}, d[3] = {0};
    double s[MULTIPOLE_FIELD];
    CHECK_OK(multipole_lattice(12, cell, near, d, s));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int l = known[i].l, m = known[i].m;
        double scale = sqrt(tgamma(l - m + 1) * tgamma(l + m + 1));
        CHECK_NEAR(s[multipole_at(l, m)] * scale / known[i].value, 1, 3e-13);
    }
    for (int l = 1; l <= 12; l++)
        for (int m = -l; m <= l; m++)
            if (l % 2 || m < 0 || m % 4 || l == 2)
                CHECK_NEAR(s[multipole_at(l, m)], 0, 1e-15);
}

/* For high degrees the sum over shells converges without correction, in any
 * brick. */
static void lattice_sums_are_sums(void)
{
    static const double cells[][3] = {{1, 1, 1}, {2, 0.8, 1.4}, {3, 3, 0.9}};
    for (int c = 0; c < 3; c++) {
        const double *cell = cells[c], d[3] = {0.3, -0.2, 0.4};
        const double near[3] = {1.5 * cell[0], 1.5 * cell[1], 0.6 * cell[2]};
        double s[MULTIPOLE_FIELD], term[MULTIPOLE_FIELD], *sum;
        int p = 40, shells = 12;
        sum = check_memory(MULTIPOLE_FIELD, sizeof *sum);
        CHECK_OK(multipole_lattice(p, cell, near, d, s));
        for (int m = 0; m < 25 * 25 * 25; m++) {
            double at[3] = {d[0] + cell[0] * (m % 25 - shells),
                            d[1] + cell[1] * (m / 25 % 25 - shells),
                            d[2] + cell[2] * (m / 625 - shells)};
            if (fabs(at[0]) < near[0] && fabs(at[1]) < near[1]
                && fabs(at[2]) < near[2])
                continue;
            multipole_singular(p, at, term);
            for (int k = 0; k < multipole_size(p); k++)
                sum[k] += term[k];
        }
        for (int n = 24; n <= p; n++) {
            double size = 0;
            for (int k = n * n; k < (n + 1) * (n + 1); k++)
                size = fmax(size, fabs(sum[k]));
            for (int k = n * n; k < (n + 1) * (n + 1); k++)
                CHECK_NEAR(s[k] / size, sum[k] / size, 1e-11);
        }
        free(sum);
    }
}

/* Degree 0 is Ewald's potential: of a charge's own images in its background,
 * unit cube, and of the eight ions of rock salt, edge 2. */
static void lattice_potentials_are_known(void)
{
    const double unit[3] = {1, 1, 1}, none[3] = {0}, two[3] = {2, 2, 2};
    double s[MULTIPOLE_FIELD], sum = 0;
    CHECK_OK(multipole_lattice(2, unit, none, none, s));
    CHECK_NEAR(s[0], -2.8372974794806194767, 1e-14);
    for (int i = 0; i < 8; i++) {
        const double d[3] = {i & 1, i >> 1 & 1, i >> 2};
        CHECK_OK(multipole_lattice(0, two, none, d, s));
        sum += ((i ^ i >> 1 ^ i >> 2) & 1 ? 1 : -1) * s[0];
    }
    CHECK_NEAR(sum, 1.7475645946331821906, 1e-14);
}

int main(void)
{
    RUN(harmonics_are_what_they_are);
    RUN(distance_is_expanded);
    RUN(shifts_are_exact);
    RUN(slopes_are_derivatives);
    RUN(far_boxes_converge);
    RUN(far_boxes_are_symmetric);
    RUN(swaps_swap);
    RUN(lattice_sums_are_known);
    RUN(lattice_sums_are_sums);
    RUN(lattice_potentials_are_known);
    return check_end();
}
