/* SPDX-License-Identifier: Apache-2.0 */
/* host_plane_wave_kern.c: loops of host_plane_wave, for each instruction set
 * and precision; SIMD over the waves of a quarter turn. */
#include "stage/m2l/plane_wave/host_plane_wave_kern.h"

#include "base/simd.h"

/* A complex wave and its mirror image. */
struct wave {
    vreal x, y, z, w;
};

/* Constants of an axis, for one SIMD vector of waves. */
struct frame {
    int axis, ws;
    int64_t waves;
    const real *power, *damp;
};

SIMD_FN struct frame frame_of(const struct wave_plan *plan, int axis,
                              int64_t q)
{
    return (struct frame){axis, plan->ws, plan->waves,
                          (const real *)plan->power[axis] + q,
                          (const real *)plan->damp[axis] + q};
}

/* A phase of n half boxes along b (0) or c (1). */
SIMD_FN void phase(const struct frame *f, int which, int n, vreal *re,
                   vreal *im)
{
    int64_t at = which * (4 * f->ws + 1) + (n < 0 ? -n : n);
    *re = v_load(f->power + 2 * at * f->waves);
    *im = v_load(f->power + (2 * at + 1) * f->waves);
    if (n < 0)
        *im = -*im;
}

/* v shifted by j half boxes along b, k along c. */
SIMD_FN struct wave shifted(const struct frame *f, struct wave v, int j, int k)
{
    vreal br, bi, cr, ci;
    phase(f, 0, j, &br, &bi);
    phase(f, 1, k, &cr, &ci);
    vreal rr = br * cr, ii = bi * ci, ri = br * ci, ir = bi * cr;
    vreal re = rr - ii, im = ri + ir, re2 = rr + ii, im2 = ri - ir;
    return (struct wave){v.x * re - v.y * im, v.x * im + v.y * re,
                         v.z * re2 - v.w * im2, v.z * im2 + v.w * re2};
}

SIMD_FN void wave_add(struct wave *a, struct wave v)
{
    a->x += v.x;
    a->y += v.y;
    a->z += v.z;
    a->w += v.w;
}

SIMD_FN void wave_more(struct wave *a, struct wave v, vreal factor)
{
    a->x += factor * v.x;
    a->y += factor * v.y;
    a->z += factor * v.z;
    a->w += factor * v.w;
}

SIMD_FN struct wave wave_load(const real *p, int64_t waves)
{
    return (struct wave){v_load(p), v_load(p + waves), v_load(p + 2 * waves),
                         v_load(p + 3 * waves)};
}

SIMD_FN void wave_store(real *p, int64_t waves, struct wave v)
{
    v_store(p, v.x);
    v_store(p + waves, v.y);
    v_store(p + 2 * waves, v.z);
    v_store(p + 3 * waves, v.w);
}

/* Bits of an octant in an axis's frame (math/plane_wave.h). */
SIMD_FN int frame_bit(int axis, int which, int octant)
{
    static const int at[3][3] = {{2, 1, 0}, {2, 0, 1}, {0, 1, 2}};
    return octant >> at[axis][which] & 1;
}

/* Waves of a child from its sums of classes, u[class][octant]. */
SIMD_FN struct wave wave_of(vreal (*u)[8], int octant, int down)
{
    vreal t[4];
    for (int k = 0; k < 4; k++)
        t[k] = down ? u[k][octant] - u[k | 4][octant]
                    : u[k][octant] + u[k | 4][octant];
    return (struct wave){t[0] + t[3], t[1] + t[2], t[0] - t[3], t[2] - t[1]};
}

SIMD_FN int groups_before(int axis)
{
    return axis == 2 ? 0 : axis == 1 ? 4 : 12;
}

SIMD_FN int groups_of(int axis)
{
    return axis == 2 ? 2 : axis == 1 ? 4 : 8;
}

