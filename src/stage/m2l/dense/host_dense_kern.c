/* SPDX-License-Identifier: Apache-2.0 */
/* host_dense_kern.c: loops of host_dense, for each instruction set and
 * precision. */
#include "stage/m2l/dense/host_dense_kern.h"

#include "base/simd.h"

enum { TILE = DENSE_VECTORS * W };

/* Sign of class c under the mirrors `bits`. */
SIMD_FN real sign_of(int c, int bits)
{
    return __builtin_popcount((unsigned)(c & bits)) & 1 ? -1 : 1;
}

SIMD_FN vreal gather(const real *base, const int32_t *at, int whole)
{
    vreal v = {0};
    if (whole)
        return v_load(base + at[0]);
    for (int i = 0; i < W; i++)
        v[i] = base[at[i]];
    return v;
}

/* Butterflies over the axes of `two`. */
SIMD_FN void mirror(vreal v[8], const int two)
{
    for (int bit = 1; bit < 8; bit *= 2)
        for (int s = 0; s < 8 && two & bit; s++) {
            if (s & bit || s & ~two)
                continue;
            vreal sum = v[s] + v[s | bit];
            v[s | bit] = v[s] - v[s | bit];
            v[s] = sum;
        }
}

SIMD_FN void sources_of(const struct dense_classes *classes, const int two,
                        const struct dense_sources *from, real *x)
{
    for (int c = 0; c < DENSE_CLASSES; c++) {
        vreal sign = v_set(sign_of(c, from->minus));
        for (int k = classes->begin[c]; k < classes->begin[c + 1]; k++)
            for (int b = 0; b < DENSE_VECTORS; b++) {
                vreal v[8];
                for (int s = 0; s < 8; s++)
                    if (!(s & ~two))
                        v[s] = sign
                               * gather((const real *)from->base[s]
                                            + k * from->ld,
                                        from->at[s] + b * W,
                                        from->whole[s] >> b & 1);
                mirror(v, two);
                for (int s = 0; s < 8; s++)
                    if (!(s & ~two))
                        v_store(x + ((int64_t)s * classes->size + k) * TILE
                                    + b * W,
                                v[s]);
            }
    }
}

static void dense_sources(const struct dense_classes *classes,
                          const struct dense_group *group,
                          const struct dense_sources *from, void *x)
{
    switch (group->two) { /* constant loop counts */
    case 7:
        sources_of(classes, 7, from, x);
        break;
    case 0:
        sources_of(classes, 0, from, x);
        break;
    default:
        sources_of(classes, group->two, from, x);
    }
}

/* Computes DENSE_ROWS rows of class c; returns the matrix position after
 * them. */
SIMD_FN const real *rows(const struct dense_classes *classes,
                         const struct dense_group *group, int c,
                         const real *t, const real *x, real sign, real *local)
{
    vreal sum[DENSE_ROWS][DENSE_VECTORS];
    for (int i = 0; i < DENSE_ROWS; i++)
        for (int b = 0; b < DENSE_VECTORS; b++)
            sum[i][b] = v_set(0);
    for (int from = 0; from < DENSE_CLASSES; from++) {
        int w = c ^ from;
        if (w & group->zero)
            continue;
        const real *at =
            x + ((int64_t)(w & group->two) * classes->size
                 + classes->begin[from]) * TILE;
        int n = classes->begin[from + 1] - classes->begin[from];
        for (int j = 0; j < n; j++, at += TILE, t += DENSE_ROWS) {
            vreal v[DENSE_VECTORS];
            for (int b = 0; b < DENSE_VECTORS; b++)
                v[b] = v_load(at + b * W);
            for (int i = 0; i < DENSE_ROWS; i++)
                for (int b = 0; b < DENSE_VECTORS; b++)
                    sum[i][b] += v_set(t[i]) * v[b];
        }
    }
    for (int i = 0; i < DENSE_ROWS; i++)
        for (int b = 0; b < DENSE_VECTORS; b++) {
            real *to = local + i * TILE + b * W;
            v_store(to, v_load(to) + v_set(sign) * sum[i][b]);
        }
    return t;
}

static void dense_product(const struct dense_classes *classes,
                          const struct dense_group *group, int minus,
                          const void *x, void *local)
{
    const real *t = group->matrix;
    real *to = local;
    for (int c = 0; c < DENSE_CLASSES; c++)
        for (int i = classes->padded[c]; i < classes->padded[c + 1];
             i += DENSE_ROWS)
            t = rows(classes, group, c, t, x, sign_of(c, minus),
                     to + i * TILE);
}

extern const struct dense_kern ISA_NAME(m2l_host_dense);
const struct dense_kern ISA_NAME(m2l_host_dense) = {TILE, dense_sources,
                                                    dense_product};
