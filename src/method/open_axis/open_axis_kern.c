/* SPDX-License-Identifier: Apache-2.0 */
/* open_axis_kern.c: the loops over points and modes of a slab's images. */
#include "base/simd_math.h"
#include "method/open_axis/modes.h"

extern const struct open_axis_kern ISA_NAME(open_axis);
#if FARSUM_BITS == 64

/* BLOCK: points that stay in the cache while the modes change; VALUES: at most
 * at a target. */
enum { BLOCK = 512, VALUES = 4 };

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

/* Adds one mode's sums over the points first to end - 1, at most BLOCK. */
static void gather_block(const struct open_points *p, int64_t first,
                         int64_t end, const struct open_mode *mode,
                         int channels, double *sums)
{
    real part[4][BLOCK]; /* u+ and u- times e^(-i kappa.x) */
    for (int64_t i = first; i < end; i += W) {
        vreal turn[2], u[2];
        mode_at(p, mode, i, turn, u);
        for (int k = 0; k < 4; k++)
            v_store(part[k] + (i - first),
                    k % 2 ? -u[k / 2] * turn[1] : u[k / 2] * turn[0]);
    }
    for (int c = 0; c < channels; c++, sums += MODE_SUMS) {
        const double *strength = p->q + c * p->padded;
        vreal sum[MODE_SUMS] = {{0}};
        for (int64_t i = first; i < end; i += W) {
            vreal q = v_load(strength + i);
            vreal qz = q * (v_load(p->z + i) - p->extent / 2);
            for (int k = 0; k < 4; k++) {
                vreal at = v_load(part[k] + (i - first));
                sum[k] += q * at;
                sum[4 + k] += qz * at;
            }
        }
        for (int k = 0; k < MODE_SUMS; k++)
            sums[k] += v_sum(sum[k]);
    }
}

static void gather(const struct open_points *p, const struct open_mode *mode,
                   int64_t count, int channels, double *sums)
{
    int64_t each = channels * MODE_SUMS;
    memset(sums, 0, (size_t)(count * each) * sizeof *sums);
    for (int64_t i = 0; i < p->padded; i += BLOCK)
        for (int64_t k = 0; k < count; k++)
            gather_block(p, i, i + BLOCK < p->padded ? i + BLOCK : p->padded,
                         mode + k, channels, sums + k * each);
}

static void scatter(const struct open_points *p, int64_t first,
                    const struct open_mode *mode, int64_t count, int values,
                    int waves, const double *amp, double v[][OPEN_PAD])
{
    for (int i = 0; i < OPEN_PAD; i += W) {
        vreal value[VALUES] = {{0}}, turn[2], u[MODE_WAVES];
        vreal z = v_load(p->z + first + i) - p->extent / 2;
        const double *a = amp;
        for (int64_t k = 0; k < count; k++) {
            mode_at(p, mode + k, first + i, turn, u);
            u[2] = u[0] * z;
            u[3] = u[1] * z;
            for (int w = 0; w < values; w++, a += 2 * MODE_WAVES) {
                vreal re = u[0] * a[0] + u[1] * a[2];
                vreal im = u[0] * a[1] + u[1] * a[3];
                for (int t = 2; t < waves; t++) {
                    re += u[t] * a[2 * t];
                    im += u[t] * a[2 * t + 1];
                }
                value[w] += turn[0] * re - turn[1] * im;
            }
        }
        for (int w = 0; w < values; w++)
            v_store(v[w] + i, value[w]);
    }
}

const struct open_axis_kern ISA_NAME(open_axis) = {gather, scatter};
#else
const struct open_axis_kern ISA_NAME(open_axis) = {0};
#endif
