/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.c: excluded pairs of `fmm` over ranks. */
#include <string.h>

#include "method/fmm/ranks.h"
#include "reference/exclusions.h"

static farsum_status exclude_find(const struct task *task, struct fmm *s,
                                  struct excluded_needs *made)
{
    struct fmm_ranks *k = s->ranks;
    return excluded_find(&k->excluded, k->comm, &task->exclusions,
                         &ranks_targets(s)->route, &k->source.route,
                         s->source.n, sizeof(double), made);
}

static farsum_status exclude_places(const struct fmm *s,
                                    struct excluded_needs *needs)
{
    const double *const held[3] = {s->source.s[0], s->source.s[1],
                                   s->source.s[2]};
    return excluded_places(needs, s->ranks->comm, held);
}

farsum_status ranks_exclude_rows(struct task *task, struct fmm *s)
{
    struct excluded_needs made;
    TRY(exclude_find(task, s, &made));
    excluded_take(&s->ranks->excluded, &task->exclusions, &made);
    return FARSUM_OK;
}

farsum_status ranks_exclude_places(struct fmm *s)
{
    return exclude_places(s, &s->ranks->excluded.needs);
}

farsum_status fmm_ranks_exclusions(struct task *task, struct fmm *s)
{
    struct excluded *x = &s->ranks->excluded;
    struct excluded_needs made;
    TRY(exclude_find(task, s, &made));
    farsum_status status = exclude_places(s, &made);
    if (status == FARSUM_OK)
        excluded_take(x, &task->exclusions, &made);
    else
        excluded_drop(x, &made);
    return status;
}

farsum_status fmm_ranks_exclude(const struct task *task, struct fmm *s,
                                const struct host_sums *sums)
{
    struct excluded_needs *x = &s->ranks->excluded.needs;
    int64_t n = x->kept;
    double *q = x->q;
    const struct positions source = {
        n + x->pairs.needed.n, {x->x[0], x->x[1], x->x[2]}, 1};
    const struct positions target =
        fmm_positions(s->all_m > 0 ? &s->target : &s->source);
    if (!excluded_any(&s->ranks->excluded))
        return FARSUM_OK;
    if (n > 0)
        memcpy(q, s->caller.q, (size_t)n * sizeof(double));
    farsum_status status = fetch_values(&x->pairs.needed, s->ranks->comm,
                                        s->caller.q, sizeof(double), q + n);
    KEEP_ON(reference_exclude(task, &source, &target, q, sums));
    return comm_agree(s->ranks->comm, status);
}
