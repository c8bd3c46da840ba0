/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation_kern.c: loops of the host variants by rotation, for each
 * instruction set and precision. */
#include "stage/m2l/rotation/host_rotation_kern.h"

#include "base/simd.h"

enum { V = ROTATION_VECTORS, TILE = V * W };

/* A column of coefficients of one degree or order; order m of degree n at n +
 * m. */
struct column {
    vreal v[ROTATION_COLUMN][V];
};

SIMD_FN void load(const real *x, vreal v[V])
{
    for (int b = 0; b < V; b++)
        v[b] = v_load(x + b * W);
}

SIMD_FN void store(real *x, const vreal v[V])
{
    for (int b = 0; b < V; b++)
        v_store(x + b * W, v[b]);
}

/* Degree n times e^(i m angle). */
static void turn(int n, const real *t, real sign, struct column *x)
{
    for (int m = 1; m <= n; m++) {
        vreal c = v_set(t[2 * m]), s = v_set(sign * t[2 * m + 1]);
        for (int b = 0; b < V; b++) {
            vreal re = x->v[n + m][b], im = x->v[n - m][b];
            x->v[n + m][b] = c * re - s * im;
            x->v[n - m][b] = s * re + c * im;
        }
    }
}

/* to[0] = sum of t[i] x[i step]. */
SIMD_FN const real *dot(const real *t, int terms, const vreal (*x)[V], int step,
                        vreal to[V])
{
    vreal sum[V];
    for (int b = 0; b < V; b++)
        sum[b] = v_set(0);
    for (int i = 0; i < terms; i++, x += step) {
        vreal f = v_set(*t++);
        for (int b = 0; b < V; b++)
            sum[b] += f * x[0][b];
    }
    for (int b = 0; b < V; b++)
        to[b] = sum[b];
    return t;
}

/* Exchanges x and z. */
static const real *swap(int n, const real *t, const struct column *x,
                        struct column *to)
{
    for (int m = 0; m <= n; m++) {
        int l = (n + m) % 2;
        t = dot(t, (n - l) / 2 + 1, &x->v[n + l], 2, to->v[n + m]);
    }
    for (int m = 1; m <= n; m++) {
        int l = (n + m) % 2 ? 2 : 1;
        t = dot(t, l > n ? 0 : (n - l) / 2 + 1, &x->v[n - l], -2, to->v[n - m]);
    }
    return t;
}

/* The rotation about y: from x via w, or directly. */
static const real *about_y(int n, const real *t, const real *whole,
                           const real *beta, real sign, struct column *x)
{
    struct column w;
    if (!whole) {
        swap(n, t, x, &w);
        turn(n, beta, sign, &w);
        return swap(n, t, &w, x);
    }
    for (int m = 0; m <= n; m++)
        t = dot(t, n + 1, &x->v[n], 1, w.v[n + m]);
    for (int m = 1; m <= n; m++)
        t = dot(t, n, &x->v[n - 1], -1, w.v[n - m]);
    memcpy(x->v, w.v, (size_t)(2 * n + 1) * sizeof w.v[0]);
    return t;
}

/* Translates orders m and -m along z. */
static const real *along(int p, int m, const real *t, real *x)
{
    struct column v, w;
    const real *end = t;
    for (int side = -1; side <= (m > 0 ? 1 : -1); side += 2) {
        for (int k = m; k <= p; k++)
            load(x + (int64_t)multipole_at(k, side * m) * TILE, v.v[k - m]);
        end = t;
        for (int n = m; n <= p; n++)
            end = dot(end, p - m + 1, v.v, 1, w.v[n - m]);
        for (int n = m; n <= p; n++)
            store(x + (int64_t)multipole_at(n, side * m) * TILE, w.v[n - m]);
    }
    return end;
}

static void pair(const struct rotation_tables *tables,
                 const struct rotation_vector *vector, void *numbers,
                 void *sums)
{
    int p = tables->p;
    real *x = numbers, *sum = sums;
    const real *alpha = vector->turn, *beta = alpha + 2 * (p + 1);
    const real *power = beta + 2 * (p + 1), *t = tables->shift;
    const real *at = vector->there ? vector->there : tables->swap;
    struct column v;
    for (int n = 0; n <= p; n++) {
        for (int k = 0; k <= 2 * n; k++) {
            load(x + (int64_t)(n * n + k) * TILE, v.v[k]);
            for (int b = 0; b < V; b++)
                v.v[k][b] *= v_set(power[n]);
        }
        turn(n, alpha, 1, &v);
        at = about_y(n, at, vector->there, beta, -1, &v);
        for (int k = 0; k <= 2 * n; k++)
            store(x + (int64_t)(n * n + k) * TILE, v.v[k]);
    }
    for (int m = 0; m <= p; m++)
        t = along(p, m, t, x);
    at = vector->back ? vector->back : tables->swap;
    for (int n = 0; n <= p; n++) {
        for (int k = 0; k <= 2 * n; k++) {
            load(x + (int64_t)(n * n + k) * TILE, v.v[k]);
            for (int b = 0; b < V; b++)
                v.v[k][b] *= v_set(power[n + 1]);
        }
        at = about_y(n, at, vector->back, beta, 1, &v);
        turn(n, alpha, -1, &v);
        for (int k = 0; k <= 2 * n; k++) {
            real *to = sum + (int64_t)(n * n + k) * TILE;
            for (int b = 0; b < V; b++)
                v_store(to + b * W, v_load(to + b * W) + v.v[k][b]);
        }
    }
}

extern const struct rotation_kern ISA_NAME(m2l_host_rotation);
const struct rotation_kern ISA_NAME(m2l_host_rotation) = {TILE, pair};
