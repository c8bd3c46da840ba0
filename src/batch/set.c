/* SPDX-License-Identifier: Apache-2.0 */
/* set.c: the systems of a batch: cells, positions, how each is summed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/arrays.h"
#include "base/fpenv.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/scale.h"
#include "batch/device.h"
#include "points/wrap.h"

/* Where padding is: a place that no lattice of simple fractions has. */
#define PADDING 0.7320508075688773

static farsum_status set_counts(struct farsum_batch *b, int64_t systems,
                                const int64_t *offsets, const double *cells,
                                const void *x)
{
    b->systems = -1;
    TRY(count_check(systems, "systems"));
    if (!offsets)
        FAIL(ERR_ARGUMENT, "offsets is NULL");
    if (offsets[0] != 0)
        FAIL(ERR_ARGUMENT, "offsets[0] is %lld, not 0", (long long)offsets[0]);
    for (int64_t s = 0; s < systems; s++)
        if (offsets[s + 1] < offsets[s])
            FAIL(ERR_ARGUMENT, "offsets[%lld] is %lld, below offsets[%lld] = "
                               "%lld",
                 (long long)s + 1, (long long)offsets[s + 1], (long long)s,
                 (long long)offsets[s]);
    TRY(count_check(offsets[systems], "sources"));
    if (!x && offsets[systems] > 0)
        FAIL(ERR_ARGUMENT, "x is NULL");
    if (!cells != !cell_axes(b->problem.periodic) && systems > 0)
        FAIL(ERR_ARGUMENT, "%s", cells ? "cells are given, but the problem has "
                                         "no periodic axes"
                                       : "cells is NULL");
    return FARSUM_OK;
}

static farsum_status set_memory(struct farsum_batch *b, int64_t systems,
                                const int64_t *offsets, const void *x)
{
    int64_t at = 0, bytes = 3 * offsets[systems]
                            * array_size(b->problem.arrays);
    TRY(MEM_RESERVE(b->system, &b->systems_have, systems));
    TRY(MEM_RESERVE(b->order, &b->order_have, systems));
    if (b->problem.memory != FARSUM_DEVICE) {
        if (b->gpu)
            TRY(buf_given_host(b->gpu->device, x, bytes, "positions"));
        TRY(mem_reserve(&b->x, &b->x_have, bytes, 1));
        if (bytes > 0)
            memcpy(b->x, x, (size_t)bytes);
    }
    for (int64_t s = 0; s < systems; s++) {
        int64_t n = offsets[s + 1] - offsets[s];
        int64_t padded = (n + WAVES_PAD - 1) / WAVES_PAD * WAVES_PAD;
        b->system[s] = (struct batch_system){
            .first = offsets[s], .n = n, .at = at, .padded = padded};
        at += padded;
    }
    if (b->small && !b->gpu)
        for (int d = 0; d < 3; d++)
            TRY(MEM_RESERVE(b->s[d], &b->s_have[d], at));
    b->sources = offsets[systems];
    b->systems = systems;
    return b->gpu ? batch_gpu_points(b, x) : FARSUM_OK;
}

static farsum_status set_bad(const struct farsum_batch *b,
                             const struct batch_system *s, int64_t i)
{
    double x[3];
    for (int d = 0; d < 3; d++)
        x[d] = array_get(b->x, b->problem.arrays, 3 * (s->first + i) + d);
    return points_bad(x, i, "source");
}

/* Wraps the positions to fractions, as points_set does. */
static farsum_status set_wrap(struct farsum_batch *b, struct batch_system *s)
{
    const double *inv = s->cell.inv, per = ldexp(1, -s->length);
    for (int64_t i = 0; i < s->padded; i++) {
        double x[3] = {0}, f = 0;
        for (int d = 0; d < 3 && i < s->n; d++)
            x[d] = per
                   * array_get(b->x, b->problem.arrays, 3 * (s->first + i) + d);
        for (int d = 0; d < 3; d++) {
            f = i < s->n ? x[0] * inv[d] + x[1] * inv[3 + d] + x[2] * inv[6 + d]
                         : PADDING;
            if (!(fabs(f) <= POINTS_FAR_AWAY))
                return set_bad(b, s, i);
            b->s[d][s->at + i] = cell_wrap(f);
        }
    }
    return FARSUM_OK;
}

