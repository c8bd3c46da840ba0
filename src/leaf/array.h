/* SPDX-License-Identifier: Apache-2.0 */
/* array.h: numbers of a caller's array, f32 or f64. */
#ifndef FARSUM_LEAF_ARRAY_H
#define FARSUM_LEAF_ARRAY_H

FN f64 array_get(GLOBAL const f32 *a32, GLOBAL const f64 *a64, i32 wide, i64 i)
{
    return wide ? a64[i] : (f64)a32[i];
}
#endif
