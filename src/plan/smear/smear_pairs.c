/* SPDX-License-Identifier: Apache-2.0 */
/* smear_pairs.c: pairs of smeared charges, by bins as wide as the longest
 * reach, with all images. */
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/hypot.h"
#include "base/mem.h"
#include "base/par.h"
#include "plan/smear/smear.h"

enum {
    IMAGES = 1 << 20, /* of a cell that a cloud may overlap */
    COUNTED = 1 << 12 /* targets whose pairs are counted before memory for them
                         is reserved: a list that is too long fails soon */
};

/* A grid of bins; along open axes it covers the points. */
struct grid {
    const struct cell *cell;
    const double *width; /* the caller's */
    int64_t n, bins[3];
    int64_t reach[3];       /* bins searched on either side */
    double low[3], span[3]; /* of fractions of the cell */
    double *s;              /* owned, [n][3]: wrapped fractions */
    int64_t *head;          /* owned, [bins]: first point, or -1 */
    int64_t *next;          /* owned, [n] */
    double far;  /* distances over the width of a pair that are listed */
    double skip; /* square of the distance below which two points coincide, and
                    the sum leaves their pair out or refuses it */
};

/* The smallest x with erfc(x) <= least. */
static double grid_far(double least)
{
    double x = 1;
    while (erfc(x) > fmax(least, 1e-17))
        x += 0.05;
    return x;
}

static void grid_fractions(struct grid *g, const void *x, farsum_precision type)
{
    const struct cell *cell = g->cell;
    for (int64_t i = 0; i < g->n; i++)
        for (int d = 0; d < 3; d++) {
            double s = 0;
            for (int a = 0; a < 3; a++)
                s += cell->unit * array_get(x, type, 3 * i + a)
                     * cell->inv[3 * a + d];
            g->s[3 * i + d] = cell_wrap_axis(cell, d, s);
        }
}

static int64_t grid_bin(const struct grid *g, int64_t i, int d)
{
    double at = (g->s[3 * i + d] - g->low[d]) / g->span[d];
    int64_t b = (int64_t)(at * (double)g->bins[d]);
    return b < g->bins[d] ? b : g->bins[d] - 1;
}

/* Bins at least `most` wide, but not many more of them than points.  A search
 * takes all bins along an open axis at most. */
static farsum_status grid_shape(struct grid *g, double most)
{
    double many = cbrt((double)g->n) + 1, images = 1;
    for (int d = 0; d < 3; d++) {
        double low = 0, high = 1;
        if (g->cell->open[d]) {
            low = INFINITY;
            high = -INFINITY;
            for (int64_t i = 0; i < g->n; i++) {
                low = fmin(low, g->s[3 * i + d]);
                high = fmax(high, g->s[3 * i + d]);
            }
        }
        g->low[d] = low;
        g->span[d] = high > low ? high - low : 1;
        double wide = g->span[d] * g->cell->height[d];
        double bins = fmin(floor(wide / most), many);
        g->bins[d] = bins < 1 ? 1 : (int64_t)bins;
        bins = (double)g->bins[d];
        double reach = ceil(most * bins / wide);
        if (g->cell->open[d])
            reach = fmin(reach, bins - 1);
        else
            images *= 2 * reach / bins + 1;
        if (!(images <= IMAGES))
            FAIL(ERR_ARGUMENT,
                 "the widest cloud has a width of %.3g times an edge of the "
                 "cell: it overlaps more than 2^20 images; reduce the width",
                 most / (g->far * M_SQRT2 * g->cell->height[d]));
        g->reach[d] = (int64_t)reach;
    }
    return FARSUM_OK;
}

static farsum_status grid_make(struct grid *g, const void *x,
                               farsum_precision type, double most)
{
    TRY(MEM_RAW(g->s, 3 * g->n));
    TRY(MEM_RAW(g->next, g->n));
    grid_fractions(g, x, type);
    TRY(grid_shape(g, most));
    int64_t all = g->bins[0] * g->bins[1] * g->bins[2];
    TRY(MEM_RAW(g->head, all));
    for (int64_t k = 0; k < all; k++)
        g->head[k] = -1;
    for (int64_t i = g->n - 1; i >= 0; i--) {
        int64_t k = 0;
        for (int d = 0; d < 3; d++)
            k = k * g->bins[d] + grid_bin(g, i, d);
        g->next[i] = g->head[k];
        g->head[k] = i;
    }
    return FARSUM_OK;
}

