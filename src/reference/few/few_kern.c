/* SPDX-License-Identifier: Apache-2.0 */
/* few_kern.c: the sums of few.h over all sources, in SIMD vectors of
 * sources. The formulas are those of reference/kernels_flow.c and
 * kernels_potential.c. */
#include "base/simd.h"
#include "reference/few/few_kern.h"

#include <stdlib.h>

#if FARSUM_BITS == 64

/* ---- functions, to some 1e-15 */

/* Adding and subtracting it rounds to an integer.  After the addition, the
 * integer is in the lowest bits. */
#define ROUND 0x1.8p52

SIMD_FN vreal few_round(vreal v)
{
    return (v + v_set(ROUND)) - v_set(ROUND);
}

enum { EXP = 12, ERFCX = 21 };
static const double exponential[EXP] = {
    1,        1,         0.5,        1. / 6,      1. / 24,      1. / 120,
    1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800,
};
static const double rest[ERFCX] = {
    1.2329951186255533,     -0.13962111684041714,    0.015379652102428862,
    0.068097054243949981,   -0.10103906602860086,    0.093732835232604235,
    -0.066330365933636989,  0.037167513189217732,    -0.016197733074851663,
    0.0050319829645149626,  -0.00075777793788029562, -0.00019930010222121463,
    0.00015063540502991907, -2.4307485071328286e-5,  -1.1248094524610536e-5,
    5.5855226186678871e-6,  3.2560471677194374e-7,   -7.1941913935388213e-7,
    5.0595244825814685e-8,  5.6241706202705567e-8,   -7.7157236877613462e-9,
};

/* The same coefficients, one vector each: arithmetic reads them from memory. */
struct few_tables {
    vreal exp[EXP], erfcx[ERFCX];
};

SIMD_FN void few_tables_set(struct few_tables *t)
{
    for (int i = 0; i < EXP; i++)
        t->exp[i] = v_set(exponential[i]);
    for (int i = 0; i < ERFCX; i++)
        t->erfcx[i] = v_set(rest[i]);
}

/* A polynomial of n >= 4 coefficients, lowest first.  It is four independent
 * polynomials of every fourth coefficient. */
SIMD_FN vreal few_poly(const vreal *c, int n, vreal x)
{
    vreal x2 = x * x, x4 = x2 * x2, p[4];
    for (int k = 0; k < 4; k++) {
        int i = (n - 1 - k) / 4 * 4 + k;
        p[k] = c[i];
        for (i -= 4; i >= 0; i -= 4)
            p[k] = p[k] * x4 + c[i];
    }
    return (p[0] + p[1] * x) + (p[2] + p[3] * x) * x2;
}

/* e^x, x <= 1; 0 below -700. */
SIMD_FN vreal few_exp(const struct few_tables *t, vreal x)
{
    vmask in = x > v_set(-700);
    x = v_select(in, x, v_set(-700));
    vreal k = x * v_set(0x1.71547652b82fep0) + v_set(ROUND);
    vmask power = ((vmask)k << 52) + (vmask)v_set(1);
    k -= v_set(ROUND);
    vreal r = x - k * v_set(0x1.62e42fefap-1);
    r -= k * v_set(0x1.cf79abc9e3b39803p-40);
    return v_where(in, few_poly(t->exp, EXP, r) * (vreal)power);
}

/* e^(u^2) erfc(u), u >= 0: a polynomial in (u - 4)/(u + 4), over 1 + 2u. */
SIMD_FN vreal few_erfcx(const struct few_tables *t, vreal u)
{
    vreal above = u + v_set(4), below = v_set(1) + u + u;
    vreal inverse = v_set(1) / (above * below);
    vreal at = (u - v_set(4)) * below * inverse;
    return few_poly(t->erfcx, ERFCX, at) * above * inverse;
}

/* cos and sin of 2 pi s, |s| <= 1/2. */
SIMD_FN void few_turn(vreal s, vreal *cosine, vreal *sine)
{
    static const double c[] = {1. / 20922789888000,
                               -1. / 87178291200,
                               1. / 479001600,
                               -1. / 3628800,
                               1. / 40320,
                               -1. / 720,
                               1. / 24,
                               -0.5,
                               1};
    static const double o[] = {1. / 355687428096000,
                               -1. / 1307674368000,
                               1. / 6227020800,
                               -1. / 39916800,
                               1. / 362880,
                               -1. / 5040,
                               1. / 120,
                               -1. / 6,
                               1};
    vreal quarter = s * v_set(4) + v_set(ROUND);
    vmask q = (vmask)quarter;
    quarter -= v_set(ROUND);
    vreal x = (s - v_set(0.25) * quarter) * v_set(2 * M_PI), x2 = x * x;
    vreal even = v_set(c[0]), odd = v_set(o[0]);
    for (int i = 1; i < 9; i++) {
        even = even * x2 + v_set(c[i]);
        odd = odd * x2 + v_set(o[i]);
    }
    odd *= x;
    vmask swap = -(q & 1);
    vmask minus_c = (((q + 1) & 2) << 62), minus_s = ((q & 2) << 62);
    *cosine = (vreal)((vmask)v_select(swap, odd, even) ^ minus_c);
    *sine = (vreal)((vmask)v_select(swap, even, odd) ^ minus_s);
}

