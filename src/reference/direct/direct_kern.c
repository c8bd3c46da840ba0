/* SPDX-License-Identifier: Apache-2.0 */
/* direct_kern.c: all sources against a tile of targets in SIMD lanes. */
#include "base/simd.h"
#include "reference/direct/direct_kern.h"

#if FARSUM_BITS == 64
#include "reference/direct/direct_lane.h"

/* Adds `count` sources from j on; `sums` is 1, 4 or 10: phi, E (3), and xx yy
 * zz xy xz yz of sum q d d / r^3. */
SIMD_FN void lane_run(struct lane *t, const double *x, const double *q,
                      int count, int sums, vreal soft)
{
    vreal s[10] = {{0}};
    for (int j = 0; j < count; j++) {
        vreal dx = t->x[0] - v_set(x[3 * j]);
        vreal dy = t->x[1] - v_set(x[3 * j + 1]);
        vreal dz = t->x[2] - v_set(x[3 * j + 2]);
        vreal r2 = dx * dx + dy * dy + dz * dz, r = {0};
        for (int l = 0; l < W; l++)
            r[l] = sqrt(r2[l] + soft[l]);
        vreal inv = v_where(r2 > v_set(0), v_set(1) / r);
        vreal p = v_set(q[j]) * inv;
        s[0] += p;
        if (sums == 1)
            continue;
        vreal g = p * inv * inv;
        vreal gx = g * dx, gy = g * dy, gz = g * dz;
        s[1] += gx;
        s[2] += gy;
        s[3] += gz;
        if (sums == 4)
            continue;
        s[4] += gx * dx;
        s[5] += gy * dy;
        s[6] += gz * dz;
        s[7] += gx * dy;
        s[8] += gx * dz;
        s[9] += gy * dz;
    }
    lane_add(t, s, sums);
}

SIMD_FN void tile_store(const struct lane *tile, int sums, const double *q,
                        int64_t m, int64_t i0, double *potential,
                        double *field, struct direct_part *part)
{
    for (int i = 0; i < DIRECT_TILE && i0 + i < m; i++) {
        double value[SUMS];
        for (int a = 0; a < sums; a++)
            value[a] = tile_value(tile, i, a);
        if (potential)
            potential[i0 + i] = value[0];
        for (int d = 0; d < 3 && sums > 1 && field; d++)
            field[3 * (i0 + i) + d] = value[1 + d];
        if (!part)
            continue;
        double half = 0.5 * q[i0 + i];
        direct_add(&part->sum[0], &part->low[0], half * value[0]);
        for (int a = 4; a < sums; a++)
            direct_add(&part->sum[a - 3], &part->low[a - 3], half * value[a]);
    }
}

SIMD_FN void run(const struct direct_args *args, int64_t t0, int64_t t1,
                 double *potential, double *field, struct direct_part *part,
                 int sums)
{
    int64_t n = args->n, m = args->y ? args->m : n;
    vreal soft = v_set(args->softening * args->softening);
    struct lane tile[VECS];
    for (int64_t t = t0; t < t1; t++) {
        tile_load(tile, args, t * DIRECT_TILE);
        int64_t j = 0;
        for (; j + RUN <= n; j += RUN)
            for (int v = 0; v < VECS; v++)
                lane_run(&tile[v], args->x + 3 * j, args->q + j, RUN, sums,
                         soft);
        for (int v = 0; v < VECS; v++)
            lane_run(&tile[v], args->x + 3 * j, args->q + j, (int)(n - j), sums,
                     soft);
        tile_store(tile, sums, args->q, m, t * DIRECT_TILE, potential, field,
                   part);
    }
}

static void run_potential(const struct direct_args *args, int64_t t0,
                          int64_t t1, double *potential, double *field,
                          struct direct_part *part)
{
    run(args, t0, t1, potential, field, part, 1);
}
static void run_field(const struct direct_args *args, int64_t t0, int64_t t1,
                      double *potential, double *field,
                      struct direct_part *part)
{
    run(args, t0, t1, potential, field, part, 4);
}
static void run_virial(const struct direct_args *args, int64_t t0, int64_t t1,
                       double *potential, double *field,
                       struct direct_part *part)
{
    run(args, t0, t1, potential, field, part, 10);
}

extern const struct direct_kern ISA_NAME(direct);
const struct direct_kern ISA_NAME(direct) = {run_potential, run_field,
                                             run_virial};
#else
/* Built in f64 only. */
extern const struct direct_kern ISA_NAME(direct);
const struct direct_kern ISA_NAME(direct) = {0};
#endif
