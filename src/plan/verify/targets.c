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
#include "plan/verify/places.h"

/* DRAWN: random targets drawn for each that is taken.  One in SPARSE of them is
 * in a sparse place.  TRIES: places that are drawn together. */
enum { DRAWN = 4, SPARSE = 8, TRIES = 256 };

static int taken(const struct verify_targets *t, int64_t i)
{
    for (int64_t k = 0; k < t->count; k++)
        if (t->index[k] == i)
            return 1;
    return 0;
}

/* The strongest sources above `least`. */
static void best_strong(int64_t n, const double *size, double least,
                        struct best *b)
{
    for (int64_t i = 0; i < n; i++)
        if (size[i] > least && (b->count < NEAR || -size[i] < b->v[NEAR - 1]))
            best_add(b, -size[i], i);
}

/* The kinds of certain targets, and how many of each. */
enum { MOST_STRONG, MOST_NEAR, MOST_DENSE, KINDS };
static const int taken_of[KINDS] = {STRONG, NEAR, DENSE};

/* Replaces this rank's best by those of all ranks. */
static farsum_status best_ranks(const struct farsum_plan *plan,
                                struct best best[KINDS])
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = plan->task.comm;
    struct best merged[KINDS] = {{.count = 0}}, *all = NULL;
    if (!comm)
        return FARSUM_OK;
    KEEP_ON(MEM_RAW(all, (int64_t)comm->size * KINDS));
    GO(comm_agree(comm, status));
    GO(comm_agree(comm, comm_gather(comm, best, all, sizeof merged)));
    for (int64_t r = 0; r < (int64_t)comm->size * KINDS; r++)
        for (int k = 0; k < all[r].count; k++)
            best_add(&merged[r % KINDS], all[r].v[k], all[r].i[k]);
    memcpy(best, merged, sizeof merged);
done:
    mem_free(all);
    return status;
}

/* Takes the strongest sources, nearest pairs and densest places of all
 * ranks. */
static farsum_status take_best(const struct farsum_plan *plan,
                               const struct verify_sum *s,
                               struct best best[KINDS],
                               struct verify_targets *t)
{
    for (int b = 0; b < KINDS; b++)
        for (int k = 0; k < best[b].count; k++)
            best[b].i[k] += s->first;
    TRY(best_ranks(plan, best));
    for (int b = 0; b < KINDS; b++)
        for (int k = 0; k < best[b].count && k < taken_of[b]; k++)
            verify_target(t, best[b].i[k]);
    return FARSUM_OK;
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

/* Draws `count` targets of all ranks that are not among t.  All ranks draw the
 * same places, and the rank of each adds what it knows. */
static farsum_status drawn_fill(const struct farsum_plan *plan,
                                const struct verify_sum *s,
                                const struct places *p,
                                const struct verify_targets *t,
                                uint64_t *random, int64_t count,
                                struct drawn *drawn)
{
    uint64_t all = (uint64_t)(s->all_n + s->all_m);
    double of[TRIES][2]; /* clustering; 1 + number, 0: no target */
    for (int64_t n = 0; n < count;) {
        memset(of, 0, sizeof of);
        for (int k = 0; k < TRIES; k++) {
            int64_t at = (int64_t)(random_next(random) % all) - s->place;
            if (at < 0 || at >= s->n + s->m || places_target(p, at) < 0)
                continue;
            of[k][0] = p->clustering[at];
            of[k][1] = (double)(1 + s->first + places_target(p, at));
        }
        TRY(task_add(&plan->task, FARSUM_OK, of[0], 2 * TRIES));
        for (int k = 0; k < TRIES && n < count; k++) {
            int64_t i = (int64_t)of[k][1] - 1;
            int known = i < 0 || taken(t, i);
            for (int64_t l = 0; l < n && !known; l++)
                known = drawn[l].i == i;
            drawn[n] = (struct drawn){of[k][0], i, n};
            n += !known;
        }
    }
    return FARSUM_OK;
}

/* Marks the present targets as certain and adds random ones: half of them from
 * the sparsest eighth.  Where most particles are in clusters, the errors of
 * the few others, which feel whole clusters, may be the largest. */
static farsum_status take_random(const struct farsum_plan *plan,
                                 const struct verify_sum *s,
                                 struct places *p, int64_t wanted,
                                 uint64_t *random, struct verify_targets *t)
{
    farsum_status status = FARSUM_OK;
    struct drawn *drawn = NULL;
    int64_t n = verify_all(s) - t->count, m = wanted - t->count;
    int64_t count = DRAWN * m < n ? DRAWN * m : n;
    int64_t sparse = count / SPARSE, half = m / 2 < sparse ? m / 2 : sparse;
    GO(task_agree(&plan->task, MEM_RAW(drawn, count)));
    places_keep(p, s->n);
    GO(drawn_fill(plan, s, p, t, random, count, drawn));
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
done:
    mem_free(drawn);
    return status;
}

/* Twice the mean: stronger sources may have far larger errors than others. */
static farsum_status strong(const struct farsum_plan *plan,
                            const struct verify_sum *s, const double *size,
                            double *least)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += size[i];
    TRY(task_add(&plan->task, FARSUM_OK, &sum, 1));
    *least = 2 * sum / (double)s->all_n;
    return FARSUM_OK;
}

farsum_status verify_targets(const struct farsum_plan *plan,
                             const struct verify_sum *s, const double *size,
                             int64_t wanted, struct verify_targets *t)
{
    farsum_status status = FARSUM_OK;
    struct places p = {0};
    struct best best[KINDS] = {{.count = 0}};
    uint64_t random = VERIFY_SEED;
    int64_t n = verify_all(s);
    double least;
    *t = (struct verify_targets){.count = 0};
    if (n <= wanted + STRONG + NEAR + DENSE) {
        TRY(task_agree(&plan->task, MEM_RAW(t->index, n)));
        for (int64_t i = 0; i < n; i++)
            t->index[i] = i;
        t->count = t->certain = t->sparse = n;
        return FARSUM_OK;
    }
    KEEP_ON(MEM_RAW(t->index, wanted));
    KEEP_ON(places_make(plan, s, &p));
    if (status == FARSUM_OK)
        status = places_near(&p, &random, &best[MOST_NEAR], &best[MOST_DENSE]);
    GO(task_agree(&plan->task, status));
    GO(strong(plan, s, size, &least));
    if (s->all_m == 0)
        best_strong(s->n, size, least, &best[MOST_STRONG]);
    GO(take_best(plan, s, best, t));
    if (plan->task.given.error == FARSUM_ERROR_EACH) /* a percentile of all */
        verify_targets_draw(t, n, wanted, &random);
    else
        GO(take_random(plan, s, &p, wanted, &random, t));
done:
    places_clear(&p);
    return status;
}
