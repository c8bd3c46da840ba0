/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.c: the sizes of tiles, the mesh points that they cover, and tasks. */
#include "points/tiles.h"

#include "base/mem.h"

/* Mesh points of a tile without halo.  A tile with its halo should fit the
 * second-level cache.  The mesh rows that the points of one column of bins
 * touch, P^2 of about TILE_Z + P points, should fit the first-level cache. */
enum { TILE_X = 16, TILE_Y = 16, TILE_Z = 32, BIN_XY = 2 };
/* A tile is split if it holds more than 1/PARTS of all points, but not into
 * parts below PART_MIN points. */
enum { PARTS = 64, PART_MIN = 2048 };

static int32_t tiles_divide(int64_t n, int64_t by)
{
    int64_t k = (n + by / 2) / by;
    return k > 1 ? (int32_t)k : 1;
}

void tiles_set(struct tiles *tiles, const int64_t mesh[3], const int open[3],
               int support)
{
    static const int core[3] = {TILE_X, TILE_Y, TILE_Z};
    tiles->support = support;
    for (int d = 0; d < 3; d++) {
        tiles->mesh[d] = mesh[d];
        tiles->open[d] = open[d] != 0;
        tiles->count[d] = tiles_divide(mesh[d], core[d]);
        tiles->bins[d] =
            d == 2 ? 1 : tiles_divide(mesh[d] / tiles->count[d], BIN_XY);
        int64_t most = 0;
        for (int64_t b = 0; b < tiles->count[d]; b++) {
            int64_t len = tiles_lo(tiles, d, b + 1) - tiles_lo(tiles, d, b);
            most = len > most ? len : most;
        }
        tiles->size[d] = (int32_t)most + support;
    }
}

void tiles_layout_set(struct tiles_layout *layout, const struct tiles *tiles,
                      farsum_precision precision, int lanes)
{
    enum { LINE = 64 };
    const int32_t *size = tiles->size;
    int row = size[2] + (lanes - tiles->support % lanes) % lanes;
    layout->real_size = precision == FARSUM_F32 ? 4 : 8;
    layout->stride[2] = 1;
    layout->stride[1] = (row + 3) / 4 * 4;
    layout->stride[0] = layout->stride[1] * size[1];
    int64_t bytes = (int64_t)layout->stride[0] * size[0] * layout->real_size;
    layout->bytes = (bytes + LINE - 1) / LINE * LINE;
}

farsum_status tiles_match(const struct tiles *tiles, const struct bins *bins)
{
    for (int d = 0; d < 3; d++)
        if (bins->nb[d] != tiles->count[d] * tiles->bins[d])
            FAIL(ERR_ARGUMENT,
                 "points are sorted into %d x %d x %d bins, axis %d needs %d",
                 bins->nb[0], bins->nb[1], bins->nb[2], d,
                 tiles->count[d] * tiles->bins[d]);
    return FARSUM_OK;
}

farsum_status tiles_cover_set(struct tiles_cover *cover,
                              const struct tiles *tiles, int d)
{
    farsum_status status = FARSUM_OK;
    int64_t mesh = tiles->mesh[d];
    int64_t n = (int64_t)tiles->count[d] * tiles->size[d];
    GO(MEM_NEW(cover->start, mesh + 2));
    GO(MEM_RAW(cover->tile, n));
    GO(MEM_RAW(cover->at, n));
    int64_t *start = cover->start + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t b = 0; b < tiles->count[d]; b++)
            for (int32_t i = 0; i < tiles->size[d]; i++) {
                int64_t m = tiles_index(tiles, d, tiles_lo(tiles, d, b) + i);
                if (m < 0) {
                    continue;
                } else if (pass) {
                    cover->tile[start[m]] = b;
                    cover->at[start[m]] = i;
                    start[m]++;
                } else {
                    start[m + 1]++;
                }
            }
        if (pass == 0)
            for (int64_t m = 0; m < mesh; m++)
                start[m + 1] += start[m];
    }
    /* start[m] now points at the end of m; one entry earlier is its begin */
done:
    if (status != FARSUM_OK)
        tiles_cover_clear(cover);
    return status;
}

void tiles_cover_clear(struct tiles_cover *cover)
{
    mem_free(cover->start);
    mem_free(cover->tile);
    mem_free(cover->at);
    *cover = (struct tiles_cover){0};
}

/* Returns the sorted points of column (x, y) of a tile's bins. */
static struct tiles_range tiles_column(const struct tiles *tiles,
                                       const struct bins *bins,
                                       const int32_t b[3], int x, int y)
{
    int64_t bx = (int64_t)b[0] * tiles->bins[0] + x;
    int64_t by = (int64_t)b[1] * tiles->bins[1] + y;
    int64_t k = (bx * bins->nb[1] + by) * bins->nb[2] + b[2] * tiles->bins[2];
    return (struct tiles_range){bins->start[k],
                                bins->start[k + tiles->bins[2]]};
}

static int64_t tiles_points(const struct tiles *tiles, const struct bins *bins,
                            const int32_t b[3])
{
    int64_t n = 0;
    for (int x = 0; x < tiles->bins[0]; x++)
        for (int y = 0; y < tiles->bins[1]; y++) {
            struct tiles_range r = tiles_column(tiles, bins, b, x, y);
            n += r.to - r.from;
        }
    return n;
}

farsum_status tiles_tasks_set(struct tiles_tasks *tasks,
                              const struct tiles *tiles,
                              const struct bins *bins)
{
    int64_t most = bins->n / PARTS > PART_MIN ? bins->n / PARTS : PART_MIN;
    int64_t n_tiles =
        (int64_t)tiles->count[0] * tiles->count[1] * tiles->count[2];
    tasks->n = 0;
    TRY(MEM_RESERVE(tasks->task, &tasks->capacity, n_tiles + bins->n / most));
    for (int32_t x = 0; x < tiles->count[0]; x++)
        for (int32_t y = 0; y < tiles->count[1]; y++)
            for (int32_t z = 0; z < tiles->count[2]; z++) {
                int32_t b[3] = {x, y, z};
                int64_t n = tiles_points(tiles, bins, b);
                int32_t parts = (int32_t)((n + most - 1) / most);
                for (int32_t p = 0; p < parts; p++)
                    tasks->task[tasks->n++] = (struct tiles_task){
                        {x, y, z}, p, parts,
                        n * p / parts, n * (p + 1) / parts};
            }
    return FARSUM_OK;
}

void tiles_tasks_clear(struct tiles_tasks *tasks)
{
    mem_free(tasks->task);
    *tasks = (struct tiles_tasks){0};
}

int tiles_ranges(const struct tiles *tiles, const struct bins *bins,
                 const struct tiles_task *task, struct tiles_range *range)
{
    int n = 0;
    int64_t before = 0;
    for (int x = 0; x < tiles->bins[0]; x++)
        for (int y = 0; y < tiles->bins[1]; y++) {
            struct tiles_range r = tiles_column(tiles, bins, task->b, x, y);
            int64_t shift = r.from - before, end = before + r.to - r.from;
            int64_t from = task->from > before ? task->from : before;
            int64_t to = task->to < end ? task->to : end;
            if (from < to)
                range[n++] = (struct tiles_range){from + shift, to + shift};
            before = end;
        }
    return n;
}
