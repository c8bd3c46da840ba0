/* tree_region.c: the region of points in open space. */
#include "points/tree.h"

#include <math.h>

enum { EDGE_BITS = 7 };

static void region_bounds(const struct tree_given *given, double low[3],
                          double high[3])
{
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i < given->n; i++) {
            double x = given->x[d][i * given->step];
            low[d] = fmin(low[d], x);
            high[d] = fmax(high[d], x);
        }
}

farsum_status tree_region(struct tree_args *args,
                          const struct tree_given *sources,
                          const struct tree_given *targets)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, h = 0, most = 0;
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    region_bounds(sources, low, high);
    if (targets)
        region_bounds(targets, low, high);
    for (int d = 0; d < 3; d++) {
        if (low[d] > high[d])
            low[d] = high[d] = 0;
        if (args->root[d] < 1)
            FAIL(ERR_ARGUMENT, "tree: %lld root boxes along an axis",
                 (long long)args->root[d]);
        if (!isfinite(low[d]) || !isfinite(high[d] - low[d]))
            FAIL(ERR_POSITION, "positions from %g to %g span no region", low[d],
                 high[d]);
        h = fmax(h, (high[d] - low[d]) / (double)args->root[d]);
        most = fmax(most, fmax(fabs(low[d]), fabs(high[d])));
    }
    /* Boxes are no smaller than what positions resolve at the deepest level. */
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
