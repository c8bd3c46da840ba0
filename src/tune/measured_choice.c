/* SPDX-License-Identifier: Apache-2.0 */
/* measured_choice.c: choice of variants by cost model or measured times. */
#include "tune/measured_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cost/kept_times.h"

/* Limits of the measurement: the number of variants, and their cost relative to
 * the cheapest. */
enum { ROWS = 5 };
static const double dearer = 2.5;

void planner_key(char key[KEPT_TIMES_KEY], const struct device *device,
                 enum isa isa, int threads, const struct stage *stage,
                 const void *args)
{
    char text[200] = "";
    if (stage->key)
        stage->key(args, text, sizeof text);
    kept_times_key(key, device, isa, threads, text);
}

static int known(const struct choose_time *times, int n, const char *row)
{
    for (int i = 0; i < n; i++)
        if (strcmp(times[i].row, row) == 0)
            return 1;
    return 0;
}

/* Lists the variants that the models rank as fastest and that have no measured
 * time. */
static int wanted(const struct stage *stage, const void *args,
                  const struct planner *how, const struct choose_time *times,
                  int n_times, const struct variant_row *rows[ROWS])
{
    struct choose_options options = {.deterministic = how->deterministic};
    const struct variant_row *ranked[CHOOSE_MOST];
    double cost[CHOOSE_MOST];
    int n = choose_rank(stage, args, &options, ranked, cost), found = 0;
    for (int i = 0; i < n && i < ROWS && cost[i] <= dearer * cost[0]; i++)
        if (!known(times, n_times, ranked[i]->name))
            rows[found++] = ranked[i];
    return found;
}

/* The smallest ratio of time to modelled cost among the variants with measured
 * times, at least 1.  Costs of the others are multiplied by it, so that a model
 * that is too optimistic does not win over measurements. */
static double kindness(const struct stage *stage, const void *args,
                       const struct choose_time *times, int n)
{
    double least = INFINITY, repeats = stage->repeats(args);
    for (const struct variant_row *row = stage->rows; row->name; row++)
        for (int i = 0; i < n; i++)
            if (strcmp(times[i].row, row->name) == 0)
                least = fmin(least, (times[i].run + times[i].set / repeats)
                                        / row->variant->cost(args));
    return isfinite(least) ? fmax(least, 1) : 1;
}

struct spread_args planner_spread(const struct interp_args *args)
{
    return (struct spread_args){
        .precision = args->precision,
        .device = args->device,
        .isa = args->isa,
        .threads = args->threads,
        .mesh = {args->mesh[0], args->mesh[1], args->mesh[2]},
        .ldz = args->ldz,
        .open = {args->open[0], args->open[1], args->open[2]},
        .channels = args->channels,
        .parts = args->parts,
        .repeats = args->repeats,
        .clustering = args->clustering,
        .window = args->window,
        .n = args->n};
}

farsum_status planner_choose(const struct planner *how,
                             const struct stage *stage, const void *args,
                             struct choice *choice)
{
    struct choose_time times[CHOOSE_MOST];
    const struct variant_row *rows[ROWS];
    char key[KEPT_TIMES_KEY];
    int n_times = 0, more = 0;
    if (!how->name) {
        planner_key(key, how->device, how->isa, how->threads, stage, args);
        n_times = kept_times_load(key, times);
        int missing = how->measure && *key
                          ? wanted(stage, args, how, times, n_times, rows)
                          : 0;
        if (missing > CHOOSE_MOST - n_times)
            missing = CHOOSE_MOST - n_times;
        /* the model decides about a variant that cannot be measured */
        if (missing > 0
            && planner_measure_rows(stage, rows, missing, args, times + n_times,
                                    &more)
                   == FARSUM_OK) {
            kept_times_keep(key, times + n_times, more);
            n_times += more;
        }
    }
    struct choose_options options = {.name = how->name,
                                     .deterministic = how->deterministic,
                                     .times = times,
                                     .n_times = n_times};
    if (n_times > 0)
        options.kind = kindness(stage, args, times, n_times);
    return choose(stage, args, &options, choice);
}
