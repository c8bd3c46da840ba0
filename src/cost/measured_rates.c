/* SPDX-License-Identifier: Apache-2.0 */
/* measured_rates.c: measured rates, kept as lines of the timing cache, in
 * seconds per operation. */
#include "cost/measured_rates.h"

#include <math.h>
#include <string.h>

#include "cost/kept_times.h"

enum { BYTE = COUNT_KINDS, CACHE_BYTE, CACHE, LAUNCH, TRANSFER, RATES };
enum { RUNS = 3 };

static const char *rate_name(int k)
{
    static const char *const more[] = {"byte", "cache_byte", "cache",
                                       "launch", "transfer"};
    return k < COUNT_KINDS ? count_names[k] : more[k - COUNT_KINDS];
}

static double *rate_of(struct model_rates *rates, int k)
{
    double *const more[] = {&rates->byte, &rates->cache_byte, &rates->cache,
                            &rates->launch, &rates->transfer};
    return k < COUNT_KINDS ? &rates->seconds[k] : more[k - COUNT_KINDS];
}

/* Unit for the bytes of a cache, so that the number is in the range of
 * times. */
static const double cache_unit = 1e12;

static const char what[] = "model";

/* Returns 1 if all required rates are present. */
static int rates_load(const struct machine_place *place,
                      struct model_rates *rates)
{
    struct choose_time times[KEPT_TIMES_MOST];
    char key[KEPT_TIMES_KEY];
    kept_times_key_of(key, place, what);
    int n = kept_times_load(key, times);
    *rates = (struct model_rates){.kept = 1};
    for (int k = 0; k < RATES; k++)
        *rate_of(rates, k) = kept_times_run(times, n, rate_name(k));
    rates->cache *= cache_unit;
    for (int k = 0; k <= BYTE; k++)
        if (!(*rate_of(rates, k) > 0))
            return 0;
    return 1;
}

static void rates_keep(const struct machine_place *place,
                       struct model_rates rates)
{
    struct choose_time times[RATES];
    char key[KEPT_TIMES_KEY];
    int n = 0;
    kept_times_key_of(key, place, what);
    rates.cache /= cache_unit;
    for (int k = 0; k < RATES; k++)
        if (*rate_of(&rates, k) > 0) {
            times[n] = (struct choose_time){.run = *rate_of(&rates, k)};
            snprintf(times[n++].row, sizeof times->row, "%s", rate_name(k));
        }
    kept_times_keep(key, times, n);
}

farsum_status model_time(model_run *run, void *data, double least,
                         double *step)
{
    int64_t amount = 1;
    double best, seconds;
    TRY(run(data, amount, &best)); /* warm-up */
    TRY(run(data, amount, &best));
    while (best < least && amount < (int64_t)1 << 40) {
        double more = best > 0 ? 1.2 * least / best : 8;
        amount *= (int64_t)fmax(fmin(more, 8), 2);
        TRY(run(data, amount, &best));
    }
    for (int k = 1; k < RUNS; k++) {
        TRY(run(data, amount, &seconds));
        best = fmin(best, seconds);
    }
    *step = best / (double)amount;
    return FARSUM_OK;
}

farsum_status model_rates_get(const struct machine_place *place, int again,
                              struct model_rates *rates)
{
    if (!again && rates_load(place, rates))
        return FARSUM_OK;
    *rates = (struct model_rates){0};
    if (place->device)
        TRY(model_measure_gpu(place, rates));
    else
        TRY(model_measure_host(place, rates));
    /* these were measured together with one multiply-add */
    for (int k = COUNT_EXP; k <= COUNT_ERFC; k++)
        rates->seconds[k] = fmax(rates->seconds[k] - rates->seconds[COUNT_FMA],
                                 rates->seconds[COUNT_FMA]);
    rates_keep(place, *rates);
    return FARSUM_OK;
}
