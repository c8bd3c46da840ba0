/* SPDX-License-Identifier: Apache-2.0 */
/* cell.c: tests of the cell (checks, reduction, changes) and of wrapping
 * points. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "points/open_axes.h"
#include "points/wrap.h"

static double determinant(const double *a)
{
    return a[0] * (a[4] * a[8] - a[5] * a[7])
           - a[1] * (a[3] * a[8] - a[5] * a[6])
           + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* m = a b, 3 x 3. */
static void times(const double *a, const double *b, double *m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j]
                           + a[3 * i + 2] * b[6 + j];
}

static int is_integer(const double *m)
{
    for (int i = 0; i < 9; i++)
        if (fabs(m[i] - nearbyint(m[i])) > 1e-8)
            return 0;
    return 1;
}

static double random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Length of the i-th row. */
static double edge(const double *a, int i)
{
    return sqrt(a[3 * i] * a[3 * i] + a[3 * i + 1] * a[3 * i + 1]
                + a[3 * i + 2] * a[3 * i + 2]);
}

/* CHECKs that no combination of -2 .. 2 with the others is shorter than the
 * longest vector. */
static void check_short(const struct cell *cell)
{
    for (int k = 0; k < 125; k++) {
        int n[3] = {k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2};
        double x[3];
        for (int j = 0; j < 3; j++)
            x[j] = n[0] * cell->a[j] + n[1] * cell->a[3 + j]
                   + n[2] * cell->a[6 + j];
        double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int i = 0; i < 3; i++)
            if (n[i] != 0)
                CHECK(length >= edge(cell->a, i) * (1 - 1e-9),
                      "%d %d %d is shorter than row %d", n[0], n[1], n[2], i);
    }
}

static void cells_are_reduced(void)
{
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        double rows[9], straight[9];
        double unimodular[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int i = 0; i < 9; i++)
            straight[i] = (i % 4 == 0 ? 2 : 0) + 1.4 * random_of(&seed) - 0.7;
        for (int step = 0; step < 6; step++) {
            int i = (int)(3 * random_of(&seed)), j = (i + 1 + step % 2) % 3;
            double n = floor(7 * random_of(&seed)) - 3;
            for (int k = 0; k < 3; k++)
                unimodular[3 * i + k] += n * unimodular[3 * j + k];
        }
        times(unimodular, straight, rows);
        struct cell cell;
        double m[9], back[9];
        if (!CHECK_OK(cell_set(&cell, rows, 1)))
            continue;
        CHECK_NEAR(cell.volume, determinant(straight),
                   1e-9 * determinant(straight));
        times(straight, cell.inv, m);
        CHECK(is_integer(m), "trial %d: another lattice", trial);
        CHECK_NEAR(determinant(m), 1, 1e-8);
        times(cell.a, cell.inv, back);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(back[i], i % 4 == 0, 1e-12);
        check_short(&cell);
    }
}

static void heights_and_scales(void)
{
    const double rows[9] = {2, 0, 0, 0.5, 3, 0, -0.3, 0.4, 4};
    struct cell cell, half;
    CHECK_OK(cell_set(&cell, rows, 1));
    CHECK(!cell.reduced, "a nearly straight cell is changed");
    CHECK_NEAR(cell.height[2], 4, 1e-14);
    for (int d = 0; d < 3; d++) {
        /* the distance of faces is the volume over the area of the face */
        double b = sqrt(cell.inv[d] * cell.inv[d] + cell.inv[3 + d]
                        * cell.inv[3 + d] + cell.inv[6 + d] * cell.inv[6 + d]);
        CHECK_NEAR(cell.height[d] * b, 1, 1e-14);
    }
    cell_scale(&half, &cell, 0.5);
    CHECK_NEAR(half.volume, cell.volume / 8, 1e-13);
    CHECK_NEAR(half.height[1], cell.height[1] / 2, 1e-14);
    CHECK_OK(cell_set(&half, rows, 0.5));
    CHECK_NEAR(half.volume, cell.volume / 8, 1e-13);
    const double tilted[9] = {1, 0, 0, 0.9, 1, 0, 0, 0, 1};
    CHECK_OK(cell_set(&cell, tilted, 1));
    CHECK(cell.reduced, "a tilted cell is not reduced");
}