static farsum_status set_cell(struct farsum_batch *b, struct batch_system *s,
                              const double *cells)
{
    if (!cells)
        return FARSUM_OK;
    memcpy(s->rows, cells + 9 * (s - b->system), sizeof s->rows);
    for (int d = 0; d < 9; d++)
        if (b->problem.periodic[d / 3] && !isfinite(s->rows[d]))
            FAIL(ERR_CELL, "cell[%d] is %g", d, s->rows[d]);
    cell_right(s->rows, b->problem.periodic);
    double most = 0;
    for (int d = 0; d < 9 && b->small; d++)
        most = fmax(most, fabs(s->rows[d]));
    s->length = scale_exponent(most);
    TRY(cell_set_axes(&s->cell, s->rows, b->problem.periodic,
                      ldexp(1, -s->length)));
    return b->small && !b->gpu ? set_wrap(b, s) : FARSUM_OK;
}

static double waves_seconds(const struct farsum_batch *b,
                            const struct batch_system *s)
{
    return b->gpu ? batch_gpu_seconds(b, s) : s->chosen.seconds;
}

/* Chooses waves or a plan.  The same count and cell as before: the same. */
static farsum_status set_kind(struct farsum_batch *b, struct batch_system *s)
{
    struct batch_system *last = s - 1;
    s->kind = BATCH_PLAN;
    if (b->small) {
        if (s > b->system && last->kind == BATCH_WAVES && last->n == s->n
            && memcmp(last->rows, s->rows, sizeof s->rows) == 0) {
            s->kind = BATCH_WAVES;
            s->chosen = last->chosen;
            return FARSUM_OK;
        }
        /* no choice beats a plan once the pairs alone are slower */
        double pair = b->gpu ? batch_gpu_pair_seconds(b) : 1e-9;
        if ((double)s->n * (double)s->n * pair < batch_plan_seconds(b, s->n)) {
            TRY(batch_choose(b, s, 1, &s->chosen));
            if (s->chosen.level
                && waves_seconds(b, s) < batch_plan_seconds(b, s->n)) {
                s->kind = BATCH_WAVES;
                return batch_reserve(b, &s->chosen, s->padded);
            }
        }
    }
    return batch_plan_find(b, s);
}

static double seconds_of(const struct farsum_batch *b, int64_t s)
{
    const struct batch_system *a = &b->system[s];
    return a->kind == BATCH_WAVES ? a->chosen.seconds
           : a->kind == BATCH_PLAN ? batch_plan_seconds(b, a->n)
                                   : 0;
}

struct by_cost {
    double seconds;
    int64_t system;
};
static int by_cost(const void *a, const void *c)
{
    const struct by_cost *x = a, *y = c;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return (x->system > y->system) - (x->system < y->system);
}

static farsum_status set_order(struct farsum_batch *b)
{
    struct by_cost *cost = NULL;
    TRY(MEM_RAW(cost, b->systems));
    for (int64_t s = 0; s < b->systems; s++)
        cost[s] = (struct by_cost){seconds_of(b, s), s};
    qsort(cost, (size_t)b->systems, sizeof *cost, by_cost);
    for (int64_t s = 0; s < b->systems; s++)
        b->order[s] = cost[s].system;
    mem_free(cost);
    return FARSUM_OK;
}

static farsum_status set_all(struct farsum_batch *b, const double *cells)
{
    /* with a device a cell takes less than the start of threads */
    int threads = b->gpu && b->systems < 1000 ? 1 : b->threads;
    PAR_FOR(threads, schedule(dynamic, 4))
    for (int64_t i = 0; i < b->systems; i++) {
        struct batch_system *s = &b->system[i];
        s->set = s->n > 0 ? set_cell(b, s, cells) : FARSUM_OK;
        s->kind = s->n > 0 ? BATCH_PLAN : BATCH_EMPTY;
        if (s->set != FARSUM_OK) {
            s->kind = BATCH_BAD;
            batch_fail(b, &b->faults[0], s, s->set);
        }
    }
    for (int64_t i = 0; i < b->systems; i++)
        if (b->system[i].kind == BATCH_PLAN)
            TRY(set_kind(b, &b->system[i]));
    batch_plans_trim(b);
    return FARSUM_OK;
}

farsum_status farsum_batch_set(farsum_batch *b, int64_t systems,
                               const int64_t *offsets, const double *cells,
                               const void *x)
{
    FP_GUARD;
    farsum_status status;
    if (!b)
        FAIL(ERR_ARGUMENT, "batch is NULL");
    TRY(set_counts(b, systems, offsets, cells, x));
    b->faults[0] = b->faults[1] = (struct batch_fault){.system = -1};
    GO(set_memory(b, systems, offsets, x));
    GO(set_all(b, cells));
    GO(set_order(b));
    if (b->faults[0].system >= 0)
        return status_fail(b->faults[0].status, "system %lld: %s",
                           (long long)b->faults[0].system, b->faults[0].text);
    return FARSUM_OK;
done:
    b->systems = -1;
    for (int64_t i = 0; i < b->plans; i++)
        b->plan[i].used = 0;
    return status;
}
