/* SPDX-License-Identifier: Apache-2.0 */
/* verify_targets.c: at which targets a plan is checked.  Errors of most
 * sums are alike at all targets, so that some random ones say their size.  The
 * strongest sources, near pairs and crowded places are not left to chance. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/random.h"
#include "plan/verify.h"
#include "points/cell.h"
#include "points/tree/tree_set.h"

/* Certain ones of each kind; the neighbour whose distance says how crowded it
 * is; neighbours along a curve that are looked at, and how far on among targets
 * apart; curves. */
enum { STRONG = 6, NEAR = 6, DENSE = 4, CROWD = 16 };
enum { NEXT = 3, FAR = 64, CURVES = 2 };
enum { BITS = 21 };

/* The sources, and after them targets apart, in a box of edges 1, and lengths
 * in it. */
struct places {
    int64_t n, all;
    const double *x, *y;
    struct cell cell;  /* periodic: its fractions are the box */
    int periodic, threads;
    double low[3], edge; /* open: of the box */
    uint64_t *key;     /* owned, [all] */
    int64_t *order;    /* owned, [all] */
    double *at;        /* owned, [all][3]: the places in that order */
    double *near, *crowd; /* owned, [all]: squares of distances */
};

static void places_fraction(const struct places *p, int64_t i, double s[3])
{
    const double *x = i < p->n ? p->x + 3 * i : p->y + 3 * (i - p->n);
    for (int d = 0; d < 3; d++)
        s[d] = p->periodic
                   ? cell_wrap(p->cell.unit
                               * (x[0] * p->cell.inv[d]
                                  + x[1] * p->cell.inv[3 + d]
                                  + x[2] * p->cell.inv[6 + d]))
                   : (x[d] - p->low[d]) / p->edge;
}

/* The square of the distance of places k and l of the order; their nearest
 * image in a cell that is nearly orthogonal. */
static double places_distance(const struct places *p, int64_t k, int64_t l)
{
    const double *a = p->at + 3 * k, *b = p->at + 3 * l;
    double s[3], r2 = 0;
    for (int d = 0; d < 3; d++)
        s[d] = p->periodic ? sample_nearest(a[d] - b[d]) : a[d] - b[d];
    for (int c = 0; c < 3; c++) {
        double d = p->periodic ? s[0] * p->cell.a[c] + s[1] * p->cell.a[3 + c]
                                     + s[2] * p->cell.a[6 + c]
                               : s[c];
        r2 += d * d;
    }
    return r2;
}

/* The order along Morton's curve through the box moved by `by`. */
static farsum_status places_sort(struct places *p, const double by[3])
{
    PAR_FOR(p->threads)
    for (int64_t i = 0; i < p->all; i++) {
        double s[3];
        places_fraction(p, i, s);
        p->key[i] = 0;
        for (int d = 0; d < 3; d++) {
            double v = p->periodic ? cell_wrap(s[d] + by[d])
                                   : 0.5 * (s[d] + by[d]);
            p->key[i] |= tree_spread((uint64_t)(v * ((1 << BITS) - 1))) << d;
        }
    }
    TRY(tree_sort(p->all, 3 * BITS, p->key, p->order, p->threads));
    PAR_FOR(p->threads)
    for (int64_t k = 0; k < p->all; k++)
        places_fraction(p, p->order[k], p->at + 3 * k);
    return FARSUM_OK;
}

/* The nearest source of the next ones along the curve from k0, one way. */
static double places_next(const struct places *p, int64_t k0, int way)
{
    double least = INFINITY;
    int found = 0;
    for (int64_t k = k0 + way; k >= 0 && k < p->all && found < NEXT
                               && (k - k0) * way <= FAR;
         k += way)
        if (p->order[k] < p->n) {
            least = fmin(least, places_distance(p, k0, k));
            found++;
        }
    return least;
}

/* Neighbours in space are mostly neighbours along a curve; where the curve
 * parts them, another, through the box moved, does not. */
static farsum_status places_near(struct places *p, uint64_t *random)
{
    int64_t from = p->all > p->n ? p->n : 0;
    for (int64_t i = 0; i < p->all; i++)
        p->near[i] = p->crowd[i] = INFINITY;
    for (int k = 0; k < CURVES; k++) {
        double by[3];
        for (int d = 0; d < 3; d++)
            by[d] = ldexp((double)(random_next(random) >> 11), -53);
        TRY(places_sort(p, by));
        PAR_FOR(p->threads)
        for (int64_t k0 = 0; k0 < p->all; k0++) {
            int64_t i = p->order[k0], first = k0 - CROWD / 2;
            if (i < from) /* no target */
                continue;
            p->near[i] = fmin(p->near[i], fmin(places_next(p, k0, -1),
                                               places_next(p, k0, 1)));
            if (first >= 0 && first + CROWD < p->all)
                p->crowd[i] = fmin(p->crowd[i],
                                   places_distance(p, first, first + CROWD));
        }
    }
    return FARSUM_OK;
}

