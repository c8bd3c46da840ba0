/* SPDX-License-Identifier: Apache-2.0 */
/* pair_kern.c: the pair loop of pair_style lj/cut/coul/farsum.
 *
 * A SIMD vector has one atom's pairs with W others.  One load takes an atom's
 * record, and records are transposed to vectors of x, y, z and q: that is
 * cheaper than four gathers, and than scatters for the way back. */
#include "pair_kern.h"

#include "stage/near/host_cluster/pairs_kern.h"

_Static_assert((int)PAIR_TERMS == (int)NEAR_MAX, "as many terms");

#define LANES (SIMD_BYTES * 8 / FARSUM_BITS)

/* Four vectors hold W records.  From 4 lanes on vector k holds those of the
 * lanes k, k + 4, ...; with 2 lanes the first two hold x y, the others z q. */
#if LANES == 2
SIMD_FN void records_load(const real *x, const int *j, vreal r[4])
{
    for (int k = 0; k < 4; k++)
        r[k] = v_load(x + 4 * (int64_t)j[k & 1] + 2 * (k >> 1));
}
SIMD_FN void records_subtract(real *f, const int *j, const vreal r[4])
{
    for (int k = 0; k < 4; k++) {
        real *at = f + 4 * (int64_t)j[k & 1] + 2 * (k >> 1);
        v_store(at, v_load(at) - r[k]);
    }
}
SIMD_FN void transpose(vreal r[4])
{
    for (int k = 0; k < 4; k += 2) {
        vreal a = r[k], b = r[k + 1];
        r[k] = SHUFFLE(a, b, 0, 2);
        r[k + 1] = SHUFFLE(a, b, 1, 3);
    }
}
#else
/* One record, and a vector of the records j[0], j[4], ... */
#if LANES == 4
typedef vreal record;
SIMD_FN vreal joined(const real *x, const int *j)
{
    return v_load(x + 4 * (int64_t)j[0]);
}
SIMD_FN record record_of(vreal r, int k)
{
    (void)k;
    return r;
}
#elif FARSUM_BITS == 64
typedef __m256d record;
SIMD_FN vreal joined(const real *x, const int *j)
{
    __m256d a = _mm256_loadu_pd(x + 4 * (int64_t)j[0]);
    __m256d b = _mm256_loadu_pd(x + 4 * (int64_t)j[4]);
    return (vreal)_mm512_insertf64x4(_mm512_castpd256_pd512(a), b, 1);
}
SIMD_FN record record_of(vreal r, int k)
{
    return k ? _mm512_extractf64x4_pd((__m512d)r, 1)
             : _mm512_castpd512_pd256((__m512d)r);
}
#else
typedef __m128 record;
SIMD_FN __m256 joined_two(const real *x, const int *j)
{
    __m128 a = _mm_loadu_ps(x + 4 * (int64_t)j[0]);
    __m128 b = _mm_loadu_ps(x + 4 * (int64_t)j[4]);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(a), b, 1);
}
#if LANES == 8
SIMD_FN vreal joined(const real *x, const int *j)
{
    return (vreal)joined_two(x, j);
}
SIMD_FN record record_of(vreal r, int k)
{
    return k ? _mm256_extractf128_ps((__m256)r, 1)
             : _mm256_castps256_ps128((__m256)r);
}
#else
SIMD_FN vreal joined(const real *x, const int *j)
{
    return (vreal)_mm512_insertf32x8(_mm512_castps256_ps512(joined_two(x, j)),
                                     joined_two(x, j + 8), 1);
}
SIMD_FN record record_of(vreal r, int k)
{
    __m256 half = k < 2 ? _mm512_castps512_ps256((__m512)r)
                        : _mm512_extractf32x8_ps((__m512)r, 1);
    return k & 1 ? _mm256_extractf128_ps(half, 1)
                 : _mm256_castps256_ps128(half);
}
#endif
#endif

SIMD_FN void records_load(const real *x, const int *j, vreal r[4])
{
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++)
        r[k] = joined(x, j + k);
}
SIMD_FN void records_subtract(real *f, const int *j, const vreal r[4])
{
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++)
#pragma GCC unroll 4
        for (int part = 0; part < LANES / 4; part++) {
            record *at = (record *)(f + 4 * (int64_t)j[4 * part + k]);
            *at = *at - record_of(r[k], part);
        }
}

