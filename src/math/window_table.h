/* SPDX-License-Identifier: Apache-2.0 */
/* window_table.h: a window's pieces in the precision of a kernel. */
#ifndef FARSUM_MATH_WINDOW_TABLE_H
#define FARSUM_MATH_WINDOW_TABLE_H

#include "math/window.h"

/* *coef: [degree + 1][WINDOW_MAX] of the precision, 0 past the support, by
 * mem_alloc; the caller owns it. */
farsum_status window_table(const struct window *window,
                           farsum_precision precision, void **coef);
#endif
