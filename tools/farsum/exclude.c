/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.c: conversion of pairs of particle numbers in a file to indices. */
#include "exclude.h"

#include <stdlib.h>
#include <string.h>

/* A particle's number in the file and its index. */
struct place {
    int64_t id, at;
};

/* A pair of indices, the lower one first, or a target's and a source's.  Of
 * equal pairs, the one with the lowest rank counts. */
struct entry {
    int64_t low, high, line;
    int rank; /* 0: from the file of pairs; 1 + IO_BONDS ... */
    double factor;
};

/* Particles that pairs may name. */
struct named {
    const struct io_frame *frame;
    const char *what;
    struct place *place; /* owned, [n], by id; NULL: ids are indices from 1 */
};

struct making {
    const struct settings *s;
    struct named first, second; /* of a pair; first is second without targets */
    int apart;                  /* 1: targets have a file of their own */
    struct entry *entry; /* owned */
    int64_t count;
    char *error;
    size_t size;
};

void exclude_clear(struct exclude_list *list)
{
    free(list->pair);
    free(list->factor);
    *list = (struct exclude_list){0};
}

static int no_memory(const struct making *m)
{
    snprintf(m->error, m->size, "no memory for exclusions");
    return -1;
}

static int place_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int make_places(struct making *m, struct named *p)
{
    const struct io_column *c = io_frame_column(p->frame, "id");
    int64_t n = p->frame->n;
    if (!c || c->type != IO_INT || c->width != 1)
        return 0;
    const int64_t *id = c->data;
    p->place = malloc((size_t)(n > 0 ? n : 1) * sizeof *p->place);
    if (!p->place)
        return no_memory(m);
    int ascending = 1;
    for (int64_t i = 0; i < n; i++) {
        p->place[i] = (struct place){id[i], i};
        ascending &= i == 0 || id[i] > id[i - 1];
    }
    if (!ascending)
        qsort(p->place, (size_t)n, sizeof *p->place, place_order);
    for (int64_t i = 1; i < n; i++)
        if (p->place[i].id == p->place[i - 1].id) {
            snprintf(m->error, m->size,
                     "two %ss have the id %lld; exclusions require different "
                     "ids",
                     p->what, (long long)p->place[i].id);
            return -1;
        }
    return 0;
}

/* The index of a number, or -1. */
static int64_t find_place(const struct named *p, int64_t id)
{
    struct place key = {id, 0}, *found;
    if (!p->place)
        return id >= 1 && id <= p->frame->n ? id - 1 : -1;
    found =
        bsearch(&key, p->place, (size_t)p->frame->n, sizeof key, place_order);
    return found ? found->at : -1;
}

/* The name of the file that holds a pair. */
static const char *file_of(const struct making *m, int rank)
{
    return rank == 0 ? m->s->exclude_file : "";
}

static int add_pairs(struct making *m, const struct io_pairs *pairs, int rank)
{
    size_t all = (size_t)(m->count + pairs->n);
    struct entry *more = realloc(m->entry, (all + 1) * sizeof *more);
    if (!more)
        return no_memory(m);
    m->entry = more;
    for (int64_t k = 0; k < pairs->n; k++) {
        const struct io_pair *p = &pairs->pair[k];
        int64_t a = find_place(&m->first, p->a);
        int64_t b = find_place(&m->second, p->b);
        const struct named *none = a < 0 ? &m->first : &m->second;
        const char *colon = rank == 0 ? ":" : "line ";
        if (a < 0 || b < 0) {
            snprintf(m->error, m->size,
                     "%s%s%lld: found no %s %s%lld",
                     file_of(m, rank), colon, (long long)p->line, none->what,
                     none->place ? "with the id " : "",
                     (long long)(a < 0 ? p->a : p->b));
            return -1;
        }
        if (a == b && !m->apart) {
            snprintf(m->error, m->size, "%s%s%lld: pairs particle %lld with "
                                        "itself",
                     file_of(m, rank), colon, (long long)p->line,
                     (long long)p->a);
            return -1;
        }
        m->entry[m->count++] =
            (struct entry){a < b || m->apart ? a : b,
                           a < b || m->apart ? b : a, p->line, rank,
                           rank == 0 ? p->factor : m->s->factors[rank - 1]};
    }
    return 0;
}

