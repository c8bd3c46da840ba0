/* SPDX-License-Identifier: Apache-2.0 */
/* near_columns.h: columns of cells along c that the balls of some targets, all
 * within one box, touch; and of each the run of sources that may lie inside.
 *
 * Threads in step share targets; where none are known to be a thread has its
 * own.  Who includes it has included leaf/near_sums.h. */
#ifndef FARSUM_LEAF_NEAR_COLUMNS_H
#define FARSUM_LEAF_NEAR_COLUMNS_H

#if HAS_SUBGROUP
#define LANE (LID % SG_SIZE)
#else
#define LANE 0
#define sg_ballot(v) ((u64)((v) != 0))
#define sg_any(v) ((v) != 0)
#define sg_shuffle(v, lane) (v)
#define sg_shuffle_xor(v, mask) (v)
#define SG_BARRIER()
#endif
/* A bit for each thread in step. */
#if SG_SIZE > 32
#define BITS u64
#define BITS_SET(v) POPCOUNT64(v)
#else
#define BITS u32
#define BITS_SET(v) POPCOUNT32(v)
#endif
#define BITS_BELOW (((BITS)1 << LANE) - 1)
/* Of the lowest that is set. */
#define BITS_FIRST(v) BITS_SET(((v) & (0 - (v))) - 1)
/* Not near anything. */
#define FAR_AWAY (f32)1e15

/* 1/sqrt: a step of third order from a seed of 23 bits leaves all of them. */
FN real near_rsqrt(real x)
{
#if REAL_BITS == 64
    f64 y = (f64)RSQRT32((f32)x), h = FMA(-x * y, y, R(1));
    return FMA(y * h, FMA(R(0.375), h, R(0.5)), y);
#else
    return RSQRT(x);
#endif
}

/* Sum over threads in step that are `by`, 2 by, ... apart. */
FN sum_t near_over(sum_t v, i32 by)
{
    UNROLL
    for (i32 k = SG_SIZE / 2; k >= by; k /= 2)
        v += sg_shuffle_xor(v, k);
    return v;
}

FN void near_join(i32 by, struct near_sums *sum)
{
    UNROLL
    for (i32 c = 0; c < VALUES; c++)
        sum->SUMS(value)[c] = near_over(sum->SUMS(value)[c], by);
    UNROLL
    for (i32 j = 0; j < 3; j++)
        if (FIELD)
            sum->SUMS(field)[j] = near_over(sum->SUMS(field)[j], by);
    UNROLL
    for (i32 t = 0; t < 6; t++)
        if (VIRIAL)
            sum->SUMS(virial)[t] = near_over(sum->SUMS(virial)[t], by);
}

/* Sums over threads that are beside one another, `share` of them, a power of
 * two, to all of them. */
FN sum_t near_over_beside(sum_t v, i32 share)
{
    UNROLL
    for (i32 by = share / 2; by > 0; by /= 2)
        v += sg_shuffle_xor(v, by);
    return v;
}

FN void near_join_beside(i32 share, struct near_sums *sum)
{
    UNROLL
    for (i32 c = 0; c < VALUES; c++)
        if (POT)
            sum->SUMS(value)[c] = near_over_beside(sum->SUMS(value)[c], share);
    UNROLL
    for (i32 j = 0; j < 3; j++)
        if (FIELD)
            sum->SUMS(field)[j] = near_over_beside(sum->SUMS(field)[j], share);
    UNROLL
    for (i32 t = 0; t < 6; t++)
        if (VIRIAL)
            sum->SUMS(virial)[t] =
                near_over_beside(sum->SUMS(virial)[t], share);
}

struct near_columns {
    f32 x0;         /* frame: c along z, b in the plane of y and z; a = (x0, y0,
                       z0), b = (0, y1, z1), c = (0, 0, z2), in cutoffs */
    f32 y0, y1, z0, z1, z2;
    f32 cut;        /* squared, with what f32 leaves of a distance */
    f32 slack;      /* of a place in a cell, cutoffs */
    i32 reach_z;    /* images of a column on either side */
    i32 columns;    /* to look at, images too */
    i32 together;   /* cells along c that targets looked at together span */
    f32 inner;      /* squared: nearer pairs are none for f32 */
    f32 scale, shift; /* of d^2 to what those polynomials are in */
    f32 edge[9];    /* of one cell, cutoffs */
    f32 pad;
};

