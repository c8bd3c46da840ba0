/* host_cluster_pair.h: a point with a cluster: the innermost lines.
 *
 * Bodies are inlined with constant n (coefficients), output, newton and
 * special, so that loops unroll and what is not asked for vanishes.
 *
 * For the field and n coefficients a word takes 20 + n multiplications or FMA
 * (squares 3, seed 3, root 5, polynomial n, forces 9) and 3 stores, each of
 * which keeps a Zen 3 from starting an FMA in that cycle. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIR_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIR_H

#include "stage/near/host_cluster_kern.h"

/* Constants, raw units, in words that instructions can take from memory. */
struct pair_table {
    vreal cut, skip; /* squares */
    vreal two;       /* v = two d^2 - 1 */
    vreal p[NEAR_MAX], g[NEAR_MAX];
};

/* The point: coordinates and charge. */
struct pair_point {
    vcoord x[3];
    vreal q;
};

/* A product that is added twice: one multiplication and two additions, which
 * have pipes of their own on many machines, instead of two FMA.  Wide words
 * share the pipes. */
SIMD_FN vreal pair_alone(vreal x)
{
#if FARSUM_HAVE_X86 && !defined(__AVX512F__)
    __asm__("" : "+x"(x));
#endif
    return x;
}

/* From memory each time: registers are scarcer than loads. */
SIMD_FN void pair_differences(const struct pair_point *point, const coord *x,
                              vreal d[3])
{
    __asm__("" : "+r"(x));
#pragma GCC unroll 4
    for (int j = 0; j < 3; j++)
        d[j] = v_real(point->x[j] - c_load(x + j * W));
}

/* What the first half of a word leaves to the second.  The halves of two words
 * run side by side: one word's chain of dependent steps is longer than the
 * processor looks ahead. */
struct pair_half {
    vreal square, seed;
};

SIMD_FN struct pair_half pair_open(const struct pair_point *point,
                                   const coord *x)
{
    vreal d[3];
    pair_differences(point, x, d);
    vreal s = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return (struct pair_half){s, v_rsqrt_seed(s)};
}

/* 1/sqrt(x) from its seed y: with h = 1 - x y^2 a third-order step leaves
 * 1e-10, full: a Newton step the rounding. */
SIMD_FN vreal pair_rsqrt(vreal x, vreal y, const int full)
{
    vreal h = R(1) - x * y * y;
    y = y + y * (h * (R(0.375) * h + R(0.5)));
    if (FARSUM_BITS == 64 && full) {
        h = R(1) - x * y * y;
        y = y + y * (R(0.5) * h);
    }
    return y;
}

/* sum_k c[k] v^k, even and odd powers apart: two chains. */
SIMD_FN vreal pair_poly(const int n, const vreal *c, vreal v)
{
    const int top = n - 1;
    vreal w = v * v, even = c[top - (top & 1)], odd = c[top - !(top & 1)];
#pragma GCC unroll 48
    for (int k = top - 2; k >= 0; k--)
        if (k & 1)
            odd = odd * w + c[k];
        else
            even = even * w + c[k];
    return odd * v + even;
}

/* Adds the pairs of `point` with the cluster at x to acc (field x, y, z,
 * potential; with newton times the point's charge) and, with newton, to the
 * cluster's sums at f.  math.md (3.1), (3.2).  special: only lanes `lanes`,
 * and coincident pairs lose their singular part. */
SIMD_FN void pair_close(const int n, const int output, const int newton,
                        const int special, const struct pair_table *t,
                        const struct pair_point *point,
                        const struct pair_half h, const coord *x, real *f,
                        vmask lanes, vreal acc[4])
{
    vmask in = h.square < t->cut;
    vreal v = h.square * t->two - R(1);
    vreal y = pair_rsqrt(h.square, h.seed, n >= CLUSTER_FULL_FROM);
    vreal d[3], q = v_load((const real *)x + 3 * W);
    if (special) {
        in &= lanes;
        y = v_where(h.square >= t->skip, y);
    }
    if (newton)
        q = q * point->q;
    if (output != CLUSTER_POT) {
        vreal g = y * y * y - pair_poly(n - 1, t->g, v);
        g = v_where(in, g) * q;
        pair_differences(point, x, d);
#pragma GCC unroll 4
        for (int j = 0; j < 3; j++) {
            vreal force = g * d[j];
            if (newton) {
                force = pair_alone(force);
                v_store(f + j * W, v_load(f + j * W) - force);
            }
            acc[j] = acc[j] + force;
        }
    }
    if (output != CLUSTER_FIELD) {
        real *to = f + (PART(output) - 1) * W;
        vreal p = v_where(in, y - pair_poly(n, t->p, v)) * q;
        if (newton) {
            p = pair_alone(p);
            v_store(to, v_load(to) + p);
        }
        acc[3] = acc[3] + p;
    }
}
#endif
