/* SPDX-License-Identifier: Apache-2.0 */
/* window_table.h: a window's pieces in a kernel's precision. */
#ifndef FARSUM_MATH_WINDOW_TABLE_H
#define FARSUM_MATH_WINDOW_TABLE_H

#include "math/window.h"

/* Allocates *coef: [degree + 1][WINDOW_MAX] in the given precision, 0 beyond
 * the support.  By mem_alloc; the caller owns it. */
farsum_status window_table(const struct window *window,
                           farsum_precision precision, void **coef);
#endif
