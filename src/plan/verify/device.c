/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: the second sum at a few targets.  With one or two periodic axes it
 * is that of reference/few/images.h, if it knows the kernel.  Otherwise a plan
 * on a device uses reference/few/device.h; others use reference/few/few.h.  The
 * few excluded pairs are summed separately. */
#include <string.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "reference/exclusions.h"
#include "reference/few/few.h"
#include "reference/few/device.h"
#include "reference/few/images.h"
#include "plan/verify/verify.h"

int verify_on_device(const struct farsum_plan *plan, const struct verify_sum *s)
{
    farsum_status status = FARSUM_ERR_UNSUPPORTED;
    if (!s->whole)
        status = few_device_fits(&plan->task, s->tolerance);
    if (status == FARSUM_OK)
        return 1;
    status = status_fail(FARSUM_OK, "%s", "");
    return 0;
}

int verify_images(const struct farsum_plan *plan, const struct verify_sum *s)
{
    farsum_status status = FARSUM_ERR_UNSUPPORTED;
    int cheaper = 0;
    if (!s->whole)
        status = few_images_fit(&plan->task, s->tolerance);
    if (status == FARSUM_OK)
        status = few_images_cheaper(&plan->task, s->n, s->given_x, &cheaper);
    if (status == FARSUM_OK)
        return cheaper;
    status = status_fail(FARSUM_OK, "%s", "");
    return 0;
}

const char *verify_means(const struct farsum_plan *plan,
                         const struct verify_sum *s)
{
    if (s->images)
        return "pairs with all their images";
    return task_axes(&plan->task) > 0 ? "ewald" : "direct";
}

int verify_few(const struct farsum_plan *plan, const struct verify_sum *s)
{
    farsum_status status = FARSUM_ERR_UNSUPPORTED;
    if (s->images)
        return 1;
    if (!s->whole && s->all_n > VERIFY_FEW)
        status = few_fits(&plan->task, s->tolerance, s->targets.count);
    if (status == FARSUM_OK)
        return 1;
    status = status_fail(FARSUM_OK, "%s", "");
    return 0;
}

farsum_status verify_send(struct farsum_plan *plan, struct verify_sum *s)
{
    int64_t real = array_size(plan->task.problem.arrays), x = 3 * s->n * real;
    int64_t q = s->n * plan->task.pair.strengths * real;
    if (s->there && s->there->device == plan->task.device)
        return FARSUM_OK;
    verify_recall(s);
    TRY(MEM_NEW(s->there, 1));
    s->there->device = plan->task.device;
    TRY(buf_alloc(&s->there->q, plan->task.device, q));
    TRY(buf_upload(&s->there->q, 0, s->given_q, q));
    TRY(buf_alloc(&s->there->x, plan->task.device, x));
    return buf_upload(&s->there->x, 0, s->given_x, x);
}

void verify_recall(struct verify_sum *s)
{
    if (!s->there)
        return;
    buf_clear(&s->there->x);
    buf_clear(&s->there->q);
    few_device_close(&s->there->kernels);
    mem_free(s->there);
    s->there = NULL;
}

/* Numbers per target: of potentials, potentials and fields, or velocities. */
static int sum_width(const struct farsum_plan *plan, const struct verify_sum *s)
{
    return s->width == 1 ? 1 : s->width + plan->task.pair.kind->gradient;
}

static farsum_status sum_kernels(const struct farsum_plan *plan,
                                 const struct verify_sum *s)
{
    struct few_device_kernels *k = &s->there->kernels;
    int width = sum_width(plan, s);
    return k->width == width ? FARSUM_OK
                             : few_device_open(&plan->task, width, k);
}

farsum_status verify_rows(const struct farsum_plan *plan,
                          const struct verify_sum *s, const struct buf *from,
                          int width, void *to)
{
    const struct verify_targets *t = &s->targets;
    farsum_status status = FARSUM_OK;
    double *rows = NULL;
    GO(sum_kernels(plan, s));
    GO(MEM_RAW(rows, t->count * width));
    GO(few_device_rows(&plan->task, &s->there->kernels, from, width, t->count,
                       t->index, rows));
    for (int64_t k = 0; k < t->count * width; k++)
        array_put(to, plan->task.problem.arrays,
                  t->index[k / width] * width + k % width, rows[k]);
done:
    mem_free(rows);
    return status;
}

/* The targets' excluded pairs as input of a sum: positions and strengths in
 * internal units, one source per pair. */
struct lost {
    struct task task;  /* the plan's, with owned exclusions */
    double *x, *y, *q; /* owned; of sources, targets */
};

static void lost_clear(struct lost *l)
{
    mem_free(l->x);
    mem_free(l->y);
    mem_free(l->q);
    mem_free(l->task.exclusions.target);
    mem_free(l->task.exclusions.start);
    mem_free(l->task.exclusions.source);
    mem_free(l->task.exclusions.lost);
    mem_free(l);
}

