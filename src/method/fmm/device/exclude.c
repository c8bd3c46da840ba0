/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.c: exclusions of a plan by the fast multipole method on a
 * device. */
#include "method/fmm/device/set_points.h"

enum { GROUP = 128 };

/* Same layout as in method/fmm/device/exclude.k. */
struct exclude_units {
    double per_h, skip, least, soft, box[3];
    int64_t rows, sources, targets, roots;
    int32_t root[3], level, periodic, sparse, potential, field;
};
_Static_assert(sizeof(struct exclude_units) == 120, "as the kernel has it");

void fmm_gpu_exclude_clear(struct fmm_gpu_exclude *x)
{
    gpu_excluded_clear(&x->excluded);
    buf_clear(&x->at);
    buf_clear(&x->at_target);
    if (x->jit.device)
        jit_clear(&x->jit);
}

static farsum_status exclude_kernels(const struct task *task,
                                     struct fmm_gpu_exclude *x)
{
    if (x->ready)
        return FARSUM_OK;
    if (x->jit.device)
        jit_clear(&x->jit);
    jit_begin(&x->jit, task->device, "method/fmm/device/exclude.k",
              task->problem.precision);
    jit_define(&x->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&x->jit));
    TRY(jit_kernel(&x->jit, "fmm_exclude_at", GROUP, 0, &x->find));
    TRY(jit_kernel(&x->jit, "fmm_exclude", GROUP, 0, &x->run));
    x->ready = 1;
    return FARSUM_OK;
}

/* Sends the rows if the device has different ones. */
static farsum_status exclude_rows(const struct task *task,
                                  struct fmm_gpu_exclude *x)
{
    if (gpu_excluded_same(&x->excluded, task))
        return FARSUM_OK;
    x->excluded.version = 0;
    if (task->exclusions.rows > 0)
        TRY(exclude_kernels(task, x));
    return gpu_excluded_send(&x->excluded, task->device, &task->exclusions);
}

/* Sets at: the index of each of the caller's points in the order of leaves. */
static farsum_status exclude_at(struct fmm_gpu_exclude *x,
                                const struct tree_gpu_points *p,
                                struct device *device, struct buf *at)
{
    TRY(buf_reserve(at, device, 4 * p->n));
    return LAUNCH(&x->find, kernel_groups(&x->find, p->n), ARG_BUF(&p->order),
                  ARG_BUF(at), ARG_I64(p->n));
}

farsum_status fmm_gpu_exclude(const struct task *task, struct fmm *s)
{
    struct fmm_gpu_exclude *x = &s->gpu->exclude;
    struct tree *t = &s->tree;
    x->ordered = 0;
    TRY(exclude_rows(task, x));
    if (x->excluded.rows > 0) {
        TRY(exclude_at(x, &t->gpu->source, task->device, &x->at));
        if (t->separate)
            TRY(exclude_at(x, &t->gpu->target, task->device, &x->at_target));
    }
    x->ordered = 1;
    return FARSUM_OK;
}

farsum_status fmm_gpu_exclude_ready(const struct task *task,
                                    const struct fmm *s)
{
    const struct fmm_gpu_exclude *x = &s->gpu->exclude;
    return gpu_excluded_ready(&x->excluded, task, x->ordered);
}

farsum_status fmm_gpu_exclude_run(struct fmm *s, const struct p2p_io *near)
{
    const struct fmm_gpu *g = s->gpu;
    const struct fmm_gpu_exclude *x = &g->exclude;
    const struct gpu_excluded *e = &x->excluded;
    const struct tree *t = &s->tree;
    const struct tree_gpu_points *from = &t->gpu->source;
    const struct tree_gpu_points *to = tree_gpu_targets(t);
    const struct buf *none = &g->record; /* nothing is written there */
    double h = tree_h(t, t->dense ? t->depth : 0), skip = s->pairs.skip / h;
    double least = p2p_least(s->pairs.precision);
    double soft = s->pairs.softening / h;
    struct exclude_units units = {
        .per_h = 1 / h,
        .skip = skip * skip,
        .least = least * least,
        .soft = soft * soft,
        .rows = e->rows,
        .sources = from->n,
        .targets = to->n,
        .roots = tree_boxes(t, 0),
        .level = t->depth,
        .periodic = s->input.periodic,
        .sparse = !t->dense,
        .potential = near->potential != NULL,
        .field = near->field != NULL,
    };
    if (e->rows == 0)
        return FARSUM_OK;
    for (int d = 0; d < 3; d++) {
        units.box[d] = t->box[d];
        units.root[d] = (int32_t)t->root[d];
    }
    return LAUNCH(
        &x->run, kernel_groups(&x->run, e->rows), ARG_BUF(&e->target),
        ARG_BUF(&e->start), ARG_BUF(&e->source), ARG_BUF(&e->lost),
        ARG_BUF(&x->at), ARG_BUF(t->separate ? &x->at_target : &x->at),
        ARG_BUF(fmm_gpu_leaf(s, 0)), ARG_BUF(fmm_gpu_leaf(s, 1)),
        ARG_BUF(fmm_gpu_places(s)), ARG_BUF(&from->x), ARG_BUF(&to->x),
        ARG_BUF(&from->low), ARG_BUF(&to->low), ARG_BUF(near->q),
        ARG_BUF(near->potential ? near->potential : none),
        ARG_BUF(near->field ? near->field : none), ARG_STRUCT(units));
}
