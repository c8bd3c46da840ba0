/* SPDX-License-Identifier: Apache-2.0 */
/* targets_device.c: targets.c for sources on a device. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "device/compile/jit.h"
#include "base/arrays.h"
#include "plan/verify/verify.h"
#include "points/cell.h"
#include "points/device/set.h"

/* As in targets.k. */
enum { GROUP = 256, ITEMS = 16, BITS = 20, RECORD = 7, RECORDS = 512 };
enum { MOST = STRONG > NEAR ? STRONG : NEAR };

struct places_args {
    double inv[9], a[9], low[3], per_edge, by[3], per, per_q[2], none;
    int64_t n;
    int32_t wide, periodic, upper, spare;
};
_Static_assert(sizeof(struct places_args) == 256, "as the kernels have it");

/* The best of a list so far, best first. */
struct best {
    double v[MOST];
    int64_t i[MOST];
    int count;
};

struct there {
    const struct farsum_plan *plan;
    struct verify_sum *s;
    struct places_args args;
    struct points_gpu *points; /* owned: its sorts */
    struct jit jit;            /* owned */
    struct kernel look, keys, at_kernel, near_kernel, largest;
    /* owned: sizes; order by the lower half, and by all bits; fractions in that
     * order, and distances; lists of largest numbers */
    struct buf size, lower, order, at, near, clustering, v[2], which[2], record;
};

static void there_clear(struct there *t)
{
    struct buf *all[] = {&t->size,     &t->lower,      &t->order, &t->at,
                         &t->near,     &t->clustering, &t->v[0],  &t->v[1],
                         &t->which[0], &t->which[1],   &t->record};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        buf_clear(all[k]);
    if (t->jit.device)
        jit_clear(&t->jit);
    points_gpu_destroy(t->points);
}

static farsum_status there_kernels(struct there *t)
{
    struct jit *jit = &t->jit;
    jit_begin(jit, t->plan->task.device, "plan/verify/targets.k", FARSUM_F64);
    jit_define(jit, "GROUP", "%d", GROUP);
    jit_define(jit, "STRENGTHS", "%d", t->plan->task.pair.strengths);
    jit_define(jit, "NEXT", "%d", NEXT);
    jit_define(jit, "CLUSTERING", "%d", CLUSTERING);
    jit_define(jit, "MOST", "%d", MOST);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "places_look", GROUP, 0, &t->look));
    TRY(jit_kernel(jit, "places_keys", GROUP, 0, &t->keys));
    TRY(jit_kernel(jit, "places_at", GROUP, 0, &t->at_kernel));
    TRY(jit_kernel(jit, "places_near", GROUP, 0, &t->near_kernel));
    return jit_kernel(jit, "places_largest", GROUP, 0, &t->largest);
}

static farsum_status there_capacity(struct there *t)
{
    struct device *device = t->plan->task.device;
    int64_t n = t->s->n, each = (int64_t)GROUP * ITEMS;
    int64_t groups = (n + each - 1) / each;
    TRY(buf_alloc(&t->size, device, 8 * n));
    TRY(buf_alloc(&t->lower, device, 4 * n));
    TRY(buf_alloc(&t->order, device, 4 * n));
    TRY(buf_alloc(&t->at, device, 24 * n));
    TRY(buf_alloc(&t->near, device, 8 * n));
    TRY(buf_alloc(&t->clustering, device, 8 * n));
    TRY(buf_alloc(&t->record, device, 8 * RECORD * RECORDS));
    for (int k = 0; k < 2; k++) {
        TRY(buf_alloc(&t->v[k], device, 8 * MOST * groups));
        TRY(buf_alloc(&t->which[k], device, 4 * MOST * groups));
    }
    return FARSUM_OK;
}

static farsum_status there_args(struct there *t)
{
    const struct farsum_plan *plan = t->plan;
    struct places_args *a = &t->args;
    struct cell cell;
    *a = (struct places_args){
        .per = task_per(&plan->task),
        .per_q = {plan->task.units.per[0], plan->task.units.per[1]},
        .none = INFINITY,
        .n = t->s->n,
        .wide = plan->task.problem.arrays != FARSUM_F32,
        .periodic = task_axes(&plan->task) > 0};
    if (!a->periodic)
        return FARSUM_OK;
    if (task_axes(&plan->task) < 3)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes", task_axes(&plan->task));
    TRY(task_cell(&plan->task, &cell));
    memcpy(a->inv, cell.inv, sizeof a->inv);
    memcpy(a->a, cell.a, sizeof a->a);
    return FARSUM_OK;
}

/* Computes the sizes, their mean, and the box of points in open space. */
static farsum_status there_look(struct there *t, double *mean)
{
    double record[RECORD * RECORDS], sum = 0, edge = 0x1p-1000;
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const struct verify_sum *s = t->s;
    int64_t groups = kernel_groups(&t->look, s->n);
    groups = groups < RECORDS ? groups : RECORDS;
    TRY(LAUNCH(&t->look, groups, ARG_BUF(&s->there->x), ARG_BUF(&s->there->x),
               ARG_BUF(&s->there->q), ARG_BUF(&s->there->q), ARG_BUF(&t->size),
               ARG_BUF(&t->record), ARG_STRUCT(t->args)));
    TRY(buf_download(&t->record, 0, record, 8 * RECORD * groups));
    for (int64_t g = 0; g < groups; g++) {
        const double *r = record + RECORD * g;
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], r[d]);
            high[d] = fmax(high[d], r[3 + d]);
        }
        sum += r[6];
    }
    for (int d = 0; d < 3; d++) {
        t->args.low[d] = low[d];
        edge = fmax(edge, high[d] - low[d]);
    }
    t->args.per_edge = 1 / edge;
    *mean = sum / (double)s->n;
    return FARSUM_OK;
}

