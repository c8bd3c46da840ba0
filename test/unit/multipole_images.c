/* SPDX-License-Identifier: Apache-2.0 */
/* multipole_images.c: fields of rows and planes of images. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "math/multipole.h"

enum { SIZE = MULTIPOLE_FIELD };

static void field(int p, const int periodic[3], const double cell[3],
                  const double near[3], const double reach[3],
                  const double d[3], double *s)
{
    struct multipole_images *images;
    CHECK_OK(multipole_images_create(p, periodic, cell, near, reach, &images));
    multipole_images_field(images, d, s);
    multipole_images_destroy(images);
}

/* The largest difference of two fields, relative to the size of a charge's at
 * the distance r. */
static double off(int p, const double *a, const double *b, double r)
{
    double worst = 0;
    for (int n = 0, k = 0; n <= p; n++)
        for (; k < multipole_size(n); k++)
            worst = fmax(worst, fabs(a[k] - b[k]) * pow(r, n + 1));
    return worst;
}

static void potentials_are_known(void)
{
    const double cell[3] = {1, 1, 1}, near[3] = {1.5, 1.5, 1.5}, d[3] = {0};
    const double four[3] = {4, 4, 4}, half[3] = {0.1, 0.1, 0.1};
    double s[SIZE];
    for (int o = 0; o < 3; o++) {
        const int row[3] = {o == 0, o == 1, o == 2};
        const int plane[3] = {o != 0, o != 1, o != 2};
        field(20, row, cell, near, d, d, s);
        CHECK_NEAR(s[0], -2.2318630313168248, 2e-14);
        field(20, plane, cell, near, d, d, s);
        CHECK_NEAR(s[0], -10.728692044748146, 1e-12);
        double sum = 0; /* (7.22): charges +-1 at distance 1 */
        for (int i = 0; i < 4; i++) {
            double at[3] = {0};
            at[(o + 1) % 3] = 2 * (i & 1);
            at[(o + 2) % 3] = 2 * (i >> 1);
            field(0, plane, four, half, d, at, s);
            sum += ((i ^ i >> 1) & 1 ? -1 : 1) * s[0];
        }
        CHECK_NEAR(2 * sum, -1.6155426267128, 1e-13);
    }
}

/* Above a plane modes agree with images, along each axis. */
static void modes_agree_with_images(void)
{
    for (int c = 0; c < 6; c++) {
        int o = c % 3, p = c < 3 ? 24 : 7;
        const int plane[3] = {o != 0, o != 1, o != 2};
        double cell[3] = {1, 1, 1}, d[3] = {0.4, -0.3, 0.2};
        double low[3] = {0}, high[3] = {0}, a[SIZE], b[SIZE];
        cell[(o + 1) % 3] = c < 3 ? 1.3 : 0.5;
        d[o] = c % 2 ? -1.9 : 1.7;
        high[o] = 2; /* images up to here */
        field(p, plane, cell, low, low, d, a);
        field(p, plane, cell, high, low, d, b);
        CHECK(off(p, a, b, 1.7) < 1e-12, "axis %d: fields differ by %g", o,
              off(p, a, b, 1.7));
        const double far[3] = {d[0] + 3 * cell[0] * plane[0],
                               d[1] - 2 * cell[1] * plane[1],
                               d[2] + cell[2] * plane[2]};
        field(p, plane, cell, high, low, far, b);
        CHECK(off(p, a, b, 1.7) < 1e-12, "axis %d: an image differs", o);
    }
}

/* The same far from a row, and however many images are summed one by one. */
static void rows_agree(void)
{
    for (int c = 0; c < 6; c++) {
        int o = c % 3, p = c < 3 ? 80 : 9;
        const int row[3] = {o == 0, o == 1, o == 2};
        const double cell[3] = {0.9, 0.9, 0.9}, d[3] = {0.7, -1.2, 1.1};
        double less[3], more[3], far[3], a[SIZE], b[SIZE];
        double r = sqrt(0.49 + 1.44 + 1.21 - d[o] * d[o]);
        const double none[3] = {0};
        for (int k = 0; k < 3; k++) {
            less[k] = k == o ? 0 : 1.3; /* images up to here */
            more[k] = k == o ? 0 : 6;
            far[k] = d[k] + (k == o ? -2 * 0.9 : 0);
        }
        field(p, row, cell, none, more, d, a); /* modes */
        field(p, row, cell, less, none, d, b);
        CHECK(off(p, a, b, r) < 1e-12, "axis %d: modes differ by %g", o,
              off(p, a, b, r));
        field(p, row, cell, more, none, far, b);
        CHECK(off(p, a, b, r) < 1e-12, "axis %d: images differ by %g", o,
              off(p, a, b, r));
    }
}

/* Degrees that are left out where images are far do not matter to the nearest
 * boxes. */
static void far_terms_are_small(void)
{
    for (int axes = 1; axes <= 2; axes++)
        for (int c = 0; c < 3; c++) {
            const int periodic[3] = {1, axes == 2, 0};
            const double cell[3] = {6, 30, 1}, near[3] = {1.5, 1.5, 1.5};
            const double reach[3] = {0, 60, 60}, none[3] = {0};
            const double d[3] = {2, c == 1 ? 13 : 1, c == 2 ? 44 : 1};
            double a[SIZE], b[SIZE];
            int p = 30;
            field(p, periodic, cell, near, reach, d, a);
            field(p, periodic, cell, none, reach, d, b);
            CHECK(off(p, a, b, 1.5) < 1e-15, "%d axes, case %d: off by %g",
                  axes, c, off(p, a, b, 1.5));
        }
}

/* High degrees are sums that converge without the tail. */
static void high_degrees_are_sums(void)
{
    const int plane[3] = {1, 0, 1};
    const double cell[3] = {1, 0, 1.5}, near[3] = {1.6, 1.6, 1.6};
    const double d[3] = {0.2, 0.9, -0.6}, none[3] = {0};
    double s[SIZE], term[SIZE], *sum = check_memory(SIZE, sizeof *sum);
    int p = 40;
    field(p, plane, cell, near, none, d, s);
    for (int m = 0; m < 41 * 41; m++) {
        double at[3] = {d[0] + cell[0] * (m % 41 - 20), d[1],
                        d[2] + cell[2] * (m / 41 - 20)};
        if (fabs(at[0]) < near[0] && fabs(at[1]) < near[1]
            && fabs(at[2]) < near[2])
            continue;
        multipole_singular(p, at, term);
        for (int k = 0; k < multipole_size(p); k++)
            sum[k] += term[k];
    }
    for (int n = 20; n <= p; n++)
        for (int k = n * n; k < (n + 1) * (n + 1); k++)
            CHECK_NEAR(s[k] * pow(1.6, n + 1), sum[k] * pow(1.6, n + 1), 1e-11);
    free(sum);
}

int main(void)
{
    RUN(potentials_are_known);
    RUN(modes_agree_with_images);
    RUN(rows_agree);
    RUN(far_terms_are_small);
    RUN(high_degrees_are_sums);
    return check_end();
}
