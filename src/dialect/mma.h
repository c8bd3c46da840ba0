/* SPDX-License-Identifier: Apache-2.0 */
/* mma.h: matrix products on tensor cores (NVIDIA, sm_80 and later), for
 * variants that support no other vendor.
 *
 * FP64 products: MMA is 16 where a product has 16 rows (sm_90), else 8.  Lane l
 * holds A[l/4][l%4], B[l%4][l/4] and D[l/4][2 (l%4) + 0, 1].  For 16 rows it
 * also holds A and D of row l/4 + 8.
 *
 * Below these are products of 16 x 8 by 8 x 8 for f64 and TF32; TF32 sums are
 * f32.  Lane l holds A[l/4 + 0, 8][l%4], then A[l/4 + 0, 8][l%4 + 4], B[l%4 +
 * 0, 4][l/4] and D[l/4][2 (l%4) + 0, 1], then D[l/4 + 8][same]. */
#ifndef FARSUM_DIALECT_MMA_H
#define FARSUM_DIALECT_MMA_H

FN void mma8(f64 *d, f64 a, f64 b)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},"
        "{%0,%1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a), "d"(b));
}

FN void mma16x8(f64 *d, const f64 *a, f64 b, f64 b4)
{
#if MMA == 16
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},"
        "{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b), "d"(b4));
#else
    mma8(d, a[0], b);
    mma8(d + 2, a[1], b);
    mma8(d, a[2], b4);
    mma8(d + 2, a[3], b4);
#endif
}

/* Rounds v to the bits that TF32 keeps, and the remainder likewise: 22 bits
 * together.  Compilers expand the rounding instruction to many where v may be
 * infinite. */
FN void tf32_parts(f32 v, u32 *high, u32 *low)
{
    u32 top = (__float_as_uint(v) + 0x1000u) & 0xffffe000u;
    *high = top;
    *low = (__float_as_uint(v - __uint_as_float(top)) + 0x1000u) & 0xffffe000u;
}

FN void mma16x8_tf32(f32 *d, const u32 *a, const u32 *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},"
        "{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Multiplies rows a into d and rows a8 into e. */
FN void mma16(f64 *d, f64 *e, f64 a, f64 a8, f64 b)
{
#if MMA == 16
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},"
        "{%4,%5},{%6},{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(e[0]), "+d"(e[1])
        : "d"(a), "d"(a8), "d"(b));
#else
    mma8(d, a, b);
    mma8(e, a8, b);
#endif
}

/* Multiplies sixteen rows by eight columns of depth 8 or 4, in the precision of
 * `real`.  f32 uses three products of leading and trailing bits on TF32 tensor
 * cores, exact to about 2^-21.  Lane l holds entries l%4 of rows l/4 and l/4 +
 * 8, then entries l%4 + 4 of both rows.  It also holds entries l%4 and l%4 + 4
 * of column l/4.  D is as above. */
#if REAL_BITS == 64
struct mma_rows {
    f64 v[4];
};
struct mma_columns {
    f64 v[2];
};

FN struct mma_rows mma_rows_of(f64 a, f64 a8, f64 far, f64 far8)
{
    struct mma_rows r = {{a, a8, far, far8}};
    return r;
}

FN struct mma_columns mma_columns_of(f64 b, f64 far)
{
    struct mma_columns c = {{b, far}};
    return c;
}

FN void mma_real(f64 d[4], const struct mma_rows *a,
                 const struct mma_columns *b, i32 depth)
{
    if (depth > 4)
        mma16x8(d, a->v, b->v[0], b->v[1]);
    else
        mma16(d, d + 2, a->v[0], a->v[1], b->v[0]);
}
#else
struct mma_rows {
    u32 lead[4], trail[4];
};
struct mma_columns {
    u32 lead[2], trail[2];
};

/* Splits v into eleven rounded bits and the remainder. */
FN void mma_split(f32 v, u32 *lead, u32 *trail)
{
    *lead = (__float_as_uint(v) + 0x1000u) & 0xffffe000u;
    *trail = __float_as_uint(v - __uint_as_float(*lead));
}

FN struct mma_rows mma_rows_of(f32 a, f32 a8, f32 far, f32 far8)
{
    struct mma_rows r;
    mma_split(a, &r.lead[0], &r.trail[0]);
    mma_split(a8, &r.lead[1], &r.trail[1]);
    mma_split(far, &r.lead[2], &r.trail[2]);
    mma_split(far8, &r.lead[3], &r.trail[3]);
    return r;
}

FN struct mma_columns mma_columns_of(f32 b, f32 far)
{
    struct mma_columns c;
    mma_split(b, &c.lead[0], &c.trail[0]);
    mma_split(far, &c.lead[1], &c.trail[1]);
    return c;
}

FN void mma_tf32(f32 d[4], const u32 a[4], const u32 b[2], i32 depth)
{
    if (depth > 4)
        mma16x8_tf32(d, a, b);
    else
        asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
            "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

/* Tensor cores truncate their sums; this final addition rounds. */
FN void mma_real(f32 d[4], const struct mma_rows *a,
                 const struct mma_columns *b, i32 depth)
{
    f32 t[4] = {0, 0, 0, 0};
    mma_tf32(t, a->trail, b->lead, depth);
    mma_tf32(t, a->lead, b->trail, depth);
    mma_tf32(t, a->lead, b->lead, depth);
    for (i32 k = 0; k < 4; k++)
        d[k] += t[k];
}
#endif
#endif
