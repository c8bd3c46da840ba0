/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_naive_managed: gpu_naive with multipoles, locals and operators in memory
 * that the host uses too and writes first, as Kohnke et al. have them: pages
 * come to the device when its kernels first ask for them.  For comparison; wins
 * never. */
#include "stage/m2l/papers/naive_make.h"

NAIVE_ROW(gpu_naive_managed, 1, "memory that host and device share")