/* Sorts along the curve and computes the distances to neighbours. */
static farsum_status there_curve(struct there *t)
{
    const struct verify_sum *s = t->s;
    int64_t n = s->n, groups = kernel_groups(&t->keys, n);
    struct buf *key;
    for (int half = 0; half < 2; half++) {
        t->args.upper = half;
        TRY(gpu_keys_reserve(t->points, n, (int64_t)1 << (3 * BITS / 2), &key));
        TRY(LAUNCH(&t->keys, groups, ARG_BUF(&s->there->x),
                   ARG_BUF(&s->there->x), ARG_BUF(&t->lower), ARG_BUF(key),
                   ARG_STRUCT(t->args)));
        TRY(gpu_keys_order(t->points, n, 3 * BITS / 2, half ? &t->lower : NULL,
                           half ? &t->order : &t->lower));
    }
    TRY(LAUNCH(&t->at_kernel, groups, ARG_BUF(&s->there->x),
               ARG_BUF(&s->there->x), ARG_BUF(&t->order), ARG_BUF(&t->at),
               ARG_STRUCT(t->args)));
    return LAUNCH(&t->near_kernel, groups, ARG_BUF(&t->at), ARG_BUF(&t->near),
                  ARG_BUF(&t->clustering), ARG_STRUCT(t->args));
}

/* Adds the largest of v [n] to the best ones.  index: their points, or NULL. */
static farsum_status there_best(struct there *t, const struct buf *v,
                                const struct buf *index, struct best *best)
{
    int64_t n = t->s->n, each = (int64_t)GROUP * ITEMS;
    double found[MOST];
    uint32_t which[MOST];
    int k = 0;
    do {
        int64_t groups = (n + each - 1) / each;
        TRY(LAUNCH(&t->largest, groups, ARG_BUF(v),
                   ARG_BUF(index ? index : &t->lower), ARG_BUF(&t->v[k]),
                   ARG_BUF(&t->which[k]), ARG_I64(n), ARG_F64(INFINITY),
                   ARG_I32(index != NULL)));
        v = &t->v[k];
        index = &t->which[k];
        n = MOST * groups;
        k = !k;
    } while (n > MOST);
    TRY(buf_download(v, 0, found, sizeof found));
    TRY(buf_download(index, 0, which, sizeof which));
    for (k = 0; k < MOST; k++) {
        int at = 0, known = which[k] == UINT32_MAX || isinf(found[k]);
        for (int l = 0; l < best->count; l++) /* found along another curve */
            known = known || best->i[l] == which[k];
        while (at < best->count && best->v[at] >= found[k])
            at++;
        if (known || at == MOST)
            continue;
        best->count += best->count < MOST;
        for (int l = best->count - 1; l > at; l--) {
            best->v[l] = best->v[l - 1];
            best->i[l] = best->i[l - 1];
        }
        best->v[at] = found[k];
        best->i[at] = which[k];
    }
    return FARSUM_OK;
}

/* Adds those above `least` to the targets. */
static void there_take(const struct best *best, int most, double least,
                       struct verify_targets *t)
{
    for (int k = 0; k < best->count && k < most; k++)
        if (best->v[k] > least)
            verify_target(t, best->i[k]);
}

farsum_status verify_targets_device(struct farsum_plan *plan,
                                    struct verify_sum *s, int64_t wanted)
{
    farsum_status status = FARSUM_OK;
    struct there t = {.plan = plan, .s = s};
    struct best strong = {{0}, {0}, 0}, near = strong, clustering = strong;
    uint64_t random = VERIFY_SEED;
    double mean;
    GO(verify_send(plan, s));
    GO(points_gpu_create(plan->task.device, &t.points));
    GO(there_kernels(&t));
    GO(there_capacity(&t));
    GO(there_args(&t));
    GO(there_look(&t, &mean));
    GO(there_best(&t, &t.size, NULL, &strong));
    for (int k = 0; k < CURVES; k++) {
        for (int d = 0; d < 3; d++)
            t.args.by[d] = ldexp((double)(random_next(&random) >> 11), -53);
        GO(there_curve(&t));
        GO(there_best(&t, &t.near, &t.order, &near));
        GO(there_best(&t, &t.clustering, &t.order, &clustering));
    }
    GO(MEM_RAW(s->targets.index, wanted));
    there_take(&strong, STRONG, 2 * mean, &s->targets);
    there_take(&near, NEAR, -INFINITY, &s->targets);
    there_take(&clustering, DENSE, -INFINITY, &s->targets);
    verify_targets_draw(&s->targets, s->n, wanted, &random);
done:
    there_clear(&t);
    return status;
}
