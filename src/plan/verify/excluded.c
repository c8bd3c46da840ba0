/* SPDX-License-Identifier: Apache-2.0 */
/* excluded.c: the excluded pairs of the second sum: its targets, with the
 * sources that it sums here. */
#include <stdlib.h>

#include "base/mem.h"
#include "plan/verify/verify.h"

/* A target of the sum. */
struct drawn {
    int64_t number, k; /* among all ranks' targets; among these */
};

static int drawn_order(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void excluded_add(struct exclusions *e, int64_t k, int64_t source,
                         double lost)
{
    e->pair[2 * e->count] = k;
    e->pair[2 * e->count + 1] = source;
    e->factor[e->count++] = 1 - lost;
}

/* One process: the plan's rows are those of the targets. */
static void excluded_alone(const struct exclusions *from,
                           const struct verify_targets *t,
                           struct exclusions *e)
{
    for (int64_t k = 0; k < t->count; k++) {
        int64_t r = exclusions_row(from, t->index[k]);
        for (int64_t j = r < 0 ? 0 : from->start[r];
             r >= 0 && j < from->start[r + 1]; j++)
            excluded_add(e, k, from->source[j], from->lost[j]);
    }
}

/* The number of a target, from its index in the rows of this rank's sources. */
static int64_t excluded_number(const struct verify_sum *s,
                               const struct partners_own *here, int64_t at)
{
    int64_t own = verify_own(s);
    return at < own ? s->first + at : here->needed.number[at - own];
}

/* Over ranks: the rows are those of this rank's sources. */
static farsum_status excluded_here(const struct verify_sum *s,
                                   const struct partners_own *from,
                                   struct exclusions *e)
{
    const struct verify_targets *t = &s->targets;
    const struct exclusions *rows = &from->rows;
    struct drawn *drawn = NULL;
    TRY(MEM_RAW(drawn, t->count));
    for (int64_t k = 0; k < t->count; k++)
        drawn[k] = (struct drawn){t->index[k], k};
    qsort(drawn, (size_t)t->count, sizeof *drawn, drawn_order);
    for (int64_t r = 0; r < rows->rows; r++)
        for (int64_t j = rows->start[r]; j < rows->start[r + 1]; j++) {
            struct drawn key = {excluded_number(s, from, rows->source[j]), 0};
            const struct drawn *found =
                bsearch(&key, drawn, (size_t)t->count, sizeof key, drawn_order);
            if (found)
                excluded_add(e, found->k, rows->target[r], rows->lost[j]);
        }
    mem_free(drawn);
    return FARSUM_OK;
}

farsum_status verify_excluded(const struct farsum_plan *plan,
                              struct verify_sum *s)
{
    const struct exclusions *from = &plan->task.exclusions;
    const struct partners_own *here = verify_slab_pairs(s);
    struct exclusions *e = &s->excluded;
    int64_t twice[2];
    exclusions_clear(e);
    if (plan->task.comm)
        from = &here->rows;
    if (from->rows == 0)
        return FARSUM_OK;
    TRY(MEM_RAW(e->pair, 2 * from->entries));
    TRY(MEM_RAW(e->factor, from->entries));
    if (plan->task.comm)
        TRY(excluded_here(s, here, e));
    else
        excluded_alone(from, &s->targets, e);
    return exclusions_one_way(e, s->targets.count, twice);
}

/* The pairs of this rank's sources with sources of higher numbers. */
static farsum_status pairs_of_slab(const struct verify_sum *s,
                                   struct exclusions *e)
{
    const struct partners_own *here = verify_slab_pairs(s);
    const struct exclusions *rows = &here->rows;
    TRY(MEM_RAW(e->pair, 2 * rows->entries));
    TRY(MEM_RAW(e->factor, rows->entries));
    for (int64_t r = 0; r < rows->rows; r++)
        for (int64_t j = rows->start[r]; j < rows->start[r + 1]; j++) {
            int64_t number = s->first + rows->target[r];
            int64_t other = excluded_number(s, here, rows->source[j]);
            if (number < other)
                excluded_add(e, number, other, rows->lost[j]);
        }
    return FARSUM_OK;
}

farsum_status verify_pairs_begin(struct farsum_plan *plan,
                                 const struct verify_sum *s,
                                 struct exclusions *kept)
{
    struct exclusions *e = &plan->task.exclusions;
    struct exclusions made = {.version = e->version + 1};
    *kept = (struct exclusions){.version = 0};
    if (!plan->task.comm || plan->report.info.n_exclusions == 0)
        return FARSUM_OK;
    farsum_status status = task_agree(&plan->task, pairs_of_slab(s, &made));
    if (status != FARSUM_OK) {
        exclusions_clear(&made);
        return status;
    }
    *kept = *e;
    *e = made;
    return FARSUM_OK;
}

void verify_pairs_end(struct farsum_plan *plan, struct exclusions *kept)
{
    struct exclusions *e = &plan->task.exclusions;
    uint64_t version = e->version + 1; /* a list never gets an older one's */
    if (kept->version == 0)
        return;
    exclusions_clear(e);
    *e = *kept;
    e->version = version;
}
