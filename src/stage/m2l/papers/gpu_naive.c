/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_naive: (10.7) with its loops mapped to threads as they stand: a thread
 * finds out its box, the other box, n, m and k from its number, and sums over
 * orders (Kohnke et al., IJHPCA 2020, section 3.3.1).  Most of what it does is
 * integers.  For comparison; wins never. */
#include "stage/m2l/papers/naive_make.h"

NAIVE_ROW(gpu_naive, 0, "a device")
