/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_lattice.c: a short basis of the caller's lattice. */
#include "reference/ewald/ewald_part.h"

#include <math.h>
#include <string.h>

static long double dot(const long double *a, const long double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void sort_rows(long double *a)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2; i++) {
            long double *u = a + 3 * i, *v = u + 3, w[3];
            if (dot(u, u) <= dot(v, v))
                continue;
            memcpy(w, u, sizeof w);
            memcpy(u, v, sizeof w);
            memcpy(v, w, sizeof w);
        }
}

/* Shortens row i by integer multiples of the others; returns 1 if it did. */
static int shorten(long double *a, int i)
{
    long double *v = a + 3 * i, best[3], length = dot(v, v) * (1 - 1e-9L);
    const long double *p = a + 3 * ((i + 1) % 3), *q = a + 3 * ((i + 2) % 3);
    int shorter = 0;
    long double mp = roundl(dot(v, p) / dot(p, p));
    long double mq = roundl(dot(v, q) / dot(q, q));
    for (int s = 0; s < 11; s++) {
        /* Multiples to subtract: of p only, of q only, then combinations not
         * found by pairs. */
        long double m = s == 0 ? mp : s == 1 ? 0 : (s - 2) / 3 - 1;
        long double o = s == 0 ? 0 : s == 1 ? mq : (s - 2) % 3 - 1;
        long double w[3];
        for (int d = 0; d < 3; d++)
            w[d] = v[d] - m * p[d] - o * q[d];
        if (!(dot(w, w) < length))
            continue;
        length = dot(w, w);
        memcpy(best, w, sizeof best);
        shorter = 1;
    }
    if (shorter)
        memcpy(v, best, sizeof best);
    return shorter;
}

farsum_status ewald_lattice_set(struct ewald_lattice *l, const double rows[9])
{
    for (int i = 0; i < 9; i++) {
        if (!isfinite(rows[i]))
            FAIL(ERR_CELL, "ewald: cell entry %d is not finite", i);
        l->a[i] = rows[i];
    }
    int steps = 0;
    l->axes = 3;
    memset(l->start, 0, sizeof l->start);
    do {
        sort_rows(l->a);
    } while (steps++ < 10000 && (shorten(l->a, 2) || shorten(l->a, 1) ||
                                 shorten(l->a, 0)));
    const long double *a = l->a;
    long double c[9]; /* cofactors: rows b x c, c x a, a x b */
    for (int i = 0; i < 3; i++) {
        const long double *p = a + 3 * ((i + 1) % 3);
        const long double *q = a + 3 * ((i + 2) % 3);
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            c[3 * i + d] = p[e] * q[f] - p[f] * q[e];
        }
        l->length[i] = sqrtl(dot(a + 3 * i, a + 3 * i));
    }
    long double det = dot(a, c);
    l->volume = l->filled = fabsl(det);
    /* A reduced basis fills at least 1/sqrt 2 of its box. */
    if (!(l->volume > 0.5L * l->length[0] * l->length[1] * l->length[2]))
        FAIL(ERR_CELL, "ewald: the cell is singular");
    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < 3; d++)
            l->inv[3 * d + i] = c[3 * i + d] / det;
        l->height[i] = l->volume / sqrtl(dot(c + 3 * i, c + 3 * i));
    }
    return FARSUM_OK;
}
