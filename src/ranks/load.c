/* SPDX-License-Identifier: Apache-2.0 */
/* load.c: bins of own points, and the work that follows from them. */
#include "ranks/load.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"

static farsum_status load_make(struct load *load, int apart)
{
    TRY(MEM_NEW(load->sources, load_bins(load)));
    return apart ? MEM_NEW(load->targets, load_bins(load)) : FARSUM_OK;
}

farsum_status load_create(struct load *load, const struct domain *domain,
                          const struct cell *cell, const int64_t mesh[3],
                          int apart)
{
    double planes = (double)mesh[0] / cell->height[0];
    *load = (struct load){.split = 1,
                          .planes = domain->begin[domain->rank + 1]
                                    - domain->begin[domain->rank],
                          .mesh0 = mesh[0],
                          .edge = {1, 1}};
    load->window = (int64_t)fmin(fmax(planes, 1), (double)mesh[0]);
    for (int d = 0; d < 2; d++) { /* 1/16 of the mesh at most */
        double wide = fmin(cell->height[d + 1], (double)mesh[d + 1] / 4);
        load->nb[d] = wide > 1 ? (int32_t)wide : 1;
    }
    double bins = (double)mesh[0] * load->nb[0] * load->nb[1];
    load->neighbours = 4 * acos(-1) / 3 * bins / cell->volume;
    return load_make(load, apart);
}

farsum_status load_create_leaves(struct load *load, const struct domain *domain,
                                 int split, const int64_t leaves[3], int reach,
                                 int apart)
{
    int64_t planes =
        domain->begin[domain->rank + 1] - domain->begin[domain->rank];
    double wide = 2 * reach + 1;
    *load = (struct load){.split = split,
                          .planes = planes * split,
                          .mesh0 = leaves[0],
                          .window = 2 * reach + 1 < leaves[0] ? 2 * reach + 1
                                                              : leaves[0],
                          .nb = {(int32_t)leaves[1], (int32_t)leaves[2]},
                          .edge = {1, 1},
                          .neighbours = wide * wide * wide};
    return load_make(load, apart);
}

void load_clear(struct load *load)
{
    mem_free(load->sources);
    mem_free(load->targets);
    *load = (struct load){.planes = 0};
}

static int64_t load_along(const struct load *load, int d, double at)
{
    int32_t nb = load->nb[d];
    double s = (at - load->low[d]) / load->edge[d];
    int64_t b = (int64_t)(s * nb);
    return b < 0 ? 0 : b < nb ? b : nb - 1;
}

void load_count(const struct load *load, const struct domain *domain, int64_t n,
                double *const s[3], int threads, int32_t *bins)
{
    int64_t first = load->split * domain->begin[domain->rank];
    if (load_bins(load) > 0)
        memset(bins, 0, (size_t)load_bins(load) * sizeof *bins);
    PAR_FOR(threads, schedule(static))
    for (int64_t i = 0; i < n; i++) {
        int64_t plane = (int64_t)(s[0][i] * (double)load->mesh0) - first;
        int64_t row = plane * load->nb[0] + load_along(load, 0, s[1][i]);
        int64_t bin = row * load->nb[1] + load_along(load, 1, s[2][i]);
#pragma omp atomic
        bins[bin]++;
    }
}

void load_planes(const struct load *load, int apart, struct load_plane *plane)
{
    int64_t columns = (int64_t)load->nb[0] * load->nb[1];
    for (int64_t k = 0; k < load->planes; k++) {
        const int32_t *from = load->sources + k * columns;
        const int32_t *to = apart ? load->targets + k * columns : from;
        struct load_plane sum = {0};
        for (int64_t c = 0; c < columns; c++) {
            double others = apart ? from[c] : from[c] - 1;
            sum.sources += from[c];
            sum.targets += to[c];
            sum.pairs += to[c] * others;
        }
        plane[k] = sum;
    }
}

/* The mean sources per plane within half a cutoff of plane k. */
static double around(const struct load *load, const struct load_plane *plane,
                     int64_t k)
{
    double sum = 0;
    for (int64_t w = 0; w < load->window; w++) {
        int64_t p = k - load->window / 2 + w; /* a window has mesh0 at most */
        sum += plane[p < 0 ? p + load->mesh0 : p % load->mesh0].sources;
    }
    return sum / (double)load->window;
}

void load_seconds(const struct load *load, const struct load_costs *costs,
                  const struct load_plane *plane, double *seconds)
{
    double columns = (double)load->nb[0] * load->nb[1];
    for (int64_t k = 0; k < load->mesh0; k++) {
        const struct load_plane *p = &plane[k];
        double near = p->sources > 0 ? p->pairs / p->sources
                                     : p->targets / columns;
        near *= load->neighbours * around(load, plane, k);
        seconds[k] = costs->plane + costs->source * p->sources
                     + costs->target * p->targets + costs->pair * near;
    }
}