/* ---- pairs */

/* Distances of a target from W sources: y = 1/r. */
struct sight {
    vreal d[3], r2, y;
    double xi, kappa;
    const struct few_tables *t;
};

/* Returns (1 - E)/r and sets E', E = erf(xi r). */
SIMD_FN vreal few_split(const struct sight *at, vreal *slope)
{
    vreal u = v_set(at->xi) * at->r2 * at->y, e = few_exp(at->t, -u * u);
    *slope = v_set(M_2_SQRTPI * at->xi) * e;
    return e * few_erfcx(at->t, u) * at->y;
}

SIMD_FN vreal few_dot(const vreal *a, const vreal *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Sets a potential phi and a field f d. */
SIMD_FN void few_put(const struct sight *at, vreal phi, vreal f, vreal *v)
{
    v[0] = phi;
    for (int a = 0; a < 3; a++)
        v[1 + a] = f * at->d[a];
}

SIMD_FN void few_laplace(const struct sight *at, const vreal *q, vreal *v)
{
    vreal slope, p = few_split(at, &slope);
    few_put(at, q[0] * p, q[0] * (p + slope) * at->y * at->y, v);
}

SIMD_FN void few_yukawa(const struct sight *at, const vreal *q, vreal *v)
{
    vreal r = at->r2 * at->y, x = v_set(at->xi) * r;
    vreal b = v_set(at->kappa / (2 * at->xi)), apart = x - b;
    vreal e = few_exp(at->t, -x * x - b * b);
    vreal away = few_exp(at->t, v_set(-at->kappa) * r);
    vmask before = apart < v_set(0);
    vreal plus = e * few_erfcx(at->t, x + b);
    vreal minus = e * few_erfcx(at->t, v_select(before, -apart, apart));
    minus = v_select(before, v_set(2) * away - minus, minus);
    vreal slope =
        v_set(at->kappa / 2) * (minus - plus) + v_set(M_2_SQRTPI * at->xi) * e;
    vreal phi = v_set(0.5) * (plus + minus) * at->y;
    few_put(at, q[0] * phi, q[0] * (phi + slope) * at->y * at->y, v);
}

SIMD_FN void few_r6(const struct sight *at, const vreal *q, vreal *v)
{
    vreal x2 = v_set(at->xi * at->xi) * at->r2, y2 = at->y * at->y;
    vreal e = few_exp(at->t, -x2) * q[0] * y2 * y2 * y2;
    vreal most = v_set(1) + x2 + v_set(0.5) * x2 * x2;
    vreal more = v_set(6) * most + x2 * x2 * x2;
    few_put(at, e * most, e * more * y2, v);
}

SIMD_FN void few_stokeslet(const struct sight *at, const vreal *f, vreal *v)
{
    vreal slope, e = few_split(at, &slope);
    vreal along = (e + slope) * at->y * at->y * few_dot(f, at->d);
    for (int a = 0; a < 3; a++)
        v[a] = (e - slope) * f[a] + along * at->d[a];
}

SIMD_FN void few_rotlet(const struct sight *at, const vreal *t, vreal *v)
{
    vreal slope, e = few_split(at, &slope);
    vreal g = (e + slope) * at->y * at->y;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        v[a] = g * (t[b] * at->d[c] - t[c] * at->d[b]);
    }
}

SIMD_FN void few_stresslet(const struct sight *at, const vreal *q, vreal *v)
{
    vreal slope, e = few_split(at, &slope), y2 = at->y * at->y;
    vreal b = v_set(2 * at->xi * at->xi) * slope;
    vreal a = v_set(-2) * (v_set(3) * (e + slope) + b * at->r2) * y2 * y2;
    vreal dq = few_dot(at->d, q), dn = few_dot(at->d, q + 3);
    vreal along = a * dq * dn + b * few_dot(q, q + 3);
    for (int i = 0; i < 3; i++)
        v[i] = along * at->d[i] + b * (dn * q[i] + dq * q[3 + i]);
}

typedef void few_pair(const struct sight *at, const vreal *q, vreal *v);

/* Data of W pairs that few_close reads or changes. */
struct close {
    vreal d[3], r2, n[3];
};

/* Computes the distances of close pairs with all their digits: x - y less n
 * lattice vectors.  Adds the strengths of sources that x lies on to self. */
