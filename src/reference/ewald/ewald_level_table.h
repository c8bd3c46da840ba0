/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_level_table.h: parts of the far sums in one precision: factors exp(2 pi
 * i n s), their products, dot products with strengths.
 *
 * Before including, define real, vreal, W, v_*, LEVEL_*.  Included by
 * ewald_kern.c and ewald_any_kern.c (double, SIMD) and ewald_long.c (long
 * double, vectors of length 1). */

/* Knuth's TwoSum: see direct_kern.h. */
static inline __attribute__((always_inline)) void add(real *sum, real *low,
                                                      real x)
{
    real s = *sum + x, z = s - *sum;
    *low += (*sum - (s - z)) + (x - z);
    *sum = s;
}

static inline __attribute__((always_inline)) void add_v(real *sum, real *low,
                                                        vreal x)
{
    vreal old = v_load(sum), s = old + x, z = s - old;
    v_store(low, v_load(low) + ((old - (s - z)) + (x - z)));
    v_store(sum, s);
}

/* exp(2 pi i n s), s = high + low.  n high is exact, and so is its remainder
 * after whole quarter turns. */
static inline void turn(int32_t n, double high, double low, real *c, real *s)
{
    real f = (real)n * high, sine, cosine;
    f -= LEVEL_RINT(f);
    real quarter = LEVEL_RINT(4 * f);
    f = (f - quarter / 4) + (real)n * low;
    LEVEL_SINCOS(2 * (real)EWALD_PI * f, &sine, &cosine);
    switch ((int)quarter & 3) {
    case 0: *c = cosine, *s = sine; break;
    case 1: *c = -sine, *s = cosine; break;
    case 2: *c = -cosine, *s = -sine; break;
    default: *c = sine, *s = -cosine; break;
    }
}

/* Table of an axis, [n][2][EWALD_SOURCES]: sines and cosines of the multiples
 * of a step and of the indices below the step; the others are one product. */
static void table_fill(const struct ewald_points *p, int d, int32_t most,
                       int64_t i0, int count, real *table)
{
    enum { B = EWALD_SOURCES };
    int32_t step = (int32_t)sqrt(most + 1.) + 1;
    for (int32_t n = 0; n <= most; n++) {
        real *c = table + (int64_t)2 * B * n, *s = c + B;
        if (n < step || n % step == 0) {
            for (int j = 0; j < count; j++)
                turn(n, p->s_high[d][i0 + j], p->s_low[d][i0 + j], c + j,
                     s + j);
            continue;
        }
        const real *big = table + (int64_t)2 * B * (n - n % step);
        const real *small = table + (int64_t)2 * B * (n % step);
        for (int j = 0; j < count; j += W) {
            vreal bc = v_load(big + j), bs = v_load(big + B + j);
            vreal sc = v_load(small + j), ss = v_load(small + B + j);
            v_store(c + j, bc * sc - bs * ss);
            v_store(s + j, bc * ss + bs * sc);
        }
    }
}

static real *table_of(const struct ewald_job *job, int d, int t)
{
    return (real *)job->table[d] + (int64_t)t * (job->modes->most[d] + 1) * 2 *
                                       EWALD_SOURCES;
}

static void tables_fill(const struct ewald_job *job,
                        const struct ewald_points *p, int t, int64_t i0,
                        int count)
{
    for (int d = 0; d < 3; d++)
        table_fill(p, d, job->modes->most[d], i0, count, table_of(job, d, t));
}

/* z = u v, or u conj(v); arrays [2][EWALD_SOURCES]. */
static inline void multiply(real *z, const real *u, const real *v, int conj,
                            int count)
{
    enum { B = EWALD_SOURCES };
    vreal sign = v_set(conj ? -1 : 1);
    for (int j = 0; j < count; j += W) {
        vreal uc = v_load(u + j), us = v_load(u + B + j);
        vreal vc = v_load(v + j), vs = sign * v_load(v + B + j);
        v_store(z + j, uc * vc - us * vs);
        v_store(z + B + j, uc * vs + us * vc);
    }
}

/* Adds P, Q, R, T of `two` + 1 adjacent n3 to their sums. */
static inline __attribute__((always_inline)) void
dots(const real *ab, const real *e3, int count, int two, real *sums)
{
    enum { B = EWALD_SOURCES };
    vreal z = v_set(0), dot[8] = {z, z, z, z, z, z, z, z};
    for (int j = 0; j < count; j += W) {
        vreal a = v_load(ab + j), b = v_load(ab + B + j);
        for (int n = 0; n <= two; n++) {
            vreal c = v_load(e3 + 2 * B * n + j);
            vreal s = v_load(e3 + 2 * B * n + B + j);
            dot[4 * n] += a * c;
            dot[4 * n + 1] += a * s;
            dot[4 * n + 2] += b * c;
            dot[4 * n + 3] += b * s;
        }
    }
    for (int n = 0; n <= two; n++)
        for (int i = 0; i < 4; i++)
            add(sums + 8 * n + i, sums + 8 * n + 4 + i, v_sum(dot[4 * n + i]));
}
