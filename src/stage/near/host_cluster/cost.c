/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c: cost and operations of host_cluster, from counted instructions. */
#include "stage/near/host_cluster/host_cluster.h"

#include <math.h>

#include "base/par.h"

/* SIMD vectors of pairs per source, including its listed neighbours.  The
 * fraction of lanes within range was measured for uniform points; it fits 1/(1
 * + 1.9 (width/neighbours)^(1/3)). */
double host_cluster_words(const struct near_args *args, int width)
{
    double range = 1 + args->skin, useful;
    double n = fmax(args->neighbours * range * range * range, 1);
    useful = 1 / (1 + 1.9 * cbrt(width / n));
    return n / (width * useful) + 1;
}

int host_cluster_parts(const struct near_args *args)
{
    unsigned outputs = args->outputs;
    int pot = outputs == 0 || outputs & (FARSUM_POTENTIAL | FARSUM_ENERGY);
    int field = outputs == 0 || outputs & (FARSUM_FIELD | FARSUM_VIRIAL);
    if (near_kernel(args)->kind->moments)
        return cluster_parts(
            outputs == 0 || outputs & (FARSUM_GRADIENT | FARSUM_VIRIAL)
                ? CLUSTER_ALL
                : CLUSTER_BOTH);
    if (!near_kernel(args)->kind->gradient)
        return near_kernel(args)->values;
    return (pot ? 1 : 0) + (field ? 3 : 0);
}

/* Multiplications and FMA per vector for a flow kernel, counted in its code:
 * the distance 3, the root 5 (9 to rounding; in f32 4 for the unit), v and v^2,
 * the polynomials, and the work per side. */
static double cost_flow(const struct near_args *args)
{
    const struct pair *pair = near_kernel(args);
    double n = args->poly->n, sides = args->n_targets == 0 ? 2 : 1;
    int full = n >= CLUSTER_FULL_FROM || args->poly->error < 1e-9;
    double root = args->precision == FARSUM_F32 || full ? 9 : 5;
    return 5 + root + pair->polys * n + sides * (4 * pair->strengths - 2);
}

/* The same with moments: differences, root and radial functions 21, and their
 * polynomials, each with one coefficient less; if screened the exponential and
 * the terms with kappa, 29 in one chain, which takes as long as 85; per side
 * potential and field 11, and the gradient 23. */
static double cost_moments(const struct near_args *args)
{
    double n = args->poly->n, sides = args->n_targets == 0 ? 2 : 1;
    int gradient = host_cluster_parts(args) == CLUSTER_PARTS;
    int screened = near_kernel(args)->kind->screened;
    return 21 + 85 * screened + (3 + gradient) * n - 3 * (1 + gradient)
           + sides * (11 + 23 * gradient);
}

/* Cycles per vector, counted by hand in the code (AVX2: 20 + coefficients for
 * the field, two per cycle), times a factor measured on a Zen 3 at 3.1 GHz. */
double host_cluster_cost(const void *data)
{
    const struct near_args *args = data;
    int width = host_cluster_list(args)->width;
    int same = args->n_targets == 0, parts = host_cluster_parts(args);
    double n = (double)(same ? args->n_sources : args->n_targets);
    double words = host_cluster_words(args, width) * (same ? 0.5 : 1);
    double fma = (parts >= 3 ? 24 + args->poly->n : 12)
                 + (parts == 4 ? 4 + args->poly->n : 0)
                 + (parts == 1 ? args->poly->n : 0)
                 + (args->soft > 0 ? 4 * (parts >= 3) + 5 * (parts != 3) : 0);
    double pair = fma * 0.5 * 1.25 + 2, one = 150;
    if (!near_kernel(args)->kind->gradient)
        pair = cost_flow(args) * 0.5 * 1.8 + 2;
    if (near_kernel(args)->kind->moments)
        pair = cost_moments(args) * 0.5 * 1.25 + 2;
    return n * (words * pair + one) * 0.32e-9 / par_threads(args->threads);
}

/* Counts the lanes of all vectors, including lanes without a pair.  If the
 * targets are the sources, a pair serves both its points: the second adds only
 * the work after root and polynomials. */
void host_cluster_ops(const void *data, struct work *work)
{
    const struct near_args *args = data;
    const struct pair *pair = near_kernel(args);
    int width = host_cluster_list(args)->width, same = args->n_targets == 0;
    double words = host_cluster_words(args, width) * (same ? 0.5 : 1);
    double lanes = near_targets(args) * words * width;
    near_ops_looked(args, lanes, work);
    near_ops_pairs(args, lanes, work);
    near_ops_arrays(args, work);
    if (same && pair->kind->moments) {
        const int none[NEAR_POLYS] = {0};
        count_pair(pair->name, 1, host_cluster_parts(args) == CLUSTER_PARTS,
                   none, lanes, &work->count);
    } else if (same && pair->kind->gradient)
        count_calls(&work->count, COUNT_FMA,
                    lanes * host_cluster_parts(args));
    else if (same)
        count_calls(&work->count, COUNT_FMA,
                    lanes * (4 * pair->strengths - 2));
}

int64_t host_cluster_bytes(const void *data)
{
    const struct near_args *args = data;
    const struct cluster_list_kern *list = host_cluster_list(args);
    int width = list->width, same = args->n_targets == 0;
    double size = args->precision == FARSUM_F32 ? 4 : 8;
    double n = (double)(args->n_sources + args->n_targets);
    double m = (double)(same ? args->n_sources : args->n_targets);
    double padded = 1.15;
    int rows = 3 + near_kernel(args)->strengths;
    double listed = args->skin > 0 ? 24 : 0;
    double point = padded * (rows * size + 8 + 16.0 / width + listed) + 24 + 4;
    double words = host_cluster_words(args, width) * (same ? 0.5 : 1);
    double entry = 4 * 1.1 * words / (list->group == 4 ? 2.2 : 1.4) + 40;
    double sums = padded * (size + 8 * args->wide) * host_cluster_parts(args);
    return (int64_t)(n * point + m * (entry + sums) + 1e5);
}