static __attribute__((noinline)) void few_close(const struct few_args *a,
                                                const double x[3],
                                                const struct few_block *b,
                                                int j, int strengths,
                                                struct close *p, double *self)
{
    for (int l = 0; l < W; l++) {
        double r2 = 0;
        if (!(p->r2[l] < a->close))
            continue;
        for (int c = 0; c < 3; c++) {
            double sum = x[c], low = 0, terms[4] = {-b->x[c][j + l]};
            for (int t = 0; t < 3; t++) {
                terms[1 + t] = -p->n[t][l] * a->high[3 * t + c]; /* exact */
                low -= p->n[t][l] * a->rest[3 * t + c];
            }
            for (int k = 0; k < 4; k++) {
                double s = sum + terms[k], z = s - sum;
                low += (sum - (s - z)) + (terms[k] - z);
                sum = s;
            }
            p->d[c][l] = sum + low;
            r2 += p->d[c][l] * p->d[c][l];
        }
        p->r2[l] = r2;
        for (int c = 0; c < strengths && !(r2 > a->skip); c++)
            self[c] += b->q[c][j + l];
    }
}

/* Sums the block's sources at a target x: adds one vector per value to `to`,
 * and the strengths of sources that x lies on to self. */
SIMD_FN void few_target(const struct few_near *near, const double x[3],
                        const struct few_block *b, int strengths, int values,
                        few_pair *pair, const struct few_tables *t, vreal *to,
                        double *self)
{
    vreal sum[REFERENCE_FIELD] = {{0}};
    const struct few_args *a = near->args;
    struct sight at = {.xi = a->xi, .kappa = a->kappa, .t = t};
    for (int j = 0; j < b->count; j += W) {
        vreal q[REFERENCE_STRENGTHS], v[REFERENCE_FIELD], d[3], n[3];
        for (int c = 0; c < 3; c++)
            d[c] = v_set(x[c]) - v_load(b->x[c] + j);
        for (int c = 0; c < 3; c++)
            n[c] =
                few_round(d[0] * v_set(a->inv[c]) + d[1] * v_set(a->inv[3 + c])
                          + d[2] * v_set(a->inv[6 + c]));
        for (int c = 0; c < 3; c++)
            d[c] = d[c] - n[0] * v_set(a->a[c]) - n[1] * v_set(a->a[3 + c])
                   - n[2] * v_set(a->a[6 + c]);
        for (int c = 0; c < strengths; c++)
            q[c] = v_load(b->q[c] + j);
        for (int k = 0; k < a->images; k++) {
            for (int c = 0; c < 3; c++)
                at.d[c] = d[c] + v_set(near->image[3 * k + c]);
            at.r2 = at.d[0] * at.d[0] + at.d[1] * at.d[1] + at.d[2] * at.d[2];
            vmask within = at.r2 < v_set(a->rc2);
            if (!v_any(within))
                continue;
            if (v_any(at.r2 < v_set(a->close))) {
                struct close p = {
                    {at.d[0], at.d[1], at.d[2]}, at.r2, {n[0], n[1], n[2]}};
                few_close(a, x, b, j, strengths, &p, self);
                for (int c = 0; c < 3; c++)
                    at.d[c] = p.d[c];
                at.r2 = p.r2;
            }
            within &= at.r2 > v_set(a->skip);
            at.y = v_rsqrt(at.r2);
            pair(&at, q, v);
            for (int c = 0; c < values; c++)
                sum[c] += v_where(within, v[c]);
        }
    }
    for (int c = 0; c < values; c++)
        to[c] += sum[c];
}

