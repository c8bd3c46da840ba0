/* SPDX-License-Identifier: Apache-2.0 */
/* columns_shape.c: sizes of columns and lists. */
#include "points/device/columns.h"

/* Returns the maximum number of pieces into which tiles of `edge` and the
 * mesh's ends cut a window. */
static int pieces(int64_t mesh, int open, int edge, int support)
{
    int most = 1;
    for (int64_t m = 0; m < mesh; m++) {
        int n = 0;
        for (int64_t pos = m, next; pos < m + support; pos = next) {
            int64_t w = pos % mesh, end = (w / edge + 1) * edge;
            next = pos + (end < mesh ? end : mesh) - w;
            n++;
            if (open && next - pos + w == mesh)
                break;
        }
        most = n > most ? n : most;
        /* between the ends, the pattern repeats with the tiles */
        if (m > edge + support && mesh - m > 2 * (edge + support))
            m += (mesh - m - 2 * (edge + support)) / edge * edge;
    }
    return most;
}

/* Returns the maximum number of lists that columns_source
 * (points/device/columns.kh) finds for a column. */
static int sources(const struct gpu_columns_shape *s, int d)
{
    int64_t mesh = s->mesh[d], edge = d == 1 ? s->tile_y : s->tile_z;
    int64_t before = s->support - 1, many = mesh + (s->open[d] ? before : 0);
    int most = 1;
    for (int64_t low = 0; low < mesh; low += edge) {
        int64_t end = low + edge < mesh ? low + edge : mesh;
        int n = 0;
        for (int64_t pos = low - before; pos < end; n++) {
            int64_t w = s->open[d] ? pos + before
                                   : (pos % mesh + mesh) % mesh;
            int64_t last = (w / edge + 1) * edge;
            pos += (last < many ? last : many) - w;
        }
        most = n > most ? n : most;
        /* as above, with whole columns */
        if (low > edge + before && mesh - low > 2 * (edge + before))
            low += (mesh - low - 2 * (edge + before)) / edge * edge;
    }
    return most;
}

void gpu_columns_shape_set(struct gpu_columns_shape *s)
{
    s->most_y = s->most_z = 1;
    s->sources_y = s->walk ? sources(s, 1) : 1;
    s->sources_z = s->walk ? sources(s, 2) : 1;
    if (s->by_first)
        return;
    s->most_y = pieces(s->mesh[1], s->open[1], s->tile_y, s->support);
    s->most_z = pieces(s->mesh[2], s->open[2], s->tile_z, s->support);
}

int64_t gpu_columns_lists_along(const struct gpu_columns_shape *s, int d)
{
    int tile = d == 1 ? s->tile_y : s->tile_z;
    int64_t before = s->by_first && s->open[d] ? s->support - 1 : 0;
    return (s->mesh[d] + before + tile - 1) / tile;
}

int64_t gpu_columns_along(const struct gpu_columns_shape *s, int d)
{
    int tile = d == 1 ? s->tile_y : s->tile_z;
    return s->walk ? (s->mesh[d] + tile - 1) / tile
                   : gpu_columns_lists_along(s, d);
}

/* Number of lists of all columns and bins. */
static int64_t lists_count(const struct gpu_columns_shape *s)
{
    return gpu_columns_lists_along(s, 1) * gpu_columns_lists_along(s, 2)
           * gpu_columns_bins(s);
}

int64_t gpu_columns_count(const struct gpu_columns_shape *s)
{
    return gpu_columns_along(s, 1) * gpu_columns_along(s, 2);
}

int64_t gpu_columns_bins(const struct gpu_columns_shape *s)
{
    return s->mesh[0] + (s->open[0] ? s->support - 1 : 0);
}

/* Several tasks per warp balance uneven ones; none is shorter than half a
 * window. */
int64_t gpu_columns_length(const struct gpu_columns_shape *s, int64_t warps)
{
    int64_t columns = gpu_columns_count(s);
    int64_t wanted = (3 * warps + columns - 1) / columns;
    int64_t length = gpu_columns_bins(s) / (wanted > 0 ? wanted : 1);
    length = length < s->support / 2 ? s->support / 2 : length;
    return length > GPU_COLUMNS_LENGTH ? GPU_COLUMNS_LENGTH : length;
}

double gpu_columns_fullest(const struct gpu_columns_shape *s, double entries,
                           int64_t warps, double clustering)
{
    int64_t length = gpu_columns_length(s, warps);
    int64_t segments = (gpu_columns_bins(s) + length - 1) / length;
    double mean = entries / (double)(gpu_columns_count(s) * segments);
    double cap = 4 * mean > GPU_COLUMNS_CAP ? 4 * mean : GPU_COLUMNS_CAP;
    double most = mean * clustering;
    return most > cap ? cap : most;
}

farsum_status gpu_columns_fits(const struct gpu_columns_shape *s, int64_t n)
{
    int64_t entries = n * s->most_y * s->most_z;
    int64_t lists = lists_count(s);
    if (entries > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED, "lists of %lld entries, at most %lld",
             (long long)entries, (long long)GPU_POINTS_MOST);
    if (lists >= GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld lists, at most %lld", (long long)lists,
             (long long)GPU_BINS_MOST);
    return FARSUM_OK;
}

int64_t gpu_columns_bytes(const struct gpu_columns_shape *s, int64_t n,
                          int has_inverse)
{
    int64_t real = s->precision == FARSUM_F32 ? 4 : 8;
    enum { SORT = 16 }; /* keys and indices, source and destination */
    return n * s->most_y * s->most_z * (3 * real + 12 + SORT + 4 * has_inverse)
           + 4 * (lists_count(s) + 2);
}

double gpu_columns_cost(const struct gpu_columns_shape *s, int64_t n,
                        double share)
{
    double places = (double)n * s->most_y * s->most_z;
    return (s->walk ? 1e-10 : 7e-11) * places / share + 5.5e-5;
}

int64_t gpu_columns_shared(const struct gpu_columns_shape *s, int64_t n,
                           uint64_t *key)
{
    const int64_t words[] = {s->precision, s->mesh[0], s->mesh[1], s->mesh[2],
                             s->open[0],   s->open[1], s->open[2], s->support,
                             s->tile_y,    s->tile_z,  s->ring,    s->by_first};
    *key = (uint64_t)n;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        *key = (*key ^ (uint64_t)words[i]) * 0x100000001b3u;
    return gpu_columns_bytes(s, n, 0);
}
