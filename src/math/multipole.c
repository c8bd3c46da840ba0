/* SPDX-License-Identifier: Apache-2.0 */
/* multipole.c: solid harmonics and the operators between expansions. */
#include "math/multipole.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"

#define FN static inline
#define HARMONIC_REAL double
#define HARMONIC_SET(x) (x)
#define HARMONIC_TABLE const double
#include "math/harmonic.kh"

enum { FACTORIALS = 4 * MULTIPOLE_MOST + 1 };

void multipole_table(int p, double *table)
{
    memset(table, 0, HARMONIC_TERMS(p) * sizeof *table);
    for (int n = 1; n <= p; n++) {
        for (int m = 0; m < n; m++) {
            double w = sqrt((double)(n * n - m * m));
            double *at = table + 2 * HARMONIC_AT(n, m);
            at[0] = (2 * n - 1) / w;
            at[1] = sqrt((double)((n - 1) * (n - 1) - m * m)) / w;
        }
        table[2 * HARMONIC_AT(n, n)] = sqrt((2 * n - 1) / (2.0 * n));
    }
}

/* The table for all degrees, which is made at first use: making one takes
 * longer than a recursion. */
static const double *table_kept(void)
{
    static double table[HARMONIC_TERMS(2 * MULTIPOLE_MOST)];
    static atomic_int made;
    static struct fork_lock making = FORK_LOCK;
    if (!atomic_load_explicit(&made, memory_order_acquire)) {
        fork_lock(&making);
        if (!atomic_load(&made))
            multipole_table(2 * MULTIPOLE_MOST, table);
        atomic_store_explicit(&made, 1, memory_order_release);
        fork_unlock(&making);
    }
    return table;
}

void multipole_regular(int p, const double x[3], double *r)
{
    harmonic_regular(p, table_kept(), x[0], x[1], x[2], r);
}

void multipole_singular(int p, const double x[3], double *s)
{
    double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const double y[3] = {x[0] / r2, x[1] / r2, x[2] / r2};
    multipole_regular(p, y, s); /* S(x) = R(x/r^2)/r, both scaled */
    for (int k = 0; k < multipole_size(p); k++)
        s[k] /= sqrt(r2);
}

double multipole_dot(int p, const double *local, const double *r)
{
    double sum = 0;
    for (int n = 0; n <= p; n++) {
        double twice = 0;
        for (int m = 1; m <= n; m++)
            twice += local[multipole_at(n, m)] * r[multipole_at(n, m)]
                     + local[multipole_at(n, -m)] * r[multipole_at(n, -m)];
        sum += local[multipole_at(n, 0)] * r[multipole_at(n, 0)] + 2 * twice;
    }
    return sum;
}

void multipole_slope(int p, const double *local, int axis, double *slope)
{
    memset(slope, 0, (size_t)multipole_size(p) * sizeof *slope);
    for (int n = 0; n < p; n++)
        for (int m = 0; m <= n; m++) {
            double z = sqrt((double)((n + 1 - m) * (n + 1 + m)));
            double up = sqrt((double)((n + m + 1) * (n + m + 2))) / 2;
            double down = sqrt((double)((n - m + 1) * (n - m + 2))) / 2;
            struct cnum a = multipole_part(local, n + 1, m + 1);
            struct cnum b = multipole_part(local, n + 1, m - 1);
            struct cnum c = multipole_part(local, n + 1, m), v;
            if (axis == 0)
                v = (struct cnum){up * a.re - down * b.re,
                                  up * a.im - down * b.im};
            else if (axis == 1)
                v = (struct cnum){up * a.im + down * b.im,
                                  -up * a.re - down * b.re};
            else
                v = (struct cnum){z * c.re, z * c.im};
            slope[multipole_at(n, m)] = v.re;
            if (m > 0)
                slope[multipole_at(n, -m)] = v.im;
        }
}

void multipole_raise(int p, const double *charges, int axis, double *sum)
{
    for (int n = 1; n <= p; n++)
        for (int m = 0; m <= n; m++) {
            double z = sqrt((double)((n - m) * (n + m)));
            double up = sqrt((double)((n + m - 1) * (n + m))) / 2;
            double down = sqrt((double)((n - m - 1) * (n - m))) / 2;
            struct cnum a = {0}, b = {0}, c = {0}, v;
            if (m - 1 <= n - 1 && m - 1 >= 1 - n)
                a = multipole_part(charges, n - 1, m - 1);
            if (m + 1 <= n - 1)
                b = multipole_part(charges, n - 1, m + 1);
            if (m <= n - 1)
                c = multipole_part(charges, n - 1, m);
            if (axis == 0)
                v = (struct cnum){up * a.re - down * b.re,
                                  up * a.im - down * b.im};
            else if (axis == 1)
                v = (struct cnum){-up * a.im - down * b.im,
                                  up * a.re + down * b.re};
            else
                v = (struct cnum){z * c.re, z * c.im};
            sum[multipole_at(n, m)] += v.re;
            if (m > 0)
                sum[multipole_at(n, -m)] += v.im;
        }
}

