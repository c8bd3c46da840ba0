/* SPDX-License-Identifier: Apache-2.0 */
/* child_kernel.h: kernels that launch kernels (CUDA only), for variants that
 * support no other vendor. */
#ifndef FARSUM_DIALECT_CHILD_KERNEL_H
#define FARSUM_DIALECT_CHILD_KERNEL_H

/* Launches `groups` thread blocks of `group` threads of a kernel that depends
 * on no other launch.  The launching kernel ends after it.  1: it was
 * launched. */
#define NESTED_LAUNCH(kernel, groups, group, ...)                              \
    (kernel<<<(u32)(groups), (u32)(group), 0, cudaStreamFireAndForget>>>(      \
         __VA_ARGS__),                                                         \
     cudaGetLastError() == cudaSuccess)
#endif
