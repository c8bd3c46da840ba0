/* mma.h: products on FP64 tensor cores (NVIDIA, sm_80 and later), for rows that
 * fit nothing else.  MMA is 16 where a product has 16 rows (sm_90), else 8.
 * Lane l holds A[l/4][l%4], B[l%4][l/4] and D[l/4][2 (l%4) + 0, 1]; of 16 rows
 * also A and D of row l/4 + 8. */
#ifndef FARSUM_LEAF_MMA_H
#define FARSUM_LEAF_MMA_H

FN void mma8(f64 *d, f64 a, f64 b)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},"
        "{%0,%1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a), "d"(b));
}

/* Rows a into d, rows a8 into e. */
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
#endif
