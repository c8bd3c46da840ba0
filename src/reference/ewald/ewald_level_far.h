/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_level_far.h: the far sum in one precision.
 *
 * Included by ewald_kern.c and ewald_long.c; ewald_level_table.h lists the
 * macros to define.
 *
 * With e_d = exp(2 pi i n_d s_d), a + ib = e_1 e_2 and c + is = e_3, a row
 * requires for +n3 and -n3 together the real sums over the sources
 *     P = sum q a c,  Q = sum q a s,  R = sum q b c,  T = sum q b s,
 *     S(+) = (P - T) + i(Q + R),      S(-) = (P + T) + i(R - Q),
 * and at a target, with the weights g(+), g(-) of ewald_mode,
 *     phi = sum_rows a A + b B,  A = sum_n3 c U + s V,  B = sum_n3 c X + s Y,
 *     U = g(+) Re S(+) + g(-) Re S(-),   V = g(+) Im S(+) - g(-) Im S(-),
 *     X = g(+) Im S(+) + g(-) Im S(-),   Y = g(-) Re S(-) - g(+) Re S(+). */

#include "base/progress.h"
#include "reference/ewald/ewald_level_table.h"

static void gather_block(const struct ewald_job *job, int t, int64_t i0,
                         int count)
{
    enum { B = EWALD_SOURCES };
    const struct ewald_modes *modes = job->modes;
    real *sums = (real *)job->sums + (int64_t)t * modes->entries * 8;
    real q[2 * B] = {0}, qe1[2 * B], ab[2 * B];
    int padded = (count + W - 1) / W * W, last = -1;
    for (int j = 0; j < count; j++)
        q[j] = job->q[i0 + j];
    tables_fill(job, job->sources, t, i0, padded);
    const real *e1 = table_of(job, 0, t), *e2 = table_of(job, 1, t),
               *e3 = table_of(job, 2, t);
    for (int64_t r = 0; r < modes->rows; r++) {
        const struct ewald_row *row = modes->row + r;
        if (row->n1 != last)
            multiply(qe1, q, e1 + (int64_t)2 * B * row->n1, 0, padded);
        last = row->n1;
        multiply(ab, qe1, e2 + (int64_t)2 * B * abs(row->n2), row->n2 < 0,
                 padded);
        real *at = sums + 8 * row->start;
        int32_t n = 0;
        for (; n + 2 <= row->length; n += 2)
            dots(ab, e3 + (int64_t)2 * B * n, padded, 1, at + 8 * n);
        if (n < row->length)
            dots(ab, e3 + (int64_t)2 * B * n, padded, 0, at + 8 * n);
    }
}

static void gather(const struct ewald_job *job, int t, int64_t i0, int64_t i1)
{
    memset((real *)job->sums + (int64_t)t * job->modes->entries * 8, 0,
           (size_t)job->modes->entries * 8 * sizeof(real));
    for (int64_t i = i0; i < i1; i += EWALD_SOURCES) {
        int count = (int)(i1 - i < EWALD_SOURCES ? i1 - i : EWALD_SOURCES);
        if (progress_stopped(job->listener))
            return;
        gather_block(job, t, i, count);
        progress_add(job->listener, count);
    }
}

static void weigh(const struct ewald_job *job, int64_t e0, int64_t e1)
{
    for (int64_t e = e0; e < e1; e++) {
        real *sum = (real *)job->sums + 8 * e;
        for (int t = 1; t < job->threads; t++) {
            const real *more = sum + (int64_t)t * job->modes->entries * 8;
            for (int i = 0; i < 4; i++) {
                add(sum + i, sum + 4 + i, more[i]);
                sum[4 + i] += more[4 + i];
            }
        }
        real p = sum[0] + sum[4], q = sum[1] + sum[5], r = sum[2] + sum[6];
        real t = sum[3] + sum[7];
        const real *g = (const real *)job->mode + 2 * e;
        real *w = (real *)job->weights + 4 * e;
        sum[0] = p, sum[1] = q, sum[2] = r, sum[3] = t;
        w[0] = g[0] * (p - t) + g[1] * (p + t); /* U */
        w[1] = g[0] * (q + r) - g[1] * (r - q); /* V */
        w[2] = g[0] * (q + r) + g[1] * (r - q); /* X */
        w[3] = g[1] * (p + t) - g[0] * (p - t); /* Y */
    }
}

static void fill(const struct ewald_job *job)
{
    for (int64_t r = 0; r < job->modes->rows; r++) {
        const struct ewald_row *row = job->modes->row + r;
        real *g = (real *)job->mode + 2 * row->start;
        long double k[3];
        for (int32_t n = 0; n < row->length; n++)
            for (int i = 0; i < 2; i++)
                g[2 * n + i] = (real)ewald_mode(job->lattice, job->xi,
                                                job->kmax, row, n, i ? -1 : 1,
                                                k);
    }
}

/* sum over the half space of g |S|^2/2 [1 - 2 (1/k^2 + 1/4 xi^2) k k]: the
 * strain derivative of (1/2V) sum_k (4 pi/k^2) exp(-k^2/4 xi^2) |S|^2. */
