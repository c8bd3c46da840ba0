/* points.c: positions into the cell. */
#include "points/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "points/gpu.h"

static inline double point_at(const void *x, farsum_precision arrays, int64_t k)
{
    return arrays == FARSUM_F32 ? (double)((const float *)x)[k]
                                : ((const double *)x)[k];
}

/* Fractional coordinates of points begin..end; the first bad index or -1. */
static int64_t points_wrap(struct points *p, const struct cell *cell,
                           const void *x, farsum_precision arrays,
                           int64_t begin, int64_t end)
{
    const double *inv = cell->inv;
    int64_t bad = -1;
    for (int64_t i = end - 1; i >= begin; i--) {
        double r[3], ok = 1;
        for (int j = 0; j < 3; j++)
            r[j] = point_at(x, arrays, 3 * i + j);
        for (int d = 0; d < 3; d++) {
            double s = r[0] * inv[d] + r[1] * inv[3 + d] + r[2] * inv[6 + d];
            ok = fabs(s) < POINTS_FAR_AWAY ? ok : 0;
            p->s[d][i] = cell_wrap(s);
        }
        if (ok == 0)
            bad = i;
    }
    return bad;
}

farsum_status points_bad(const double x[3], int64_t i, const char *what)
{
    static const char axis[] = "xyz";
    for (int j = 0; j < 3; j++)
        if (!isfinite(x[j]))
            FAIL(ERR_POSITION, "%s %lld: %c = %g is not finite", what,
                 (long long)i, axis[j], x[j]);
    FAIL(ERR_POSITION,
         "%s %lld: (%g, %g, %g) is more than %g cells away: wrapping it would "
         "lose its digits",
         what, (long long)i, x[0], x[1], x[2], POINTS_FAR_AWAY);
}

farsum_status points_set(struct points *points, const struct cell *cell,
                         int64_t n, const void *x, farsum_precision arrays,
                         const char *what, int threads)
{
    if (points->room < n || !points->s[0]) {
        for (int d = 0; d < 3; d++) {
            int64_t room = 0;
            mem_free(points->s[d]);
            points->s[d] = NULL;
            points->room = 0;
            TRY(MEM_RESERVE(points->s[d], &room, n));
        }
        points->room = n;
    }
    points->n = n;
    int64_t bad = INT64_MAX;
#pragma omp parallel for num_threads(threads) schedule(static)                 \
    reduction(min : bad)
    for (int t = 0; t < threads; t++) {
        int64_t b = points_wrap(points, cell, x, arrays,
                                par_start(n, threads, t),
                                par_start(n, threads, t + 1));
        if (b >= 0 && b < bad)
            bad = b;
    }
    if (bad == INT64_MAX)
        return FARSUM_OK;
    const double at[3] = {point_at(x, arrays, 3 * bad),
                          point_at(x, arrays, 3 * bad + 1),
                          point_at(x, arrays, 3 * bad + 2)};
    return points_bad(at, bad, what);
}

void points_clear(struct points *points)
{
    for (int d = 0; d < 3; d++)
        mem_free(points->s[d]);
    bins_clear(&points->bins);
    points_gpu_destroy(points->gpu);
    memset(points, 0, sizeof *points);
}

static uint64_t points_hash(const double s[3])
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int d = 0; d < 3; d++) {
        uint64_t bits;
        memcpy(&bits, &s[d], sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

/* Open addressing over the sorted points: neighbours in a tile are neighbours
 * in memory, the table is twice their number. */
farsum_status points_distinct(const struct points *points)
{
    int64_t n = points->n, size = 16;
    while (size < 2 * n)
        size *= 2;
    int64_t *table = NULL;
    TRY(MEM_NEW(table, size));
    farsum_status status = FARSUM_OK;
    for (int64_t i = 0; i < n && status == FARSUM_OK; i++) {
        double s[3] = {points->s[0][i], points->s[1][i], points->s[2][i]};
        uint64_t h = points_hash(s);
        for (;; h++) {
            int64_t *slot = &table[h & (uint64_t)(size - 1)];
            if (*slot == 0) {
                *slot = i + 1;
                break;
            }
            int64_t j = *slot - 1;
            if (points->s[0][j] == s[0] && points->s[1][j] == s[1]
                && points->s[2][j] == s[2]) {
                status = status_fail(FARSUM_ERR_COINCIDENT,
                                     "sources %lld and %lld coincide",
                                     (long long)j, (long long)i);
                break;
            }
        }
    }
    mem_free(table);
    return status;
}
