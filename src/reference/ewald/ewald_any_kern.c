/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_any_kern.c: near and far sums of any kernel in double: SIMD,
 * compensated sums.
 *
 * The far sum is that of ewald_level_far.h for each channel and each value.  A
 * value v(x) = Re sum_k Z e^{ik.x} over a half space has the weights
 *     U = Re Z(+) + Re Z(-),    V = Im Z(-) - Im Z(+),
 *     X = -Im Z(+) - Im Z(-),   Y = Re Z(-) - Re Z(+). */
#include "base/simd.h"
#include "reference/ewald/ewald_any_part.h"

#include <stdlib.h>

#if FARSUM_BITS == 64
#define LEVEL_RINT rint
#define LEVEL_SINCOS sincos
#define LEVEL_SQRT sqrt
#define LEVEL_ERF erf
#define LEVEL_EXP exp
#define LANE(v, l) ((v)[l])

SIMD_FN vreal v_from_double(const double *p)
{
    return v_load(p);
}

#include "reference/ewald/ewald_level_table.h"

struct target {
    real sum[REFERENCE_VALUES], low[REFERENCE_VALUES];
};

#include "reference/ewald/ewald_level_soft.h"

/* The values of a charge of softened 1/r. */
static void pair_soft(const struct ewald_job *job, const real d[3], real r2,
                      double q, double v[REFERENCE_VALUES])
{
    double p, f;
    soft_near(job, job->split.xi, sqrt(r2), &p, &f);
    v[0] = q * p;
    for (int a = 0; a < 3; a++) {
        v[1 + a] = q * f * d[a];
        v[4 + a] = q * f * d[a] * d[a];
    }
    v[7] = q * f * d[0] * d[1];
    v[8] = q * f * d[0] * d[2];
    v[9] = q * f * d[1] * d[2];
}

/* Adds source j at the distance d, r2 = d.d < rc^2. */
static void pair(const struct ewald_job *job, struct target *t,
                 const real d[3], real r2, int64_t j)
{
    const struct reference_kind *kind = job->kind;
    int64_t stride = job->sources->n + EWALD_PAD;
    double c[REFERENCE_CHANNELS], v[REFERENCE_VALUES];
    for (int a = 0; a < kind->channels; a++)
        c[a] = job->channel[a * stride + j];
    if (r2 > job->coincide * job->coincide && r2 < job->soft * job->soft)
        pair_soft(job, d, r2, c[0], v);
    else if (r2 > job->coincide * job->coincide)
        kind->near(&job->split, d, r2, c, v);
    else if (kind->self)
        kind->self(&job->split, c, v);
    else
        return;
    for (int a = 0; a < job->width; a++)
        add(&t->sum[a], &t->low[a], v[a]);
}

#include "reference/ewald/ewald_level_walk.h"

static void near(const struct ewald_job *job, int64_t i0, int64_t i1,
                 ewald_values values)
{
    for (int64_t i = i0; i < i1; i++) {
        struct target t = {{0}, {0}};
        near_target(job, i, &t);
        for (int a = 0; a < job->width; a++)
            values[i - i0][a] += t.sum[a] + t.low[a];
    }
}

/* e^{i t.x} of the wave vectors t along open axes, for points i0..; x from the
 * middle of the cell.  Row 0's are e^{i t.x} - 1 (7.21a). */
static void table_open(const struct ewald_job *job,
                       const struct ewald_points *p, int64_t i0, int count,
                       real *table)
{
    enum { B = EWALD_SOURCES };
    const struct ewald_lattice *l = job->lattice;
    double x[2][2][B] = {{{0}}}; /* coordinate, high and low */
    for (int o = l->axes; o < 3; o++)
        for (int j = 0; j < count; j++) {
            long double z =
                l->length[o]
                * (((long double)p->s_high[o][i0 + j] - 0.5L)
                   + p->s_low[o][i0 + j]);
            x[o - l->axes][0][j] = (double)z;
            x[o - l->axes][1][j] = (double)(z - (double)z);
        }
    for (int64_t n = 0; n < job->modes->nodes; n++) {
        const double *t = job->modes->node[n];
        real *c = table + 2 * B * n, *s = c + B;
        for (int j = 0; j < count; j++) {
            double sine, cosine, turn = 0, rest = 0;
            for (int o = 0; o < 3 - l->axes; o++) {
                double by = t[o] * x[o][0][j];
                add(&turn, &rest, by);
                rest += fma(t[o], x[o][0][j], -by) + t[o] * x[o][1][j];
            }
            sincos(turn, &sine, &cosine);
            c[j] = cosine - sine * rest;
            s[j] = sine + cosine * rest;
            if (n < job->modes->first) { /* cos - 1 = -2 sin^2 of half */
                double half = sin(turn / 2);
                c[j] = -2 * half * half - sine * rest;
            }
        }
    }
}

static void tables(const struct ewald_job *job, const struct ewald_points *p,
                   int slot, int64_t i0, int count)
{
    int padded = (count + 2 * W - 1) / (2 * W) * 2 * W;
    if (job->lattice->axes == 3) {
        tables_fill(job, p, slot, i0, padded);
        return;
    }
    for (int d = 0; d < 2; d++)
        table_fill(p, d, job->modes->most[d], i0, padded,
                   table_of(job, d, slot));
    table_open(job, p, i0, padded, table_of(job, 2, slot));
}