static void virial(const struct ewald_job *job, long double w[6])
{
    long double xi = job->xi;
    for (int64_t r = 0; r < job->modes->rows; r++) {
        const struct ewald_row *row = job->modes->row + r;
        for (int32_t n = 0; n < row->length; n++) {
            const real *s = (const real *)job->sums + 8 * (row->start + n);
            const real *g = (const real *)job->mode + 2 * (row->start + n);
            for (int i = 0; i < 2; i++) {
                long double sign = i ? 1 : -1, k[3];
                long double re = s[0] + sign * s[3], im = s[2] - sign * s[1];
                long double e = g[i] * (re * re + im * im) / 2;
                if (e == 0)
                    continue;
                ewald_mode(job->lattice, job->xi, job->kmax, row, n,
                           i ? -1 : 1, k);
                long double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                long double f = 2 * (1 / k2 + 1 / (4 * xi * xi)) * e;
                w[0] += e - f * k[0] * k[0];
                w[1] += e - f * k[1] * k[1];
                w[2] += e - f * k[2] * k[2];
                w[3] -= f * k[0] * k[1];
                w[4] -= f * k[0] * k[2];
                w[5] -= f * k[1] * k[2];
            }
        }
    }
}

/* A row at two vectors of targets.  total: phi and dphi/ds_d / 2 pi, [4][B],
 * then their rounding errors. */
static inline __attribute__((always_inline)) void
eval_row(const struct ewald_row *row, const real *weights, const real *e1,
         const real *e2, const real *e3, int j, real *total)
{
    enum { B = EWALD_SOURCES, T = EWALD_TARGETS };
    vreal z = v_set(0), a[2] = {z, z}, b[2] = {z, z}, a3[2] = {z, z},
          b3[2] = {z, z};
    for (int32_t n = 0; n < row->length; n++) {
        const real *w = weights + 4 * n, *e = e3 + (int64_t)2 * B * n + j;
        vreal wu = v_set(w[0]), wv = v_set(w[1]), wx = v_set(w[2]);
        vreal wy = v_set(w[3]), n3 = v_set(n);
        for (int v = 0; v < 2; v++) {
            vreal c = v_load(e + v * W), s = v_load(e + B + v * W);
            a[v] += c * wu;
            b[v] += c * wx;
            a[v] += s * wv;
            b[v] += s * wy;
            a3[v] += n3 * (c * wv - s * wu);
            b3[v] += n3 * (c * wy - s * wx);
        }
    }
    vreal n1 = v_set(row->n1), n2 = v_set(row->n2);
    vreal conj = v_set(row->n2 < 0 ? -1 : 1);
    for (int v = 0; v < 2; v++) {
        int at = j + v * W;
        vreal c1 = v_load(e1 + at), s1 = v_load(e1 + B + at);
        vreal c2 = v_load(e2 + at), s2 = conj * v_load(e2 + B + at);
        vreal c = c1 * c2 - s1 * s2, s = c1 * s2 + s1 * c2;
        vreal across = c * b[v] - s * a[v];
        add_v(total + at, total + 4 * T + at, c * a[v] + s * b[v]);
        add_v(total + T + at, total + 5 * T + at, n1 * across);
        add_v(total + 2 * T + at, total + 6 * T + at, n2 * across);
        add_v(total + 3 * T + at, total + 7 * T + at, c * a3[v] + s * b3[v]);
    }
}

static void far(const struct ewald_job *job, int t, int64_t i0, int64_t i1,
                struct ewald_block *block)
{
    enum { B = EWALD_SOURCES, T = EWALD_TARGETS };
    const struct ewald_modes *modes = job->modes;
    real total[8 * T] = {0};
    int count = (int)(i1 - i0), padded = (count + 2 * W - 1) / (2 * W) * 2 * W;
    tables_fill(job, job->targets, t, i0, padded);
    const real *e1 = table_of(job, 0, t), *e2 = table_of(job, 1, t),
               *e3 = table_of(job, 2, t);
    for (int64_t r = 0; r < modes->rows; r++) {
        const struct ewald_row *row = modes->row + r;
        const real *w = (const real *)job->weights + 4 * row->start;
        for (int j = 0; j < padded; j += 2 * W)
            eval_row(row, w, e1 + (int64_t)2 * B * row->n1,
                     e2 + (int64_t)2 * B * abs(row->n2), e3, j, total);
    }
    for (int i = 0; i < count; i++) {
        long double value[4];
        for (int a = 0; a < 4; a++)
            value[a] = (long double)total[a * T + i] + total[(4 + a) * T + i];
        block->potential[i] += value[0];
        for (int d = 0; d < 3; d++) /* E = -sum_d dphi/ds_d grad s_d */
            for (int e = 0; e < 3; e++)
                block->field[i][d] -= 2 * EWALD_PI * value[1 + e] *
                                      job->lattice->inv[3 * d + e];
    }
}