static int add_bonds(struct making *m)
{
    int64_t found = 0;
    const struct io_frame *frame = m->first.frame;
    if (m->apart) {
        snprintf(m->error, m->size,
                 "--exclude bonds excludes --targets, since bonds join "
                 "particles of one file; give a file of pairs");
        return -1;
    }
    if (!frame->format || strcmp(frame->format, "lammps") != 0) {
        snprintf(m->error, m->size,
                 "--exclude bonds needs LAMMPS data; other formats have no "
                 "bonds");
        return -1;
    }
    for (int k = 0; k < IO_JOINS; k++) {
        found += frame->joins[k].n;
        if (add_pairs(m, &frame->joins[k], 1 + k) != 0)
            return -1;
    }
    if (found > 0)
        return 0;
    snprintf(m->error, m->size, "--exclude bonds: found no bonds in the file");
    return -1;
}

static int add_file(struct making *m)
{
    struct io_pairs pairs;
    if (io_read_pairs(m->s->exclude_file, &pairs, m->error, m->size) != 0)
        return -1;
    int bad = add_pairs(m, &pairs, 0);
    io_pairs_clear(&pairs);
    return bad;
}

/* Stores each pair once, except those with factor 1. */
static int fill(struct making *m, struct exclude_list *list)
{
    size_t capacity = (size_t)m->count + 1;
    list->pair = malloc(2 * capacity * sizeof *list->pair);
    list->factor = malloc(capacity * sizeof *list->factor);
    if (!list->pair || !list->factor)
        return no_memory(m);
    qsort(m->entry, (size_t)m->count, sizeof *m->entry, entry_order);
    for (int64_t k = 0; k < m->count; k++) {
        const struct entry *e = &m->entry[k], *last = k > 0 ? e - 1 : NULL;
        int same = last && last->low == e->low && last->high == e->high;
        if (same && e->rank == 0) {
            snprintf(m->error, m->size, "%s:%lld: repeats the pair of line "
                                        "%lld",
                     m->s->exclude_file, (long long)e->line,
                     (long long)last->line);
            return -1;
        }
        if (same || e->factor == 1)
            continue;
        list->pair[2 * list->count] = e->low;
        list->pair[2 * list->count + 1] = e->high;
        list->factor[list->count++] = e->factor;
    }
    return 0;
}

int exclude_make(const struct settings *s, const struct io_frame *sources,
                 const struct io_frame *targets, struct exclude_list *list,
                 char *error, size_t size)
{
    struct making m = {.s = s, .error = error, .size = size};
    m.apart = targets != NULL;
    m.first.frame = m.apart ? targets : sources;
    m.first.what = m.apart ? "target" : "particle";
    m.second.frame = sources;
    m.second.what = m.apart ? "source" : "particle";
    *list = (struct exclude_list){0};
    if (s->has_factors && !s->exclude_bonds) {
        snprintf(error, size, "--exclude-factors requires --exclude bonds");
        return -1;
    }
    if (!s->exclude_bonds && !s->exclude_file)
        return 0;
    int bad = make_places(&m, &m.first) || make_places(&m, &m.second)
              || (s->exclude_file && add_file(&m))
              || (s->exclude_bonds && add_bonds(&m)) || fill(&m, list);
    free(m.first.place);
    free(m.second.place);
    free(m.entry);
    if (bad)
        exclude_clear(list);
    return bad ? -1 : 0;
}

int exclude_targets(const struct exclude_list *list, int64_t n, int apart,
                    const int64_t *index, int64_t count,
                    struct exclude_list *out)
{
    size_t capacity = 2 * (size_t)list->count + 1;
    int64_t *where = malloc((size_t)n * sizeof *where);
    *out = (struct exclude_list){0};
    out->pair = malloc(2 * capacity * sizeof *out->pair);
    out->factor = malloc(capacity * sizeof *out->factor);
    if (!where || !out->pair || !out->factor) {
        free(where);
        exclude_clear(out);
        return -1;
    }
    for (int64_t i = 0; i < n; i++)
        where[i] = -1;
    for (int64_t k = 0; k < count; k++)
        where[index[k]] = k;
    for (int64_t k = 0; k < 2 * list->count; k += apart ? 2 : 1) {
        int64_t target = where[list->pair[k]];
        if (target < 0)
            continue;
        out->pair[2 * out->count] = target;
        out->pair[2 * out->count + 1] = list->pair[k ^ 1];
        out->factor[out->count++] = list->factor[k / 2];
    }
    free(where);
    return 0;
}
