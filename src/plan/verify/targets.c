/* SPDX-License-Identifier: Apache-2.0 */
/* targets.c: selection of the targets at which a plan is checked.
 * Most sums have similar errors at all targets, so that a random sample is
 * enough.  The strongest sources, near pairs and clustered places are always
 * included, and half of the random targets are in sparse places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/random.h"
#include "plan/verify/verify.h"
#include "points/cell.h"
#include "points/tree/tree_set.h"

/* FAR: separate targets search for sources among so many places along a curve.
 * BITS: bits of a coordinate. */
enum { FAR = 64, BITS = 21 };
enum { BLOCK = 512 }; /* places that a thread processes in one go */
/* DRAWN: random targets drawn for each that is taken.  One in SPARSE of them is
 * in a sparse place. */
enum { DRAWN = 4, SPARSE = 8 };

/* Positions of the sources, then of separate targets, in a box of edges 1. */
struct places {
    int64_t n, all;
    const double *x, *y;
    struct cell cell;  /* periodic: its fractions are the box */
    int periodic, threads;
    double low[3], edge; /* open: of the box */
    uint64_t *key;     /* owned, [all] */
    int64_t *order;    /* owned, [all] */
    double *at;        /* owned, [all][3]: the places in that order */
    double *near, *clustering; /* owned, [all]: squares of distances to the
                             nearest neighbour, and across CLUSTERING places */
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

/* The squared distance between places k and l of the order.  It is that of the
 * nearest image only if the cell is nearly orthogonal. */
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

/* Sorts along Morton's curve through the box moved by `by`. */
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

/* The squared distance from k0 to the nearest of the next sources along the
 * curve in one direction. */
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

/* Sets squared distances from places k0 .. k1 to those `on` places later. */
static void places_forward(const struct places *p, int64_t k0, int64_t k1,
                           int on, double *to)
{
    const double *a = p->at + 3 * k0, *b = a + 3 * on, *c = p->cell.a;
    for (int64_t k = 0; k < k1 - k0; k++) {
        double s[3], r2 = 0;
        for (int d = 0; d < 3; d++) {
            s[d] = a[3 * k + d] - b[3 * k + d];
            if (p->periodic)
                s[d] -= (s[d] + 0x1.8p52) - 0x1.8p52; /* rounded */
        }
        for (int d = 0; d < 3; d++) {
            double v = p->periodic
                           ? s[0] * c[d] + s[1] * c[3 + d] + s[2] * c[6 + d]
                           : s[d];
            r2 += v * v;
        }
        to[k] = r2;
    }
}

/* Sets near and clustering of places k0 .. k1, all of them sources. */
static void places_block(struct places *p, int64_t k0, int64_t k1)
{
    double r2[BLOCK + NEXT];
    for (int64_t k = k0; k < k1; k++)
        p->near[k] = p->clustering[k] = INFINITY;
    for (int on = 1; on <= NEXT; on++) {
        int64_t low = k0 < on ? 0 : k0 - on;
        int64_t high = k1 + on > p->all ? p->all - on : k1;
        if (high <= low)
            continue;
        places_forward(p, low, high, on, r2);
        for (int64_t k = low; k < high; k++) {
            double here = r2[k - low];
            if (k >= k0 && here < p->near[k])
                p->near[k] = here;
            if (k + on < k1 && here < p->near[k + on])
                p->near[k + on] = here;
        }
    }
    int64_t low = k0 < CLUSTERING / 2 ? 0 : k0 - CLUSTERING / 2;
    int64_t high = k1 + CLUSTERING / 2 > p->all ? p->all - CLUSTERING
                                                : k1 - CLUSTERING / 2;
    if (high > low)
        places_forward(p, low, high, CLUSTERING,
                       p->clustering + low + CLUSTERING / 2);
}

/* The same for the separate targets among places k0 .. k1. */
static void places_apart(struct places *p, int64_t k0, int64_t k1)
{
    for (int64_t k = k0; k < k1; k++) {
        int64_t first = k - CLUSTERING / 2;
        int target = p->order[k] >= p->n;
        p->near[k] = p->clustering[k] = INFINITY;
        if (target)
            p->near[k] = fmin(places_next(p, k, -1), places_next(p, k, 1));
        if (target && first >= 0 && first + CLUSTERING < p->all)
            p->clustering[k] = places_distance(p, first, first + CLUSTERING);
    }
}

/* The smallest values so far, smallest first. */
struct best {
    double v[NEAR];
    int64_t i[NEAR];
    int count;
};

static void best_add(struct best *b, double v, int64_t i)
{
    int at = 0;
    for (int k = 0; k < b->count; k++) {
        if (b->i[k] != i)
            continue;
        if (b->v[k] <= v) /* found along another curve */
            return;
        b->count--;
        for (int l = k; l < b->count; l++) {
            b->v[l] = b->v[l + 1];
            b->i[l] = b->i[l + 1];
        }
    }
    while (at < b->count && b->v[at] <= v)
        at++;
    if (at == NEAR)
        return;
    b->count += b->count < NEAR;
    for (int l = b->count - 1; l > at; l--) {
        b->v[l] = b->v[l - 1];
        b->i[l] = b->i[l - 1];
    }
    b->v[at] = v;
    b->i[at] = i;
}

/* v: in the order of places. */
static void best_of(const struct places *p, const double *v, struct best *b)
{
    for (int64_t k = 0; k < p->all; k++)
        if (v[k] < INFINITY && (b->count < NEAR || v[k] < b->v[NEAR - 1]))
            best_add(b, v[k], p->order[k]);
}

/* Neighbours in space are mostly neighbours along a curve.  If one curve
 * separates them, another curve through the moved box does not. */
static farsum_status places_near(struct places *p, uint64_t *random,
                                 struct best *near, struct best *clustering)
{
    int64_t blocks = (p->all + BLOCK - 1) / BLOCK;
    near->count = clustering->count = 0;
    for (int c = 0; c < CURVES; c++) {
        double by[3];
        for (int d = 0; d < 3; d++)
            by[d] = ldexp((double)(random_next(random) >> 11), -53);
        TRY(places_sort(p, by));
        PAR_FOR(p->threads)
        for (int64_t k = 0; k < blocks; k++) {
            int64_t end = p->all - k * BLOCK < BLOCK ? p->all : (k + 1) * BLOCK;
            if (p->all > p->n)
                places_apart(p, k * BLOCK, end);
            else
                places_block(p, k * BLOCK, end);
        }
        best_of(p, p->near, near);
        best_of(p, p->clustering, clustering);
    }
    return FARSUM_OK;
}

static void places_clear(struct places *p)
{
    mem_free(p->key);
    mem_free(p->order);
    mem_free(p->at);
    mem_free(p->near);
    mem_free(p->clustering);
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
    return MEM_RAW(p->clustering, p->all);
}

static int taken(const struct verify_targets *t, int64_t i)
{
    for (int64_t k = 0; k < t->count; k++)
        if (t->index[k] == i)
            return 1;
    return 0;
}

/* Adds the strongest sources above `least` to the targets. */
static void take_strong(int64_t n, const double *size, double least,
                        struct verify_targets *t)
{
    struct best best = {.count = 0};
    for (int64_t i = 0; i < n; i++)
        if (size[i] > least
            && (best.count < NEAR || -size[i] < best.v[NEAR - 1]))
            best_add(&best, -size[i], i);
    for (int k = 0; k < best.count && k < STRONG; k++)
        verify_target(t, best.i[k]);
}

static void take_best(const struct best *best, int64_t first, int most,
                      struct verify_targets *t)
{
    for (int k = 0; k < best->count && k < most; k++)
        verify_target(t, best->i[k] - first);
}

void verify_target(struct verify_targets *t, int64_t i)
{
    if (!taken(t, i))
        t->index[t->count++] = i;
}

void verify_targets_draw(struct verify_targets *t, int64_t n, int64_t wanted,
                         uint64_t *random)
{
    t->certain = t->count;
    while (t->count < wanted)
        verify_target(t, (int64_t)(random_next(random) % (uint64_t)n));
    t->sparse = t->certain;
    t->weight[1] = (double)(n - t->certain) / (double)(wanted - t->certain);
}

/* A random target: its clustering and when it was drawn. */
struct drawn {
    double clustering;
    int64_t i, turn;
};

/* Orders the sparsest first. */
static int drawn_sparse(const void *a, const void *b)
{
    const struct drawn *one = a, *other = b;
    if (one->clustering != other->clustering)
        return one->clustering < other->clustering ? 1 : -1;
    return one->turn < other->turn ? -1 : 1;
}

static int drawn_turn(const void *a, const void *b)
{
    const struct drawn *one = a, *other = b;
    return one->turn < other->turn ? -1 : 1;
}

/* Draws `count` targets that are not among t. */
static void drawn_fill(const struct places *p, int64_t first,
                       const struct verify_targets *t, uint64_t *random,
                       int64_t count, struct drawn *drawn)
{
    int64_t n = 0;
    while (n < count) {
        int64_t k = (int64_t)(random_next(random) % (uint64_t)p->all);
        int64_t i = p->order[k] - first;
        int known = i < 0 || taken(t, i);
        for (int64_t l = 0; l < n && !known; l++)
            known = drawn[l].i == i;
        drawn[n] = (struct drawn){p->clustering[k], i, n};
        n += !known;
    }
}

/* Marks the present targets as certain and adds random ones: half of them from
 * the sparsest eighth.  Where most particles are in clusters, the errors of
 * the few others, which feel whole clusters, may be the largest. */
static farsum_status take_random(const struct places *p, int64_t first,
                                 int64_t wanted, uint64_t *random,
                                 struct verify_targets *t)
{
    struct drawn *drawn = NULL;
    int64_t n = p->all - first - t->count, m = wanted - t->count;
    int64_t count = DRAWN * m < n ? DRAWN * m : n;
    int64_t sparse = count / SPARSE, half = m / 2 < sparse ? m / 2 : sparse;
    TRY(MEM_RAW(drawn, count));
    drawn_fill(p, first, t, random, count, drawn);
    qsort(drawn, (size_t)count, sizeof *drawn, drawn_sparse);
    qsort(drawn, (size_t)sparse, sizeof *drawn, drawn_turn);
    qsort(drawn + sparse, (size_t)(count - sparse), sizeof *drawn, drawn_turn);
    t->certain = t->count;
    for (int64_t k = 0; k < half; k++)
        t->index[t->count++] = drawn[k].i;
    t->sparse = t->count;
    for (int64_t k = 0; k < m - half; k++)
        t->index[t->count++] = drawn[sparse + k].i;
    double each = (double)n / (double)count;
    t->weight[0] = half > 0 ? each * (double)sparse / (double)half : 0;
    t->weight[1] = each * (double)(count - sparse) / (double)(m - half);
    mem_free(drawn);
    return FARSUM_OK;
}

/* Twice the mean: stronger sources may have far larger errors than others. */
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
    struct best near, clustering;
    uint64_t random = VERIFY_SEED;
    int64_t n = s->m > 0 ? s->m : s->n, first = s->m > 0 ? s->n : 0;
    *t = (struct verify_targets){.count = 0};
    if (n <= wanted + STRONG + NEAR + DENSE) {
        TRY(MEM_RAW(t->index, n));
        for (int64_t i = 0; i < n; i++)
            t->index[i] = i;
        t->count = t->certain = t->sparse = n;
        return FARSUM_OK;
    }
    GO(MEM_RAW(t->index, wanted));
    GO(places_make(plan, s, &p));
    GO(places_near(&p, &random, &near, &clustering));
    if (s->m == 0)
        take_strong(n, size, strong(n, size), t);
    take_best(&near, first, NEAR, t);
    take_best(&clustering, first, DENSE, t);
    if (plan->task.given.error == FARSUM_ERROR_EACH) /* a percentile of all */
        verify_targets_draw(t, n, wanted, &random);
    else
        GO(take_random(&p, first, wanted, &random, t));
done:
    places_clear(&p);
    return status;
}
