/* SPDX-License-Identifier: Apache-2.0 */
/* moments_kern.c: SIMD code of charges with dipoles. */
#include "stage/near/host_cluster/segment.h"

#define BODY(kernel, n, to, output, newton, screened)                          \
    static void sum_##kernel##_##n##_##to(struct segment *s)                   \
    {                                                                          \
        segment_pairs(s, (struct pair_how){n, newton, output, 4, 0, NULL,      \
                                           NULL, 0, screened});                \
    }
#define KERNELS(kernel, screened, n)                                           \
    BODY(kernel, n, both, CLUSTER_BOTH, 0, screened)                           \
    BODY(kernel, n, all, CLUSTER_ALL, 0, screened)                             \
    BODY(kernel, n, both_newton, CLUSTER_BOTH, 1, screened)                    \
    BODY(kernel, n, all_newton, CLUSTER_ALL, 1, screened)
#define KERNEL_ROW(kernel, screened, n)                                        \
    {n,                                                                        \
     {{NULL, NULL, sum_##kernel##_##n##_both, sum_##kernel##_##n##_all},       \
      {NULL, NULL, sum_##kernel##_##n##_both_newton,                           \
       sum_##kernel##_##n##_all_newton}}},

COEFS_FEW(KERNELS, bare, 0)
COEFS_FEW(KERNELS, screened, 1)
static const struct pair_kernel bare[] = {COEFS_FEW(KERNEL_ROW, bare, 0)};
static const struct pair_kernel screened[] = {
    COEFS_FEW(KERNEL_ROW, screened, 1)};

const struct pair_kernels ISA_NAME(near_host_cluster_moments)[] = {
    {"charge_dipole", 0, bare},
    {"yukawa_dipole", 0, screened},
    {NULL, 0, NULL}};
