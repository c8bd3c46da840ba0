/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of spread, from variants.def. */
#include "stage/spread/spread.h"

#include "base/number.h"
#include "stage/particles/host.h"

#include <math.h>
#include <stdio.h>

#define VARIANTS "stage/spread/variants.def"
#include "stage/variant_table.h"

static double spread_runs(const void *args)
{
    return spread_repeats(args);
}

static void spread_about(const void *args, char *text, size_t size)
{
    const struct spread_args *a = args;
    particles_about(text, size, a->n, a->mesh, spread_clustering(a),
                    spread_repeats(a));
}

/* Rounds the number of points to half powers of 2, the clustering factor to
 * powers of 4. */
static void spread_key(const void *args, char *text, size_t size)
{
    const struct spread_args *a = args;
    snprintf(
        text, size,
        "spread %s P%d d%d c%d p%d u%d g%d %lldx%lldx%lld %lld %d%d%d "
        "n%s k%s",
        a->precision == FARSUM_F32 ? "f32" : "f64", a->window->support,
        a->window->degree, spread_channels(a), spread_parts(a), a->unit,
        a->group, (long long)a->mesh[0], (long long)a->mesh[1],
        (long long)a->mesh[2], (long long)a->ldz, a->open[0], a->open[1],
        a->open[2],
        number_digits(round(2 * log2((double)(a->n > 0 ? a->n : 1))), 6).text,
        number_digits(round(0.5 * log2(spread_clustering(a))), 6).text);
}

const struct stage spread_stage = {"spread",   rows,       spread_runs,
                                   spread_about, spread_key, spread_ops,
                                   absent};
