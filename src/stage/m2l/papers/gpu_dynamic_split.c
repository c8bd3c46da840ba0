/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dynamic_split: gpu_dynamic where two threads share a number's terms, so
 * that none idles. */
#include "stage/m2l/papers/dynamic_make.h"

DYNAMIC_ROW(gpu_dynamic_split, 1)