/* As plane_merge in gpu_plane_wave.k. */
SIMD_FN void merge(const struct frame *f, const int axis, vreal (*u)[8],
                   real *merged)
{
    for (int down = 0; down < 2; down++) {
        struct wave sum[8];
        memset(sum, 0, sizeof sum);
        for (int octant = 0; octant < 8; octant++) {
            int b = frame_bit(axis, 0, octant), c = frame_bit(axis, 1, octant);
            int along = frame_bit(axis, 2, octant);
            struct wave w = wave_of(u, octant, down);
            if (axis == 2)
                wave_add(&sum[along], shifted(f, w, 1 - 2 * b, 1 - 2 * c));
            else if (axis == 1)
                wave_add(&sum[2 * along + b], shifted(f, w, 0, 1 - 2 * c));
            else
                sum[4 * along + 2 * b + c] = w;
        }
        for (int g = 0; g < groups_of(axis); g++)
            wave_store(merged
                           + (groups_before(axis) + down * groups_of(axis) + g)
                                 * 4 * f->waves,
                       f->waves, sum[g]);
    }
}

/* Sums over the coefficients of an axis's class, [octant]. */
SIMD_FN void class_sums(const real *out, int64_t waves, const real *m,
                        const int range[2], vreal sum[8])
{
    vreal s[8];
    for (int o = 0; o < 8; o++)
        s[o] = v_set(0);
    for (int k = range[0]; k < range[1]; k++) {
        vreal t = v_load(out + k * waves);
        for (int o = 0; o < 8; o++)
            s[o] += t * v_set(m[8 * k + o]);
    }
    for (int o = 0; o < 8; o++)
        sum[o] = s[o];
}

SIMD_FN void out_axis(const struct wave_plan *plan, const int axis,
                      const real *m, real *merged)
{
    const real *out = plan->out[axis];
    for (int64_t q = 0; q < plan->waves; q += W) {
        struct frame f = frame_of(plan, axis, q);
        vreal u[8][8];
        for (int c = 0; c < 8; c++)
            class_sums(out + q, plan->waves, m, plan->range[axis][c], u[c]);
        merge(&f, axis, u, merged + q);
    }
}

static void wave_out(const struct wave_plan *plan, const void *m, void *merged,
                     void *workspace)
{
    (void)workspace;
    out_axis(plan, 0, m, merged);
    out_axis(plan, 1, m, merged);
    out_axis(plan, 2, m, merged);
}

SIMD_FN int near_at(int axis, int ws, int b, int c, int along)
{
    int side = 2 * ws + 1;
    int x = axis == 2 ? b : axis == 1 ? c : along;
    int y = axis == 2 ? c : axis == 1 ? along : c;
    int z = axis == 2 ? along : b;
    return ((z + ws) * side + y + ws) * side + x + ws;
}

/* Adds a parent's waves to the gathered ones, as plane_gather in waves.kh; ob,
 * oc: its offset; from: its groups of one layer. */
SIMD_FN void gather_parent(const struct frame *f, const int axis, int ob,
                           int oc, const real *from, struct wave to[2][2])
{
    int ws = f->ws;
    int64_t step = 4 * f->waves;
    if (axis == 2) {
        wave_add(&to[0][0],
                 shifted(f, wave_load(from, f->waves), -4 * ob, -4 * oc));
        return;
    }
    for (int sb = 0; sb < 2; sb++) {
        int at = 2 * ob + sb;
        if (at < -ws || at > 1 + ws)
            continue;
        for (int sc = 0; sc < (axis == 1 ? 1 : 2); sc++) {
            int across = 2 * oc + sc;
            if (axis == 0 && (across < -ws || across > 1 + ws))
                continue;
            int group = axis == 1 ? sb : 2 * sb + sc;
            struct wave w =
                shifted(f, wave_load(from + group * step, f->waves),
                        1 - 2 * at, axis == 1 ? -4 * oc : 1 - 2 * across);
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < (axis == 1 ? 1 : 2); c++)
                    if (at >= b - ws && at <= b + ws
                        && (axis == 1
                            || (across >= c - ws && across <= c + ws)))
                        wave_add(&to[b][c], w);
        }
    }
}

