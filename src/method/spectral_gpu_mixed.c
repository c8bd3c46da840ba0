/* spectral_gpu_mixed.c: near pairs in f32 of a plan on a device that sums all
 * else in f64. */
#include "method/spectral_gpu.h"

enum { GROUP = 256 };

farsum_status gpu_mixed_create(struct spectral_gpu *g)
{
    struct gpu_mixed *x = &g->mixed;
    jit_begin(&x->jit, g->device, "method/spectral_mixed.k", FARSUM_F64);
    jit_define(&x->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&x->jit));
    TRY(jit_kernel(&x->jit, "mixed_narrow", GROUP, 0, &x->narrow));
    return jit_kernel(&x->jit, "mixed_add", GROUP, 0, &x->add);
}

void gpu_mixed_clear(struct gpu_mixed *x)
{
    buf_clear(&x->q);
    buf_clear(&x->potential);
    buf_clear(&x->field);
    if (x->jit.device)
        jit_clear(&x->jit);
}

farsum_status gpu_mixed_reserve(const struct farsum_plan *plan,
                                struct spectral_gpu *g, int64_t n, int64_t m)
{
    struct gpu_mixed *x = &g->mixed;
    const struct pair *pair = &plan->pair;
    TRY(buf_reserve(&x->q, g->device, 4 * n * pair->strengths));
    TRY(buf_reserve(&x->potential, g->device, 4 * m * pair->values));
    if (!pair->kind->gradient)
        return FARSUM_OK;
    return buf_reserve(&x->field, g->device, 12 * m);
}

farsum_status gpu_mixed_in(const struct farsum_plan *plan, struct spectral *s,
                           struct near_io *near)
{
    struct gpu_mixed *x = &s->gpu->mixed;
    int64_t n = s->n * plan->pair.strengths, m = s->m > 0 ? s->m : s->n;
    TRY(LAUNCH(&x->narrow, kernel_groups(&x->narrow, n), ARG_BUF(near->q),
               ARG_BUF(&x->q), ARG_I64(n)));
    near->q = &x->q;
    if (near->potential) {
        TRY(buf_fill_part(&x->potential, 0, 0, 4 * m * plan->pair.values));
        near->potential = &x->potential;
    }
    if (near->field) {
        TRY(buf_fill_part(&x->field, 0, 0, 12 * m));
        near->field = &x->field;
    }
    return FARSUM_OK;
}

farsum_status gpu_mixed_out(const struct farsum_plan *plan, struct spectral *s,
                            const struct near_io *to)
{
    struct gpu_mixed *x = &s->gpu->mixed;
    int64_t m = s->m > 0 ? s->m : s->n, n = m * plan->pair.values;
    if (to->potential)
        TRY(LAUNCH(&x->add, kernel_groups(&x->add, n), ARG_BUF(&x->potential),
                   ARG_BUF(to->potential), ARG_I64(n)));
    if (to->field)
        TRY(LAUNCH(&x->add, kernel_groups(&x->add, 3 * m), ARG_BUF(&x->field),
                   ARG_BUF(to->field), ARG_I64(3 * m)));
    return FARSUM_OK;
}
