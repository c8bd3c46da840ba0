/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.h: access to the caller's arrays, which hold f32 or f64. */
#ifndef FARSUM_BASE_ARRAYS_H
#define FARSUM_BASE_ARRAYS_H

#include "base/status.h"

static inline double array_get(const void *a, farsum_precision type, int64_t i)
{
    return type == FARSUM_F32 ? (double)((const float *)a)[i]
                              : ((const double *)a)[i];
}

static inline void array_put(void *a, farsum_precision type, int64_t i,
                             double v)
{
    if (type == FARSUM_F32)
        ((float *)a)[i] = (float)v;
    else
        ((double *)a)[i] = v;
}

static inline int64_t array_size(farsum_precision type)
{
    return type == FARSUM_F32 ? 4 : 8;
}
#endif