static void gather(const struct ewald_job *job, int slot, int64_t i0,
                   int count, int64_t r0, int64_t r1)
{
    enum { B = EWALD_SOURCES };
    const struct ewald_modes *modes = job->modes;
    int64_t stride = job->sources->n + EWALD_PAD;
    real e12[2 * B], ab[2 * B];
    int padded = (count + W - 1) / W * W;
    const real *e1 = table_of(job, 0, slot), *e2 = table_of(job, 1, slot),
               *table = table_of(job, 2, slot);
    for (int64_t r = r0; r < r1; r++) {
        const struct ewald_row *row = modes->row + r;
        const real *e3 = table + (int64_t)2 * B * row->first;
        multiply(e12, e1 + (int64_t)2 * B * row->n1,
                 e2 + (int64_t)2 * B * abs(row->n2), row->n2 < 0, padded);
        for (int c = 0; c < job->kind->channels; c++) {
            const double *q = job->channel + c * stride + i0;
            for (int j = 0; j < padded; j += W) {
                vreal s = v_load(q + j);
                v_store(ab + j, s * v_load(e12 + j));
                v_store(ab + B + j, s * v_load(e12 + B + j));
            }
            real *at = (real *)job->sums +
                       8 * (c * modes->entries + row->start);
            int32_t n = 0;
            for (; n + 2 <= row->length; n += 2)
                dots(ab, e3 + (int64_t)2 * B * n, padded, 1, at + 8 * n);
            if (n < row->length)
                dots(ab, e3 + (int64_t)2 * B * n, padded, 0, at + 8 * n);
        }
    }
}

/* Entries of a row between compensated sums: a wire's row 0 has thousands. */
enum { PIECE = 64 };

/* A value of a row's entries at two vectors of targets; e12 is e_1 e_2 of the
 * targets. */
SIMD_FN void eval_row(int32_t length, const real *weights, const real *e12,
                      const real *e3, int j, real *total, real *low)
{
    enum { B = EWALD_SOURCES };
    vreal z = v_set(0), a[2] = {z, z}, b[2] = {z, z};
    for (int32_t n = 0; n < length; n++) {
        const real *w = weights + 4 * n, *e = e3 + (int64_t)2 * B * n + j;
        vreal wu = v_set(w[0]), wv = v_set(w[1]);
        vreal wx = v_set(w[2]), wy = v_set(w[3]);
        for (int v = 0; v < 2; v++) {
            vreal c = v_load(e + v * W), s = v_load(e + B + v * W);
            a[v] += c * wu;
            b[v] += c * wx;
            a[v] += s * wv;
            b[v] += s * wy;
        }
    }
    for (int v = 0; v < 2; v++) {
        int at = j + v * W;
        add_v(total + at, low + at,
              v_load(e12 + at) * a[v] + v_load(e12 + B + at) * b[v]);
    }
}

static void far(const struct ewald_job *job, int slot, int64_t i0, int64_t i1,
                ewald_values values)
{
    enum { B = EWALD_SOURCES, T = EWALD_TARGETS };
    const struct ewald_modes *modes = job->modes;
    real total[REFERENCE_VALUES][T] = {{0}}, low[REFERENCE_VALUES][T] = {{0}};
    real e12[2 * B];
    int count = (int)(i1 - i0), padded = (count + 2 * W - 1) / (2 * W) * 2 * W;
    const real *e1 = table_of(job, 0, slot), *e2 = table_of(job, 1, slot),
               *table = table_of(job, 2, slot);
    for (int64_t r = 0; r < modes->rows; r++) {
        const struct ewald_row *row = modes->row + r;
        const real *e3 = table + (int64_t)2 * B * row->first;
        multiply(e12, e1 + (int64_t)2 * B * row->n1,
                 e2 + (int64_t)2 * B * abs(row->n2), row->n2 < 0, padded);
        for (int a = 0; a < job->width; a++) {
            const real *w = (const real *)job->weights +
                            4 * (a * modes->entries + row->start);
            for (int32_t n = 0; n < row->length; n += PIECE) {
                int32_t some =
                    row->length - n < PIECE ? row->length - n : PIECE;
                for (int j = 0; j < padded; j += 2 * W)
                    eval_row(some, w + 4 * n, e12, e3 + (int64_t)2 * B * n, j,
                             total[a], low[a]);
            }
        }
    }
    for (int i = 0; i < count; i++)
        for (int a = 0; a < job->width; a++)
            values[i][a] += total[a][i] + low[a][i];
}

extern const struct ewald_any_kern ISA_NAME(ewald_any);
const struct ewald_any_kern ISA_NAME(ewald_any) = {tables, gather, near, far};
#else
/* Built in f64 only. */
extern const struct ewald_any_kern ISA_NAME(ewald_any);
const struct ewald_any_kern ISA_NAME(ewald_any) = {0};
#endif
