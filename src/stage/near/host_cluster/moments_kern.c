/* SPDX-License-Identifier: Apache-2.0 */
/* moments_kern.c: SIMD code of charges with dipoles. */
#include "stage/near/host_cluster/segment.h"

#define BODY(n, to, output, newton)                                            \
    static void sum_##n##_##to(struct segment *s)                              \
    {                                                                          \
        segment_pairs(                                                         \
            s, (struct pair_how){n, newton, output, 4, 0, NULL, NULL, 0});     \
    }
#define KERNELS(name, strengths, n)                                            \
    BODY(n, both, CLUSTER_BOTH, 0)                                             \
    BODY(n, all, CLUSTER_ALL, 0)                                               \
    BODY(n, both_newton, CLUSTER_BOTH, 1)                                      \
    BODY(n, all_newton, CLUSTER_ALL, 1)
#define KERNEL_ROW(name, strengths, n)                                         \
    {n,                                                                        \
     {{NULL, NULL, sum_##n##_both, sum_##n##_all},                             \
      {NULL, NULL, sum_##n##_both_newton, sum_##n##_all_newton}}},

COEFS_FEW(KERNELS, moments, 4)
static const struct pair_kernel kernels[] = {COEFS_FEW(KERNEL_ROW, moments, 4)};

const struct pair_kernels ISA_NAME(near_host_cluster_moments)[] = {
    {"charge_dipole", 0, kernels}, {NULL, 0, NULL}};
