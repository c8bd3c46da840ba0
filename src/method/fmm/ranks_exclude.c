/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.c: excluded pairs of `fmm` over ranks.
 *
 * The owner of a target subtracts its pairs.  Sources that other ranks own are
 * fetched: their positions when points are set, their strengths in each sum. */
#include <string.h>

#include "base/mem.h"
#include "method/fmm/ranks.h"
#include "reference/exclusions.h"

/* What is replaced together. */
static void pairs_clear(struct fmm_excluded *x)
{
    partners_own_clear(&x->pairs);
    for (int d = 0; d < 3; d++) {
        mem_free(x->x[d]);
        x->x[d] = NULL;
    }
    mem_free(x->q);
    x->q = NULL;
}

void ranks_excluded_clear(struct fmm_excluded *x)
{
    partners_clear(&x->partners);
    pairs_clear(x);
}

farsum_status ranks_exclude_rows(struct task *task, struct fmm *s)
{
    farsum_status status = FARSUM_OK;
    struct fmm_ranks *k = s->ranks;
    struct fmm_excluded *x = &k->excluded;
    struct route *sources = &k->source.route;
    struct route *targets = &ranks_targets(s)->route;
    struct partners_own made = {.needed = {.n = 0}};
    GO(partners_set(&x->partners, k->comm, &task->exclusions, targets->given,
                    sources->given));
    if (x->partners.all > 0)
        GO(partners_travel(&x->partners, k->comm, targets, sources,
                           sizeof(double), &made));
    exclusions_take_rows(&task->exclusions, &made.rows);
    exclusions_clear(&made.rows);
    pairs_clear(x);
    x->pairs = made;
    made = (struct partners_own){.needed = {.n = 0}};
done:
    if (status != FARSUM_OK) /* this list's version may come again */
        x->partners.version = 0;
    partners_own_clear(&made);
    return status;
}

farsum_status ranks_exclude_places(const struct task *task, struct fmm *s)
{
    farsum_status status = FARSUM_OK;
    struct fmm_excluded *x = &s->ranks->excluded;
    int64_t n = s->source.n, all = n + x->pairs.needed.n;
    (void)task;
    if (x->pairs.needed.sends.size == 0) /* no rank names a pair */
        return FARSUM_OK;
    for (int d = 0; d < 3; d++)
        KEEP_ON(MEM_RAW(x->x[d], all));
    KEEP_ON(MEM_RAW(x->q, all));
    TRY(comm_agree(s->ranks->comm, status));
    for (int d = 0; d < 3; d++) {
        if (n > 0)
            memcpy(x->x[d], s->source.s[d], (size_t)n * sizeof(double));
        KEEP_ON(fetch_values(&x->pairs.needed, s->ranks->comm, s->source.s[d],
                             sizeof(double), x->x[d] + n));
    }
    return comm_agree(s->ranks->comm, status);
}

farsum_status fmm_ranks_exclusions(struct task *task, struct fmm *s)
{
    TRY(ranks_exclude_rows(task, s));
    return ranks_exclude_places(task, s);
}

farsum_status fmm_ranks_exclude(const struct task *task, struct fmm *s,
                                const struct host_sums *sums)
{
    struct fmm_excluded *x = &s->ranks->excluded;
    int64_t n = s->source.n;
    const struct positions source = {
        n + x->pairs.needed.n, {x->x[0], x->x[1], x->x[2]}, 1};
    const struct positions target =
        fmm_positions(s->all_m > 0 ? &s->target : &s->source);
    if (x->pairs.needed.sends.size == 0)
        return FARSUM_OK;
    if (n > 0)
        memcpy(x->q, s->caller.q, (size_t)n * sizeof(double));
    farsum_status status = fetch_values(&x->pairs.needed, s->ranks->comm,
                                        s->caller.q, sizeof(double), x->q + n);
    KEEP_ON(reference_exclude(task, &source, &target, x->q, sums));
    return comm_agree(s->ranks->comm, status);
}
