/* SPDX-License-Identifier: Apache-2.0 */
/* bound_points.c: transfer of a device's tree and strengths to the host, which
 * computes the bound.  The leaves of a dense tree are copied; a sparse tree is
 * built again. */
#include <math.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "method/fmm/device/set_points.h"
#include "method/fmm/bound/bound.h"

/* Copies the number of points in each leaf. */
static farsum_status strict_leaves(const struct tree *there,
                                   const struct tree_gpu_points *from,
                                   struct tree_points *to)
{
    farsum_status status = FARSUM_OK;
    int64_t leaves = there->n_leaves;
    uint32_t *begin = NULL;
    *to = (struct tree_points){.n = from->n};
    GO(MEM_RAW(begin, leaves + 1));
    GO(MEM_RAW(to->begin, leaves + 1));
    GO(buf_download(&from->begin, 0, begin, 4 * (leaves + 1)));
    for (int64_t l = 0; l <= leaves; l++)
        to->begin[l] = begin[l];
done:
    mem_free(begin);
    return status;
}

static farsum_status strict_dense(const struct task *task, struct fmm *s,
                                  int *order)
{
    farsum_status status = FARSUM_OK;
    const struct tree_gpu *g = s->tree.gpu;
    struct tree here = s->tree; /* owns its points, borrows everything else */
    here.source = here.target = (struct tree_points){0};
    GO(strict_leaves(&s->tree, &g->source, &here.source));
    if (here.separate)
        GO(strict_leaves(&s->tree, &g->target, &here.target));
    GO(strict_tree(task, s, &here, order));
done:
    mem_free(here.source.begin);
    mem_free(here.target.begin);
    return status;
}

/* Downloads positions [n][3] from the device. */
static farsum_status strict_positions(const struct task *task,
                                      const struct buf *from, int64_t n,
                                      double **to)
{
    farsum_status status = FARSUM_OK;
    int64_t size = array_size(task->problem.arrays);
    char *x = NULL;
    GO(MEM_RAW(x, 3 * n * size));
    GO(MEM_RAW(*to, 3 * n));
    GO(buf_download(from, 0, x, 3 * n * size));
    for (int64_t i = 0; i < 3 * n; i++)
        (*to)[i] = task_per(task) * array_get(x, task->problem.arrays, i);
done:
    mem_free(x);
    return status;
}

/* Downloads fractions of a cell, [3][n]. */
static farsum_status strict_fractions(const struct points *points, double **to)
{
    TRY(MEM_RAW(*to, 3 * points->n));
    return buf_download(&points->gpu->s, 0, *to, 24 * points->n);
}

static struct tree_given strict_given(const double *x, int64_t n, int cell)
{
    int64_t axis = cell ? n : 1;
    if (!x)
        return (struct tree_given){0};
    return (struct tree_given){
        n, {x, x + axis, x + 2 * axis}, cell ? 1 : 3, cell};
}

static farsum_status strict_sparse(const struct task *task, struct fmm *s,
                                   int *order)
{
    farsum_status status = FARSUM_OK;
    int64_t n = s->source.n, m = s->tree.separate ? s->target.n : 0;
    int cell = s->input.periodic; /* its basis may be rotated */
    struct tree here = {0};
    struct tree_args args;
    double *x = NULL, *y = NULL;
    GO(fmm_gpu_tree_args(task, s, &args));
    GO(cell ? strict_fractions(&s->source, &x)
            : strict_positions(task, &s->gpu->x, n, &x));
    if (m > 0)
        GO(cell ? strict_fractions(&s->target, &y)
                : strict_positions(task, &s->gpu->y, m, &y));
    const struct tree_given source = strict_given(x, n, cell);
    const struct tree_given target = strict_given(y, m, cell);
    GO(tree_set(&here, &args, &source, m > 0 ? &target : NULL));
    GO(strict_tree(task, s, &here, order));
done:
    tree_clear(&here);
    mem_free(x);
    mem_free(y);
    return status;
}

farsum_status fmm_strict_points(const struct task *task, struct fmm *s,
                                int *order)
{
    struct fmm_strict *t = s->strict;
    int64_t bytes = s->source.n * array_size(task->problem.arrays);
    if (!s->gpu)
        return strict_tree(task, s, &s->tree, order);
    if (task->problem.memory == FARSUM_DEVICE && bytes > t->have_q) {
        char *q = NULL;
        TRY(MEM_RAW(q, bytes));
        mem_free(t->q);
        t->q = q;
        t->have_q = bytes;
    }
    return s->tree.dense ? strict_dense(task, s, order)
                         : strict_sparse(task, s, order);
}

farsum_status fmm_strict_given(const struct task *task, const struct fmm *s,
                               int rhs, int r, const void *q)
{
    struct fmm_strict *t = s->strict;
    farsum_precision type = task->problem.arrays;
    int64_t n = s->tree.source.n, first = r * n;
    if (!t)
        return FARSUM_OK;
    if (task->problem.memory == FARSUM_DEVICE) {
        struct buf from = {0};
        if (rhs > 1)
            FAIL(ERR_UNSUPPORTED,
                 "strict: found %d right-hand sides in device memory, where a "
                 "call may have one; pass them one by one or in host memory",
                 rhs);
        TRY(buf_given(&from, task->device, q, n * array_size(type),
                      "strengths"));
        TRY(buf_download(&from, 0, t->q, n * array_size(type)));
        q = t->q;
    }
    t->given = 0;
    for (int64_t i = first; i < first + n; i++)
        t->given = fmax(t->given, fabs(array_get(q, type, i)));
    t->given = ldexp(t->given, -scale_exponent(t->given));
    return FARSUM_OK;
}