/* v[direction][layer][b][c] */
SIMD_FN void collect(const struct frame *f, const int axis, const real *merged,
                     const int64_t *near, struct wave v[2][2][2][2])
{
    int ws = f->ws;
    int64_t step = 4 * f->waves;
    memset(v, 0, 16 * sizeof(struct wave));
    for (int i = 0; i < 4 * ws; i++) {
        int down = i & 1, layer = i >> 1 & 1, away = 1 + i / 4;
        int group = groups_before(axis) + down * groups_of(axis)
                    + (down ? 1 - layer : layer) * (groups_of(axis) / 2);
        struct wave from[2][2];
        memset(from, 0, sizeof from);
        for (int ob = -ws; ob <= ws; ob++)
            for (int oc = -ws; oc <= ws; oc++) {
                int64_t row =
                    near[near_at(axis, ws, ob, oc, down ? away : -away)];
                if (row >= 0)
                    gather_parent(f, axis, ob, oc,
                                  merged + (row * WAVE_GROUPS + group) * step,
                                  from);
            }
        for (int to = 0; to < 2; to++) {
            int steps = 2 * away + to - layer - ws - 1;
            if (steps < 0)
                continue;
            vreal damp = v_load(f->damp + steps * f->waves);
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 2; c++)
                    wave_more(&v[down][to][b][c],
                              from[axis == 2 ? 0 : b][axis == 0 ? c : 0],
                              damp);
        }
    }
}

/* u[class][octant][waves] */
SIMD_FN void arrive_axis(const struct wave_plan *plan, const int axis,
                         const real *merged, const int64_t *near, real *u)
{
    for (int64_t q = 0; q < plan->waves; q += W) {
        struct frame f = frame_of(plan, axis, q);
        struct wave v[2][2][2][2];
        collect(&f, axis, merged + q, near, v);
        for (int octant = 0; octant < 8; octant++) {
            int b = frame_bit(axis, 0, octant), c = frame_bit(axis, 1, octant);
            int along = frame_bit(axis, 2, octant);
            struct wave up =
                shifted(&f, v[0][along][b][c], 2 * b - 1, 2 * c - 1);
            struct wave down =
                shifted(&f, v[1][1 - along][b][c], 2 * b - 1, 2 * c - 1);
            const vreal one[4] = {up.x + up.z, up.y - up.w, up.y + up.w,
                                  up.x - up.z};
            const vreal two[4] = {down.x + down.z, down.y - down.w,
                                  down.y + down.w, down.x - down.z};
            for (int k = 0; k < 4; k++) {
                v_store(u + (8 * k + octant) * plan->waves + q,
                        one[k] + two[k]);
                v_store(u + (8 * (k | 4) + octant) * plan->waves + q,
                        one[k] - two[k]);
            }
        }
    }
}

static void numbers_axis(const struct wave_plan *plan, int axis, const real *u,
                         real *l)
{
    const real *in = plan->in[axis];
    for (int f = 0; f < 8; f++)
        for (int k = plan->range[axis][f][0]; k < plan->range[axis][f][1];
             k++) {
            vreal s[8];
            for (int o = 0; o < 8; o++)
                s[o] = v_set(0);
            for (int64_t q = 0; q < plan->waves; q += W) {
                vreal t = v_load(in + k * plan->waves + q);
                for (int o = 0; o < 8; o++)
                    s[o] += t * v_load(u + (8 * f + o) * plan->waves + q);
            }
            for (int o = 0; o < 8; o++)
                l[8 * k + o] += v_sum(s[o]);
        }
}

static void wave_in(const struct wave_plan *plan, const void *merged,
                    const int64_t *near, void *l, void *workspace)
{
    memset(l, 0, 8 * (size_t)plan->size * sizeof(real));
    arrive_axis(plan, 0, merged, near, workspace);
    numbers_axis(plan, 0, workspace, l);
    arrive_axis(plan, 1, merged, near, workspace);
    numbers_axis(plan, 1, workspace, l);
    arrive_axis(plan, 2, merged, near, workspace);
    numbers_axis(plan, 2, workspace, l);
}

extern const struct wave_kern ISA_NAME(m2l_host_plane_wave);
const struct wave_kern ISA_NAME(m2l_host_plane_wave) = {wave_out, wave_in};
