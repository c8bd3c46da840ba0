/* SPDX-License-Identifier: Apache-2.0 */
/* host_kern.c: operators times tiles of boxes, and harmonics of several points
 * at a time, for each instruction set and precision. */
#include "stage/expansions/host_kern.h"

#include "base/simd.h"

#define FN SIMD_FN
#define HARMONIC_REAL vreal
#define HARMONIC_SET(x) v_set((real)(x))
#define HARMONIC_TABLE const double
#include "math/harmonic.kh"

enum { VECTORS = 3, TILE = VECTORS * W };

static void product(int size, const void *matrix, const void *from, void *to)
{
    const real *t = matrix;
    for (int i = 0; i < size; i += BOXES_ROWS) {
        vreal sum[BOXES_ROWS][VECTORS];
        for (int r = 0; r < BOXES_ROWS; r++)
            for (int b = 0; b < VECTORS; b++)
                sum[r][b] = v_load((real *)to + (i + r) * TILE + b * W);
        for (int j = 0; j < size; j++, t += BOXES_ROWS)
            for (int b = 0; b < VECTORS; b++) {
                vreal v = v_load((const real *)from + j * TILE + b * W);
                for (int r = 0; r < BOXES_ROWS; r++)
                    sum[r][b] += v_set(t[r]) * v;
            }
        for (int r = 0; r < BOXES_ROWS; r++)
            for (int b = 0; b < VECTORS; b++)
                v_store((real *)to + (i + r) * TILE + b * W, sum[r][b]);
    }
}

/* Loads W points; 0 after the last. */
SIMD_FN vreal points_of(const void *x, int64_t i, int64_t n)
{
    vreal v = v_set(0);
    const real *at = x;
    if (i + W <= n)
        return v_load(at + i);
    for (int64_t k = i; k < n; k++)
        v[k - i] = at[k];
    return v;
}

static void multipole(int p, const double *table, const void *const x[3],
                      const void *q, int64_t n, void *out)
{
    vreal r[MULTIPOLE_SIZE], sum[MULTIPOLE_SIZE];
    int size = multipole_size(p);
    for (int k = 0; k < size; k++)
        sum[k] = v_set(0);
    for (int64_t i = 0; i < n; i += W) {
        vreal strength = points_of(q, i, n);
        harmonic_regular(p, table, points_of(x[0], i, n),
                         points_of(x[1], i, n), points_of(x[2], i, n), r);
        for (int k = 0; k < size; k++)
            sum[k] += strength * r[k];
    }
    for (int k = 0; k < size; k++)
        ((real *)out)[k] = v_sum(sum[k]);
}

/* The weights of (10.9) are included in the expansion. */
static void local(int p, const double *table, const void *const x[3],
                  int64_t n, const void *expansion, int count,
                  const double *unit, void *const *out)
{
    vreal r[MULTIPOLE_SIZE];
    int size = multipole_size(p);
    for (int64_t i = 0; i < n; i += W) {
        harmonic_regular(p, table, points_of(x[0], i, n),
                         points_of(x[1], i, n), points_of(x[2], i, n), r);
        for (int c = 0; c < count; c++) {
            const real *l = (const real *)expansion + c * size;
            vreal sum[4] = {v_set(0), v_set(0), v_set(0), v_set(0)};
            real *to = out[c];
            if (!to)
                continue;
            int k = 0;
            for (; k + 4 <= size; k += 4)
                for (int s = 0; s < 4; s++)
                    sum[s] += v_set(l[k + s]) * r[k + s];
            for (; k < size; k++)
                sum[0] += v_set(l[k]) * r[k];
            sum[0] = v_set((real)unit[c]) * (sum[0] + sum[1] + sum[2] + sum[3]);
            for (int64_t j = i; j < n && j < i + W; j++)
                to[j] += sum[0][j - i];
        }
    }
}

extern const struct boxes_kern ISA_NAME(boxes);
const struct boxes_kern ISA_NAME(boxes) = {TILE, product, multipole, local};