static void grid_clear(struct grid *g)
{
    mem_free(g->s);
    mem_free(g->head);
    mem_free(g->next);
}

static int64_t floor_of(int64_t k, int64_t n)
{
    return k >= 0 ? k / n : -((n - 1 - k) / n);
}

/* Lists the sources of one bin, moved by `shift` cell vectors, for target i.
 * Returns their number; to NULL: only that. */
static int64_t grid_one(const struct grid *g, int64_t i, int64_t head,
                        const int64_t shift[3], struct smear_pair *to)
{
    const double *a = g->cell->a;
    int64_t found = 0;
    for (int64_t j = head; j >= 0; j = g->next[j]) {
        double ds[3], d[3];
        double wide = g->cell->unit * hypot_of(g->width[i], g->width[j]);
        for (int c = 0; c < 3; c++)
            ds[c] = g->s[3 * i + c] - g->s[3 * j + c] - (double)shift[c];
        for (int c = 0; c < 3; c++)
            d[c] = ds[0] * a[c] + ds[1] * a[3 + c] + ds[2] * a[6 + c];
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (!(r2 > g->skip && r2 < g->far * g->far * wide * wide))
            continue;
        if (to) {
            to[found].j = j;
            memcpy(to[found].d, d, sizeof d);
        }
        found++;
    }
    return found;
}

static int64_t grid_target(const struct grid *g, int64_t i,
                           struct smear_pair *to)
{
    int64_t home[3], at[3], shift[3], found = 0;
    for (int d = 0; d < 3; d++)
        home[d] = grid_bin(g, i, d);
    for (int64_t u = -g->reach[0]; u <= g->reach[0]; u++)
        for (int64_t v = -g->reach[1]; v <= g->reach[1]; v++)
            for (int64_t w = -g->reach[2]; w <= g->reach[2]; w++) {
                const int64_t step[3] = {u, v, w};
                int outside = 0;
                for (int d = 0; d < 3; d++) {
                    shift[d] = floor_of(home[d] + step[d], g->bins[d]);
                    at[d] = home[d] + step[d] - shift[d] * g->bins[d];
                    outside |= g->cell->open[d] && shift[d] != 0;
                }
                if (outside)
                    continue;
                int64_t k = (at[0] * g->bins[1] + at[1]) * g->bins[2] + at[2];
                found +=
                    grid_one(g, i, g->head[k], shift, to ? to + found : NULL);
            }
    return found;
}

/* Counts the pairs of each target, and reserves memory for all. */
static farsum_status list_count(struct smear *s, const struct grid *g,
                                int threads)
{
    int64_t have = 0;
    for (int64_t first = 0; first < s->n; first += COUNTED) {
        int64_t end = first + COUNTED < s->n ? first + COUNTED : s->n;
        PAR_FOR(threads, schedule(dynamic, 64))
        for (int64_t i = first; i < end; i++)
            s->start[i + 1] = grid_target(g, i, NULL);
        for (int64_t i = first; i < end; i++)
            s->start[i + 1] += s->start[i];
        TRY(MEM_RESERVE(s->pair, &have, s->start[end] + 1));
    }
    return FARSUM_OK;
}

farsum_status smear_list(struct smear *s, const struct cell *cell,
                         const void *x, farsum_precision type, double least,
                         double coincide, int threads)
{
    farsum_status status = FARSUM_OK;
    struct grid g = {.cell = cell, .width = s->width, .n = s->n};
    double most = 0;
    mem_free(s->start);
    mem_free(s->pair);
    s->start = NULL;
    s->pair = NULL;
    for (int64_t i = 0; i < s->n; i++)
        most = fmax(most, s->width[i]);
    for (int d = 0; d < 3; d++) { /* wrapping leaves as many digits */
        const double *a = cell->a + 3 * d;
        double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        if (!cell->open[d])
            g.skip = fmax(g.skip, coincide * coincide * square);
    }
    g.far = grid_far(least);
    TRY(MEM_NEW(s->start, s->n + 1));
    if (most == 0) /* points */
        return FARSUM_OK;
    GO(grid_make(&g, x, type, g.far * M_SQRT2 * most * cell->unit));
    GO(list_count(s, &g, threads));
    PAR_FOR(threads, schedule(dynamic, 64))
    for (int64_t i = 0; i < s->n; i++)
        grid_target(&g, i, s->pair + s->start[i]);
done:
    grid_clear(&g);
    return status;
}
