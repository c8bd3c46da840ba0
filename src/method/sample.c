/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: pair counts and forces of a random subset. */
#include "method/sample.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/random.h"
#include "math/pair.h"
#include "method/arrays.h"
#include "method/sample_bins.h"
#include "method/sample_local.h"
#include "points/points.h"

enum { TARGETS = 160, SOURCES = 8192, PAIRS_LEAST = 100000 };

/* Fractional coordinates and index of `count` sources of n: all of them in
 * order, or random ones. */
static void sample_pick(const struct points *p, int64_t count, uint64_t seed,
                        double *out)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t i = count == p->n
                        ? k
                        : (int64_t)(random_next(&seed) % (uint64_t)p->n);
        for (int d = 0; d < 3; d++)
            out[4 * k + d] = p->s[d][i];
        out[4 * k + 3] = (double)i;
    }
}

/* Counts pairs of nearest images of targets t and sources s by radius. */
static void sample_pairs(struct sample *sample, const struct cell *cell,
                         const double *t, int64_t nt, const double *s,
                         int64_t ns, int threads)
{
    int64_t count[SAMPLE_RADII + 1] = {0};
    threads = nt * ns < PAIRS_LEAST * threads
                  ? (int)(nt * ns / PAIRS_LEAST) + 1
                  : threads;
    struct sample_bins bins;
    sample_bins_set(&bins, log(sample->radius0), 1 / log(sample->step),
                    SAMPLE_RADII);
    PAR_FOR(threads, schedule(static) reduction(+ : count))
    for (int64_t i = 0; i < nt; i++)
        for (int64_t j = 0; j < ns; j++) {
            double f[3], r2 = 0;
            if (s[4 * j + 3] == t[4 * i + 3])
                continue;
            for (int d = 0; d < 3; d++)
                f[d] = sample_nearest(t[4 * i + d] - s[4 * j + d]);
            for (int k = 0; k < 3; k++) {
                double x = f[0] * cell->a[k] + f[1] * cell->a[3 + k]
                           + f[2] * cell->a[6 + k];
                r2 += x * x;
            }
            int bin;
            if (!sample_bins_at(&bins, r2, &bin))
                bin = sample_bins_by(&bins, 0.5 * log(r2));
            count[bin]++;
        }
    double scale = (double)sample->n / (double)ns / (double)nt, sum = 0;
    for (int k = 0; k < SAMPLE_RADII; k++) {
        sum += (double)count[k];
        sample->around[k] = sum * scale;
    }
}

static void sample_uniform(struct sample *sample, const struct cell *cell)
{
    double r = sample->radius0;
    for (int k = 0; k < SAMPLE_RADII; k++, r *= sample->step)
        sample->around[k] = 4 * M_PI / 3 * r * r * r * (double)sample->n
                            / cell->volume;
}

farsum_status sample_take(struct sample *sample, const struct cell *cell,
                          int64_t n, int64_t m, const void *x, const double *q,
                          farsum_precision arrays,
                          const struct exclusions *exclusions,
                          const struct pair *pair, int threads)
{
    farsum_status status = FARSUM_OK;
    struct points points = {0};
    double *t = NULL, *s = NULL, *size = NULL, most = 0;
    *sample = (struct sample){.n = n, .m = m, .q2 = (double)n, .step = M_SQRT2,
                              .nearest = INFINITY};
    double spacing = cbrt(cell->volume / (double)n);
    double reach = fmin(cell->height[0],
                        fmin(cell->height[1], cell->height[2]));
    /* from deep inside a cluster up to half the cell, where the nearest image
     * stops being the only one */
    sample->radius0 = fmin(spacing / 64, reach / 2 / pow(M_SQRT2, 30));
    sample->step = pow(reach / 2 / sample->radius0, 1.0 / (SAMPLE_RADII - 1));
    sample_uniform(sample, cell);
    if (!x || !q)
        return FARSUM_OK;
    GO(points_set(&points, cell, n, x, arrays, "source", threads));
    sample->q2 = 0;
    if (pair && !pair->kind->gradient) {
        GO(MEM_RAW(size, n));
        for (int64_t i = 0; i < n; i++)
            size[i] = sqrt(pair->kind->square(q + i * pair->strengths));
    }
    for (int64_t i = 0; i < n; i++) {
        double v = size ? size[i] : q[i];
        most = fmax(most, fabs(v));
        sample->q1 += v;
        sample->q2 += v * v;
    }
    if (most == 0) /* nothing to go by: as if of 1 */
        sample->q2 = (double)n;
    int64_t nt = n < TARGETS ? n : TARGETS, ns = n < SOURCES ? n : SOURCES;
    GO(MEM_RAW(t, 4 * nt));
    GO(MEM_RAW(s, 4 * ns));
    sample_pick(&points, nt, 1, t);
    sample_pick(&points, ns, 2, s);
    sample_pairs(sample, cell, t, nt, s, ns, threads);
    if (most > 0)
        GO(sample_local(sample, cell, &points, size ? size : q, q, exclusions,
                        pair, threads));
done:
    mem_free(size);
    mem_free(s);
    mem_free(t);
    points_clear(&points);
    return status;
}

void sample_clear(struct sample *sample)
{
    mem_free(sample->target);
    mem_free(sample->moments);
    sample->target = NULL;
    sample->moments = NULL;
    sample->n_targets = 0;
}

/* Linear in the logarithms; beyond the last radius the growth of a uniform
 * system. */
static double sample_at(const struct sample *sample, const double *table,
                        double r)
{
    double at = log(r / sample->radius0) / log(sample->step);
    if (at <= 0)
        return table[0];
    int k = at >= SAMPLE_RADII - 1 ? SAMPLE_RADII - 2 : (int)at;
    double part = fmin(at - k, 1), low = table[k], high = table[k + 1];
    if (!(low > 0) || !(high > 0))
        return low + part * (high - low);
    return exp(log(low) + part * (log(high) - log(low)));
}

double sample_around(const struct sample *sample, const struct cell *cell,
                     double r)
{
    double last = sample->radius0 * pow(sample->step, SAMPLE_RADII - 1);
    double here = sample_at(sample, sample->around, fmin(r, last));
    double uniform = 4 * M_PI / 3 * (double)sample->n / cell->volume;
    if (r > last)
        here += uniform * (r * r * r - last * last * last);
    return here;
}
