/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_naive_managed: gpu_naive with multipoles, locals and operators in memory
 * that host and device share, written first by the host, as in Kohnke et al.
 * Pages move to the device when its kernels first access them.  For comparison;
 * never the fastest. */
#include "stage/m2l/papers/naive_make.h"

NAIVE_ROW(gpu_naive_managed, 1, "memory that host and device share")
