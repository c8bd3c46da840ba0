/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: the far part of a sum by itself, on a device. */
#include "method/spectral/device.h"
#include "method/spectral/part/part.h"
#include "stage/near/one_pair.h"

enum { GROUP = 256 };

farsum_status gpu_part_create(const struct task *task, struct spectral_gpu *g)
{
    struct gpu_part *x = &g->part;
    graph_clear(&g->recording); /* it has the near pairs */
    jit_begin(&x->jit, g->device, "method/spectral/part/self.k",
              task->problem.precision);
    jit_define(&x->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&x->jit));
    return jit_kernel(&x->jit, "part_self", GROUP, 0, &x->self);
}

void gpu_part_clear(struct gpu_part *x)
{
    if (x->jit.device)
        jit_clear(&x->jit);
}

/* The far field's part of the value of a unit strength. */
static double part_own(const struct task *task, const struct spectral *s)
{
    static const double none[3], q[PAIR_STRENGTHS] = {1};
    struct one_pair_sum sum = {.value = {0}};
    one_pair_add(one_pair_find(&task->pair), &s->parameters.poly, none, q, 0,
                 &sum);
    return sum.value[0];
}

farsum_status gpu_part_self(const struct task *task, struct spectral *s,
                            const struct buf *potential,
                            const struct buf *energy)
{
    struct spectral_gpu *g = s->gpu;
    const struct kernel *self = &g->part.self;
    const struct buf *none = &g->record; /* neither read nor written */
    double own = part_own(task, s);
    if (spectral_apart(s) || own == 0) /* no source is a target */
        return FARSUM_OK;
    return LAUNCH(self, kernel_groups(self, g->n), ARG_BUF(&g->q),
                  ARG_BUF(&g->fact), ARG_BUF(potential ? potential : none),
                  ARG_BUF(energy ? energy : none), ARG_I64(g->n),
                  ARG_I32(task->pair.values), ARG_I32(potential != NULL),
                  ARG_I32(energy != NULL), ARG_I32(FACT_Q2), ARG_F64(own));
}
