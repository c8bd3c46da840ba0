/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.c: a sample's excluded pairs, which any rank may name. */
#include "plan/ranks/exclusions.h"

#include <string.h>

#include "base/mem.h"
#include "ranks/partners.h"

void ranks_pairs_clear(struct ranks_pairs *pairs)
{
    exclusions_clear(&pairs->own);
    exclusions_clear(&pairs->all);
}

/* Checks the numbers as set_points does. */
static farsum_status pairs_check(struct comm *comm,
                                 const struct exclusions *own,
                                 const int64_t *counts)
{
    struct partners partners = {0};
    farsum_status status = partners_set(&partners, comm, own, counts, counts);
    partners_clear(&partners);
    return status;
}

/* Memory of a gather: what is sent to each rank, and the bytes. */
struct room {
    char *send;
    int64_t *to, *from;
};

static farsum_status room_hold(struct room *room, int size, int64_t count)
{
    TRY(mem_alloc((void **)&room->send, size * count, 2 * sizeof(int64_t), 0));
    TRY(MEM_RAW(room->to, size));
    return MEM_RAW(room->from, size);
}

/* Gathers count values of `bytes` from each rank. */
static farsum_status room_gather(struct room *room, struct comm *comm,
                                 const int64_t *counts, int64_t bytes,
                                 const void *values, void *all)
{
    int64_t own = counts[comm->rank] * bytes;
    for (int r = 0; r < comm->size; r++) {
        if (own > 0)
            memcpy(room->send + r * own, values, (size_t)own);
        room->to[r] = own;
        room->from[r] = counts[r] * bytes;
    }
    return comm_trade(comm, COMM_TALK, room->send, room->to, all, room->from);
}

/* Gathers the pairs of all ranks, in rank order. */
static farsum_status pairs_gather(struct ranks_pairs *pairs, struct comm *comm)
{
    farsum_status status = FARSUM_OK;
    const struct exclusions *own = &pairs->own;
    struct exclusions *all = &pairs->all;
    struct room room = {0};
    int64_t *counts = NULL;
    GO(comm_agree(comm, MEM_RAW(counts, comm->size)));
    GO(comm_agree(comm, comm_gather(comm, &own->count, counts,
                                    sizeof own->count)));
    KEEP_ON(room_hold(&room, comm->size, own->count));
    KEEP_ON(MEM_RAW(all->pair, 2 * pairs->count));
    KEEP_ON(MEM_RAW(all->factor, pairs->count));
    GO(comm_agree(comm, status));
    KEEP_ON(room_gather(&room, comm, counts, 2 * sizeof *own->pair, own->pair,
                        all->pair));
    KEEP_ON(room_gather(&room, comm, counts, sizeof *own->factor, own->factor,
                        all->factor));
    all->count = pairs->count;
    status = comm_agree(comm, status);
done:
    mem_free(counts);
    mem_free(room.send);
    mem_free(room.to);
    mem_free(room.from);
    return status;
}

farsum_status ranks_pairs_take(struct ranks_pairs *pairs, struct comm *comm,
                               const farsum_problem *problem,
                               const int64_t *counts)
{
    farsum_status status = FARSUM_OK;
    *pairs = (struct ranks_pairs){.count = 0};
    GO(comm_agree(comm, exclusions_set(&pairs->own, problem->n_exclusions,
                                       problem->exclusions,
                                       problem->exclusion_factors)));
    pairs->count = pairs->own.count;
    GO(comm_agree(comm, comm_sum_counts(comm, &pairs->count, 1)));
    if (pairs->count > 0 && counts) {
        GO(pairs_check(comm, &pairs->own, counts));
        GO(pairs_gather(pairs, comm));
    }
done:
    if (status != FARSUM_OK)
        ranks_pairs_clear(pairs);
    return status;
}
