/* SPDX-License-Identifier: Apache-2.0 */
/* flow_kern.c: SIMD code of the flow kernels. */
#include "stage/near/host_cluster/segment.h"

#define BODY(name, strengths, n, to, newton)                                   \
    static void sum_##name##_##n##_##to(struct segment *s)                     \
    {                                                                          \
        segment_pairs(s,                                                       \
                      (struct pair_how){n, newton, CLUSTER_FIELD, strengths,   \
                                        0, pair_##name, NULL, 0, 0});          \
    }
#define KERNELS(name, strengths, n)                                            \
    BODY(name, strengths, n, once, 0)                                          \
    BODY(name, strengths, n, newton, 1)
#define KERNEL_ROW(name, strengths, n)                                         \
    {n,                                                                        \
     {{NULL, sum_##name##_##n##_once, NULL},                                   \
      {NULL, sum_##name##_##n##_newton, NULL}}},

#define SCALAR(name, polys, note)
#define FLOW(name, strengths, channels, polys, note)                           \
    COEFS(KERNELS, name, strengths)                                            \
    static const struct pair_kernel kernels_##name[]                           \
        = {COEFS(KERNEL_ROW, name, strengths)};
#include "math/pair.def"
#undef FLOW

const struct pair_kernels ISA_NAME(near_host_cluster_flow)[] = {
#define FLOW(name, strengths, channels, polys, note) {#name, 0, kernels_##name},
#include "math/pair.def"
#undef FLOW
#undef SCALAR
    {NULL, 0, NULL}};