void multipole_roots(int most, long double *root)
{
    root[0] = 1;
    for (int i = 1; i <= most; i++)
        root[i] = root[i - 1] * sqrtl((long double)i);
}
static void root_factorials(long double *root)
{
    multipole_roots(FACTORIALS - 1, root);
}

/* A(n, m)/(A(k, l) A(n - k, m - l)), A(n, m) = sqrt((n - m)! (n + m)!). */
static double shift_factor(const long double *root, int n, int m, int k, int l)
{
    return (double)(root[n - m] / root[k - l] / root[n - k - m + l]
                    * root[n + m] / root[k + l] / root[n - k + m - l]);
}

/* Adds to a row pair (n, m) of a matrix: to_n^m += conj(from_k^l) a + from_k^l
 * b. */
static void put(int p, double *t, int n, int m, int k, int l, struct cnum a,
                struct cnum b)
{
    int size = multipole_size(p);
    double *re = t + (int64_t)multipole_at(n, m) * size;
    double *im = t + (int64_t)multipole_at(n, -m) * size;
    re[multipole_at(k, l)] += a.re + b.re;
    if (l > 0)
        re[multipole_at(k, -l)] += a.im - b.im;
    if (m == 0)
        return;
    im[multipole_at(k, l)] += a.im + b.im;
    if (l > 0)
        im[multipole_at(k, -l)] += b.re - a.re;
}

static struct cnum scaled(double f, struct cnum c)
{
    return (struct cnum){f * c.re, f * c.im};
}

static struct cnum conjugate(struct cnum c)
{
    return (struct cnum){c.re, -c.im};
}

static int allowed(int n, int m)
{
    return n >= 0 && m <= n && m >= -n;
}

void multipole_m2m(int p, const double d[3], double shrink, double *t)
{
    const struct cnum none = {0, 0};
    long double root[FACTORIALS];
    double r[MULTIPOLE_SIZE];
    int size = multipole_size(p);
    memset(t, 0, (size_t)size * (size_t)size * sizeof *t);
    root_factorials(root);
    multipole_regular(p, d, r);
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++)
            for (int k = 0; k <= n; k++)
                for (int l = 0; l <= k; l++) {
                    double f = pow(shrink, k) * (l % 2 ? -1 : 1);
                    struct cnum a = none, b = none;
                    if (l > 0 && allowed(n - k, m + l))
                        a = scaled(f * shift_factor(root, n, m, k, -l),
                                   multipole_part(r, n - k, m + l));
                    if (allowed(n - k, m - l))
                        b = scaled(fabs(f) * shift_factor(root, n, m, k, l),
                                   multipole_part(r, n - k, m - l));
                    put(p, t, n, m, k, l, a, b);
                }
}

void multipole_l2l(int p, const double d[3], double shrink, double *t)
{
    const struct cnum none = {0, 0};
    long double root[FACTORIALS];
    double r[MULTIPOLE_SIZE];
    int size = multipole_size(p);
    memset(t, 0, (size_t)size * (size_t)size * sizeof *t);
    root_factorials(root);
    multipole_regular(p, d, r);
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++)
            for (int k = n; k <= p; k++)
                for (int l = 0; l <= k; l++) {
                    double f = pow(shrink, n + 1);
                    double sign = l % 2 ? -f : f;
                    struct cnum a = none, b = none;
                    if (l > 0 && allowed(k - n, -l - m))
                        a = scaled(sign * shift_factor(root, k, -l, n, m),
                                   conjugate(multipole_part(r, k - n, -l - m)));
                    if (allowed(k - n, l - m))
                        b = scaled(f * shift_factor(root, k, l, n, m),
                                   conjugate(multipole_part(r, k - n, l - m)));
                    put(p, t, n, m, k, l, a, b);
                }
}

double multipole_factor_of(const long double *root, int n, int m, int k, int l)
{
    return (double)(root[n + k - m - l] / root[n - m] / root[k - l]
                    * root[n + k + m + l] / root[n + m] / root[k + l]);
}

double multipole_factor(int n, int m, int k, int l)
{
    long double root[FACTORIALS];
    multipole_roots(n + k + abs(m + l), root);
    return multipole_factor_of(root, n, m, k, l);
}

void multipole_m2l(int p, const double *s, double *t)
{
    const struct cnum none = {0, 0};
    long double root[FACTORIALS];
    int size = multipole_size(p);
    memset(t, 0, (size_t)size * (size_t)size * sizeof *t);
    root_factorials(root);
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++)
            for (int k = 0; k <= p; k++)
                for (int l = 0; l <= k; l++) {
                    double sign = n % 2 ? -1 : 1;
                    struct cnum a, b = none;
                    a = scaled(sign * multipole_factor_of(root, n, m, k, l),
                               multipole_part(s, n + k, m + l));
                    if (l > 0)
                        b = scaled((l % 2 ? -sign : sign)
                                       * multipole_factor_of(root, n, m, k, -l),
                                   multipole_part(s, n + k, m - l));
                    put(p, t, n, m, k, l, a, b);
                }
}

