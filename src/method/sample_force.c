/* sample_force.c: near forces of a subset by a sorted hash of cells. */
#include "method/sample_force.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { NEIGHBOURS = 60, TARGETS = 16384 };

struct entry {
    uint64_t key;
    int64_t i;
};

struct grid {
    const struct points *points;
    const struct cell *cell;
    int64_t dim[3];
    double radius;
    struct entry *entry; /* owned, sorted by key */
};

static int entry_order(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1)
                            : (a->i > b->i) - (a->i < b->i);
}

static uint64_t grid_key(const struct grid *g, int64_t b0, int64_t b1,
                         int64_t b2)
{
    return (uint64_t)((b0 * g->dim[1] + b1) * g->dim[2] + b2);
}

static int64_t grid_bin(const struct grid *g, int d, int64_t i)
{
    int64_t b = (int64_t)(g->points->s[d][i] * (double)g->dim[d]);
    return b < g->dim[d] ? b : g->dim[d] - 1;
}

static farsum_status grid_build(struct grid *g)
{
    int64_t n = g->points->n;
    for (int d = 0; d < 3; d++) {
        double dim = floor(g->cell->height[d] / g->radius);
        g->dim[d] = dim < 1 ? 1 : dim > 1e6 ? 1000000 : (int64_t)dim;
    }
    TRY(MEM_RAW(g->entry, n));
    for (int64_t i = 0; i < n; i++)
        g->entry[i] = (struct entry){
            grid_key(g, grid_bin(g, 0, i), grid_bin(g, 1, i),
                     grid_bin(g, 2, i)),
            i};
    qsort(g->entry, (size_t)n, sizeof *g->entry, entry_order);
    return FARSUM_OK;
}

static int64_t grid_first(const struct grid *g, uint64_t key)
{
    int64_t low = 0, high = g->points->n;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (g->entry[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Adds the screened field at target i of the sources in one bin: with
 * x = r/radius, q d/r^3 (1 - x^2)^2 falls smoothly to 0 at x = 1. */
static void grid_field(const struct grid *g, const void *q,
                       farsum_precision arrays, int64_t i, uint64_t key,
                       double field[3])
{
    int64_t n = g->points->n;
    for (int64_t e = grid_first(g, key); e < n && g->entry[e].key == key; e++) {
        int64_t j = g->entry[e].i;
        double f[3], x[3], r2 = 0;
        for (int d = 0; d < 3; d++) {
            f[d] = g->points->s[d][i] - g->points->s[d][j];
            f[d] -= nearbyint(f[d]);
        }
        for (int k = 0; k < 3; k++) {
            x[k] = f[0] * g->cell->a[k] + f[1] * g->cell->a[3 + k]
                   + f[2] * g->cell->a[6 + k];
            r2 += x[k] * x[k];
        }
        double u = r2 / (g->radius * g->radius);
        if (u >= 1 || !(r2 > 0))
            continue;
        double qj = arrays == FARSUM_F32 ? (double)((const float *)q)[j]
                                         : ((const double *)q)[j];
        double w = qj * (1 - u) * (1 - u) / (r2 * sqrt(r2));
        for (int k = 0; k < 3; k++)
            field[k] += w * x[k];
    }
}

static double grid_target(const struct grid *g, const void *q,
                          farsum_precision arrays, int64_t i)
{
    double field[3] = {0};
    int64_t at[3], low[3], high[3];
    for (int d = 0; d < 3; d++) {
        /* all bins once, where there are fewer than three */
        at[d] = grid_bin(g, d, i);
        low[d] = g->dim[d] < 3 ? 0 : at[d] - 1;
        high[d] = g->dim[d] < 3 ? g->dim[d] - 1 : at[d] + 1;
    }
    for (int64_t a = low[0]; a <= high[0]; a++)
        for (int64_t b = low[1]; b <= high[1]; b++)
            for (int64_t c = low[2]; c <= high[2]; c++)
                grid_field(g, q, arrays, i,
                           grid_key(g, (a + g->dim[0]) % g->dim[0],
                                    (b + g->dim[1]) % g->dim[1],
                                    (c + g->dim[2]) % g->dim[2]),
                           field);
    return field[0] * field[0] + field[1] * field[1] + field[2] * field[2];
}

farsum_status sample_force(struct sample *sample, const struct cell *cell,
                           const struct points *points, const void *q,
                           farsum_precision arrays)
{
    struct grid g = {points, cell, {0}, 0, NULL};
    double r = sample->radius0, half = 0;
    for (int k = 0; k < SAMPLE_RADII; k++, r *= sample->step) {
        g.radius = r;
        half = r;
        if (sample->around[k] >= NEIGHBOURS)
            break;
    }
    g.radius = half;
    TRY(grid_build(&g));
    int64_t n = points->n, targets = n < TARGETS ? n : TARGETS;
    double sum = 0;
    for (int64_t t = 0; t < targets; t++) {
        int64_t i = targets == n ? t : (int64_t)((double)n * ((double)t + 0.5)
                                                 / (double)targets);
        double qi = arrays == FARSUM_F32 ? (double)((const float *)q)[i]
                                         : ((const double *)q)[i];
        sum += qi * qi * grid_target(&g, q, arrays, i);
    }
    sample->force = sqrt(sum / (double)targets);
    mem_free(g.entry);
    return FARSUM_OK;
}
