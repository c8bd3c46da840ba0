/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.c: conversion of pairs of particle numbers in a file to indices. */
#include "exclude.h"

#include "ranks/ids.h"

#include <stdlib.h>
#include <string.h>

/* A pair of indices, the lower one first, or a target's and a source's.  Of
 * equal pairs, the one with the lowest rank counts. */
struct entry {
    int64_t low, high; /* at first: numbers in the file */
    int64_t line;
    int rank; /* 0: from the file of pairs; 1 + IO_BONDS ... */
    double factor;
};

struct making {
    const struct settings *s;
    struct ranks *ranks;
    struct ids *first, *second; /* of a pair; first is second without targets */
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
        m->entry[m->count++] =
            (struct entry){p->a, p->b, p->line, rank,
                           rank == 0 ? p->factor : m->s->factors[rank - 1]};
    }
    return 0;
}

/* Replaces a pair's numbers in the file by a and b, those in the plan. */
static int place_pair(struct making *m, struct entry *e, int64_t a, int64_t b)
{
    int64_t number = a < 0 ? e->low : e->high;
    const char *colon = e->rank == 0 ? ":" : "line ";
    if (a < 0 || b < 0) {
        snprintf(m->error, m->size, "%s%s%lld: found no %s %s%lld",
                 file_of(m, e->rank), colon, (long long)e->line,
                 !m->apart ? "particle" : a < 0 ? "target" : "source",
                 ids_are_named(a < 0 ? m->first : m->second) ? "with the id "
                                                             : "",
                 (long long)number);
        return -1;
    }
    if (a == b && !m->apart) {
        snprintf(m->error, m->size, "%s%s%lld: pairs particle %lld with itself",
                 file_of(m, e->rank), colon, (long long)e->line,
                 (long long)e->low);
        return -1;
    }
    e->low = a < b || m->apart ? a : b;
    e->high = a < b || m->apart ? b : a;
    return 0;
}

/* Finds the particles of all pairs.  Collective. */
static int place_pairs(struct making *m)
{
    int64_t n = m->count, bad = 0;
    int64_t *id = malloc(2 * (size_t)n * sizeof *id + 1);
    int64_t *at = malloc(2 * (size_t)n * sizeof *at + 1);
    if (ranks_any(m->ranks, !id || !at)) {
        bad = no_memory(m);
        goto done;
    }
    for (int64_t k = 0; k < n; k++) {
        id[k] = m->entry[k].low;
        id[n + k] = m->entry[k].high;
    }
    bad = ids_find(m->first, n, id, at, m->error, m->size) != 0
          || ids_find(m->second, n, id + n, at + n, m->error, m->size) != 0;
    for (int64_t k = 0; k < n && !bad; k++)
        bad = place_pair(m, &m->entry[k], at[k], at[n + k]);
done:
    free(id);
    free(at);
    return bad ? -1 : 0;
}

static int add_bonds(struct making *m, const struct io_frame *frame)
{
    int64_t found = 0;
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

/* Makes the list, which rank 0 has alone. */
static int make_list(struct making *m, const struct io_frame *sources,
                     const struct io_frame *targets,
                     const struct exclude_over *over,
                     struct exclude_list *list)
{
    const char *what = m->apart ? "source" : "particle";
    int first = ranks_rank(m->ranks) == 0, bad = 0;
    if (first)
        bad = (m->s->exclude_file && add_file(m))
              || (m->s->exclude_bonds && add_bonds(m, sources));
    if (ranks_any(m->ranks, bad))
        return -1;
    if (m->apart && ids_open(m->ranks, targets, over ? over->targets : NULL,
                             "target", &m->first, m->error, m->size) != 0)
        return -1;
    if (ids_open(m->ranks, sources, over ? over->sources : NULL, what,
                 &m->second, m->error, m->size) != 0)
        return -1;
    if (!m->apart)
        m->first = m->second;
    if (ranks_any(m->ranks, place_pairs(m) != 0))
        return -1;
    return fill(m, list);
}

int exclude_make_over(const struct settings *s, const struct io_frame *sources,
                      const struct io_frame *targets,
                      const struct exclude_over *over,
                      struct exclude_list *list, char *error, size_t size)
{
    struct making m = {.s = s, .error = error, .size = size,
                       .apart = targets != NULL,
                       .ranks = over ? over->ranks : NULL};
    *list = (struct exclude_list){0};
    if (s->has_factors && !s->exclude_bonds) {
        snprintf(error, size, "--exclude-factors requires --exclude bonds");
        return -1;
    }
    if (!s->exclude_bonds && !s->exclude_file)
        return 0;
    int bad = make_list(&m, sources, targets, over, list);
    double all = (double)list->count;
    ranks_sum(m.ranks, &all, 1);
    list->all = (int64_t)all;
    if (m.first != m.second)
        ids_close(m.first);
    ids_close(m.second);
    free(m.entry);
    if (bad)
        exclude_clear(list);
    return bad ? -1 : 0;
}

int exclude_make(const struct settings *s, const struct io_frame *sources,
                 const struct io_frame *targets, struct exclude_list *list,
                 char *error, size_t size)
{
    return exclude_make_over(s, sources, targets, NULL, list, error, size);
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
