/* SPDX-License-Identifier: Apache-2.0 */
/* mixed.c: f32 strengths of the near pairs, for a plan that sums everything
 * else in f64.  The pairs' results are f64 (`wide` in stage/near/near.h). */
#include "base/mem.h"
#include "base/par.h"
#include "method/spectral/spectral.h"

farsum_status spectral_mixed_reserve(const struct task *task,
                                     struct spectral *s, int64_t n)
{
    return MEM_RESERVE(s->near_q, &s->have_near_q, n * task->pair.strengths);
}

const float *spectral_mixed_in(const struct task *task, struct spectral *s)
{
    const double *q = s->q;
    int64_t n = s->n * task->pair.strengths;
    PAR_FOR(task->threads, schedule(static))
    for (int64_t k = 0; k < n; k++)
        s->near_q[k] = (float)q[k];
    return s->near_q;
}
