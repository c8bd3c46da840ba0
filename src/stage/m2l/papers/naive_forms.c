/* SPDX-License-Identifier: Apache-2.0 */
/* naive_forms.c: the variants of naive_make.c, one line each. */
#include "stage/m2l/papers/naive_make.h"

/* (10.7) with its loops mapped directly to threads. A thread computes its
 * box, the other box, n, m and k from its index, and sums over orders
 * (Kohnke et al., IJHPCA 2020, section 3.3.1). Most of its work is integer
 * arithmetic. For comparison; never the fastest. */
NAIVE_ROW(gpu_naive, 0, "a device")

/* gpu_naive with multipoles, locals and operators in memory that host and
 * device share, written first by the host, as in Kohnke et al. Pages move to
 * the device when its kernels first access them. For comparison; never the
 * fastest. */
NAIVE_ROW(gpu_naive_managed, 1, "memory that host and device share")
