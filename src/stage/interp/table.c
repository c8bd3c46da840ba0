/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of interp, from variants.def. */
#include "stage/interp/interp.h"

#include "base/number.h"
#include "stage/particles/host.h"

#include <math.h>
#include <stdio.h>

#define VARIANTS "stage/interp/variants.def"
#include "stage/variant_table.h"

static double interp_runs(const void *args)
{
    return interp_repeats(args);
}

static void interp_about(const void *args, char *text, size_t size)
{
    const struct interp_args *a = args;
    particles_about(text, size, a->n, a->mesh, interp_clustering(a),
                    interp_repeats(a));
}

/* Rounds the number of points to half powers of 2, the clustering factor to
 * powers of 4. */
static void interp_key(const void *args, char *text, size_t size)
{
    const struct interp_args *a = args;
    snprintf(
        text, size,
        "interp %s P%d d%d c%d p%d o%u %lldx%lldx%lld %lld %d%d%d n%s k%s",
        a->precision == FARSUM_F32 ? "f32" : "f64", a->window->support,
        a->window->degree, interp_channels(a), interp_parts(a), a->outputs,
        (long long)a->mesh[0], (long long)a->mesh[1], (long long)a->mesh[2],
        (long long)a->ldz, a->open[0], a->open[1], a->open[2],
        number_digits(round(2 * log2((double)(a->n > 0 ? a->n : 1))), 6).text,
        number_digits(round(0.5 * log2(interp_clustering(a))), 6).text);
}

const struct stage interp_stage = {"interp", rows, interp_runs, interp_about,
                                   interp_key, interp_ops, absent};
