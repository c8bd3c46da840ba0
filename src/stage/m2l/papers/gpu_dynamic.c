/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dynamic: (10.7) by kernels that launch kernels.  The indices of boxes are
 * computed once for eight pairs, which are a separate kernel (Kohnke et al.,
 * IJHPCA 2020, section 3.3.2).  For comparison; never the fastest. */
#include "stage/m2l/papers/dynamic_make.h"

DYNAMIC_ROW(gpu_dynamic, 0)
