/* SPDX-License-Identifier: Apache-2.0 */
/* dynamic_forms.c: the variants of dynamic_make.c, one line each. */
#include "stage/m2l/papers/dynamic_make.h"

/* (10.7) by kernels that launch kernels. The indices of boxes are computed
 * once for eight pairs, which are a separate kernel (Kohnke et al., IJHPCA
 * 2020, section 3.3.2). For comparison; never the fastest. */
DYNAMIC_ROW(gpu_dynamic, 0)

/* gpu_dynamic with two threads that share a coefficient's terms, so that no
 * thread idles. For comparison. */
DYNAMIC_ROW(gpu_dynamic_split, 1)
