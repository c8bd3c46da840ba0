/* SPDX-License-Identifier: Apache-2.0 */
/* sample_grid.c: sources sorted into bins around the targets of a sample. */
#include "task/sample_grid.h"

#include <math.h>

#include "base/mem.h"

static int64_t grid_bin(const struct sample_grid *g, int d, int64_t i)
{
    int64_t b = (int64_t)(g->points->s[d][i] * (double)g->dim[d]);
    return b < g->dim[d] ? b : g->dim[d] - 1;
}

static void grid_source(struct sample_grid *g, int64_t i, int64_t e, double q)
{
    double x[3];
    g->by.i[e] = i;
    g->by.key[e] = g->key[i];
    g->by.q[e] = q;
    sample_grid_position(g, i, x);
    for (int d = 0; d < 3; d++) {
        g->by.s[d][e] = g->points->s[d][i];
        g->by.x[d][e] = x[d];
    }
}

/* Counting sort by bucket. */
farsum_status sample_grid_build(struct sample_grid *g,
                                const struct points *points,
                                const struct cell *cell, const double *q,
                                double width)
{
    int64_t n = points->n;
    g->points = points;
    g->cell = cell;
    for (int k = 0; k < 27; k++)
        for (int d = 0; d < 3; d++) {
            const double *a = cell->a + d;
            g->image[k][d] = (k / 9 - 1) * a[0] + (k / 3 % 3 - 1) * a[3]
                             + (k % 3 - 1) * a[6];
        }
    for (int d = 0; d < 3; d++) {
        double dim = floor(cell->height[d] / width);
        g->dim[d] = dim < 1 ? 1 : dim > 1e6 ? 1000000 : (int64_t)dim;
    }
    g->buckets = n | 1;
    g->apart = (double)g->dim[0] * (double)g->dim[1] * (double)g->dim[2]
               <= (double)g->buckets;
    TRY(MEM_RAW(g->key, n));
    TRY(MEM_RAW(g->by.i, n));
    TRY(MEM_RAW(g->by.key, n));
    TRY(MEM_NEW(g->by.q, n + SAMPLE_LANES));
    for (int d = 0; d < 3; d++) {
        TRY(MEM_NEW(g->by.s[d], n + SAMPLE_LANES));
        TRY(MEM_NEW(g->by.x[d], n + SAMPLE_LANES));
    }
    TRY(MEM_NEW(g->start, g->buckets + 1));
    for (int64_t i = 0; i < n; i++) {
        g->key[i] = sample_grid_key(g, grid_bin(g, 0, i), grid_bin(g, 1, i),
                                    grid_bin(g, 2, i));
        g->start[sample_grid_bucket(g, g->key[i]) + 1]++;
    }
    for (int64_t b = 0; b < g->buckets; b++)
        g->start[b + 1] += g->start[b];
    for (int64_t i = n - 1; i >= 0; i--) {
        int64_t e = --g->start[sample_grid_bucket(g, g->key[i]) + 1];
        grid_source(g, i, e, q[i]);
    }
    /* each start is now that of the next slot */
    for (int64_t b = 0; b < g->buckets; b++)
        g->start[b] = g->start[b + 1];
    g->start[g->buckets] = n;
    return FARSUM_OK;
}

void sample_grid_clear(struct sample_grid *g)
{
    mem_free(g->key);
    mem_free(g->start);
    mem_free(g->by.i);
    mem_free(g->by.key);
    mem_free(g->by.q);
    for (int d = 0; d < 3; d++) {
        mem_free(g->by.s[d]);
        mem_free(g->by.x[d]);
    }
}

/* Bins within the radius of source i's bin, without wrapping. */
static void grid_around(const struct sample_grid *g, int64_t i, double radius,
                        int64_t low[3], int64_t high[3])
{
    for (int d = 0; d < 3; d++) {
        int64_t at = grid_bin(g, d, i);
        int64_t reach =
            (int64_t)ceil(radius * (double)g->dim[d] / g->cell->height[d]);
        low[d] = at - reach;
        high[d] = at + reach;
    }
}

void sample_grid_reach(const struct sample_grid *g, int64_t i, double radius,
                       int64_t low[3], int64_t high[3])
{
    grid_around(g, i, radius, low, high);
    for (int d = 0; d < 3; d++)
        if (high[d] - low[d] >= g->dim[d]) {
            low[d] = 0;
            high[d] = g->dim[d] - 1;
        }
}

/* 0 to 2: the image of the cell that holds a bin. */
static int grid_image(int64_t bin, int64_t n)
{
    return bin < 0 ? 0 : bin < n ? 1 : 2;
}

/* Appends sources begin to end of an image; returns 0 if there are too many
 * ranges. */
static int range_add(struct sample_ranges *to, int64_t begin, int64_t end,
                     const double *shift)
{
    struct sample_range *last = to->range + to->n - 1;
    if (begin == end)
        return 1;
    if (to->n > 0 && last->end == begin && last->shift == shift) {
        last->end = end;
        return 1;
    }
    if (to->n == SAMPLE_RANGES)
        return 0;
    to->range[to->n++] = (struct sample_range){begin, end, shift};
    return 1;
}

/* Appends bins low to high of the last axis. */
static int range_row(const struct sample_grid *g, int64_t b0, int64_t b1,
                     int64_t low, int64_t high, struct sample_ranges *to)
{
    int64_t n = g->dim[2];
    const int64_t *start =
        g->start
        + sample_grid_key(g, sample_grid_turn(b0, g->dim[0]),
                          sample_grid_turn(b1, g->dim[1]), 0);
    int image = 9 * grid_image(b0, g->dim[0]) + 3 * grid_image(b1, g->dim[1]);
    while (low <= high) {
        int64_t from = sample_grid_turn(low, n);
        int64_t bins = high - low + 1 < n - from ? high - low + 1 : n - from;
        if (!range_add(to, start[from], start[from + bins],
                       g->image[image + grid_image(low, n)]))
            return 0;
        low += bins;
    }
    return 1;
}

void sample_grid_list(const struct sample_grid *g, const int64_t low[3],
                      const int64_t high[3], struct sample_ranges *to)
{
    to->n = 0;
    for (int64_t b0 = low[0]; b0 <= high[0] && g->apart; b0++)
        for (int64_t b1 = low[1]; b1 <= high[1]; b1++)
            if (!range_row(g, b0, b1, low[2], high[2], to)) {
                to->n = 0;
                return;
            }
}

void sample_grid_images(const struct sample_grid *g, int64_t i, double radius,
                        struct sample_ranges *to)
{
    int64_t low[3], high[3];
    if (to->n > 0 && to->key == g->key[i])
        return;
    grid_around(g, i, radius, low, high);
    sample_grid_list(g, low, high, to);
    to->key = g->key[i];
}
