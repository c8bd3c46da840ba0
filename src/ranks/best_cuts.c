/* SPDX-License-Identifier: Apache-2.0 */
/* best_cuts.c: best cuts, by bisection of the bound that all slabs keep. */
#include "ranks/best_cuts.h"

#include <math.h>

#include "base/mem.h"

/* What a search reads. */
struct cuts {
    int64_t mesh0, most;
    double slab;
    double *before; /* owned, [mesh0 + 1]: work below each plane */
};

/* 1: planes [first, end) may be a slab under this bound.  Work grows with end,
 * and falls with first, also as it is rounded. */
static int fits(const struct cuts *c, int64_t first, int64_t end, double bound)
{
    return end == first
           || (end - first <= c->most
               && c->before[end] - c->before[first] + c->slab <= bound);
}

/* The first plane from which `slabs` slabs reach the end of the mesh; the
 * longest slabs reach farthest. */
static int64_t reach(const struct cuts *c, int slabs, double bound)
{
    int64_t first = c->mesh0;
    for (int r = 0; r < slabs && first > 0; r++) {
        int64_t end = first;
        while (first > 0 && fits(c, first - 1, end, bound))
            first--;
        if (first == end)
            break;
    }
    return first;
}

/* The least bound with which `size` slabs cover the mesh. */
static double least_bound(const struct cuts *c, int size)
{
    double low = 0, high = c->before[c->mesh0] + c->slab; /* which does */
    for (int k = 0; k < 60; k++) {
        double middle = low + (high - low) / 2;
        if (reach(c, size, middle) == 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Ends each slab where the work is nearest to an equal part of the rest,
 * but so that it keeps the bound and the slabs behind it can too.  need
 * [size + 1]: planes from which slabs r .. size - 1 reach the end. */
static void spread(const struct cuts *c, int size, double bound,
                   const int64_t *need, int64_t *begin)
{
    const double *before = c->before;
    begin[0] = 0;
    for (int r = 0; r < size; r++) {
        int64_t end = begin[r];
        double part = (before[c->mesh0] - before[end]) / (size - r);
        double aim = before[end] + part;
        while (end < need[r + 1])
            end++;
        while (end < c->mesh0 && fits(c, begin[r], end + 1, bound)
               && before[end] + before[end + 1] <= 2 * aim)
            end++;
        begin[r + 1] = end;
    }
}

farsum_status cuts_best(const struct cuts_work *work, int size, int64_t most,
                        int64_t *begin)
{
    farsum_status status = FARSUM_OK;
    struct cuts c = {
        .mesh0 = work->mesh0, .most = most, .slab = work->slab};
    int64_t *need = NULL;
    GO(MEM_RAW(c.before, c.mesh0 + 1));
    GO(MEM_RAW(need, size + 1));
    c.before[0] = 0;
    for (int64_t k = 0; k < c.mesh0; k++)
        c.before[k + 1] = c.before[k] + work->plane[k];
    double bound = least_bound(&c, size);
    for (int r = 0; r <= size; r++)
        need[r] = reach(&c, size - r, bound);
    spread(&c, size, bound, need, begin);
done:
    mem_free(c.before);
    mem_free(need);
    return status;
}

double cuts_most(const struct cuts_work *work, int size, const int64_t *begin)
{
    double most = 0;
    for (int r = 0; r < size; r++) {
        double sum = begin[r + 1] > begin[r] ? work->slab : 0;
        for (int64_t k = begin[r]; k < begin[r + 1]; k++)
            sum += work->plane[k];
        most = fmax(most, sum);
    }
    return most;
}
