/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: pair counts and forces of a random subset. */
#include "task/sample.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/random.h"
#include "math/pair.h"
#include "base/arrays.h"
#include "task/sample_bins.h"
#include "task/sample_local.h"
#include "task/sample_near.h"
#include "points/wrap.h"

enum { TARGETS = 160, SOURCES = 8192, PAIRS_LEAST = 100000 };

/* The index of pick k: all n sources in order if `count` is n, else a random
 * one. */
static int64_t sample_pick(int64_t k, int64_t count, int64_t n, uint64_t *seed)
{
    return count == n ? k : (int64_t)(random_next(seed) % (uint64_t)n);
}

/* A subset of the sources, one array per axis, and their indices. */
struct sample_sources {
    double *s[3]; /* owned, [n + SAMPLE_LANES] */
    int64_t *i;   /* owned, [n] */
    int64_t n;
};

static farsum_status sources_pick(struct sample_sources *to,
                                  const struct points *p, int64_t n)
{
    uint64_t seed = 2;
    to->n = n;
    TRY(MEM_RAW(to->i, n));
    for (int d = 0; d < 3; d++)
        TRY(MEM_NEW(to->s[d], n + SAMPLE_LANES));
    for (int64_t k = 0; k < n; k++) {
        to->i[k] = sample_pick(k, n, p->n, &seed);
        for (int d = 0; d < 3; d++)
            to->s[d][k] = p->s[d][to->i[k]];
    }
    return FARSUM_OK;
}

static void sources_clear(struct sample_sources *of)
{
    for (int d = 0; d < 3; d++)
        mem_free(of->s[d]);
    mem_free(of->i);
}

/* Counts the pairs between source i and the others: in *outer within each of
 * the largest radii, and in `bin` by bin within the first of these. */
static void sample_count(const struct sample_look *look,
                         const struct sample_kern *near,
                         const struct sample_sources *sources, int64_t i,
                         const struct sample_bins *bins,
                         int64_t outer[SAMPLE_OUTER],
                         int64_t bin[SAMPLE_RADII + 1])
{
    enum { CHUNK = 256 };
    const double *limit = bins->limit + SAMPLE_RADII - SAMPLE_OUTER;
    double r2[CHUNK + SAMPLE_LANES];
    for (int64_t begin = 0; begin < sources->n; begin += CHUNK) {
        int64_t left = sources->n - begin, n = left < CHUNK ? left : CHUNK;
        struct sample_look from = *look;
        for (int d = 0; d < 3; d++)
            from.s[d] = sources->s[d] + begin;
        int inner = near->count(&from, n, limit, outer, r2);
        for (int k = 0; k < inner; k++)
            bin[sample_bins_of(bins, r2[k])]++;
        for (int64_t k = 0; k < n && inner > 0; k++)
            if (sources->i[begin + k] == i) { /* counted at r = 0 */
                bin[0]--;
                for (int l = 0; l < SAMPLE_OUTER; l++)
                    outer[l]--;
            }
    }
}

/* Counts pairs by radius, between some targets and the nearest images of the
 * sources. */
static farsum_status sample_pairs(struct sample *sample,
                                  const struct cell *cell,
                                  const struct points *p, enum isa isa,
                                  int threads)
{
    farsum_status status = FARSUM_OK;
    int64_t n = p->n, target[TARGETS];
    int64_t count[SAMPLE_RADII + 1] = {0}, outer[SAMPLE_OUTER] = {0};
    int64_t nt = n < TARGETS ? n : TARGETS, ns = n < SOURCES ? n : SOURCES;
    const struct sample_kern *near = sample_near(isa);
    struct sample_sources sources = {0};
    struct sample_bins bins;
    uint64_t seed = 1;
    threads = nt * ns < PAIRS_LEAST * threads
                  ? (int)(nt * ns / PAIRS_LEAST) + 1
                  : threads;
    GO(sources_pick(&sources, p, ns));
    for (int64_t k = 0; k < nt; k++)
        target[k] = sample_pick(k, nt, n, &seed);
    sample_bins_set(&bins, log(sample->radius0), 1 / log(sample->step),
                    SAMPLE_RADII);
    PAR_FOR(threads, schedule(static) reduction(+ : count, outer))
    for (int part = 0; part < threads; part++) {
        int64_t end = par_start(nt, threads, part + 1);
        for (int64_t k = par_start(nt, threads, part); k < end; k++) {
            const int64_t i = target[k];
            const struct sample_look look = {
                .a = cell->a, .p = {p->s[0][i], p->s[1][i], p->s[2][i]}};
            sample_count(&look, near, &sources, i, &bins, outer, count);
        }
    }
    double scale = (double)n / (double)ns / (double)nt, sum = 0;
    for (int k = 0; k < SAMPLE_RADII; k++) {
        int larger = k - (SAMPLE_RADII - SAMPLE_OUTER);
        sum += (double)count[k];
        sample->around[k] = (larger < 0 ? sum : (double)outer[larger]) * scale;
    }
done:
    sources_clear(&sources);
    return status;
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
                          const struct pair *pair, enum isa isa, int threads)
{
    farsum_status status = FARSUM_OK;
    struct points points = {0};
    double *size = NULL, most = 0;
    *sample = (struct sample){.n = n,
                              .m = m,
                              .q2 = (double)n,
                              .step = M_SQRT2,
                              .nearest = INFINITY,
                              .soft = sample->soft};
    double spacing = cbrt(cell->volume / (double)n);
    double reach = fmin(cell->height[0],
                        fmin(cell->height[1], cell->height[2]));
    /* from deep inside a cluster up to half the cell; beyond, the nearest image
     * is not the only one */
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
    if (most == 0) /* no data: as if one pair */
        sample->q2 = (double)n;
    GO(sample_pairs(sample, cell, &points, isa, threads));
    if (most > 0)
        GO(sample_local(sample, cell, &points, size ? size : q, q, exclusions,
                        pair, isa, threads));
done:
    mem_free(size);
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

/* Interpolates linearly in the logarithms.  Beyond the last radius the count
 * grows as in a uniform system. */
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