static void bad_cells_are_refused(void)
{
    static const struct {
        double rows[9];
        const char *says;
    } bad[] = {
        {{0}, "zero"},
        {{1, 0, 0, 0, 1, 0, 1, 1, 0}, "plane"},
        {{1, 0, 0, 2, 0, 0, 0, 0, 1}, "plane"},
        {{1, 0, 0, 0, 0, 1, 0, 1, 0}, "left-handed"},
        {{-1, 0, 0, 0, 1, 0, 0, 0, 1}, "left-handed"},
        {{1, 0, 0, 0, NAN, 0, 0, 0, 1}, "vector 1, component 1"},
        {{1, 0, 0, 0, 1, 0, 0, 0, INFINITY}, "vector 2, component 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cell cell;
        memset(&cell, 0x55, sizeof cell);
        struct cell before = cell;
        CHECK_FAILS(cell_set(&cell, bad[i].rows, 1), FARSUM_ERR_CELL);
        CHECK_SAYS(bad[i].says);
        CHECK(memcmp(&cell, &before, sizeof cell) == 0, "cell %zu is touched",
              i);
    }
}

static void cells_follow(void)
{
    const double old[9] = {2, 0, 0, 1.9, 2, 0, 1.7, -1.4, 2};
    double rows[9], t[9], u[9];
    struct cell cell, next;
    CHECK_OK(cell_set(&cell, old, 0.25));
    for (int i = 0; i < 9; i++)
        rows[i] = old[i] * 1.01 + (i == 3 ? 0.02 : 0);
    CHECK_OK(cell_follow(&next, &cell, old, rows, 0.25));
    /* the same integers map the caller's rows to ours */
    double quarter[9], moved[9], inverse[9];
    struct cell plain;
    for (int i = 0; i < 9; i++) {
        quarter[i] = old[i] * 0.25;
        moved[i] = rows[i] * 0.25;
    }
    memcpy(plain.a, quarter, sizeof quarter);
    cell_scale(&plain, &plain, 1); /* its inverse */
    times(cell.a, plain.inv, t);
    CHECK(is_integer(t), "the reduced basis is of another lattice");
    memcpy(plain.a, moved, sizeof moved);
    cell_scale(&plain, &plain, 1);
    memcpy(inverse, plain.inv, sizeof inverse);
    times(next.a, inverse, u);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(u[i], t[i], 1e-9);
    CHECK_NEAR(next.volume, determinant(moved), 1e-12);
    rows[0] = NAN;
    CHECK_FAILS(cell_follow(&next, &cell, old, rows, 0.25), FARSUM_ERR_CELL);
}

static void points_are_wrapped(void)
{
    const double rows[9] = {2, 0, 0, 0.5, 3, 0, -0.3, 0.4, 4};
    struct cell cell;
    struct points points = {0};
    CHECK_OK(cell_set(&cell, rows, 1));
    const double fraction[][3] = {
        {0, 0, 0},      {0.999, 0.5, 0.25}, {-1e-20, 0, 0},
        {7.25, -3.5, 1}, {-1, -1, -1},      {1e5 + 0.5, 0.125, 0},
    };
    enum { N = sizeof fraction / sizeof *fraction };
    double x[N][3];
    float xf[N][3];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 3; j++) {
            x[i][j] = fraction[i][0] * rows[j] + fraction[i][1] * rows[3 + j]
                      + fraction[i][2] * rows[6 + j];
            xf[i][j] = (float)x[i][j];
        }
    for (int threads = 1; threads <= 4; threads++) {
        CHECK_OK(points_set(&points, &cell, N, x, FARSUM_F64, "source",
                            threads));
        CHECK(points.n == N, "%lld points", (long long)points.n);
        for (int i = 0; i < N; i++)
            for (int d = 0; d < 3; d++) {
                double s = points.s[d][i], w = fraction[i][d];
                double off = s - (w - floor(w));
                CHECK(s >= 0 && s < 1, "point %d: %g is not in [0, 1)", i, s);
                off -= nearbyint(off);
                CHECK(fabs(off) < 1e-10, "point %d axis %d: %g, not %g", i, d,
                      s, w - floor(w));
            }
    }
    CHECK_OK(points_set(&points, &cell, N, xf, FARSUM_F32, "source", 2));
    CHECK(fabs(points.s[1][1] - 0.5) < 1e-6, "floats: %g", points.s[1][1]);
    points_clear(&points);
    for (double s = -2; s <= 2; s += 0.25) {
        double w = cell_wrap(s);
        CHECK(w >= 0 && w < 1 && w == s - floor(s), "wrap of %g is %g", s, w);
    }
    CHECK(cell_wrap(-1e-18) == 0, "wrap of -1e-18 is %g", cell_wrap(-1e-18));
}

