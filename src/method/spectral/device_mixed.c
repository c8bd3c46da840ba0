/* SPDX-License-Identifier: Apache-2.0 */
/* device_mixed.c: f32 strengths of the near pairs, for a plan on a device that
 * sums everything else in f64. */
#include "method/spectral/device.h"

enum { GROUP = 256 };

farsum_status gpu_mixed_create(struct spectral_gpu *g)
{
    struct gpu_mixed *x = &g->mixed;
    jit_begin(&x->jit, g->device, "method/spectral/mixed.k", FARSUM_F64);
    jit_define(&x->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&x->jit));
    return jit_kernel(&x->jit, "mixed_narrow", GROUP, 0, &x->narrow);
}

void gpu_mixed_clear(struct gpu_mixed *x)
{
    buf_clear(&x->q);
    if (x->jit.device)
        jit_clear(&x->jit);
}

farsum_status gpu_mixed_reserve(const struct task *task, struct spectral_gpu *g,
                                int64_t n)
{
    return buf_reserve(&g->mixed.q, g->device, 4 * n * task->pair.strengths);
}

farsum_status gpu_mixed_in(const struct task *task, struct spectral_gpu *g,
                           int64_t n, const struct buf *q)
{
    struct gpu_mixed *x = &g->mixed;
    int64_t numbers = n * task->pair.strengths;
    return LAUNCH(&x->narrow, kernel_groups(&x->narrow, numbers), ARG_BUF(q),
                  ARG_BUF(&x->q), ARG_I64(numbers));
}