static void places_clear(struct places *p)
{
    mem_free(p->key);
    mem_free(p->order);
    mem_free(p->at);
    mem_free(p->near);
    mem_free(p->crowd);
}

static farsum_status places_make(const struct farsum_plan *plan,
                                 const struct verify_sum *s, struct places *p)
{
    *p = (struct places){.n = s->n,
                         .all = s->n + s->m,
                         .x = s->x,
                         .y = s->y,
                         .periodic = plan->task.problem.periodic[0],
                         .threads = plan->task.threads};
    if (p->periodic) {
        TRY(cell_set(&p->cell, plan->task.problem.cell, 1));
        p->cell.unit = task_per(&plan->task);
    } else {
        struct extent extent = EXTENT_NONE;
        extent_points(&extent, s->x, s->n, plan->task.threads);
        extent_points(&extent, s->y, s->m, plan->task.threads);
        p->edge = 0x1p-1000;
        for (int d = 0; d < 3; d++) {
            p->low[d] = extent.low[d];
            p->edge = fmax(p->edge, extent.high[d] - extent.low[d]);
        }
    }
    TRY(MEM_RAW(p->key, p->all));
    TRY(MEM_RAW(p->order, p->all));
    TRY(MEM_RAW(p->at, 3 * p->all));
    TRY(MEM_RAW(p->near, p->all));
    return MEM_RAW(p->crowd, p->all);
}

static int taken(const struct verify_targets *t, int64_t i)
{
    for (int64_t k = 0; k < t->count; k++)
        if (t->index[k] == i)
            return 1;
    return 0;
}

/* The `most` targets of the largest sign * v that are beyond `least` come to
 * the targets. */
static void take_largest(int64_t n, const double *v, double sign, double least,
                         int most, struct verify_targets *t)
{
    int64_t best[STRONG + NEAR + DENSE];
    int found = 0;
    for (int64_t i = 0; i < n; i++) {
        double here = sign * v[i];
        if (!(here > least)
            || (found == most && !(here > sign * v[best[most - 1]])))
            continue;
        int at = found < most ? found++ : most - 1;
        for (; at > 0 && here > sign * v[best[at - 1]]; at--)
            best[at] = best[at - 1];
        best[at] = i;
    }
    for (int k = 0; k < found; k++)
        if (!taken(t, best[k]))
            t->index[t->count++] = best[k];
}

/* Twice the mean: what is stronger may err far more than others. */
static double strong(int64_t n, const double *size)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += size[i];
    return 2 * sum / (double)n;
}

farsum_status verify_targets(const struct farsum_plan *plan,
                             const struct verify_sum *s, const double *size,
                             int64_t wanted, struct verify_targets *t)
{
    farsum_status status = FARSUM_OK;
    struct places p = {0};
    uint64_t random = 0x5eed;
    int64_t n = s->m > 0 ? s->m : s->n, first = s->m > 0 ? s->n : 0;
    *t = (struct verify_targets){.weight = 1};
    if (n <= wanted + STRONG + NEAR + DENSE) {
        TRY(MEM_RAW(t->index, n));
        for (int64_t i = 0; i < n; i++)
            t->index[i] = i;
        t->count = t->certain = n;
        return FARSUM_OK;
    }
    GO(MEM_RAW(t->index, wanted));
    GO(places_make(plan, s, &p));
    GO(places_near(&p, &random));
    if (s->m == 0)
        take_largest(n, size, 1, strong(n, size), STRONG, t);
    take_largest(n, p.near + first, -1, -INFINITY, NEAR, t);
    take_largest(n, p.crowd + first, -1, -INFINITY, DENSE, t);
    t->certain = t->count;
    while (t->count < wanted) {
        int64_t i = (int64_t)(random_next(&random) % (uint64_t)n);
        if (!taken(t, i))
            t->index[t->count++] = i;
    }
    t->weight = (double)(n - t->certain) / (double)(wanted - t->certain);
done:
    places_clear(&p);
    return status;
}
