/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c: selection of a stage's variant by predicate and cost, with the
 * reason. */
#include "stage/stage.h"

#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"

static farsum_status choose_fits(const struct variant_row *row,
                                 const void *args)
{
    return row->variant->fits ? row->variant->fits(args) : FARSUM_OK;
}

/* Appends to the reason the variant's description and the inputs of the
 * costs. */
static void choose_more(const void *args, struct choice *choice, int about)
{
    const struct stage *stage = choice->stage;
    void (*const says[])(const void *, char *, size_t) = {
        choice->row->variant->says, about ? stage->about : NULL};
    for (int k = 0; k < 2; k++) {
        size_t capacity = sizeof choice->reason, n = strlen(choice->reason);
        if (!says[k] || n + 3 > capacity)
            continue;
        snprintf(choice->reason + n, capacity - n, "; ");
        says[k](args, choice->reason + n + 2, capacity - n - 2);
    }
}

static farsum_status choose_named(const struct stage *stage, const void *args,
                                  const struct choose_options *options,
                                  struct choice *choice)
{
    const char *names[64];
    int n = 0;
    for (const struct variant_row *row = stage->rows; row->name; row++) {
        if (n < 63)
            names[n++] = row->name;
        if (strcmp(row->name, options->name) != 0)
            continue;
        farsum_status status = choose_fits(row, args);
        if (status != FARSUM_OK)
            return status_prefix(status, "%s %s", stage->name, row->name);
        if (options->deterministic && !row->variant->deterministic)
            FAIL(ERR_UNSUPPORTED, "%s %s: its sums do not repeat bitwise",
                 stage->name, row->name);
        if (options->exact && row->variant->error)
            FAIL(ERR_UNSUPPORTED,
                 "%s %s: has an error of its own, which is measured, not "
                 "bounded (strict)",
                 stage->name, row->name);
        *choice = (struct choice){.stage = stage, .row = row};
        choice->cost =
            choose_cost(stage, row, args, options, &choice->measured);
        if (options->brief)
            return FARSUM_OK;
        snprintf(choice->reason, sizeof choice->reason, "named");
        choose_more(args, choice, 0);
        return FARSUM_OK;
    }
    names[n] = NULL;
    for (int k = 0; stage->absent && stage->absent[k]; k++)
        if (strcmp(stage->absent[k], options->name) == 0)
            FAIL(ERR_UNSUPPORTED, "%s %s: built without FARSUM_PAPERS",
                 stage->name, options->name);
    return text_unknown(stage->name, options->name, names);
}

double choose_cost(const struct stage *stage, const struct variant_row *row,
                   const void *args, const struct choose_options *options,
                   int *measured)
{
    double repeats = stage->repeats ? stage->repeats(args) : 1;
    for (int i = 0; options && i < options->n_times; i++) {
        const struct choose_time *t = &options->times[i];
        if (strcmp(t->row, row->name) != 0)
            continue;
        *measured = 1;
        return t->run + t->set / repeats;
    }
    *measured = 0;
    return row->variant->cost(args)
           * (options && options->kind > 0 ? options->kind : 1);
}

/* As choose_rank: variants of papers, or all others. */
static int rank_of(const struct stage *stage, const void *args,
                   const struct choose_options *options, int paper,
                   const struct variant_row *ranked[CHOOSE_MOST],
                   double cost[CHOOSE_MOST])
{
    int n = 0, measured;
    for (const struct variant_row *row = stage->rows; row->name; row++) {
        if (row->paper != paper || choose_fits(row, args) != FARSUM_OK
            || (options && options->deterministic
                && !row->variant->deterministic)
            || (options && options->exact && row->variant->error))
            continue;
        double c = choose_cost(stage, row, args, options, &measured);
        int at = n++;
        for (; at > 0 && c < cost[at - 1]; at--) {
            cost[at] = cost[at - 1];
            ranked[at] = ranked[at - 1];
        }
        cost[at] = c;
        ranked[at] = row;
    }
    return n;
}

int choose_rank(const struct stage *stage, const void *args,
                const struct choose_options *options,
                const struct variant_row *ranked[CHOOSE_MOST],
                double cost[CHOOSE_MOST])
{
    int n = rank_of(stage, args, options, 0, ranked, cost);
    return n > 0 ? n : rank_of(stage, args, options, 1, ranked, cost);
}

/* "fits 8 of 19; est 0.57 ms; gpu_stream 0.75 ms, 1.31 times; density 0.1, ..."
 */
static void choose_say(const struct stage *stage, const void *args,
                       struct choice *choice, int fit,
                       const struct variant_row *next, double second)
{
    char *to = choice->reason;
    size_t capacity = sizeof choice->reason, n;
    int rows = 0;
    while (stage->rows[rows].name)
        rows++;
    c_locale_text(to, capacity, "fits %d of %d; %s %.3g ms", fit, rows,
                  choice->measured ? "measured" : "est", 1e3 * choice->cost);
    n = strlen(to);
    if (next && choice->cost > 0)
        c_locale_text(to + n, capacity - n, "; %s %.3g ms, %.3g times",
                      next->name, 1e3 * second, second / choice->cost);
    choose_more(args, choice, 1);
}

farsum_status choose(const struct stage *stage, const void *args,
                     const struct choose_options *options,
                     struct choice *choice)
{
    const struct variant_row *ranked[CHOOSE_MOST];
    double cost[CHOOSE_MOST];
    if (options->name)
        return choose_named(stage, args, options, choice);
    int n = choose_rank(stage, args, options, ranked, cost);
    if (n == 0)
        return status_prefix(FARSUM_ERR_UNSUPPORTED, "%s: no variant fits",
                             stage->name);
    *choice = (struct choice){.stage = stage, .row = ranked[0]};
    choice->cost =
        choose_cost(stage, ranked[0], args, options, &choice->measured);
    if (!options->brief)
        choose_say(stage, args, choice, n, n > 1 ? ranked[1] : NULL,
                   cost[n > 1]);
    return FARSUM_OK;
}