#if LANES == 4
#define FOURS(a, b, c, d) a, b, c, d
#elif LANES == 8
#define FOURS(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4
#else
#define FOURS(a, b, c, d)                                                      \
    a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8,        \
        a + 12, b + 12, c + 12, d + 12
#endif
/* Each 4 x 4 block; its own inverse. */
SIMD_FN void transpose(vreal r[4])
{
    vreal a = SHUFFLE(r[0], r[1], FOURS(0, LANES, 2, LANES + 2));
    vreal b = SHUFFLE(r[0], r[1], FOURS(1, LANES + 1, 3, LANES + 3));
    vreal c = SHUFFLE(r[2], r[3], FOURS(0, LANES, 2, LANES + 2));
    vreal d = SHUFFLE(r[2], r[3], FOURS(1, LANES + 1, 3, LANES + 3));
    r[0] = SHUFFLE(a, c, FOURS(0, 1, LANES, LANES + 1));
    r[1] = SHUFFLE(b, d, FOURS(0, 1, LANES, LANES + 1));
    r[2] = SHUFFLE(a, c, FOURS(2, 3, LANES + 2, LANES + 3));
    r[3] = SHUFFLE(b, d, FOURS(2, 3, LANES + 2, LANES + 3));
}
#endif

/* Constants as vectors, which instructions can take from memory. */
struct table {
    vreal square, per, p[PAIR_TERMS], s[PAIR_TERMS];
};

/* sum_k c[k] v^k, k < n, even; with even and odd powers in separate chains. */
SIMD_FN vreal poly(const int n, const vreal *c, vreal v)
{
    vreal w = v * v, even = c[n - 2], odd = c[n - 1];
#pragma GCC unroll 24
    for (int k = n - 4; k >= 0; k -= 2) {
        even = even * w + c[k];
        odd = odd * w + c[k + 1];
    }
    return odd * v + even;
}

/* What a function is compiled for: with Lennard-Jones, with energies, and the
 * terms of polynomials. */
struct how {
    int lj, energy, terms;
};

struct acc {
    vreal f[3], lj, coulomb;
};

/* Lennard-Jones of atoms with the coefficients `row` of an atom's type. */
SIMD_FN vreal lj_pairs(const struct how how, const int *type, const real *row,
                       const int *j, vreal r2, vreal y2, struct acc *acc)
{
    int types[LANES];
    for (int l = 0; l < LANES; l++)
        types[l] = type[j[l]];
    vreal c[4];
    records_load(row, types, c);
    transpose(c);
    vmask in = r2 < c[2];
    vreal y6 = y2 * y2 * y2;
    if (how.energy)
        acc->lj += v_where(in, y6 * (c[0] * y6 * R(1. / 12) - c[1] * R(1. / 6))
                                   - c[3]);
    return v_where(in, y6 * (c[0] * y6 - c[1]) * y2);
}

/* Pairs of the atom with record xi and charge q. */
SIMD_FN void pairs(const struct how how, const struct pair_job *job,
                   const struct table *t, const real *row, const vreal xi[4],
                   const int *j, struct acc *acc)
{
    vreal d[4], f;
    records_load(job->x, j, d);
    transpose(d);
    vreal qq = xi[3] * d[3];
    for (int k = 0; k < 3; k++)
        d[k] = xi[k] - d[k];
    vreal r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    vreal y = v_rsqrt(r2), y2 = y * y, v = r2 * t->per - R(1);
    vmask in = r2 < t->square;
    f = v_where(in, qq * (y * y2 + poly(how.terms, t->s, v)));
    if (how.energy)
        acc->coulomb += v_where(in, qq * (y - poly(how.terms, t->p, v)));
    if (how.lj)
        f += lj_pairs(how, job->type, row, j, r2, y2, acc);
    for (int k = 0; k < 3; k++) {
        d[k] *= f;
        acc->f[k] += d[k];
    }
    d[3] = v_set(0);
    transpose(d);
    records_subtract(job->f, j, d);
}

