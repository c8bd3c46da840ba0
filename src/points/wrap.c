/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c: wrapping positions into the cell, and coincident positions. */
#include "points/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "points/device/set.h"

static inline double point_at(const void *x, farsum_precision arrays, int64_t k)
{
    return arrays == FARSUM_F32 ? (double)((const float *)x)[k]
                                : ((const double *)x)[k];
}

/* Computes fractional coordinates of points begin..end.  Returns the first bad
 * index or -1. */
static int64_t points_wrap(struct points *p, const struct cell *cell,
                           const void *x, farsum_precision arrays,
                           int64_t begin, int64_t end)
{
    const double *inv = cell->inv, unit = cell->unit;
    int64_t bad = -1;
    for (int64_t i = end - 1; i >= begin; i--) {
        double r[3], ok = 1;
        for (int j = 0; j < 3; j++)
            r[j] = unit * point_at(x, arrays, 3 * i + j);
        for (int d = 0; d < 3; d++) {
            double s = r[0] * inv[d] + r[1] * inv[3 + d] + r[2] * inv[6 + d];
            ok = fabs(s) < (cell->open[d] ? 1e300 : POINTS_FAR_AWAY) ? ok : 0;
            p->s[d][i] = cell_wrap_axis(cell, d, s);
        }
        if (ok == 0)
            bad = i;
    }
    return bad;
}

farsum_status points_hold(struct points *points, int64_t n)
{
    if (points->capacity < n || !points->s[0]) {
        for (int d = 0; d < 3; d++) {
            int64_t capacity = 0;
            mem_free(points->s[d]);
            points->s[d] = NULL;
            points->capacity = 0;
            TRY(MEM_RESERVE(points->s[d], &capacity, n));
        }
        points->capacity = n;
    }
    points->n = n;
    return FARSUM_OK;
}

