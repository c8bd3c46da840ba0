/* SPDX-License-Identifier: Apache-2.0 */
/* places.c: nearest neighbours and clustering of all places. */
#include "plan/verify/places.h"

#include <math.h>
#include <stdlib.h>

#include "base/hypot.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/random.h"
#include "points/tree/tree_set.h"

/* FAR: separate targets search for sources among so many places along a curve.
 * BITS: bits of a coordinate. */
enum { FAR = 64, BITS = 21 };
enum { BLOCK = 512 }; /* places that a thread processes in one go */

static void places_fraction(const struct places *p, int64_t i, double s[3])
{
    const double *x = i < p->n ? p->x + 3 * i : p->y + 3 * (i - p->n);
    for (int d = 0; d < 3; d++)
        s[d] = cell_wrap_axis(&p->cell, d,
                              p->cell.unit
                                      * (x[0] * p->cell.inv[d]
                                         + x[1] * p->cell.inv[3 + d]
                                         + x[2] * p->cell.inv[6 + d])
                                  - p->low[d]);
}

/* The squared distance between places k and l of the order.  It is that of the
 * nearest image only if the cell is nearly orthogonal. */
static double places_distance(const struct places *p, int64_t k, int64_t l)
{
    const double *a = p->at + 3 * k, *b = p->at + 3 * l;
    double s[3], r2 = 0;
    for (int d = 0; d < 3; d++)
        s[d] = p->cell.open[d] ? a[d] - b[d] : sample_nearest(a[d] - b[d]);
    for (int c = 0; c < 3; c++) {
        double d = s[0] * p->cell.a[c] + s[1] * p->cell.a[3 + c]
                   + s[2] * p->cell.a[6 + c];
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
            double v = p->cell.open[d] ? 0.5 * (s[d] + by[d])
                                       : cell_wrap(s[d] + by[d]);
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
    const double wraps[3] = {!p->cell.open[0], !p->cell.open[1],
                             !p->cell.open[2]};
    for (int64_t k = 0; k < k1 - k0; k++) {
        double s[3], r2 = 0;
        for (int d = 0; d < 3; d++) {
            s[d] = a[3 * k + d] - b[3 * k + d];
            s[d] -= wraps[d] * ((s[d] + 0x1.8p52) - 0x1.8p52); /* rounded */
        }
        for (int d = 0; d < 3; d++) {
            double v = s[0] * c[d] + s[1] * c[3 + d] + s[2] * c[6 + d];
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

void best_add(struct best *b, double v, int64_t i)
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
        if (v[k] < INFINITY && (b->count < NEAR || v[k] < b->v[NEAR - 1])
            && places_target(p, k) >= 0)
            best_add(b, v[k], places_target(p, k));
}

/* Neighbours in space are mostly neighbours along a curve.  If one curve
 * separates them, another curve through the moved box does not. */
farsum_status places_near(struct places *p, uint64_t *random,
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

void places_clear(struct places *p)
{
    mem_free(p->key);
    mem_free(p->order);
    mem_free(p->at);
    mem_free(p->near);
    mem_free(p->clustering);
}

/* Gives the open axes the largest extent of the points along one of them, so
 * that their fractions are 0 to 1. */
static void places_box(struct places *p)
{
    double least[6] = {INFINITY, INFINITY, INFINITY, /* fractions, and minus */
                       INFINITY, INFINITY, INFINITY};
    double length[3], edge = 0;
    PAR_FOR(p->threads, schedule(static) reduction(min : least))
    for (int64_t i = 0; i < p->all; i++) {
        double s[3];
        places_fraction(p, i, s);
        for (int d = 0; d < 3; d++) {
            least[d] = fmin(least[d], s[d]);
            least[3 + d] = fmin(least[3 + d], -s[d]);
        }
    }
    for (int d = 0; d < 3; d++) {
        const double *a = p->cell.a + 3 * d;
        length[d] = hypot_of(hypot_of(a[0], a[1]), a[2]);
        if (p->cell.open[d])
            edge = fmax(edge, -length[d] * (least[3 + d] + least[d]));
    }
    edge = edge > 0 ? edge : 1;
    for (int d = 0; d < 3; d++)
        if (p->cell.open[d]) {
            cell_stretch(&p->cell, d, edge);
            p->low[d] = least[d] * (length[d] / edge);
        }
}

farsum_status places_make(const struct farsum_plan *plan,
                                 const struct verify_sum *s, struct places *p)
{
    *p = (struct places){.n = s->around,
                         .all = s->around + s->m,
                         .own = s->all_m > 0 ? s->around : 0,
                         .x = s->x,
                         .y = s->y,
                         .threads = plan->task.threads};
    p->own_end = p->own + verify_own(s);
    TRY(task_cell(&plan->task, &p->cell));
    places_box(p);
    TRY(MEM_RAW(p->key, p->all));
    TRY(MEM_RAW(p->order, p->all));
    TRY(MEM_RAW(p->at, 3 * p->all));
    TRY(MEM_RAW(p->near, p->all));
    return MEM_RAW(p->clustering, p->all);
}

void places_keep(struct places *p, int64_t n)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < p->all && n < p->n; k++)
        if (p->order[k] < n || p->order[k] >= p->n) {
            p->order[kept] = p->order[k];
            p->clustering[kept++] = p->clustering[k];
        }
}