SIMD_FN void sum_all(const struct pair_job *job, const struct table *t,
                     const int energy, const int terms, double sums[2])
{
    for (int64_t k = 0; k < job->count; k++) {
        const int64_t i = job->atom[k], *start = job->start + 2 * k;
        const real *x = (const real *)job->x + 4 * i;
        real *f = (real *)job->f + 4 * i;
        const real *row = (const real *)job->lj + 4 * job->types * job->type[i];
        vreal xi[4] = {v_set(x[0]), v_set(x[1]), v_set(x[2]),
                       v_set(x[3] * R(job->coulomb))};
        struct acc acc = {0};
        for (int64_t n = start[0]; n < start[1]; n += W)
            pairs((struct how){1, energy, terms}, job, t, row, xi,
                  job->other + n, &acc);
        for (int64_t n = start[1]; n < start[2]; n += W)
            pairs((struct how){0, energy, terms}, job, t, row, xi,
                  job->other + n, &acc);
        for (int d = 0; d < 3; d++)
            f[d] += v_sum(acc.f[d]);
        if (energy) {
            sums[0] += (double)v_sum(acc.lj);
            sums[1] += (double)v_sum(acc.coulomb);
        }
    }
}

/* Compiled for even numbers of terms up to 24. */
#define FOR_TERMS(n)                                                           \
    if (job->terms <= (n)) {                                                   \
        if (energy)                                                            \
            sum_all(job, &t, 1, n, energy);                                    \
        else                                                                   \
            sum_all(job, &t, 0, n, energy);                                    \
        return;                                                                \
    }

static void sum(const struct pair_job *job, double energy[2])
{
    struct table t = {.square = v_set(R(job->square)),
                      .per = v_set(R(job->per))};
    for (int k = 0; k < job->terms; k++) {
        t.p[k] = v_set(R(job->p[k]));
        t.s[k] = v_set(R(job->s[k]));
    }
    FOR_TERMS(6)
    FOR_TERMS(8)
    FOR_TERMS(10)
    FOR_TERMS(12)
    FOR_TERMS(14)
    FOR_TERMS(16)
    FOR_TERMS(20)
    FOR_TERMS(24)
    FOR_TERMS(PAIR_TERMS)
}

/* Appends the lanes of j whose bits are set. */
SIMD_FN void append(int *list, int *count, const int *j, unsigned bits)
{
    int *to = list + *count;
    *count += __builtin_popcount(bits);
#if LANES == 8 && defined(__AVX512F__)
    __m256i all = _mm256_loadu_si256((const __m256i *)j);
    all = _mm256_maskz_compress_epi32((__mmask8)bits, all);
    _mm256_storeu_si256((__m256i *)to, all);
#elif LANES == 16
    __m512i all = _mm512_loadu_si512(j);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, all));
#else
    for (; bits; bits &= bits - 1)
        *to++ = j[__builtin_ctz(bits)];
#endif
}

/* Appends neighbours that have a list of their own; returns their bits. */
static unsigned keep_apart(const struct pair_limits *limits, const int *others,
                           int count, struct pair_kept *to)
{
    unsigned bits = 0;
    for (int l = 0; l < count; l++)
        if (limits->apart >> (others[l] >> limits->shift & 3) & 1) {
            to->apart[to->n_apart++] = others[l];
            bits |= 1u << l;
        }
    return bits;
}

static void keep(const struct pair_limits *limits, int atom, const int *others,
                 int count, struct pair_kept *to)
{
    const real *x = limits->x, *at = x + 4 * (int64_t)atom;
    const vreal xi[3] = {v_set(at[0]), v_set(at[1]), v_set(at[2])};
    for (int n = 0; n < count; n += W) {
        int j[LANES], here = count - n < W ? count - n : W, bonds = 0;
        unsigned lanes = (1u << here) - 1, with = 0;
        for (int l = 0; l < W; l++) {
            int other = others[l < here ? n + l : n];
            bonds |= other;
            j[l] = other & limits->mask;
        }
        if (bonds >> limits->shift & 3)
            lanes &= ~keep_apart(limits, others + n, here, to);
        vreal d[4], r2 = v_set(0);
        records_load(x, j, d);
        transpose(d);
        for (int k = 0; k < 3; k++)
            r2 += (xi[k] - d[k]) * (xi[k] - d[k]);
        if (limits->lj) {
            vreal most;
            for (int l = 0; l < W; l++)
                most[l] = R(limits->lj[limits->type[j[l]]]);
            with = v_bits(r2 <= most) & lanes;
            append(to->with, &to->n_with, j, with);
        }
        unsigned without = v_bits(r2 <= R(limits->coulomb)) & lanes & ~with;
        append(to->without, &to->n_without, j, without);
    }
}

extern const struct pair_kern ISA_NAME(lammps_pair);
const struct pair_kern ISA_NAME(lammps_pair) = {sum, keep, W};