#define FEW_RUN(name, strengths, values)                                       \
    static void run_##name(const struct few_near *near,                        \
                           const struct few_block *block, double *sums,        \
                           double *self)                                       \
    {                                                                          \
        struct few_tables t;                                                   \
        few_tables_set(&t);                                                    \
        for (int64_t i = 0; i < near->args->m; i++) {                          \
            vreal sum[values] = {{0}};                                         \
            few_target(near, near->x + 3 * i, block, strengths, values,        \
                       few_##name, &t, sum, self + strengths * i);             \
            for (int c = 0; c < near->width; c++)                              \
                sums[near->width * i + c] += v_sum(sum[c]);                    \
        }                                                                      \
    }
FEW_RUN(laplace, 1, REFERENCE_FIELD)
FEW_RUN(yukawa, 1, REFERENCE_FIELD)
FEW_RUN(r6, 1, REFERENCE_FIELD)
FEW_RUN(stokeslet, 3, REFERENCE_FLOW)
FEW_RUN(rotlet, 3, REFERENCE_FLOW)
FEW_RUN(stresslet, 6, REFERENCE_FLOW)

/* ---- modes: as in ewald_any_kern.c, except that a fraction is one number, and
 * sums stay vectors, [channels][entries][4][W] */

static void tables(const struct ewald_job *job, const struct ewald_points *p,
                   int slot, int64_t i0, int count)
{
    enum { B = EWALD_SOURCES };
    for (int d = 0; d < 3; d++) {
        int32_t most = job->modes->most[d];
        real *table =
            (real *)job->table[d] + (int64_t)slot * (most + 1) * 2 * B;
        for (int j = 0; j < count; j += W) {
            vreal s = v_load(p->s_high[d] + i0 + j), c1, s1;
            vreal re = v_set(1), im = v_set(0);
            few_turn(s, &c1, &s1);
            for (int32_t n = 0; n <= most; n++) {
                real *to = table + (int64_t)2 * B * n + j;
                if (n % 16 == 15) { /* so that rounding does not add up */
                    vreal f = v_set(n) * s;
                    few_turn(v_set(n) * s - few_round(f), &re, &im);
                }
                v_store(to, re);
                v_store(to + B, im);
                vreal next = re * c1 - im * s1;
                im = re * s1 + im * c1;
                re = next;
            }
        }
    }
}

/* Adds the products of a row's ab with the factors of `many` neighbouring n3,
 * at most 3. */
SIMD_FN void few_dots(const real *ab, const real *e3, int count, int many,
                      real *sums)
{
    enum { B = EWALD_SOURCES };
    vreal z = v_set(0), dot[12] = {z, z, z, z, z, z, z, z, z, z, z, z};
    for (int j = 0; j < count; j += W) {
        vreal a = v_load(ab + j), b = v_load(ab + B + j);
        for (int n = 0; n < many; n++) {
            vreal c = v_load(e3 + 2 * B * n + j);
            vreal s = v_load(e3 + 2 * B * n + B + j);
            dot[4 * n] += a * c;
            dot[4 * n + 1] += a * s;
            dot[4 * n + 2] += b * c;
            dot[4 * n + 3] += b * s;
        }
    }
    for (int k = 0; k < 4 * many; k++)
        v_store(sums + k * W, v_load(sums + k * W) + dot[k]);
}

static void gather(const struct ewald_job *job, int slot, int64_t i0, int count,
                   int64_t r0, int64_t r1)
{
    enum { B = EWALD_SOURCES };
    const struct ewald_modes *modes = job->modes;
    int64_t stride = job->sources->n + EWALD_PAD;
    const real *e[3];
    real e12[2 * B], ab[2 * B];
    int padded = (count + W - 1) / W * W;
    for (int d = 0; d < 3; d++)
        e[d] = (const real *)job->table[d]
               + (int64_t)slot * (modes->most[d] + 1) * 2 * B;
    for (int64_t r = r0; r < r1; r++) {
        const struct ewald_row *row = modes->row + r;
        const real *u = e[0] + (int64_t)2 * B * row->n1;
        const real *w = e[1] + (int64_t)2 * B * abs(row->n2);
        vreal sign = v_set(row->n2 < 0 ? -1 : 1);
        for (int j = 0; j < padded; j += W) {
            vreal uc = v_load(u + j), us = v_load(u + B + j);
            vreal wc = v_load(w + j), ws = sign * v_load(w + B + j);
            v_store(e12 + j, uc * wc - us * ws);
            v_store(e12 + B + j, uc * ws + us * wc);
        }
        for (int c = 0; c < job->kind->channels; c++) {
            const double *q = job->channel + c * stride + i0;
            real *at =
                (real *)job->sums + 4 * W * (c * modes->entries + row->start);
            for (int j = 0; j < padded; j += W) {
                vreal s = v_load(q + j);
                v_store(ab + j, s * v_load(e12 + j));
                v_store(ab + B + j, s * v_load(e12 + B + j));
            }
            const real *f = e[2];
            int32_t left = row->length;
            for (; left > 1 && left != 3;
                 left -= 2, f += (int64_t)4 * B, at += 8 * W)
                few_dots(ab, f, padded, 2, at);
            if (left == 3) /* not 1, where sums would wait for each other */
                few_dots(ab, f, padded, 3, at);
            else if (left > 0)
                few_dots(ab, f, padded, 1, at);
        }
    }
}

extern const struct few_kern ISA_NAME(few);
const struct few_kern ISA_NAME(few) = {
    .modes = {.tables = tables, .gather = gather},
    .lanes = W,
    .near = {{"laplace", run_laplace},
             {"yukawa", run_yukawa},
             {"r6", run_r6},
             {"stokeslet", run_stokeslet},
             {"rotlet", run_rotlet},
             {"stresslet", run_stresslet}},
};
#else
/* The reference sums in f64 only. */
extern const struct few_kern ISA_NAME(few);
const struct few_kern ISA_NAME(few) = {0};
#endif
