/* SPDX-License-Identifier: Apache-2.0 */
/* planes_lists.c: the planes that a rank exchanges. */
#include "ranks/planes_lists.h"

#include "base/mem.h"

static int64_t wrap(int64_t plane, int64_t mesh0)
{
    plane %= mesh0;
    return plane < 0 ? plane + mesh0 : plane;
}

/* Appends the halo planes of member r that member `owner` owns: as planes of
 * the extended mesh of r, or of the owner (PLANES_OWN).  list->at NULL: only
 * counts. */
static void list_add(struct planes_list *list, const struct planes_args *a,
                     int r, int owner, enum planes_kind kind)
{
    const struct group group = group_or_all(&a->group, a->comm);
    const int64_t *begin = a->begin;
    int64_t first = begin[r] - a->halo, n = begin[r + 1] - begin[r];
    int64_t mesh0 = begin[group.size], before = list->n;
    for (int64_t p = 0; n > 0 && p < n + 2 * a->halo; p++) {
        int64_t plane = wrap(first + p, mesh0);
        if ((p >= a->halo && p < a->halo + n) || plane < begin[owner]
            || plane >= begin[owner + 1])
            continue;
        if (list->at)
            list->at[list->n] =
                kind == PLANES_OWN ? plane - begin[owner] + a->halo : p;
        list->n++;
    }
    list->count[group_rank(&group, kind == PLANES_OWN ? r : owner)] =
        list->n - before;
}

/* The entries of this rank's list, in order. */
static void list_fill(struct planes_list *list, const struct planes_args *a,
                      enum planes_kind kind)
{
    const struct group group = group_or_all(&a->group, a->comm);
    int rank = group.rank;
    list->n = 0;
    for (int r = 0; r < group.size; r++)
        list_add(list, a, kind == PLANES_OWN ? r : rank,
                 kind == PLANES_OWN ? rank : r, kind);
}

farsum_status planes_list_create(struct planes_list *list,
                                 const struct planes_args *args,
                                 enum planes_kind kind)
{
    int size = args->comm->size;
    *list = (struct planes_list){.n = 0};
    TRY(MEM_NEW(list->count, size));
    TRY(MEM_NEW(list->bytes, size));
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            TRY(MEM_RAW(list->at, list->n));
        list_fill(list, args, kind);
    }
    return FARSUM_OK;
}

void planes_list_clear(struct planes_list *list)
{
    mem_free(list->at);
    mem_free(list->count);
    mem_free(list->bytes);
    *list = (struct planes_list){.n = 0};
}

void planes_list_bytes(struct planes_list *list, int size, int64_t each)
{
    for (int r = 0; r < size; r++)
        list->bytes[r] = list->count[r] * each;
}

farsum_status planes_sent(const struct planes_args *args, int64_t sent[2],
                          int64_t *stored)
{
    struct planes_list list = {0};
    *stored = 0;
    TRY(MEM_NEW(list.count, args->comm->size));
    for (int kind = 0; kind < 2; kind++) {
        list_fill(&list, args, (enum planes_kind)kind);
        sent[kind] = list.n - list.count[args->comm->rank];
        *stored += list.n;
    }
    mem_free(list.count);
    return FARSUM_OK;
}
