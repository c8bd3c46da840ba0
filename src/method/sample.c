/* sample.c: pair counts and forces of a random subset. */
#include "method/sample.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "method/sample_force.h"
#include "points/points.h"

enum { TARGETS = 256, SOURCES = 32768 };

/* Random numbers of the sample: splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t sample_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double strength_at(const void *q, farsum_precision arrays, int64_t i)
{
    return arrays == FARSUM_F32 ? (double)((const float *)q)[i]
                                : ((const double *)q)[i];
}

/* Fractional coordinates and strengths of `count` sources of n: all of them in
 * order, or random ones. */
static void sample_pick(const struct points *p, const void *q,
                        farsum_precision arrays, int64_t count, uint64_t seed,
                        double *out)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t i = count == p->n
                        ? k
                        : (int64_t)(sample_random(&seed) % (uint64_t)p->n);
        for (int d = 0; d < 3; d++)
            out[5 * k + d] = p->s[d][i];
        out[5 * k + 3] = strength_at(q, arrays, i);
        out[5 * k + 4] = (double)i;
    }
}

/* Counts pairs of nearest images of targets t and sources s by radius. */
static void sample_pairs(struct sample *sample, const struct cell *cell,
                         const double *t, int64_t nt, const double *s,
                         int64_t ns)
{
    double count[SAMPLE_RADII + 1] = {0}, weight[SAMPLE_RADII + 1] = {0};
    double q2t = 0, inverse = 1 / log(sample->step);
    for (int64_t i = 0; i < nt; i++) {
        double qi = t[5 * i + 3] * t[5 * i + 3];
        q2t += qi;
        for (int64_t j = 0; j < ns; j++) {
            double f[3], r2 = 0;
            if (s[5 * j + 4] == t[5 * i + 4])
                continue;
            for (int d = 0; d < 3; d++) {
                f[d] = t[5 * i + d] - s[5 * j + d];
                f[d] -= nearbyint(f[d]);
            }
            for (int k = 0; k < 3; k++) {
                double x = f[0] * cell->a[k] + f[1] * cell->a[3 + k]
                           + f[2] * cell->a[6 + k];
                r2 += x * x;
            }
            double at = r2 > 0 ? (0.5 * log(r2) - log(sample->radius0)) * inverse
                               : 0;
            int bin = at < 0 ? 0 : at >= SAMPLE_RADII ? SAMPLE_RADII
                                                      : (int)ceil(at);
            bin = bin > SAMPLE_RADII ? SAMPLE_RADII : bin;
            count[bin] += 1;
            weight[bin] += qi * s[5 * j + 3] * s[5 * j + 3];
        }
    }
    double scale = (double)sample->n / (double)ns, sum = 0, sum2 = 0;
    double r = sample->radius0;
    for (int k = 0; k < SAMPLE_RADII; k++, r *= sample->step) {
        double ball = 4 * M_PI / 3 * r * r * r / cell->volume;
        sum += count[k] * scale / (double)nt;
        sum2 += weight[k] * scale;
        sample->around[k] = sum;
        sample->crowd[k] = q2t > 0 && sample->q2 > 0
                               ? sum2 / (q2t * sample->q2 * ball)
                               : 1;
    }
}

static void sample_uniform(struct sample *sample, const struct cell *cell)
{
    double r = sample->radius0;
    for (int k = 0; k < SAMPLE_RADII; k++, r *= sample->step) {
        sample->around[k] = 4 * M_PI / 3 * r * r * r * (double)sample->n
                            / cell->volume;
        sample->crowd[k] = 1;
    }
}

farsum_status sample_take(struct sample *sample, const struct cell *cell,
                          int64_t n, int64_t m, const void *x, const void *q,
                          farsum_precision arrays, int threads)
{
    farsum_status status = FARSUM_OK;
    struct points points = {0};
    double *t = NULL, *s = NULL;
    *sample = (struct sample){.n = n, .m = m, .q2 = (double)n, .step = M_SQRT2};
    double spacing = cbrt(cell->volume / (double)n);
    double reach = fmin(cell->height[0], fmin(cell->height[1], cell->height[2]));
    /* from deep inside a cluster up to half the cell, where the nearest image
     * stops being the only one */
    sample->radius0 = fmin(spacing / 64, reach / 2 / pow(M_SQRT2, 30));
    sample->step = pow(reach / 2 / sample->radius0, 1.0 / (SAMPLE_RADII - 1));
    sample_uniform(sample, cell);
    if (!x || !q)
        return FARSUM_OK;
    sample->real = 1;
    GO(points_set(&points, cell, n, x, arrays, "source", threads));
    sample->q2 = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = strength_at(q, arrays, i);
        if (!isfinite(v))
            GO_FAIL(ERR_STRENGTH, "strength %lld is %g", (long long)i, v);
        sample->q1 += v;
        sample->q2 += v * v;
    }
    int64_t nt = n < TARGETS ? n : TARGETS, ns = n < SOURCES ? n : SOURCES;
    GO(MEM_RAW(t, 5 * nt));
    GO(MEM_RAW(s, 5 * ns));
    sample_pick(&points, q, arrays, nt, 1, t);
    sample_pick(&points, q, arrays, ns, 2, s);
    sample_pairs(sample, cell, t, nt, s, ns);
    GO(sample_force(sample, cell, &points, q, arrays));
done:
    mem_free(s);
    mem_free(t);
    points_clear(&points);
    return status;
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

double sample_crowd(const struct sample *sample, double r)
{
    return sample_at(sample, sample->crowd, r);
}

double sample_force_norm(const struct sample *sample, double volume)
{
    double n = (double)sample->n;
    return fmax(sample->force, sample->q2 / n * pow(n / volume, 2.0 / 3));
}
