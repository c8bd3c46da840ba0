/* choose.c: fits, cost, pick, and say why. */
#include "stage/stage.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

const struct stage *stage_find(const char *name)
{
    for (int i = 0; stage_rooms[i]; i++)
        if (strcmp(stage_rooms[i]->name, name) == 0)
            return stage_rooms[i];
    return NULL;
}

static farsum_status choose_fits(const struct variant_row *row,
                                 const void *args)
{
    return row->variant->fits ? row->variant->fits(args) : FARSUM_OK;
}

static farsum_status choose_named(const struct stage *stage, const void *args,
                                  const struct choose_options *options,
                                  struct choice *choice)
{
    const char *names[32];
    int n = 0;
    for (const struct variant_row *row = stage->rows; row->name; row++) {
        if (n < 31)
            names[n++] = row->name;
        if (strcmp(row->name, options->name) != 0)
            continue;
        farsum_status status = choose_fits(row, args);
        if (status != FARSUM_OK)
            return status_prefix(status, "%s %s", stage->name, row->name);
        if (options->deterministic && !row->variant->deterministic)
            FAIL(ERR_UNSUPPORTED, "%s %s: its sums do not repeat bitwise",
                 stage->name, row->name);
        *choice = (struct choice){stage, row, row->variant->cost(args), ""};
        snprintf(choice->reason, sizeof choice->reason, "named");
        return FARSUM_OK;
    }
    names[n] = NULL;
    return text_unknown(stage->name, options->name, names);
}

farsum_status choose(const struct stage *stage, const void *args,
                     const struct choose_options *options,
                     struct choice *choice)
{
    if (options->name)
        return choose_named(stage, args, options, choice);
    const struct variant_row *best = NULL, *next = NULL;
    double cost = INFINITY, second = INFINITY;
    int rows = 0, fit = 0;
    for (const struct variant_row *row = stage->rows; row->name; row++) {
        rows++;
        if (choose_fits(row, args) != FARSUM_OK
            || (options->deterministic && !row->variant->deterministic))
            continue;
        fit++;
        double c = row->variant->cost(args);
        if (c < cost) {
            next = best;
            second = cost;
            best = row;
            cost = c;
        } else if (c < second) {
            next = row;
            second = c;
        }
    }
    if (!best)
        return status_prefix(FARSUM_ERR_UNSUPPORTED, "%s: no variant fits",
                             stage->name);
    *choice = (struct choice){stage, best, cost, ""};
    int n = snprintf(choice->reason, sizeof choice->reason,
                     "fits %d of %d; est %.3g ms", fit, rows, 1e3 * cost);
    if (next)
        snprintf(choice->reason + n, sizeof choice->reason - (size_t)n,
                 "; %s %.3g ms", next->name, 1e3 * second);
    return FARSUM_OK;
}
