/* SPDX-License-Identifier: Apache-2.0 */
/* ids.c: particles by the numbers that a file gives them.
 *
 * Over ranks the id modulo the number of ranks says which rank knows the
 * particle's number in the plan. */
#include "ranks/ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A particle's id and its number in the plan. */
struct place {
    int64_t id, at;
};

struct ids {
    struct ranks *ranks;
    const struct spread *where;
    int size, named;
    int64_t all;         /* particles of the frame */
    struct place *place; /* owned, [n], by id: those that this rank knows */
    int64_t n;
};

int ids_are_named(const struct ids *ids)
{
    return ids->named;
}

void ids_close(struct ids *ids)
{
    if (!ids)
        return;
    free(ids->place);
    free(ids);
}

static int no_memory(char *error, size_t size)
{
    snprintf(error, size, "out of memory");
    return -1;
}

/* --- exchange of items by the rank that knows them --- */

struct mail {
    int64_t *counts, *to, *from; /* owned, [size]: items, bytes, bytes */
    char *send, *got;            /* owned */
    int64_t *order;              /* owned, [n]: an item's place in send */
    int64_t n_got;
};

static void mail_clear(struct mail *mail)
{
    free(mail->counts);
    free(mail->to);
    free(mail->from);
    free(mail->send);
    free(mail->got);
    free(mail->order);
    *mail = (struct mail){.n_got = 0};
}

/* The rank that knows an item's id. */
static int rank_of(const struct ids *ids, const char *item)
{
    int64_t id;
    memcpy(&id, item, sizeof id);
    return (int)((uint64_t)id % (uint64_t)ids->size);
}

/* Sends items, each of which begins with its id.  Returns 0, or -1 on all
 * ranks. */
static int mail_there(const struct ids *ids, struct mail *m, const void *items,
                      int64_t n, size_t bytes)
{
    size_t ranks = (size_t)ids->size;
    m->counts = calloc(ranks, sizeof *m->counts);
    m->to = calloc(ranks, sizeof *m->to);
    m->from = calloc(ranks, sizeof *m->from);
    m->send = malloc((size_t)n * bytes + 1);
    m->order = malloc((size_t)n * sizeof *m->order + 1);
    int64_t next = 0, all = 0;
    int bad = !m->counts || !m->to || !m->from || !m->send || !m->order;
    if (ranks_any(ids->ranks, bad))
        return -1;
    const char *item = items;
    for (int64_t i = 0; i < n; i++)
        m->to[rank_of(ids, item + (size_t)i * bytes)] += (int64_t)bytes;
    for (int r = 0; r < ids->size; r++) {
        m->counts[r] = next;
        next += m->to[r] / (int64_t)bytes;
    }
    for (int64_t i = 0; i < n; i++) {
        int r = rank_of(ids, item + (size_t)i * bytes);
        m->order[i] = m->counts[r]++;
        memcpy(m->send + (size_t)m->order[i] * bytes, item + (size_t)i * bytes,
               bytes);
    }
    ranks_counts(ids->ranks, m->to, m->from);
    for (int r = 0; r < ids->size; r++)
        all += m->from[r];
    m->got = malloc((size_t)all + 1);
    m->n_got = all / (int64_t)bytes;
    if (ranks_any(ids->ranks, !m->got))
        return -1;
    ranks_trade(ids->ranks, m->send, m->to, m->got, m->from);
    return 0;
}

/* Sends the items of got back, in their order. */
static void mail_back(const struct ids *ids, struct mail *m)
{
    ranks_trade(ids->ranks, m->got, m->from, m->send, m->to);
}

/* --- the ids --- */

static int place_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Sorts the ids that this rank knows. */
static int sort_places(struct ids *ids, const char *what, char *error,
                       size_t size)
{
    int ascending = 1;
    for (int64_t i = 1; i < ids->n; i++)
        ascending &= ids->place[i].id > ids->place[i - 1].id;
    if (!ascending)
        qsort(ids->place, (size_t)ids->n, sizeof *ids->place, place_order);
    for (int64_t i = 1; i < ids->n; i++)
        if (ids->place[i].id == ids->place[i - 1].id) {
            snprintf(error, size, "two %ss have the id %lld; exclusions "
                     "require different ids", what,
                     (long long)ids->place[i].id);
            return -1;
        }
    return 0;
}

/* Brings each id to the rank that knows it. */
static int share_places(struct ids *ids, char *error, size_t size)
{
    struct mail mail = {.n_got = 0};
    if (mail_there(ids, &mail, ids->place, ids->n, sizeof *ids->place) != 0) {
        mail_clear(&mail);
        return no_memory(error, size);
    }
    free(ids->place);
    ids->place = (struct place *)(void *)mail.got;
    ids->n = mail.n_got;
    mail.got = NULL;
    mail_clear(&mail);
    return 0;
}

int ids_open(struct ranks *ranks, const struct io_frame *frame,
             const struct spread *where, const char *what, struct ids **out,
             char *error, size_t size)
{
    const struct io_column *c = io_frame_column(frame, "id");
    struct ids *ids = calloc(1, sizeof *ids);
    int64_t n = frame->n, before = spread_before(where, ranks_rank(ranks));
    int named = c && c->type == IO_INT && c->width == 1, bad = !ids;
    if (ids)
        *ids = (struct ids){ranks, where, ranks_size(ranks), named,
                            io_frame_all(frame), NULL, n};
    if (ids && named)
        bad = !(ids->place = malloc((size_t)n * sizeof *ids->place + 1));
    if (ranks_any(ranks, bad)) {
        ids_close(ids);
        return no_memory(error, size);
    }
    for (int64_t i = 0; i < n && named; i++)
        ids->place[i] = (struct place){((int64_t *)c->data)[i], before + i};
    if (named && ranks)
        bad = share_places(ids, error, size);
    if (named && !bad)
        bad = sort_places(ids, what, error, size);
    if (ranks_any(ranks, bad)) {
        ids_close(ids);
        return -1;
    }
    *out = ids;
    return 0;
}

static int64_t find_one(const struct ids *ids, int64_t id)
{
    struct place key = {id, 0};
    if (!ids->named && (id < 1 || id > ids->all))
        return -1;
    if (!ids->named)
        return ids->where ? spread_planned(ids->where, id) : id - 1;
    const struct place *found = bsearch(&key, ids->place, (size_t)ids->n,
                                        sizeof key, place_order);
    return found ? found->at : -1;
}

int ids_find(struct ids *ids, int64_t n, const int64_t *id, int64_t *at,
             char *error, size_t size)
{
    struct mail mail = {.n_got = 0};
    if (!ids->ranks || !ids->named) {
        for (int64_t i = 0; i < n; i++)
            at[i] = find_one(ids, id[i]);
        return 0;
    }
    int bad = mail_there(ids, &mail, id, n, sizeof *id);
    if (!bad) {
        int64_t *asked = (int64_t *)(void *)mail.got;
        for (int64_t i = 0; i < mail.n_got; i++)
            asked[i] = find_one(ids, asked[i]);
        mail_back(ids, &mail);
        for (int64_t i = 0; i < n; i++)
            memcpy(&at[i], mail.send + mail.order[i] * (int64_t)sizeof *at,
                   sizeof *at);
    }
    mail_clear(&mail);
    return bad ? no_memory(error, size) : 0;
}
