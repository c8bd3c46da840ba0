/* SPDX-License-Identifier: Apache-2.0 */
/* tree_region.c: the region of points in open space. */
#include "points/tree/tree_set.h"

#include <math.h>

#include "base/par.h"

enum { EDGE_BITS = 7, POINTS_LEAST = 4096 /* minimum per thread */ };

static void region_bounds(const struct tree_given *given, int threads,
                          double low[3], double high[3])
{
    for (int d = 0; d < 3; d++) {
        double least = low[d], most = high[d];
        PAR_FOR(threads, schedule(static) reduction(min : least)
                             reduction(max : most))
        for (int64_t i = 0; i < given->n; i++) {
            double x = given->x[d][i * given->step];
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
        low[d] = least;
        high[d] = most;
    }
}

static int region_threads(const struct tree_args *args, int64_t n)
{
    int64_t most = n / POINTS_LEAST + 1;
    int threads = par_threads(args->threads);
    return most < threads ? (int)most : threads;
}

farsum_status tree_region(struct tree_args *args,
                          const struct tree_given *sources,
                          const struct tree_given *targets)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    region_bounds(sources, region_threads(args, sources->n), low, high);
    if (targets)
        region_bounds(targets, region_threads(args, targets->n), low, high);
    return tree_region_of(args, low, high);
}

farsum_status tree_region_of(struct tree_args *args, const double from[3],
                             const double to[3])
{
    double low[3], high[3], h = 0, most = 0;
    for (int d = 0; d < 3; d++) {
        low[d] = from[d];
        high[d] = to[d];
        if (low[d] > high[d])
            low[d] = high[d] = 0;
        if (args->root[d] < 1)
            FAIL(ERR_ARGUMENT, "tree: %lld root boxes along an axis",
                 (long long)args->root[d]);
        if (!isfinite(low[d]) || !isfinite(high[d] - low[d]))
            FAIL(ERR_POSITION,
                 "positions along an axis reach from %g to %g: not finite, or "
                 "too far apart",
                 low[d], high[d]);
        h = fmax(h, (high[d] - low[d]) / (double)args->root[d]);
        most = fmax(most, fmax(fabs(low[d]), fabs(high[d])));
    }
    /* Boxes are no smaller than the resolution of positions at the deepest
     * level. */
    h = fmax(h, most * 0x1p-24);
    h = fmax(h, 0x1p-400);
    int exponent;
    double digits = ceil(ldexp(frexp(h, &exponent), EDGE_BITS));
    double unit = ldexp(1, exponent - EDGE_BITS);
    for (int fits = 0; !fits; digits++) {
        fits = 1;
        for (int d = 0; d < 3; d++) {
            args->corner[d] = floor(low[d] / unit) * unit;
            args->edge[d] = digits * unit * (double)args->root[d];
            fits &= high[d] - args->corner[d] <= args->edge[d];
        }
    }
    return FARSUM_OK;
}
