/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.h: mesh tiles with halo, for spread and interp.
 *
 * Along axis d, tile b of count[d] holds the points with b <= u count/mesh < b
 * + 1, where u is the mesh coordinate.  It consists of bins[d] bins.  These
 * points touch the mesh points lo .. lo + size - 1, unwrapped.  lo may be
 * negative and the end may exceed the mesh, several times on a mesh that is
 * smaller than a window.  Mesh points outside the mesh are wrapped, or dropped
 * along an open axis.  Everything here depends only on the mesh, its open axes
 * and the window's support. */
#ifndef FARSUM_POINTS_TILES_H
#define FARSUM_POINTS_TILES_H

#include "points/bins.h"

struct tiles {
    int64_t mesh[3];
    int open[3];      /* 1: not periodic */
    int support;
    int32_t count[3]; /* tiles along each axis */
    int32_t bins[3];  /* bins of a tile along each axis */
    int32_t size[3];  /* largest number of mesh points that a tile's points
                         touch */
};

void tiles_set(struct tiles *tiles, const int64_t mesh[3], const int open[3],
               int support);
/* Returns OK if the points were sorted for these tiles. */
farsum_status tiles_match(const struct tiles *tiles, const struct bins *bins);

/* Memory layout of a tile with its halo, z fastest. */
struct tiles_layout {
    int real_size;
    int stride[3]; /* in reals */
    int64_t bytes; /* a multiple of 64 */
};
/* Sets the layout.  Each row ends with room for a whole vector of `lanes`
 * reals. */
void tiles_layout_set(struct tiles_layout *layout, const struct tiles *tiles,
                      farsum_precision precision, int lanes);

/* Returns the first mesh index of tile b: ceil(b mesh/count - P/2). */
static inline int64_t tiles_lo(const struct tiles *tiles, int d, int64_t b)
{
    int64_t k = 2 * (int64_t)tiles->count[d];
    int64_t x = 2 * b * tiles->mesh[d] - tiles->support * (k / 2);
    return x / k + (x % k > 0);
}
static inline int64_t tiles_wrap(int64_t m, int64_t mesh)
{
    m %= mesh;
    return m < 0 ? m + mesh : m;
}

/* Returns the index on the mesh of unwrapped index m along axis d; -1:
 * dropped. */
static inline int64_t tiles_index(const struct tiles *tiles, int d, int64_t m)
{
    if (tiles->open[d])
        return m < tiles->mesh[d] && m >= 0 ? m : -1;
    return tiles_wrap(m, tiles->mesh[d]);
}

/* Returns how many of the unwrapped indices m, m + 1, ... < end are consecutive
 * on the mesh along axis d.  *at: index of the first; -1: they are dropped. */
static inline int64_t tiles_stretch(const struct tiles *tiles, int d,
                                    int64_t m, int64_t end, int64_t *at)
{
    *at = tiles_index(tiles, d, m);
    int64_t n = *at >= 0 ? tiles->mesh[d] - *at : m < 0 ? -m : end - m;
    return n < end - m ? n : end - m;
}

/* The tiles that cover a mesh index m along one axis: entries start[m] ..
 * start[m + 1] - 1.  Each is a tile and the index within it, in the order of
 * tiles. */
struct tiles_cover {
    int64_t *start; /* owned, [mesh + 1] */
    int32_t *tile;  /* owned */
    int32_t *at;    /* owned */
};
farsum_status tiles_cover_set(struct tiles_cover *cover,
                              const struct tiles *tiles, int d);
void tiles_cover_clear(struct tiles_cover *cover);

/* Work on a part of a tile's points: from .. to, in sorted order.  A tile with
 * many points has several parts, so that one dense cluster keeps all threads
 * busy.  Their number depends only on the points. */
struct tiles_task {
    int32_t b[3];
    int32_t part, parts;
    int64_t from, to;
};
struct tiles_tasks {
    int64_t n, capacity;
    struct tiles_task *task; /* owned; by tile, then part */
};
farsum_status tiles_tasks_set(struct tiles_tasks *tasks,
                              const struct tiles *tiles,
                              const struct bins *bins);
void tiles_tasks_clear(struct tiles_tasks *tasks);

/* Gets the intervals of sorted points that belong to a task, at most bins[0]
 * bins[1] <= TILES_RANGES.  Returns their number. */
enum { TILES_RANGES = 256 };
struct tiles_range {
    int64_t from, to;
};
int tiles_ranges(const struct tiles *tiles, const struct bins *bins,
                 const struct tiles_task *task, struct tiles_range *range);
#endif
