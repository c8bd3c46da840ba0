/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_sample.c: samples to rank 0, and its statistics to the others. */
#include "plan/ranks_sample.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"

enum { BLOCK = 1 << 16 }; /* bytes that rank 0 sends to each rank in one go */

/* Bytes from and to each rank in a trade. */
struct parts {
    int64_t *to, *from; /* owned, [size] */
};

static farsum_status parts_make(struct parts *p, const struct comm *comm)
{
    TRY(MEM_NEW(p->to, comm->size));
    return MEM_NEW(p->from, comm->size);
}

static void parts_clear(struct parts *p)
{
    mem_free(p->to);
    mem_free(p->from);
}

farsum_status ranks_sample_gather(struct comm *comm, struct ranks_sample *s,
                                  const struct pair *pair,
                                  farsum_precision arrays,
                                  const int64_t *counts)
{
    farsum_status status = FARSUM_OK;
    const void *from[2] = {s->x, s->q};
    void **to[2] = {&s->all_x, &s->all_q};
    const int64_t width[2] = {3, pair->strengths};
    struct parts parts = {0};
    int first = comm->rank == 0;
    int64_t all = 0, real = array_size(arrays);
    for (int r = 0; r < comm->size && first; r++)
        all += counts[r];
    KEEP_ON(parts_make(&parts, comm));
    for (int k = 0; k < 2 && first; k++)
        KEEP_ON(mem_alloc(to[k], all * width[k], (size_t)real, 0));
    GO(comm_agree(comm, status));
    for (int k = 0; k < 2; k++) {
        parts.to[0] = s->n * width[k] * real;
        for (int r = 0; r < comm->size && first; r++)
            parts.from[r] = counts[r] * width[k] * real;
        KEEP_ON(comm_trade(comm, COMM_TALK, from[k], parts.to, *to[k],
                           parts.from));
    }
    status = comm_agree(comm, status);
done:
    parts_clear(&parts);
    return status;
}

void plan_known_take(struct plan_known *known, struct farsum_plan *plan)
{
    known->sample = plan->task.sample;
    known->units = plan->task.units;
    plan->task.sample.target = NULL;
    plan->task.sample.moments = NULL;
}

farsum_status plan_known_copy(const struct plan_known *known,
                              struct sample *to)
{
    const struct sample *from = &known->sample;
    *to = *from;
    to->target = NULL;
    to->moments = NULL;
    TRY(MEM_RAW(to->target, from->n_targets));
    if (from->n_targets > 0)
        memcpy(to->target, from->target,
               (size_t)from->n_targets * sizeof *to->target);
    if (!from->moments)
        return FARSUM_OK;
    TRY(MEM_RAW(to->moments, 1));
    *to->moments = *from->moments;
    return FARSUM_OK;
}

void plan_known_clear(struct plan_known *known)
{
    sample_clear(&known->sample);
}

/* Replaces data by rank 0's.  block: room for BLOCK bytes of each rank; only
 * rank 0 fills it. */
static farsum_status known_copy(struct comm *comm, struct parts *parts,
                                char *block, void *data, int64_t bytes)
{
    farsum_status status = FARSUM_OK;
    int size = comm->size, first = comm->rank == 0;
    for (int64_t at = 0; at < bytes; at += BLOCK) {
        int64_t some = bytes - at < BLOCK ? bytes - at : BLOCK;
        char *here = (char *)data + at;
        for (int r = 0; r < size && first; r++) {
            memcpy(block + r * some, here, (size_t)some);
            parts->to[r] = some;
        }
        parts->from[0] = some;
        KEEP_ON(comm_trade(comm, COMM_TALK, block, parts->to, here,
                           parts->from));
    }
    return comm_agree(comm, status);
}

farsum_status plan_known_send(struct plan_known *known, struct comm *comm)
{
    farsum_status status = FARSUM_OK;
    struct sample *s = &known->sample;
    struct parts parts = {0};
    const struct plan_known mine = *known; /* with this rank's pointers */
    char *block = NULL;
    int first = comm->rank == 0;
    KEEP_ON(parts_make(&parts, comm));
    KEEP_ON(mem_alloc((void **)&block, first ? comm->size : 1, BLOCK, 0));
    GO(comm_agree(comm, status));
    status = known_copy(comm, &parts, block, known, sizeof *known);
    int moments = s->moments != NULL;
    s->target = mine.sample.target;
    s->moments = mine.sample.moments;
    GO(status);
    if (!first && s->n_targets > 0)
        KEEP_ON(MEM_RAW(s->target, s->n_targets));
    if (!first && moments)
        KEEP_ON(MEM_RAW(s->moments, 1));
    GO(comm_agree(comm, status));
    GO(known_copy(comm, &parts, block, s->target,
                  s->n_targets * (int64_t)sizeof *s->target));
    GO(known_copy(comm, &parts, block, s->moments,
                  moments * (int64_t)sizeof *s->moments));
done:
    parts_clear(&parts);
    mem_free(block);
    return status;
}
