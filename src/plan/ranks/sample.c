/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: samples to rank 0, and its statistics to the others. */
#include "plan/ranks/sample.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"

farsum_status ranks_sample_gather(struct comm *comm, struct ranks_sample *s,
                                  const struct pair *pair,
                                  farsum_precision arrays,
                                  const int64_t *counts)
{
    farsum_status status = FARSUM_OK;
    const void *from[2] = {s->x, s->q};
    void **to[2] = {&s->all_x, &s->all_q};
    const int64_t width[2] = {3, pair->strengths};
    int64_t *given = NULL, *got = NULL; /* bytes to and from each rank */
    int first = comm->rank == 0;
    int64_t all = 0, real = array_size(arrays);
    for (int r = 0; r < comm->size && first; r++)
        all += counts[r];
    KEEP_ON(MEM_NEW(given, comm->size));
    KEEP_ON(MEM_NEW(got, comm->size));
    for (int k = 0; k < 2 && first; k++)
        KEEP_ON(mem_alloc(to[k], all * width[k], (size_t)real, 0));
    GO(comm_agree(comm, status));
    for (int k = 0; k < 2; k++) {
        given[0] = s->n * width[k] * real;
        for (int r = 0; r < comm->size && first; r++)
            got[r] = counts[r] * width[k] * real;
        KEEP_ON(comm_trade(comm, COMM_TALK, from[k], given, *to[k], got));
    }
    status = comm_agree(comm, status);
done:
    mem_free(given);
    mem_free(got);
    return status;
}

void plan_known_take(struct plan_known *known, struct farsum_plan *plan)
{
    if (plan->method->measured)
        plan->method->measured(plan->state, &plan->task.sample);
    known->sample = plan->task.sample;
    known->units = plan->task.units;
    known->charge = plan->task.pair.charge;
    known->dipole = plan->task.pair.dipole;
    known->quadrupole = plan->task.pair.quadrupole;
    known->reach = plan->task.pair.reach;
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

farsum_status plan_known_send(struct plan_known *known, struct comm *comm)
{
    farsum_status status = FARSUM_OK;
    struct sample *s = &known->sample;
    const struct plan_known mine = *known; /* with this rank's pointers */
    int first = comm->rank == 0;
    status = comm_share(comm, known, sizeof *known);
    int moments = s->moments != NULL;
    s->target = mine.sample.target;
    s->moments = mine.sample.moments;
    TRY(status);
    if (!first && s->n_targets > 0)
        KEEP_ON(MEM_RAW(s->target, s->n_targets));
    if (!first && moments)
        KEEP_ON(MEM_RAW(s->moments, 1));
    TRY(comm_agree(comm, status));
    TRY(comm_share(comm, s->target,
                   s->n_targets * (int64_t)sizeof *s->target));
    return comm_share(comm, s->moments,
                      moments * (int64_t)sizeof *s->moments);
}
