/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dynamic_split: gpu_dynamic with two threads that share a coefficient's
 * terms, so that no thread idles.  For comparison. */
#include "stage/m2l/papers/dynamic_make.h"

DYNAMIC_ROW(gpu_dynamic_split, 1)
