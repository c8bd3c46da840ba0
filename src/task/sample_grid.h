/* SPDX-License-Identifier: Apache-2.0 */
/* sample_grid.h: sources sorted into bins around the targets of a sample. */
#ifndef FARSUM_TASK_SAMPLE_GRID_H
#define FARSUM_TASK_SAMPLE_GRID_H

#include "points/wrap.h"
#include "task/sample_kern.h"

/* The sources sorted by bucket. */
struct grid_sources {
    double *s[3], *q; /* owned, [n + SAMPLE_LANES]; s: fractional */
    double *x[3];     /* owned, the same: Cartesian */
    int64_t *i;       /* owned, [n] */
    uint64_t *key;    /* owned, [n] */
};

/* Bins of one width; equal hashes share a bucket. */
struct sample_grid {
    const struct points *points;
    const struct cell *cell;
    int64_t dim[3], buckets;
    uint64_t *key;  /* owned, [n]: bin of each source */
    int64_t *start; /* owned, [buckets + 1] */
    struct grid_sources by;
    double image[27][3]; /* lattice vectors: -1, 0 and 1 times each row, the
                            last row's fastest */
    int apart;           /* 1: no two bins share a bucket */
};

/* Ranges of sources around a bin, and the lattice vector from the bins of each
 * to those sources' nearest images. */
enum { SAMPLE_RANGES = 512 };
struct sample_ranges {
    uint64_t key; /* the bin */
    int n;        /* 0: too many */
    struct sample_range range[SAMPLE_RANGES];
};

/* Sorts the sources into bins of at least this width.  q: one number per
 * source, sorted too. */
farsum_status sample_grid_build(struct sample_grid *g,
                                const struct points *points,
                                const struct cell *cell, const double *q,
                                double width);
void sample_grid_clear(struct sample_grid *g);
/* Wraps a bin index -n .. 2n - 1 of a periodic axis. */
static inline int64_t sample_grid_turn(int64_t bin, int64_t n)
{
    return bin < 0 ? bin + n : bin < n ? bin : bin - n;
}
static inline uint64_t sample_grid_key(const struct sample_grid *g, int64_t b0,
                                       int64_t b1, int64_t b2)
{
    return (uint64_t)((b0 * g->dim[1] + b1) * g->dim[2] + b2);
}
static inline int64_t sample_grid_bucket(const struct sample_grid *g,
                                         uint64_t key)
{
    uint64_t buckets = (uint64_t)g->buckets;
    return (int64_t)(key < buckets ? key : key % buckets);
}
/* The Cartesian position of source i. */
static inline void sample_grid_position(const struct sample_grid *g, int64_t i,
                                        double x[3])
{
    double *const *s = g->points->s;
    for (int d = 0; d < 3; d++) {
        const double *a = g->cell->a + d;
        x[d] = s[0][i] * a[0] + s[1][i] * a[3] + s[2][i] * a[6];
    }
}
/* Bins within the radius of source i; each once where an axis has few. */
void sample_grid_reach(const struct sample_grid *g, int64_t i, double radius,
                       int64_t low[3], int64_t high[3]);
/* Lists the ranges of bins low to high, if bins are apart.  Along an axis they
 * span at most three cells.  Adjacent ranges of one image are merged. */
void sample_grid_list(const struct sample_grid *g, const int64_t low[3],
                      const int64_t high[3], struct sample_ranges *to);
/* The same for all bins within the radius of source i's bin.  A bin may appear
 * with several images.  Keeps the ranges of the same bin. */
void sample_grid_images(const struct sample_grid *g, int64_t i, double radius,
                        struct sample_ranges *to);
#endif
