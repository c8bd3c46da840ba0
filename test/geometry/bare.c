/* SPDX-License-Identifier: Apache-2.0 */
/* bare.c: Ewald sums of slabs and wires against sums over images.
 *
 * The images fill a square or a segment of 2 M + 1 periods.  What is missing
 * follows powers of R = M + 1/2: Euler and Maclaurin's terms for the images,
 * and the integral over the rest, which a fit over several M removes; screened
 * sums need none.  A wire's charges also have 2 ln(2 M + 1)/L, the gauge of
 * math.md 7.7. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reference/ewald/ewald_any.h"

enum { SOURCES = 4, TARGETS = 3, FITS = 8 };

static const double cells[2][9] = {
    {1.1, 0.2, 0.1, -0.3, 0.9, 0.25, 0, 0, 0}, /* open row c is set below */
    {0.8, 0.3, -0.2, 0, 0, 0, 0, 0, 0},
};

/* Points in a region about as thick as the period; strengths with a net. */
struct points {
    double x[3 * SOURCES], y[3 * TARGETS];
    double q[REFERENCE_STRENGTHS * SOURCES];
};

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static void points_make(struct points *p)
{
    uint64_t seed = 7;
    for (int i = 0; i < 3 * SOURCES; i++)
        p->x[i] = 1.3 * uniform(&seed) - 0.4;
    for (int i = 0; i < 3 * TARGETS; i++)
        p->y[i] = 1.3 * uniform(&seed) - 0.4;
    for (int i = 0; i < REFERENCE_STRENGTHS * SOURCES; i++)
        p->q[i] = 1.6 * uniform(&seed) - 0.5;
}

/* Solves a x = b, overwriting both, with pivots. */
static void solve(int n, long double a[][FITS], long double *b)
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int r = i; r < n; r++)
            best = fabsl(a[r][i]) > fabsl(a[best][i]) ? r : best;
        for (int c = 0; c < n; c++) {
            long double keep = a[i][c];
            a[i][c] = a[best][c];
            a[best][c] = keep;
        }
        long double keep = b[i];
        b[i] = b[best];
        b[best] = keep;
        for (int r = i + 1; r < n; r++) {
            long double f = a[r][i] / a[i][i];
            for (int c = i; c < n; c++)
                a[r][c] -= f * a[i][c];
            b[r] -= f * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            b[i] -= a[i][c] * b[c];
        b[i] /= a[i][i];
    }
}

/* The sum at y over the images whose larger index is m, and over images with a
 * smaller one in `inner`. */
static void shell(const struct reference_kind *kind, double screen, int axes,
                  const struct points *p, const double *y, int m,
                  long double *sum)
{
    const struct reference_split bare = {.screen = screen};
    const double *cell = cells[2 - axes];
    for (int i = -m; i <= m; i++)
        for (int j = axes == 2 ? -m : 0; j <= (axes == 2 ? m : 0); j++) {
            if (abs(i) < m && abs(j) < m)
                continue;
            for (int k = 0; k < SOURCES; k++) {
                double d[3], r2 = 0, c[REFERENCE_CHANNELS];
                double v[REFERENCE_VALUES] = {0};
                for (int a = 0; a < 3; a++) {
                    d[a] = y[a] - p->x[3 * k + a] - i * cell[a]
                           - j * cell[3 + a];
                    r2 += d[a] * d[a];
                }
                kind->load(p->q + kind->strengths * k, c);
                kind->near(&bare, d, r2, c, v);
                for (int a = 0; a < kind->values; a++)
                    sum[a] += v[a];
            }
        }
}

/* What M images of a wire's net strength add to a value, times 2 ln(2 M + 1)/L:
 * the values of 1/r with w, of charge_dipole, or of a stokeslet. */
static void logarithms(const struct reference_kind *kind,
                       const struct points *p, double *v)
{
    static const int of[2][6][2] = {
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}},
        {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}},
    };
    const double *t = cells[1];
    double net[3] = {0}, length2 = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    int moments = kind->values == REFERENCE_MOMENTS;
    memset(v, 0, REFERENCE_VALUES * sizeof *v);
    if (!kind->gauge)
        return;
    for (int k = 0; k < SOURCES; k++)
        for (int a = 0; a < kind->net_channels; a++)
            net[a] += p->q[kind->strengths * k + a] / sqrt(length2);
    if (kind->values == REFERENCE_FLOW) {
        double on = net[0] * t[0] + net[1] * t[1] + net[2] * t[2];
        for (int a = 0; a < 3; a++)
            v[a] = net[a] + on * t[a] / length2;
        return;
    }
    v[0] = net[0];
    for (int i = 0; i < 6; i++)
        v[(moments ? REFERENCE_GRADIENT : REFERENCE_FIELD) + i] =
            net[0] * t[of[moments][i][0]] * t[of[moments][i][1]] / length2;
}

