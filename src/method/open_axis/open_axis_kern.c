/* SPDX-License-Identifier: Apache-2.0 */
/* open_axis_kern.c: the loops over points and modes of a slab's images. */
#include "base/simd_math.h"
#include "method/open_axis/modes.h"

extern const struct open_axis_kern ISA_NAME(open_axis);
#if FARSUM_BITS == 64

/* Points that stay in the cache while the modes change. */
enum { BLOCK = 512 };

/* cos, sin of kappa.x, and u+ and u- of (9.31). */
SIMD_FN void mode_at(const struct open_points *p, const struct open_mode *m,
                     int64_t i, vreal turn[2], vreal u[2])
{
    vreal z = v_load(p->z + i);
    v_turn((real)m->n[0] * v_load(p->s[0] + i)
               + (real)m->n[1] * v_load(p->s[1] + i),
           &turn[0], &turn[1]);
    u[0] = v_exp((z - p->extent) * m->size);
    u[1] = v_exp(z * -m->size);
}

static void gather_block(const struct open_points *p, int64_t first,
                         int64_t end, struct open_mode *mode)
{
    vreal sum[2][2] = {{{0}}}, slope[2][2] = {{{0}}};
    for (int64_t i = first; i < end; i += W) {
        vreal turn[2], u[2], q = v_load(p->q + i);
        vreal z = v_load(p->z + i) - p->extent / 2;
        mode_at(p, mode, i, turn, u);
        for (int k = 0; k < 2; k++) {
            vreal real_part = q * u[k] * turn[0], imag = -q * u[k] * turn[1];
            sum[k][0] += real_part;
            sum[k][1] += imag;
            slope[k][0] += real_part * z;
            slope[k][1] += imag * z;
        }
    }
    for (int k = 0; k < 4; k++) {
        mode->sum[k / 2][k % 2] += v_sum(sum[k / 2][k % 2]);
        mode->slope[k / 2][k % 2] += v_sum(slope[k / 2][k % 2]);
    }
}

static void gather(const struct open_points *p, struct open_mode *mode,
                   int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        memset(mode[k].sum, 0, sizeof mode[k].sum);
        memset(mode[k].slope, 0, sizeof mode[k].slope);
    }
    for (int64_t i = 0; i < p->padded; i += BLOCK)
        for (int64_t k = 0; k < count; k++)
            gather_block(p, i, i + BLOCK < p->padded ? i + BLOCK : p->padded,
                         mode + k);
}

static void scatter(const struct open_points *p, int64_t first,
                    const struct open_mode *mode, int64_t count,
                    double v[5][OPEN_PAD])
{
    for (int i = 0; i < OPEN_PAD; i += W) {
        vreal potential = {0}, in[3] = {{0}}, along = {0};
        for (int64_t k = 0; k < count; k++) {
            const struct open_mode *m = mode + k;
            vreal turn[2], u[2];
            mode_at(p, m, first + i, turn, u);
            vreal c = turn[0] * m->front, s = turn[1] * m->front;
            /* of the images below, and of those above */
            vreal low[2] = {u[0] * m->sum[1][0], u[0] * m->sum[1][1]};
            vreal high[2] = {u[1] * m->sum[0][0], u[1] * m->sum[0][1]};
            vreal imag = c * (low[1] + high[1]) + s * (low[0] + high[0]);
            potential += c * (low[0] + high[0]) - s * (low[1] + high[1]);
            along +=
                m->size * (c * (low[0] - high[0]) - s * (low[1] - high[1]));
            for (int d = 0; d < 3; d++)
                in[d] += m->k[d] * imag;
        }
        v_store(v[0] + i, potential);
        for (int d = 0; d < 3; d++)
            v_store(v[1 + d] + i, -in[d]);
        v_store(v[4] + i, along);
    }
}

const struct open_axis_kern ISA_NAME(open_axis) = {gather, scatter};
#else
const struct open_axis_kern ISA_NAME(open_axis) = {0};
#endif
