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

int main(void)
{
    RUN(close_pairs);
    RUN(all);
    return check_end();
}
