/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dynamic: (10.7) by kernels that launch kernels: where boxes are is found
 * out once for eight pairs, and these are a kernel of their own (Kohnke et al.,
 * IJHPCA 2020, section 3.3.2).  For comparison; wins never. */
#include "stage/m2l/papers/dynamic_make.h"

DYNAMIC_ROW(gpu_dynamic, 0)