/* A box around targets, from cell b's corner on, in cells. */
struct near_box {
    i32 b[3];
    f32 low[3], high[3];
};

/* Least and largest of p u + q w with u in u0 .. u1, w in w0 .. w1. */
FN void near_range(f32 p, f32 u0, f32 u1, f32 q, f32 w0, f32 w1, f32 *least,
                   f32 *most)
{
    *least = (p > 0 ? p * u0 : p * u1) + (q > 0 ? q * w0 : q * w1);
    *most = (p > 0 ? p * u1 : p * u0) + (q > 0 ? q * w1 : q * w0);
}

FN f32 near_beyond(f32 least, f32 most)
{
    return least > 0 ? least : most < 0 ? -most : 0;
}

/* Column t of those around cell b: its image, the run of sources that a ball
 * around a target may hold, and the run's first cell, `corner`, from cell 0 on,
 * images not folded back. */
FN void near_column(GLOBAL const u32 *start, struct near_cells a,
                    struct near_columns g, i32 t, struct near_box box,
                    i32 image[3], i32 corner[3], u32 *begin, u32 *end)
{
    i32 wide = 2 * a.reach[1] + 1, deep = 2 * g.reach_z + 1;
    i32 kz = t % deep - g.reach_z, db = t / deep % wide - a.reach[1];
    i32 da = t / deep / wide - a.reach[0];
    f32 u0 = ((f32)da - box.high[0]) / (f32)a.nb[0];
    f32 u1 = ((f32)(da + 1) - box.low[0]) / (f32)a.nb[0];
    f32 w0 = ((f32)db - box.high[1]) / (f32)a.nb[1];
    f32 w1 = ((f32)(db + 1) - box.low[1]) / (f32)a.nb[1];
    f32 least, most, x, y;
    *begin = *end = 0;
    near_range(g.x0, u0, u1, 0, 0, 0, &least, &most);
    x = near_beyond(least - g.slack, most + g.slack);
    near_range(g.y0, u0, u1, g.y1, w0, w1, &least, &most);
    y = near_beyond(least - g.slack, most + g.slack);
    f32 left = g.cut - x * x - y * y;
    if (t >= g.columns || left <= 0)
        return;
    left = sqrt(left) + g.slack;
    near_range(g.z0, u0, u1, g.z1, w0, w1, &least, &most);
    f32 down = (-left - most) / g.z2, up = (left - least) / g.z2;
    i32 first = box.b[2] + (i32)floor(box.low[2] + down * (f32)a.nb[2]);
    i32 last = box.b[2] + (i32)floor(box.high[2] + up * (f32)a.nb[2]);
    first = first > kz * a.nb[2] ? first - kz * a.nb[2] : 0;
    last = last < (kz + 1) * a.nb[2] ? last - kz * a.nb[2] : a.nb[2] - 1;
    if (first > last)
        return;
    i32 i = near_home(box.b[0] + da, a.nb[0], &image[0]);
    i32 j = near_home(box.b[1] + db, a.nb[1], &image[1]);
    i64 row = ((i64)i * a.nb[1] + j) * a.nb[2];
    image[2] = kz;
    corner[0] = box.b[0] + da;
    corner[1] = box.b[1] + db;
    corner[2] = first + kz * a.nb[2];
    *begin = start[row + first];
    *end = start[row + last + 1];
}

/* Cell and place of target k, from cell b's corner on. */
FN void near_place_of(GLOBAL const u32 *cell, GLOBAL const f32 *place,
                      struct near_cells a, i64 k, i32 b[3], f32 w[3])
{
    near_axes(a, cell[k], b);
    UNROLL
    for (i32 j = 0; j < 3; j++)
        w[j] = place[(3 + j) * a.n + k];
}

/* Images as one word. */
#define NEAR_HOME (512 | 512 << 10 | 512 << 20)
FN u32 near_code(const i32 image[3])
{
    return (u32)(image[0] + 512) | (u32)(image[1] + 512) << 10
           | (u32)(image[2] + 512) << 20;
}

FN void near_decode(u32 code, i32 image[3])
{
    image[0] = (i32)(code & 1023) - 512;
    image[1] = (i32)(code >> 10 & 1023) - 512;
    image[2] = (i32)(code >> 20 & 1023) - 512;
}
#endif
