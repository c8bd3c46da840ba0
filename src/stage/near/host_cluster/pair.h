/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h: a point with a cluster: the innermost lines.
 *
 * Bodies are inlined with a constant `how`, so that loops unroll and what is
 * not asked for vanishes; what a pair gives is the kernel's function of
 * math/pair.kh.
 *
 * For laplace's field and n coefficients a word takes 20 + n multiplications or
 * FMA (squares 3, seed 3, root 5, polynomial n, forces 9) and 3 stores, each of
 * which keeps a Zen 3 from starting an FMA in that cycle. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIR_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIR_H

#include "stage/near/host_cluster/pairs_kern.h"

/* Constants, raw units, in words that instructions can take from memory. */
struct pair_table {
    vreal cut, skip; /* squares */
    vreal two;       /* u = two d^2 */
    vreal unit, part; /* raw units of a cutoff; 1 over it */
    vreal c[NEAR_POLYS][NEAR_MAX];
};

/* The polynomials that a kernel's functions see: n coefficients, one less of
 * the slope. */
struct pair_polys {
    const struct pair_table *table;
    int n, less;
};

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

#define FN SIMD_FN
#define PAIR_REAL vreal
#define PAIR_TABLE struct pair_polys
#define PAIR_POLY(t, k, v)                                                     \
    pair_poly((t).n - ((k) == 1 ? (t).less : 0), (t).table->c[k], v)
#include "math/pair.kh"

/* What a body is made for. */
struct pair_how {
    int n, newton;
    enum cluster_output output;
    int strengths;
    int raw; /* 1: the tables hold powers of the unit, only laplace's can */
    void (*value)(struct pair_polys t, const vreal *d, vreal y, vreal u,
                  vreal v, const vreal *q, vreal *value);
    /* NULL: a flow */
    vreal (*slope)(struct pair_polys t, vreal y, vreal u, vreal v);
};

/* The point: coordinates and strengths. */
struct pair_point {
    vcoord x[3];
    vreal q[PAIR_STRENGTHS];
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

/* 1/r, raw or in units of the cutoff; special: 0 where points coincide. */
SIMD_FN vreal pair_root(const struct pair_how how, const int special,
                        const struct pair_table *t, const struct pair_half h)
{
    vreal y = pair_rsqrt(h.square, h.seed, how.n >= CLUSTER_FULL_FROM);
    if (special)
        y = v_where(h.square >= t->skip, y);
    return FARSUM_BITS == 64 || how.raw ? y : y * t->unit;
}

/* A scalar: adds the pairs of `point` with the cluster at x to acc (field x, y,
 * z, potential; with newton times the point's charge) and, with newton, to the
 * cluster's sums at f.  special: only lanes `lanes`, and coincident pairs lose
 * their singular part. */
SIMD_FN void pair_close(const struct pair_how how, const int special,
                        const struct pair_table *t,
                        const struct pair_point *point,
                        const struct pair_half h, const coord *x, real *f,
                        vmask lanes, vreal acc[4])
{
    const struct pair_polys polys = {t, how.n, how.raw};
    vmask in = h.square < t->cut;
    vreal u = h.square * t->two, v = u - R(1);
    vreal y = pair_root(how, special, t, h);
    vreal d[3], q = v_load((const real *)x + 3 * W);
    if (special)
        in &= lanes;
    if (how.newton)
        q = q * point->q[0];
    if (how.output != CLUSTER_POT) {
        vreal g = how.slope(polys, y, u, v);
        g = v_where(in, g) * q;
        if (FARSUM_BITS == 32 && !how.raw)
            g = g * t->part;
        pair_differences(point, x, d);
#pragma GCC unroll 4
        for (int j = 0; j < 3; j++) {
            vreal force = g * d[j];
            if (how.newton) {
                force = pair_alone(force);
                v_store(f + j * W, v_load(f + j * W) - force);
            }
            acc[j] = acc[j] + force;
        }
    }
    if (how.output != CLUSTER_FIELD) {
        real *to = f + (PART(how.output) - 1) * W;
        const vreal one = v_set(1);
        vreal p = v_set(R(-0.0)); /* nothing to add to */
        pair_differences(point, x, d);
        how.value(polys, d, y, u, v, &one, &p);
        p = v_where(in, p) * q;
        if (how.newton) {
            p = pair_alone(p);
            v_store(to, v_load(to) + p);
        }
        acc[3] = acc[3] + p;
    }
}

/* A flow: each value is linear in a source's first three strengths, which are
 * masked; lanes beyond the cutoff take its edge, where all is finite.  With
 * newton the cluster's points receive the point's strengths along -d: of the
 * same pair, so that root and polynomials are those already there. */
SIMD_FN void pair_close_flow(const struct pair_how how, const int special,
                             const struct pair_table *t,
                             const struct pair_point *point,
                             const struct pair_half h, const coord *x, real *f,
                             vmask lanes, vreal acc[4])
{
    const struct pair_polys polys = {t, how.n, 0};
    vmask in = h.square < t->cut;
    vreal u = v_min(h.square, t->cut) * t->two, v = u - R(1);
    vreal y = pair_root(how, special, t, h);
    vreal d[3], q[PAIR_STRENGTHS];
    if (special)
        in &= lanes;
    pair_differences(point, x, d);
    for (int j = 0; FARSUM_BITS == 32 && j < 3; j++)
        d[j] = d[j] * t->part;
#pragma GCC unroll 8
    for (int j = 0; j < how.strengths; j++) {
        q[j] = v_load((const real *)x + (3 + j) * W);
        q[j] = j < 3 ? v_where(in, q[j]) : q[j];
    }
    how.value(polys, d, y, u, v, q, acc);
    if (!how.newton)
        return;
    const vreal back[3] = {-d[0], -d[1], -d[2]};
    vreal to[3];
#pragma GCC unroll 4
    for (int j = 0; j < 3; j++)
        to[j] = v_load(f + j * W);
#pragma GCC unroll 8
    for (int j = 0; j < how.strengths; j++)
        q[j] = j < 3 ? v_where(in, point->q[j]) : point->q[j];
    how.value(polys, back, y, u, v, q, to);
#pragma GCC unroll 4
    for (int j = 0; j < 3; j++)
        v_store(f + j * W, to[j]);
}
#endif
