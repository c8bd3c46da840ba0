/* sample.c: a close pair that a sample meets by chance does not make it promise
 * large forces. */
#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "method/sample.h"

#include <math.h>

enum { N = 40000, MET = 4096 };

static double x[3 * N], q[N];

static double force(const struct cell *cell, int64_t n)
{
    struct sample sample;
    CHECK_OK(sample_take(&sample, cell, n, 0, x, q, FARSUM_F64, NULL, NULL, 1));
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
    const double edge = cbrt(N), rows[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    uint64_t seed = 7;
    struct cell cell;
    CHECK_OK(cell_set(&cell, rows, 1));
    for (int64_t i = 0; i < 3 * N; i++)
        x[i] = edge * ldexp((double)(random_next(&seed) >> 11), -53);
    for (int64_t i = 0; i < N; i++)
        q[i] = i % 2 ? 1 : -1;
    double before = force(&cell, N);
    CHECK(before > 1 && before < 10, "%g at a spacing of 1", before);
    for (int k = 0; k < 3; k++) {
        int64_t i = met(1000 * (k + 1)), j = i + 1;
        CHECK(met(1000 * (k + 1) + 1) != j, "both are met");
        for (int d = 0; d < 3; d++)
            x[3 * j + d] = x[3 * i + d] + (d == k) * 1e-4;
    }
    double after = force(&cell, N);
    CHECK(after > 0.5 * before && after < 1.01 * before, "%g, before %g", after,
          before);
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
