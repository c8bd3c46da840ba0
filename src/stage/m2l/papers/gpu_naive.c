/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_naive: (10.7) with its loops mapped directly to threads.  A thread
 * computes its box, the other box, n, m and k from its index, and sums over
 * orders (Kohnke et al., IJHPCA 2020, section 3.3.1).  Most of its work is
 * integer arithmetic.  For comparison; never the fastest. */
#include "stage/m2l/papers/naive_make.h"

NAIVE_ROW(gpu_naive, 0, "a device")