farsum_status points_set(struct points *points, const struct cell *cell,
                         int64_t n, const void *x, farsum_precision arrays,
                         const char *what, int threads)
{
    TRY(points_hold(points, n));
    int64_t bad = INT64_MAX;
    PAR_FOR(threads, schedule(static) reduction(min : bad))
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

enum {
    SAME_BITS = 40,         /* bits of a coordinate in the hash */
    DISTINCT_LEAST = 4096,  /* minimum number of points per thread */
    STEPS = 8,              /* from a point's first slot */
};

static uint64_t points_hash(const int64_t at[3])
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int d = 0; d < 3; d++) {
        h = (h ^ (uint64_t)at[d]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

struct points_table {
    int64_t size, *slot; /* size: a power of two; slot: index of a point plus
                            1 */
    int wrapped;         /* 0: coordinates of open space, compared bitwise */
};

static int64_t points_key(const struct points_table *t, double s)
{
    int64_t bits;
    if (t->wrapped)
        return (int64_t)floor(s * 0x1p40) & (((int64_t)1 << SAME_BITS) - 1);
    s += 0.0; /* turns -0 into 0 */
    memcpy(&bits, &s, sizeof bits);
    return bits;
}

static int points_same(const struct points_table *t, const struct points *p,
                       int64_t i, int64_t j)
{
    for (int d = 0; d < 3; d++) {
        double off = p->s[d][i] - p->s[d][j];
        if (t->wrapped)
            off = fmax(fabs(off - nearbyint(off)) - POINTS_SAME, 0);
        if (off != 0)
            return 0;
    }
    return 1;
}

/* Returns an earlier point of the table that coincides with i and is no
 * excluded partner; -1: none.  Both roundings of i's last bits are tried.
 * Slots of later points count as free. */
static int64_t points_find(const struct points_table *t,
                           const struct points *p, int64_t i,
                           struct exclusions *e)
{
    int64_t low[3], high[3];
    double slack = t->wrapped ? POINTS_SAME : 0;
    for (int d = 0; d < 3; d++) {
        low[d] = points_key(t, p->s[d][i] - slack);
        high[d] = points_key(t, p->s[d][i] + slack);
    }
    for (int c = 0; c < 8; c++) {
        int64_t at[3];
        int again = 0;
        for (int d = 0; d < 3; d++) {
            at[d] = c >> d & 1 ? high[d] : low[d];
            again |= (c >> d & 1) && high[d] == low[d];
        }
        for (uint64_t h = points_hash(at); !again; h++) {
            int64_t j = t->slot[h & (uint64_t)(t->size - 1)] - 1;
            if (j < 0 || j >= i)
                break;
            if (!points_same(t, p, i, j))
                continue;
            if (!e || exclusions_lost(e, i, j) != 1)
                return j;
            e->together++;
        }
    }
    return -1;
}

/* Inserts a point.  A slot goes to the lower of two points, and the other one
 * moves on.  So the table is the same as if points came in order, whichever
 * thread is first.  After some steps, coincident points are detected and
 * omitted unless `all` is set, because their chain would be long.  Returns the
 * omitted point; INT64_MAX: none. */
static int64_t points_insert(struct points_table *t, const struct points *p,
                             int64_t i, int all)
{
    const int64_t at[3] = {points_key(t, p->s[0][i]),
                           points_key(t, p->s[1][i]),
                           points_key(t, p->s[2][i])};
    int64_t here = i + 1, steps = 0;
    for (uint64_t h = points_hash(at);; h++) {
        int64_t *slot = &t->slot[h & (uint64_t)(t->size - 1)];
        int64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        while (there == 0 || there > here)
            if (__atomic_compare_exchange_n(slot, &there, here, 0,
                                            __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
                if (there == 0)
                    return INT64_MAX;
                int64_t lower = here - 1;
                here = there;
                there = lower + 1;
                break;
            }
        if (!all && steps++ >= STEPS && points_same(t, p, here - 1, there - 1))
            return here - 1;
    }
}

/* Returns the first point that coincides with an earlier one; INT64_MAX:
 * none. */
static int64_t points_first_twin(struct points_table *t, const struct points *p,
                                 int threads)
{
    int64_t n = p->n, first = INT64_MAX;
    if (threads <= 1) { /* one pass: finding and inserting use the same slots */
        for (int64_t i = 0; i < n; i++) {
            if (points_find(t, p, i, NULL) >= 0)
                return i;
            points_insert(t, p, i, 0);
        }
        return first;
    }
    PAR_FOR(threads, schedule(static) reduction(min : first))
    for (int64_t i = 0; i < n; i++) {
        int64_t twin = points_insert(t, p, i, 0);
        first = twin < first ? twin : first;
    }
    PAR_FOR(threads, schedule(static) reduction(min : first))
    for (int64_t i = 0; i < n; i++)
        if (i < first && points_find(t, p, i, NULL) >= 0)
            first = i;
    return first;
}

/* Finds two coincident points that no exclusion covers.  Returns the earlier
 * one, or -1; *i is the later one.  Few points coincide before the end, because
 * the first pair that is not excluded ends the search. */
static int64_t points_not_excluded(struct points_table *t,
                                   const struct points *p,
                                   struct exclusions *e, int64_t *i)
{
    for (*i = 0; *i < p->n; ++*i) {
        int64_t twin = points_find(t, p, *i, e);
        if (twin >= 0)
            return twin;
        points_insert(t, p, *i, 1);
    }
    return -1;
}

farsum_status points_coincide(int64_t i, int64_t j, double factor)
{
    if (factor < 1)
        FAIL(ERR_COINCIDENT, "sources %lld and %lld coincide, and their "
                             "exclusion's factor %g leaves a part of an "
                             "infinite value",
             (long long)i, (long long)j, factor);
    FAIL(ERR_COINCIDENT, "sources %lld and %lld coincide; exclude_coincident "
                         "of the problem leaves such pairs out, an exclusion "
                         "this one",
         (long long)i, (long long)j);
}

/* Uses an open-addressed hash table of at least twice as many slots as
 * points. */
farsum_status points_twins(const struct points *points, int wrapped,
                           int threads, struct exclusions *exclusions,
                           int64_t twins[2], double *factor)
{
    int64_t n = points->n, most = n / DISTINCT_LEAST + 1, twin = -1, i;
    struct points_table table = {16, NULL, wrapped};
    struct exclusions *e = exclusions_of_sources(exclusions);
    if (e)
        e->together = 0;
    while (table.size < 2 * n)
        table.size *= 2;
    TRY(MEM_NEW(table.slot, table.size));
    i = points_first_twin(&table, points, most < threads ? (int)most : threads);
    if (i != INT64_MAX)
        twin = points_find(&table, points, i, NULL);
    if (twin >= 0 && e) {
        memset(table.slot, 0, (size_t)table.size * sizeof *table.slot);
        twin = points_not_excluded(&table, points, e, &i);
    }
    mem_free(table.slot);
    twins[0] = twin;
    twins[1] = i;
    *factor = twin >= 0 && e ? 1 - exclusions_lost(e, twin, i) : 1;
    return FARSUM_OK;
}

farsum_status points_distinct(const struct points *points, int wrapped,
                              int threads, struct exclusions *exclusions)
{
    int64_t twins[2];
    double factor;
    TRY(points_twins(points, wrapped, threads, exclusions, twins, &factor));
    return twins[0] < 0 ? FARSUM_OK
                        : points_coincide(twins[0], twins[1], factor);
}
