/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h: sums of one point with one cluster, the innermost loop.
 *
 * Functions are inlined with a constant `how`, so that loops unroll and unused
 * outputs disappear.  A pair evaluates the kernel's function of math/pair.kh.
 *
 * For laplace's field with n coefficients a SIMD vector takes 20 + n
 * multiplications or FMA (squares 3, seed 3, root 5, polynomial n, forces 9)
 * and 3 stores.  Each store keeps a Zen 3 from starting an FMA in that
 * cycle. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIR_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIR_H

#include "base/simd_math.h"
#include "stage/near/host_cluster/pairs_kern.h"

/* Constants in raw units, as SIMD vectors that instructions can take from
 * memory. */
struct pair_table {
    vreal cut, skip; /* squares */
    vreal two;       /* u = two d^2 */
    vreal unit, part; /* raw units per cutoff, and its inverse */
    vreal kappa;      /* in 1/cutoff: of screened moments */
    vreal soft, per[3]; /* square of the radius of softening; the inverse of
                           its square, itself and its cube */
    vreal c[NEAR_POLYS][NEAR_MAX];
};

/* The polynomials of a kernel's functions: n coefficients each, the slope one
 * less. */
struct pair_polys {
    const struct pair_table *table;
    int n, less;
};

/* sum_k c[k] v^k, with even and odd powers in separate chains. */
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
#include "math/pair_moments.kh"
#define SOFTEN_REAL vreal
#include "math/soften.kh"

/* The constants for which a function is compiled. */
struct pair_how {
    int n, newton;
    enum cluster_output output;
    int strengths;
    int raw; /* 1: the tables hold powers of the unit; only for laplace */
    /* NULL: sources with moments */
    void (*value)(struct pair_polys t, const vreal *d, vreal y, vreal u,
                  vreal v, const vreal *q, vreal *value);
    /* NULL: a flow kernel, or moments */
    vreal (*slope)(struct pair_polys t, vreal y, vreal u, vreal v);
    int soft; /* 1: 1/r is softened; only for laplace */
    int screened; /* 1: moments of e^(-kappa r)/r */
};

/* The point: coordinates and strengths. */
struct pair_point {
    vcoord x[3];
    vreal q[PAIR_STRENGTHS];
};

/* A product that is added twice.  Here: one multiplication and two additions
 * instead of two FMA, since many machines have separate pipes for additions.
 * Wide vectors share the pipes. */
SIMD_FN vreal pair_alone(vreal x)
{
#if FARSUM_HAVE_X86 && !defined(__AVX512F__)
    __asm__("" : "+x"(x));
#endif
    return x;
}

/* Loads from memory each time, since registers are scarcer than loads. */
SIMD_FN void pair_differences(const struct pair_point *point, const coord *x,
                              vreal d[3])
{
    __asm__("" : "+r"(x));
#pragma GCC unroll 4
    for (int j = 0; j < 3; j++)
        d[j] = v_real(point->x[j] - c_load(x + j * W));
}

/* Results of the first half of a vector's work that the second half needs.  The
 * halves of two vectors are interleaved, since one vector's chain of dependent
 * steps is longer than the processor looks ahead. */
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

/* 1/sqrt(x) from its seed y, with h = 1 - x y^2.  A third-order step leaves
 * 1e-10; with `full` a Newton step reaches rounding. */
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

/* 1/r, raw or in units of the cutoff; special: 0 for coincident points. */
SIMD_FN vreal pair_root(const struct pair_how how, const int special,
                        const struct pair_table *t, const struct pair_half h)
{
    vreal y = pair_rsqrt(h.square, h.seed, how.n >= CLUSTER_FULL_FROM);
    if (special)
        y = v_where(h.square >= t->skip, y);
    return FARSUM_BITS == 64 || how.raw ? y : y * t->unit;
}

/* Adds the pairs of `point` with the cluster at x, for a scalar kernel.  They
 * go to acc (field x, y, z, potential; with newton times the point's charge)
 * and, with newton, to the cluster's sums at f.  special: only lanes `lanes`,
 * and coincident pairs lose their singular part. */
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
    vmask soft = h.square < t->soft;
    vreal w = h.square * t->per[0];
    if (special)
        in &= lanes, soft &= h.square >= t->skip;
    if (how.newton)
        q = q * point->q[0];
    if (how.soft)
        y = v_where(~soft, y);
    if (how.output != CLUSTER_POT) {
        vreal g = how.slope(polys, y, u, v);
        if (how.soft)
            g += v_where(soft, soften_slope(w) * t->per[2]);
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
        vreal p = v_set(R(-0.0)); /* zero that leaves sums unchanged */
        pair_differences(point, x, d);
        how.value(polys, d, y, u, v, &one, &p);
        if (how.soft)
            p += v_where(soft, soften_value(w) * t->per[1]);
        p = v_where(in, p) * q;
        if (how.newton) {
            p = pair_alone(p);
            v_store(to, v_load(to) + p);
        }
        acc[3] = acc[3] + p;
    }
}

/* As pair_close, for a flow kernel.  Each value is linear in the source's first
 * three strengths, which are masked.  Lanes beyond the cutoff are moved to its
 * edge, where all values are finite.  With newton the cluster's points receive
 * the point's strengths along -d; root and polynomials are reused. */
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
/* As pair_close, for sources with moments.  Polynomial k has k coefficients
 * less.  The functions of the distance serve both sides. */
SIMD_FN void pair_close_moments(const struct pair_how how, const int special,
                                const struct pair_table *t,
                                const struct pair_point *point,
                                const struct pair_half h, const coord *x,
                                real *f, vmask lanes, vreal acc[CLUSTER_PARTS])
{
    const int sums = PART(how.output), orders = how.output == CLUSTER_ALL;
    vmask in = h.square < t->cut;
    vreal v = h.square * t->two - R(1), y = pair_root(how, special, t, h);
    vreal d[3], q[4], radial[4], to[CLUSTER_PARTS];
    if (special)
        in &= lanes;
    pair_differences(point, x, d);
    for (int j = 0; FARSUM_BITS == 32 && j < 3; j++)
        d[j] = d[j] * t->part;
    if (how.screened)
        moments_screened(t->kappa,
                         v_exp(h.square * t->two * y * t->kappa * R(-0.5)), y,
                         radial);
    else
        moments_bare(y, radial);
#pragma GCC unroll 4
    for (int k = 0; k < 3 + orders; k++)
        radial[k] = v_where(in, radial[k] - pair_poly(how.n - k, t->c[k], v));
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++)
        q[j] = v_load((const real *)x + (3 + j) * W);
    moments_field(radial, d, q, acc + 3, acc);
    if (orders)
        moments_gradient(radial, d, q, acc + 4);
    if (!how.newton)
        return;
    const vreal back[3] = {-d[0], -d[1], -d[2]};
#pragma GCC unroll 10
    for (int j = 0; j < sums; j++)
        to[j] = v_load(f + j * W);
    moments_field(radial, back, point->q, to + 3, to);
    if (orders)
        moments_gradient(radial, back, point->q, to + 4);
#pragma GCC unroll 10
    for (int j = 0; j < sums; j++)
        v_store(f + j * W, to[j]);
}
#endif
