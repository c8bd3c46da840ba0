/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: a close pair that a sample meets by chance does not make it promise
 * large forces. */
#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "method/sample.h"

#include <math.h>

enum { SIDE = 35, N = SIDE * SIDE * SIDE, MET = 4096 };

static double x[3 * N], q[N];

static double force(const struct cell *cell, int64_t n)
{
    const struct exclusions none = {0};
    struct sample sample;
    CHECK_OK(
        sample_take(&sample, cell, n, 0, x, q, FARSUM_F64, &none, NULL, 1));
    double found = sample.force;
    sample_clear(&sample);
    return found;
}

/* The source that the sample's t-th force is of. */
static int64_t met(int t)
{
    return (int64_t)((double)N * (t + 0.5) / MET);
}

static void close_pairs(void)
{
    const double rows[9] = {SIDE, 0, 0, 0, SIDE, 0, 0, 0, SIDE};
    uint64_t seed = 7;
    struct cell cell;
    CHECK_OK(cell_set(&cell, rows, 1));
    for (int64_t i = 0; i < N; i++) { /* a lattice, displaced */
        const int64_t site[3] = {i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE};
        for (int d = 0; d < 3; d++)
            x[3 * i + d] =
                (double)site[d]
                + 0.3 * ldexp((double)(random_next(&seed) >> 11), -53);
    }
    for (int64_t i = 0; i < N; i++)
        q[i] = i % 2 ? 1 : -1;
    double before = force(&cell, N);
    CHECK(before > 0.3 && before < 10, "%g at a spacing of 1", before);
    for (int k = 0; k < 3; k++) {
        int64_t i = met(1000 * (k + 1)), j = i + 1;
        CHECK(met(1000 * (k + 1) + 1) != j, "both are met");
        for (int d = 0; d < 3; d++)
            x[3 * j + d] = x[3 * i + d] + (d == k) * 1e-4;
    }
    double after = force(&cell, N);
    CHECK(fabs(after - before) < 0.1 * before, "%g, before %g", after, before);
}

/* Where all forces are summed, nothing is left out. */
static void all(void)
{
    const double rows[9] = {100, 0, 0, 0, 100, 0, 0, 0, 100};
    struct cell cell;
    CHECK_OK(cell_set(&cell, rows, 1));
    for (int i = 0; i < 4; i++) {
        q[i] = i % 2 ? 1 : -1;
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = d == 0 ? 10 * (i / 2) + i % 2 : 50;
    }
    double found = force(&cell, 4);
    CHECK(found > 0.9 && found < 1.1, "%g", found);
}

/* Of points at random the nearest pair of all is nearer than those of the
 * sample, (6.18); of others it is not, and nothing is added. */
static void nearest(void)
{
    const double rows[9] = {SIDE, 0, 0, 0, SIDE, 0, 0, 0, SIDE};
    const struct exclusions none = {0};
    uint64_t seed = 11;
    struct cell cell;
    CHECK_OK(cell_set(&cell, rows, 1));
    for (int random = 0; random < 2; random++) {
        struct sample sample;
        for (int64_t i = 0; i < N; i++) {
            const int64_t site[3] = {i / SIDE / SIDE, i / SIDE % SIDE,
                                     i % SIDE};
            for (int d = 0; d < 3; d++) {
                double part = ldexp((double)(random_next(&seed) >> 11), -53);
                x[3 * i + d] =
                    random ? SIDE * part : (double)site[d] + 0.5 * part;
            }
            q[i] = i % 2 ? 1 : -1;
        }
        CHECK_OK(sample_take(&sample, &cell, N, 0, x, q, FARSUM_F64, &none,
                             NULL, 1));
        /* N^2/2 4/3 pi r^3/V pairs within r, ln 2 in half of all sets */
        double r = cbrt(log(2) / (N * 2 * M_PI / 3));
        double wanted = sqrt(2.0 / N) / (r * r * r);
        if (random)
            CHECK(sample.close[0] > 0.5 * wanted && sample.pair > 0,
                  "%g of %g, %g", sample.close[0], wanted, sample.pair);
        else
            CHECK(sample.pair == 0 && sample.close[0] < 0.1 * wanted,
                  "%g of %g", sample.close[0], wanted);
        sample_clear(&sample);
    }
}

int main(void)
{
    RUN(close_pairs);
    RUN(all);
    RUN(nearest);
    return check_end();
}
