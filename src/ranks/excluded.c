/* SPDX-License-Identifier: Apache-2.0 */
/* excluded.c: rows of excluded pairs at the targets' owners. */
#include "ranks/excluded.h"

#include <string.h>

#include "base/mem.h"

static void needs_clear(struct excluded_needs *needs)
{
    partners_own_clear(&needs->pairs);
    for (int d = 0; d < 3; d++)
        mem_free(needs->x[d]);
    mem_free(needs->q);
    *needs = (struct excluded_needs){.q = NULL};
}

void excluded_clear(struct excluded *x)
{
    partners_clear(&x->partners);
    needs_clear(&x->needs);
}

void excluded_drop(struct excluded *x, struct excluded_needs *made)
{
    x->partners.version = 0; /* this list's version may come again */
    needs_clear(made);
}

farsum_status excluded_find(struct excluded *x, struct comm *comm,
                            const struct exclusions *e, struct route *targets,
                            struct route *sources, int64_t kept,
                            int64_t bytes_q, struct excluded_needs *made)
{
    farsum_status status = FARSUM_OK;
    int64_t position = sizeof(double);
    *made = (struct excluded_needs){.kept = kept};
    GO(partners_set(&x->partners, comm, e, targets->given, sources->given));
    if (x->partners.all == 0)
        return FARSUM_OK;
    GO(partners_travel(&x->partners, comm, targets, sources,
                       bytes_q > position ? bytes_q : position, &made->pairs));
    int64_t n = kept + made->pairs.needed.n;
    for (int d = 0; d < 3; d++)
        KEEP_ON(MEM_RAW(made->x[d], n));
    KEEP_ON(mem_alloc(&made->q, n, (size_t)bytes_q, 0));
    status = comm_agree(comm, status);
done:
    if (status != FARSUM_OK)
        excluded_drop(x, made);
    return status;
}

farsum_status excluded_places(struct excluded_needs *needs, struct comm *comm,
                              const double *const held[3])
{
    farsum_status status = FARSUM_OK;
    int64_t n = needs->kept;
    if (needs->pairs.needed.sends.size == 0) /* no rank names a pair */
        return FARSUM_OK;
    for (int d = 0; d < 3; d++) {
        if (n > 0)
            memcpy(needs->x[d], held[d], (size_t)n * sizeof(double));
        KEEP_ON(fetch_values(&needs->pairs.needed, comm, held[d],
                             sizeof(double), needs->x[d] + n));
    }
    return comm_agree(comm, status);
}

void excluded_take(struct excluded *x, struct exclusions *e,
                   struct excluded_needs *made)
{
    exclusions_take_rows(e, &made->pairs.rows);
    exclusions_clear(&made->pairs.rows);
    needs_clear(&x->needs);
    x->needs = *made;
}