static farsum_status lost_capacity(struct lost *l, int64_t targets,
                                   int64_t pairs)
{
    struct exclusions *e = &l->task.exclusions;
    *e = (struct exclusions){0};
    TRY(MEM_RAW(l->x, 3 * pairs));
    TRY(MEM_RAW(l->y, 3 * targets));
    TRY(MEM_RAW(l->q, pairs * l->task.pair.strengths));
    TRY(MEM_RAW(e->target, targets));
    TRY(MEM_RAW(e->start, targets + 1));
    TRY(MEM_RAW(e->source, pairs));
    return MEM_RAW(e->lost, pairs);
}

/* Adds row r of the sum's exclusions. */
static void lost_row(struct lost *l, const struct verify_sum *s, int64_t r)
{
    const struct exclusions *from = &s->excluded;
    struct exclusions *e = &l->task.exclusions;
    int width = l->task.pair.strengths;
    double per = task_per(&l->task);
    for (int64_t j = from->start[r]; j < from->start[r + 1]; j++) {
        int64_t at = e->entries++, source = from->source[j];
        for (int d = 0; d < 3; d++)
            l->x[3 * at + d] = per * verify_x(s, 3 * source + d);
        for (int c = 0; c < width; c++)
            l->q[width * at + c] =
                verify_q(s, width * source + c) * l->task.units.per[c / 3];
        e->source[at] = at;
        e->lost[at] = from->lost[j];
    }
    e->target[e->rows++] = from->target[r];
    e->start[e->rows] = e->entries;
}

/* Subtracts the excluded pairs from potentials and fields, or velocities. */
static farsum_status lost_pairs(const struct farsum_plan *plan,
                                const struct verify_sum *s, const double *y,
                                const struct host_sums *sums)
{
    farsum_status status = FARSUM_OK;
    const struct verify_targets *t = &s->targets;
    const struct exclusions *e = &s->excluded;
    struct lost *l = NULL;
    if (e->rows == 0)
        return FARSUM_OK;
    TRY(MEM_NEW(l, 1));
    l->task = plan->task;
    GO(lost_capacity(l, t->count, e->entries));
    l->task.exclusions.start[0] = 0;
    for (int64_t k = 0; k < 3 * t->count; k++)
        l->y[k] = task_per(&plan->task) * y[k];
    for (int64_t r = 0; r < e->rows; r++)
        lost_row(l, s, r);
    const struct positions source =
        positions_rows(l->x, l->task.exclusions.entries);
    const struct positions target = positions_rows(l->y, t->count);
    GO(reference_exclude(&l->task, &source, &target, l->q, sums));
done:
    lost_clear(l);
    return status;
}

/* Sets to: C times v, in the caller's units. */
static void give(const struct farsum_plan *plan, int exponent, const double *v,
                 int64_t n, double *to)
{
    struct scale scale = scale_of(exponent);
    for (int64_t i = 0; i < n && to; i++)
        to[i] = scale_by(scale, task_constant(&plan->task) * v[i]);
}

/* Sets values [targets][width], in internal units, excluded pairs included. */
static farsum_status sum_values(struct farsum_plan *plan, struct verify_sum *s,
                                const double *y, int width, double *values)
{
    struct few_device sum = {.task = &plan->task,
                             .n = s->n,
                             .share_of = plan->task.comm ? s->all_n : 0,
                             .m = s->targets.count,
                             .y = y,
                             .accuracy = s->tolerance,
                             .width = width};
    TRY(progress_step(0, 1, "summing by %s", verify_means(plan, s)));
    if (s->images)
        return few_images_sum(&sum, s->given_x, s->given_q, values);
    if (!verify_on_device(plan, s))
        return few_sum(&sum, s->given_x, s->given_q, values);
    TRY(verify_send(plan, s));
    TRY(sum_kernels(plan, s));
    sum.x = &s->there->x;
    sum.q = &s->there->q;
    return few_device_sum(&sum, &s->there->kernels, values);
}

farsum_status verify_sum_few(struct farsum_plan *plan, struct verify_sum *s,
                             const double *y)
{
    farsum_status status = FARSUM_OK;
    int64_t m = s->targets.count;
    int gradient = plan->task.pair.kind->gradient, width = sum_width(plan, s);
    double *values = NULL, *phi = NULL, *vector = NULL;
    GO(MEM_RAW(values, m * width));
    GO(MEM_RAW(phi, m));
    GO(MEM_RAW(vector, 3 * m));
    GO(sum_values(plan, s, y, width, values));
    for (int64_t i = 0; i < m; i++) {
        phi[i] = gradient ? values[width * i] : 0;
        for (int d = 0; d < 3 && width > 1; d++)
            vector[3 * i + d] = values[width * i + gradient + d];
    }
    const struct host_sums sums = {
        .potential = gradient ? phi : NULL,
        .field = gradient && width > 1 ? vector : NULL,
        .velocity = gradient ? NULL : vector,
    };
    GO(lost_pairs(plan, s, y, &sums));
    if (width == 1)
        give(plan, task_exponent(&plan->task), phi, m, s->wanted);
    else
        give(plan,
             gradient ? task_exponent_field(&plan->task)
                      : task_exponent(&plan->task),
             vector, 3 * m, s->wanted);
    give(plan, task_exponent(&plan->task), phi, m, s->potential);
done:
    mem_free(values);
    mem_free(phi);
    mem_free(vector);
    return status;
}