/* Index of the real or imaginary part of degree n and order m.  Returns its
 * sign, 0 if there is no such part. */
static int part(int n, int m, int imaginary, int32_t *at)
{
    int am = abs(m), sign = m < 0 && am % 2 ? -1 : 1;
    *at = multipole_at(n, imaginary ? -am : am);
    if (!imaginary)
        return sign;
    return am == 0 ? 0 : m < 0 ? -sign : sign;
}

/* Term i: a part of fa S_{n+k}^{m+l} and of fb S_{n+k}^{m-l}. */
static void term(int32_t *at, double *f, int64_t i, const int nk[4],
                 const double factors[2], int imaginary)
{
    int n = nk[0] + nk[2];
    f[2 * i] = factors[0] * part(n, nk[1] + nk[3], imaginary, &at[2 * i]);
    f[2 * i + 1] =
        factors[1] * part(n, nk[1] - nk[3], imaginary, &at[2 * i + 1]);
}

void multipole_m2l_terms(int p, int32_t *at, double *f)
{
    long double root[FACTORIALS];
    int64_t size = multipole_size(p);
    root_factorials(root);
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++)
            for (int k = 0; k <= p; k++)
                for (int l = 0; l <= k; l++) {
                    const int nk[4] = {n, m, k, l};
                    double sign = n % 2 ? -1 : 1;
                    double a = sign * multipole_factor_of(root, n, m, k, l);
                    double b =
                        l == 0 ? 0
                               : (l % 2 ? -sign : sign)
                                     * multipole_factor_of(root, n, m, k, -l);
                    int64_t re = multipole_at(n, m) * size;
                    int64_t im = multipole_at(n, -m) * size;
                    int64_t c = multipole_at(k, l), d = multipole_at(k, -l);
                    /* as put() */
                    term(at, f, re + c, nk, (double[2]){a, b}, 0);
                    if (l > 0)
                        term(at, f, re + d, nk, (double[2]){a, -b}, 1);
                    if (m == 0)
                        continue;
                    term(at, f, im + c, nk, (double[2]){a, b}, 1);
                    if (l > 0)
                        term(at, f, im + d, nk, (double[2]){-a, b}, 0);
                }
}

/* B of (10.11) for complex orders, unscaled, from the degree below.  Row m and
 * column l are at n + m and n + l. */
static void swap_next(int n, const double *below, double *b)
{
    int wide = 2 * n + 1, wide0 = 2 * n - 1;
#define BELOW(m, l)                                                            \
    ((l) > n - 1 || (l) < 1 - n ? 0.0                                          \
                                : below[((m) + n - 1) * wide0 + (l) + n - 1])
    for (int l = -n; l <= n; l++) {
        b[n * wide + l + n] = (BELOW(0, l - 1) - BELOW(0, l + 1)) / 2;
        for (int m = 0; m < n; m++) {
            b[(m + 1 + n) * wide + l + n] =
                (BELOW(m, l - 1) + BELOW(m, l + 1)) / 2 + BELOW(m, l);
            b[(-m - 1 + n) * wide + l + n] =
                (BELOW(-m, l - 1) + BELOW(-m, l + 1)) / 2 - BELOW(-m, l);
        }
    }
#undef BELOW
}

/* The matrix of degree n from swap_next's. */
static void swap_scaled(int n, const double *c, const long double *root,
                        double *b)
{
    int wide = 2 * n + 1;
    /* scale: A(l)/A(m); real and imaginary parts do not mix */
    for (int m = -n; m <= n; m++)
        for (int l = -n; l <= n; l++) {
            int am = abs(m), al = abs(l);
            double scale = (double)(root[n - al] * root[n + al]
                                    / root[n - am] / root[n + am]);
            double one = c[(am + n) * wide + al + n];
            double other = (al % 2 ? -1 : 1) * c[(am + n) * wide + n - al];
            double v = m >= 0 ? one + other : one - other;
            if (l == 0)
                v = one;
            b[(m + n) * wide + l + n] =
                (m >= 0) == (l >= 0) ? scale * v : 0;
        }
}

/* x: (2 MULTIPOLE_MOST + 1)^2 entries hold the matrix of any degree up to
 * MULTIPOLE_MOST. */
void multipole_swap(int n, double *b)
{
    double x[2][MULTIPOLE_FIELD];
    long double root[FACTORIALS];
    root_factorials(root);
    x[0][0] = 1;
    for (int k = 1; k <= n; k++)
        swap_next(k, x[(k - 1) % 2], x[k % 2]);
    swap_scaled(n, x[n % 2], root, b);
}

void multipole_swap_all(int p, double *work, double *all)
{
    long double root[FACTORIALS];
    int64_t size = (int64_t)(2 * p + 1) * (2 * p + 1);
    root_factorials(root);
    work[0] = 1;
    for (int n = 0; n <= p; n++) {
        double *c = work + n % 2 * size;
        if (n > 0)
            swap_next(n, work + (n - 1) % 2 * size, c);
        swap_scaled(n, c, root, all);
        all += (2 * n + 1) * (2 * n + 1);
    }
}
