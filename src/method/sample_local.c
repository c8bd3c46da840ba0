/* sample_local.c: neighbours of a subset by a sorted hash of cells. */
#include "method/sample_local.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "method/arrays.h"

enum { NEIGHBOURS = 400, FORCES = 4096, TARGETS = 192 };

struct entry {
    uint64_t key;
    int64_t i;
};

struct grid {
    struct sample *sample;
    const struct points *points;
    const struct cell *cell;
    const void *q;
    farsum_precision arrays;
    int64_t dim[3];
    double radius, screen; /* of the shells, and of the force */
    struct entry *entry;   /* owned, sorted by key */
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

/* Adds the sources of one bin to the field at target i, screened: with
 * u = (r/screen)^2, q d/r^3 (1 - u)^2 falls smoothly to 0 at u = 1; and to the
 * target's shells, if it has any. */
static void grid_visit(const struct grid *g, int64_t i, uint64_t key,
                       double field[3], struct sample_target *target)
{
    int64_t n = g->points->n;
    double inner = log(g->sample->radius[0]);
    double inverse = (SAMPLE_SHELLS - 1) / (log(g->radius) - inner);
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
        if (!(r2 > 0) || r2 >= g->radius * g->radius)
            continue;
        double qj = array_get(g->q, g->arrays, j), r = sqrt(r2);
        double u = r2 / (g->screen * g->screen);
        double w = u < 1 ? qj * (1 - u) * (1 - u) / (r2 * r) : 0;
        for (int k = 0; k < 3; k++)
            field[k] += w * x[k];
        if (!target)
            continue;
        double at = (log(r) - inner) * inverse;
        int shell = at <= 0 ? 0 : at > SAMPLE_SHELLS - 2 ? SAMPLE_SHELLS - 1
                                                         : (int)ceil(at);
        target->charge[shell] += qj;
        for (int k = 0; k < 3; k++)
            target->dipole[shell][k] += qj * x[k] / r;
    }
}

/* Square of the field at target i. */
static double grid_target(const struct grid *g, int64_t i,
                          struct sample_target *target)
{
    double field[3] = {0};
    int64_t low[3], high[3];
    for (int d = 0; d < 3; d++) {
        /* all bins once, where there are fewer than three */
        int64_t at = grid_bin(g, d, i);
        low[d] = g->dim[d] < 3 ? 0 : at - 1;
        high[d] = g->dim[d] < 3 ? g->dim[d] - 1 : at + 1;
    }
    for (int64_t a = low[0]; a <= high[0]; a++)
        for (int64_t b = low[1]; b <= high[1]; b++)
            for (int64_t c = low[2]; c <= high[2]; c++)
                grid_visit(g, i,
                           grid_key(g, (a + g->dim[0]) % g->dim[0],
                                    (b + g->dim[1]) % g->dim[1],
                                    (c + g->dim[2]) % g->dim[2]),
                           field, target);
    return field[0] * field[0] + field[1] * field[1] + field[2] * field[2];
}

/* Radius where a particle has `wanted` neighbours, or half the cell. */
static double grid_radius(const struct sample *s, double wanted)
{
    double r = s->radius0;
    for (int k = 0; k < SAMPLE_RADII - 1 && s->around[k] < wanted; k++)
        r *= s->step;
    return r;
}

farsum_status sample_local(struct sample *sample, const struct cell *cell,
                           const struct points *points, const void *q,
                           farsum_precision arrays)
{
    struct grid g = {.sample = sample, .points = points, .cell = cell, .q = q,
                     .arrays = arrays};
    int64_t n = points->n, forces = n < FORCES ? n : FORCES;
    int64_t targets = n < TARGETS ? n : TARGETS;
    double sum = 0;
    g.radius = grid_radius(sample, NEIGHBOURS);
    g.screen = grid_radius(sample, 60);
    TRY(MEM_NEW(sample->target, targets));
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        sample->radius[k] = g.radius
                            * pow(sample->radius0 / g.radius,
                                  1 - (double)k / (SAMPLE_SHELLS - 1));
    TRY(grid_build(&g));
    for (int64_t t = 0; t < forces; t++) {
        /* spread over the sources; the first of each few has shells */
        int64_t i = (int64_t)((double)n * ((double)t + 0.5) / (double)forces);
        int64_t own = t * targets / forces;
        int first = t == 0 || (t - 1) * targets / forces != own;
        double qi = array_get(q, arrays, i);
        if (first)
            sample->target[own].q = qi;
        sum += qi * qi
               * grid_target(&g, i, first ? &sample->target[own] : NULL);
    }
    sample->n_targets = targets;
    sample->force = sqrt(sum / (double)forces);
    mem_free(g.entry);
    return FARSUM_OK;
}
