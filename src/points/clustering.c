/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.c: the clustering factor of points. */
#include "points/clustering.h"

#include "base/mem.h"
#include "points/device/ordering.h"
#include "points/wrap.h"

enum { SAMPLE = 1 << 16, PAIRS = 100 };

double clustering_of(double squares, double n, double tiles)
{
    double clustering = n > 1 ? tiles * (squares - n) / (n * (n - 1)) : 1;
    return clustering > 1 ? clustering : 1;
}

/* Uniform points then have n^2 / (2 tiles) pairs within tiles, at least
 * PAIRS. */
void clustering_tiles(const int64_t mesh[3], int64_t n, int32_t nb[3])
{
    double most = (double)n * (double)n / (2 * PAIRS);
    for (int edge = CLUSTERING_EDGE;; edge *= 2) {
        double tiles = 1;
        for (int d = 0; d < 3; d++) {
            nb[d] = (int32_t)((mesh[d] + edge - 1) / edge);
            tiles *= nb[d];
        }
        if (tiles <= 1 || (tiles <= most && tiles < (double)(1 << 24)))
            return;
    }
}

static farsum_status on_device(struct points_gpu *points, const int64_t mesh[3],
                               double *clustering)
{
    farsum_status status = FARSUM_OK;
    struct gpu_ordering *sort = NULL;
    struct gpu_filling filling;
    int32_t nb[3];
    clustering_tiles(mesh, points->n, nb);
    GO(gpu_ordering_sort(points, nb, 0, &sort));
    GO(gpu_ordering_measure(points, sort, &filling));
    *clustering =
        clustering_of(filling.squares, (double)points->n, (double)sort->n_bins);
done:
    gpu_ordering_release(&sort);
    return status;
}

farsum_status clustering_measure(const struct points *points,
                                 const int64_t mesh[3], double *clustering)
{
    int64_t n = points->n;
    *clustering = 1;
    if (n < 2)
        return FARSUM_OK;
    if (points->gpu)
        return on_device(points->gpu, mesh, clustering);
    int64_t step = n > SAMPLE ? n / SAMPLE : 1, taken = (n + step - 1) / step;
    int32_t nb[3], *count = NULL;
    clustering_tiles(mesh, taken, nb);
    int64_t tiles = (int64_t)nb[0] * nb[1] * nb[2];
    double squares = 0;
    TRY(MEM_NEW(count, tiles));
    uint64_t seed = 1;
    for (int64_t k = 0; k < taken; k++) {
        int64_t b = 0, i = k * step; /* a random point of each step, so that
                                        order does not matter */
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        i += (int64_t)((seed >> 33) % (uint64_t)step);
        i = i < n ? i : n - 1;
        for (int d = 0; d < 3; d++) {
            int64_t at = (int64_t)(points->s[d][i] * nb[d]);
            b = b * nb[d] + (at < nb[d] ? at : nb[d] - 1);
        }
        squares += 2.0 * count[b]++ + 1;
    }
    mem_free(count);
    *clustering = clustering_of(squares, (double)taken, (double)tiles);
    return FARSUM_OK;
}
