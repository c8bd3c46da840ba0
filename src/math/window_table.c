/* SPDX-License-Identifier: Apache-2.0 */
/* window_table.c: conversion of a window's pieces from double. */
#include "math/window_table.h"

#include "base/mem.h"

farsum_status window_table(const struct window *window,
                           farsum_precision precision, void **coef)
{
    int f32 = precision == FARSUM_F32;
    TRY(mem_alloc(coef, (int64_t)(window->degree + 1) * WINDOW_MAX,
                  f32 ? sizeof(float) : sizeof(double), 0));
    for (int d = 0; d <= window->degree; d++)
        for (int j = 0; j < WINDOW_MAX; j++)
            if (f32)
                ((float *)*coef)[d * WINDOW_MAX + j] =
                    (float)window->coef[d][j];
            else
                ((double *)*coef)[d * WINDOW_MAX + j] = window->coef[d][j];
    return FARSUM_OK;
}
