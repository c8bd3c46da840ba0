/* SPDX-License-Identifier: Apache-2.0 */
/* child_kernel.h: kernels that launch kernels (CUDA), for rows that fit nothing
 * else. */
#ifndef FARSUM_DIALECT_CHILD_KERNEL_H
#define FARSUM_DIALECT_CHILD_KERNEL_H

/* `groups` groups of `group` threads of a kernel that depends on nothing else
 * that was launched; the kernel that launches ends when it has.  1: it was
 * launched. */
#define NESTED_LAUNCH(kernel, groups, group, ...)                              \
    (kernel<<<(u32)(groups), (u32)(group), 0, cudaStreamFireAndForget>>>(      \
         __VA_ARGS__),                                                         \
     cudaGetLastError() == cudaSuccess)
#endif
