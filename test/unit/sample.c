/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: tests that a close pair in the sample by chance does not lead to
 * too large predicted forces, and that all ways to sum a sample agree. */
#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "task/sample.h"

#include <math.h>
#include <string.h>

enum { SIDE = 35, N = SIDE * SIDE * SIDE, MET = 4096 };

static double x[3 * N], q[N];

static double force(const struct cell *cell, int64_t n)
{
    const struct exclusions none = {0};
    struct sample sample = {0};
    CHECK_OK(
        sample_take(&sample, cell, n, 0, x, q, FARSUM_F64, &none, NULL,
                    isa_best(), 1));
    double found = sample.force;
    sample_clear(&sample);
    return found;
}

/* The source of the sample's t-th force. */
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

/* If all forces are summed, nothing is left out. */
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

/* Random points: the nearest pair of all is nearer than the sample's nearest,
 * (6.18).  Other points: it is not, and nothing is added. */
static void nearest(void)
{
    const double rows[9] = {SIDE, 0, 0, 0, SIDE, 0, 0, 0, SIDE};
    const struct exclusions none = {0};
    uint64_t seed = 11;
    struct cell cell;
    CHECK_OK(cell_set(&cell, rows, 1));
    for (int random = 0; random < 2; random++) {
        struct sample sample = {0};
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
                             NULL, isa_best(), 1));
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

/* Random charges in a skewed cell. */
static void skewed(struct cell *cell, int64_t n)
{
    const double rows[9] = {12, 0, 0, 3, 11, 0, -2, 4, 13};
    uint64_t seed = 5;
    CHECK_OK(cell_set(cell, rows, 1));
    for (int64_t i = 0; i < 3 * n; i++)
        x[i] = 30 * ldexp((double)(random_next(&seed) >> 11), -53);
    for (int64_t i = 0; i < n; i++)
        q[i] = ldexp((double)(random_next(&seed) >> 11), -53) - 0.4;
}

static int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-11 * (fabs(a) + fabs(b));
}

/* Compares the bits that a plan's choice depends on. */
static int same_bits(const struct sample *a, const struct sample *b)
{
    const double of_a[] = {a->force, a->whole, a->close[0], a->close[1],
                           a->near, a->nearest, a->pair};
    const double of_b[] = {b->force, b->whole, b->close[0], b->close[1],
                           b->near, b->nearest, b->pair};
    return memcmp(of_a, of_b, sizeof of_a) == 0
           && memcmp(a->around, b->around, sizeof a->around) == 0
           && a->n_targets == b->n_targets
           && memcmp(a->target, b->target,
                     (size_t)a->n_targets * sizeof *a->target) == 0;
}

static void is_like(const struct sample *found, const struct sample *plain,
                    const char *name)
{
    CHECK(close_to(found->force, plain->force)
              && close_to(found->whole, plain->whole)
              && close_to(found->close[0], plain->close[0])
              && close_to(found->close[1], plain->close[1])
              && close_to(found->near, plain->near)
              && close_to(found->nearest, plain->nearest)
              && close_to(found->pair, plain->pair),
          "%s: %.17g %.17g, not %.17g %.17g", name, found->force, found->near,
          plain->force, plain->near);
    CHECK(memcmp(found->around, plain->around, sizeof found->around) == 0,
          "%s: other numbers of neighbours", name);
    for (int64_t i = 0; i < plain->n_targets; i++) {
        const struct sample_target *a = &found->target[i];
        const struct sample_target *b = &plain->target[i];
        CHECK(a->q == b->q && a->first == b->first
                  && memcmp(a->count, b->count, sizeof a->count) == 0,
              "%s: target %d has other neighbours", name, (int)i);
        for (int shell = 0; shell < SAMPLE_SHELLS; shell++)
            CHECK(fabs(a->charge[shell] - b->charge[shell]) < 1e-12
                      && fabs(a->dipole[shell][2] - b->dipole[shell][2])
                             < 1e-12,
                  "%s: target %d, shell %d", name, (int)i, shell);
    }
}

/* The vectors of each instruction set give the sum of the plain loop, which is
 * used if pairs are excluded: here one with factor 1.  All sets give the same
 * bits. */
static void sets_agree(void)
{
    enum { SOME = 2000 };
    static const char *const names[] = {"base", "avx2", "avx512"};
    const int64_t pair[2] = {0, 1};
    const double factor = 1;
    struct exclusions none = {0}, kept = {0};
    struct sample plain = {0}, set[3] = {{0}};
    struct cell cell;
    skewed(&cell, SOME);
    CHECK_OK(exclusions_set(&kept, 1, pair, &factor));
    CHECK_OK(exclusions_rows(&kept, SOME, 0));
    CHECK(kept.rows == 2, "%d variants", (int)kept.rows);
    CHECK_OK(sample_take(&plain, &cell, SOME, 0, x, q, FARSUM_F64, &kept, NULL,
                         ISA_BASE, 1));
    for (int k = 0; k < 3; k++) {
        enum isa isa;
        if (isa_find(names[k], &isa) != FARSUM_OK)
            continue;
        CHECK_OK(sample_take(&set[k], &cell, SOME, 0, x, q, FARSUM_F64, &none,
                             NULL, isa, 1 + k));
        is_like(&set[k], &plain, names[k]);
        CHECK(same_bits(&set[k], &set[0]), "%s: other bits than base",
              names[k]);
    }
    for (int k = 0; k < 3; k++)
        sample_clear(&set[k]);
    sample_clear(&plain);
    exclusions_clear(&kept);
}

/* v^T M v of the moments is the mean square, over targets, of the sum over
 * shells. */
static void moments(void)
{
    const struct exclusions none = {0};
    struct cell cell;
    skewed(&cell, 500);
    for (int values = 0; values < 2; values++) {
        struct sample s = {0};
        double sum[2] = {0}, form[2] = {0}, v[SAMPLE_SHELLS];
        CHECK_OK(sample_take(&s, &cell, 500, 0, x, q, FARSUM_F64, &none, NULL,
                             isa_best(), 1));
        CHECK_OK(sample_moments_set(&s, values));
        for (int k = 0; k < SAMPLE_SHELLS; k++)
            v[k] = sin(k + 1);
        for (int64_t i = 0; i < s.n_targets; i++) {
            const struct sample_target *at = &s.target[i];
            double w = (values ? 1 : at->q * at->q) / (double)s.n_targets;
            double charge = 3 * at->q, square = 0;
            for (int k = 0; k < SAMPLE_SHELLS; k++) {
                charge += v[k] * at->charge[k];
                square += v[k] * at->square[k];
            }
            sum[0] += w * charge * charge;
            sum[1] += w * square;
        }
        for (int k = 0; k < SAMPLE_SHELLS; k++) {
            form[0] += 6 * v[k] * s.moments->own[k];
            form[1] += v[k] * s.moments->square[k];
            for (int l = 0; l < SAMPLE_SHELLS; l++)
                form[0] += v[k] * s.moments->charge[k][l] * v[l];
        }
        form[0] += 9 * s.moments->q2;
        CHECK(close_to(form[0], sum[0]) && close_to(form[1], sum[1]),
              "%.17g %.17g, not %.17g %.17g", form[0], form[1], sum[0], sum[1]);
        sample_clear(&s);
    }
}

int main(void)
{
    RUN(close_pairs);
    RUN(all);
    RUN(nearest);
    RUN(sets_agree);
    RUN(moments);
    return check_end();
}