/* The limit of the sums over images at a target. */
static void limit(const struct reference_kind *kind, double screen, int axes,
                  const struct points *p, const double *y, double *value)
{
    static const int at[2][FITS] = {{40, 60, 85, 120, 170, 240, 340, 480},
                                    {6, 8, 11, 14, 18, 23, 29, 36}};
    long double sum[REFERENCE_VALUES] = {0};
    long double power[FITS][FITS], b[REFERENCE_VALUES][FITS];
    double logs[REFERENCE_VALUES] = {0};
    int r6 = strcmp(kind->name, "r6") == 0, most = at[axes - 1][FITS - 1];
    if (axes == 1)
        logarithms(kind, p, logs);
    for (int m = 0, n = 0; m <= most; m++) {
        shell(kind, screen, axes, p, y, m, sum);
        if (m < at[axes - 1][n])
            continue;
        long double big = m + 0.5L;
        for (int a = 0; a < kind->values; a++)
            b[a][n] = sum[a] - 2 * logl(2 * big) * (long double)logs[a];
        for (int k = 0; k < FITS; k++) {
            int first = axes == 2 ? (r6 ? -4 : 1) : r6 ? -5 : -2;
            power[n][k] = k == 0 ? 1 : powl(big / most, first - 2 * (k - 1));
        }
        n++;
    }
    for (int a = 0; a < kind->values; a++) {
        long double copy[FITS][FITS];
        memcpy(copy, power, sizeof copy);
        if (screen == 0)
            solve(FITS, copy, b[a]);
        value[a] = (double)b[a][screen == 0 ? 0 : FITS - 1];
    }
}

static void compare(const char *name, double screen, int axes, double cutoff)
{
    const struct reference_kind *kind = strcmp(name, "laplace") == 0
                                            ? &reference_laplace
                                            : reference_kind_find(name);
    struct points p;
    struct ewald_any *e = NULL;
    double values[TARGETS * REFERENCE_VALUES], wanted[REFERENCE_VALUES];
    struct ewald_setup setup = {.accuracy = 1e-14,
                                .n = SOURCES,
                                .m = TARGETS,
                                .threads = 1,
                                .isa = isa_best(),
                                .cutoff = cutoff,
                                .open = {0, axes == 1, 1}};
    memcpy(setup.cell, cells[2 - axes], sizeof setup.cell);
    setup.cell[8] = 1; /* any vector across */
    if (axes == 1)
        setup.cell[4] = 1;
    points_make(&p);
    CHECK_OK(ewald_any_create(kind, screen, &setup, &e));
    CHECK_OK(ewald_any_set_points(e, SOURCES, p.x, TARGETS, p.y));
    CHECK_OK(ewald_any_run(e, p.q, kind->values, values));
    ewald_any_destroy(e);
    double worst = 0;
    for (int i = 0; i < TARGETS; i++) {
        const double *v = values + kind->values * i;
        double error = 0, size = 0;
        limit(kind, screen, axes, &p, p.y + 3 * i, wanted);
        for (int a = 0; a < kind->values; a++) {
            error = fmax(error, fabs(v[a] - wanted[a]));
            size = fmax(size, fabs(wanted[a]));
            if (getenv("FARSUM_TEST_PRINT"))
                printf("%d: %.15g %.15g\n", a, v[a], wanted[a]);
        }
        worst = fmax(worst, error / size);
    }
    printf("%s, %d periodic, cutoff %g: %.2g\n", name, axes, cutoff, worst);
    /* Images in a plane converge as their mean distance, up to 36 periods; the
     * fit amplifies what is left.  On a line the fit is exact to rounding. */
    CHECK(worst < (axes == 2 ? 1e-11 : 1e-14),
          "%s, %d periodic axes: %g from the sum over images", name, axes,
          worst);
}

static void kernels(int axes)
{
    compare("laplace", 0, axes, 0);
    compare("laplace", 0, axes, 3);
    compare("yukawa", 0.9, axes, 0);
    compare("r6", 0, axes, 0);
    compare("charge_dipole", 0, axes, 0);
    compare("stokeslet", 0, axes, 0);
    compare("rotlet", 0, axes, 0);
    compare("stresslet", 0, axes, 0);
}

static void slabs(void)
{
    kernels(2);
}

static void wires(void)
{
    kernels(1);
}

int main(void)
{
    RUN(slabs);
    RUN(wires);
    return check_end();
}