static void bad_points_are_told(void)
{
    const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct cell cell;
    struct points points = {0};
    enum { N = 1000 };
    double *x = check_memory(3 * N, sizeof *x);
    uint64_t seed = 1;
    CHECK_OK(cell_set(&cell, rows, 1));
    for (int i = 0; i < 3 * N; i++)
        x[i] = random_of(&seed);
    x[3 * 700 + 1] = INFINITY;
    x[3 * 423 + 2] = NAN;
    for (int threads = 1; threads <= 5; threads++) {
        CHECK_FAILS(points_set(&points, &cell, N, x, FARSUM_F64, "target",
                               threads),
                    FARSUM_ERR_POSITION);
        CHECK_SAYS("target 423: z = ");
    }
    x[3 * 423 + 2] = 0.5;
    x[3 * 700 + 1] = -3e9;
    CHECK_FAILS(points_set(&points, &cell, N, x, FARSUM_F64, "source", 2),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("source 700");
    x[3 * 700 + 1] = 0.25;
    CHECK_OK(points_set(&points, &cell, N, x, FARSUM_F64, "source", 2));
    CHECK_OK(points_distinct(&points, 0, 1, NULL));
    memcpy(x + 3 * 999, x + 3 * 5, 3 * sizeof *x);
    x[3 * 999] += 3; /* another image of it */
    CHECK_OK(points_set(&points, &cell, N, x, FARSUM_F64, "source", 2));
    points.s[0][999] = points.s[0][5];
    CHECK_FAILS(points_distinct(&points, 0, 1, NULL), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("5 and 999");
    points_clear(&points);
    points_clear(&points);
    free(x);
}

/* The same coincident pair is reported for any number of threads: one point at
 * another's position, two pairs, many points at few positions. */
static void coincident_are_told(void)
{
    enum { N = 40000 };
    struct points points = {.n = N};
    uint64_t seed = 7;
    char told[400];
    for (int d = 0; d < 3; d++)
        points.s[d] = check_memory(N, sizeof *points.s[d]);
    for (int places = 0; places < 5; places++) {
        const int some[] = {N, N, 3, 1, 200};
        for (int i = 0; i < N; i++)
            for (int d = 0; d < 3; d++)
                points.s[d][i] = i < some[places]
                                     ? random_of(&seed)
                                     : points.s[d][i * 7 % some[places]];
        for (int d = 0; d < 3; d++) {
            points.s[d][31111] = points.s[d][17];
            if (places == 1) /* reported first */
                points.s[d][22222] = points.s[d][22221];
        }
        for (int wrapped = 0; wrapped < 2; wrapped++) {
            CHECK_FAILS(points_distinct(&points, wrapped, 1, NULL),
                        FARSUM_ERR_COINCIDENT);
            snprintf(told, sizeof told, "%s", farsum_message());
            for (int threads = 2; threads <= 7; threads++) {
                CHECK_FAILS(points_distinct(&points, wrapped, threads, NULL),
                            FARSUM_ERR_COINCIDENT);
                CHECK_SAYS(told);
            }
        }
    }
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++)
            points.s[d][i] = random_of(&seed);
    for (int threads = 1; threads <= 7; threads++)
        CHECK_OK(points_distinct(&points, threads % 2, threads, NULL));
    for (int d = 0; d < 3; d++) {
        free(points.s[d]);
        points.s[d] = NULL;
    }
}

/* V of n points whose extents are 0.3 along x and y and 0.02 along z, after a
 * turn about z, in a cell of these rows. */
static double volume_of(const double given[9], int a, int b, int c,
                        double angle, double n)
{
    const int periodic[3] = {a, b, c};
    double rows[9], low[3] = {INFINITY, INFINITY, INFINITY}, reach[3];
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double u = cos(angle), v = sin(angle);
    for (int d = 0; d < 9; d += 3) {
        rows[d] = u * given[d] - v * given[d + 1];
        rows[d + 1] = v * given[d] + u * given[d + 1];
        rows[d + 2] = given[d + 2];
    }
    cell_right(rows, periodic);
    for (int k = 0; k < 8; k++) {
        double x = 0.3 * (k & 1), y = 0.3 * (k >> 1 & 1);
        double at[3] = {u * x - v * y, v * x + u * y, 0.02 * (k >> 2)};
        open_range(rows, periodic, at, low, high);
    }
    for (int d = 0; d < 3; d++)
        reach[d] = high[d] - low[d];
    return open_volume(rows, periodic, reach, n);
}

/* Rows along open axes give directions, not lengths. */
static void open_cells_have_volumes(void)
{
    const double rows[9] = {2, 0, 0, 0.5, 3, 0, 0.1, 0.2, 5};
    const double other[9] = {2, 0, 0, 0.5, 30, 0, 0, 0, 0};
    for (double angle = 0; angle < 2; angle += 0.7) {
        CHECK_NEAR(volume_of(rows, 1, 1, 1, angle, 7), 30, 1e-12);
        CHECK_NEAR(volume_of(rows, 1, 1, 0, angle, 1e6), 6 * 0.02, 1e-12);
        CHECK_NEAR(volume_of(rows, 1, 1, 0, angle, 24), 6 * 0.5, 1e-12);
        CHECK_NEAR(volume_of(rows, 1, 0, 0, angle, 1e6), 2 * 0.3 * 0.02, 1e-12);
        CHECK_NEAR(volume_of(other, 1, 0, 0, angle, 10), 2 * 0.3 * 0.2, 1e-12);
        CHECK_NEAR(volume_of(other, 1, 0, 0, angle, 1), 8, 1e-12);
    }
    CHECK_NEAR(volume_of(rows, 0, 0, 0, 0, 9), 0.3 * 0.3 * 0.02, 1e-12);
}

int main(void)
{
    RUN(open_cells_have_volumes);
    RUN(cells_are_reduced);
    RUN(heights_and_scales);
    RUN(bad_cells_are_refused);
    RUN(cells_follow);
    RUN(points_are_wrapped);
    RUN(coincident_are_told);
    RUN(bad_points_are_told);
    return check_end();
}
