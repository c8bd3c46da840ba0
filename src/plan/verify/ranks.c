/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: the points of a check over ranks.
 *
 * Any rank may give any point, but targets are chosen by their neighbours.  So
 * the cell is cut into slabs of about as many sources each, and each rank
 * receives the points in its slab.  The slabs are the check's own: the plan's
 * may differ. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "plan/verify/verify.h"
#include "points/wrap.h"
#include "ranks/ghosts.h"
#include "ranks/route.h"

/* Planes between which the cell may be cut, at least, and per rank. */
enum { PLANES = 1024, PLANES_EACH = 16 };

/* A rank's part, of type `arrays`. */
struct verify_slab {
    void *x, *q, *y, *results; /* owned */
    struct partners_own pairs;
};

void verify_slab_free(struct verify_slab *slab)
{
    if (!slab)
        return;
    mem_free(slab->x);
    mem_free(slab->q);
    mem_free(slab->y);
    mem_free(slab->results);
    partners_own_clear(&slab->pairs);
    mem_free(slab);
}

const struct partners_own *verify_slab_pairs(const struct verify_sum *s)
{
    return s->slab ? &s->slab->pairs : NULL;
}

struct move {
    const struct farsum_plan *plan;
    struct comm *comm;
    struct verify_slab *slab;
    double low, edge;             /* open space: of all points, along axis 0 */
    struct points source, target; /* fractions of the points given here */
    int64_t planes, *count, *begin; /* owned: [planes], [size + 1] */
    struct domain domain;
    struct route sources, targets;
    struct ghosts ghosts;
    int64_t (*own_of)[2]; /* owned, [size]: sources and targets of each rank */
    double *own; /* owned: fractions s0 of the sources in the slab */
};

static void move_clear(struct move *w)
{
    points_clear(&w->source);
    points_clear(&w->target);
    mem_free(w->count);
    mem_free(w->begin);
    domain_destroy(&w->domain);
    route_destroy(&w->sources);
    route_destroy(&w->targets);
    ghosts_destroy(&w->ghosts);
    mem_free(w->own_of);
    mem_free(w->own);
}

/* The box of all ranks' points, in the caller's unit.  Collective. */
static void move_extent(struct move *w, const struct verify_sum *s)
{
    const void *const given[2] = {s->given_x, s->given_y};
    const int64_t n[2] = {s->n, s->m};
    double most[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < n[k]; i++) {
            double v = array_get(given[k], w->plan->task.problem.arrays, 3 * i);
            most[0] = fmax(most[0], v);
            most[1] = fmax(most[1], -v);
        }
    (void)task_max(&w->plan->task, most, 2);
    w->low = -most[1];
    w->edge = most[0] + most[1];
}

/* Fractions of points along axis 0: of the cell, or of that box if the axis is
 * open. */
static farsum_status move_fractions(const struct move *w,
                                    const struct cell *cell, int64_t n,
                                    const void *x, const char *what,
                                    struct points *to)
{
    const struct task *task = &w->plan->task;
    farsum_precision type = task->problem.arrays;
    if (n == 0)
        return FARSUM_OK;
    if (!cell->open[0])
        return points_set(to, cell, n, x, type, what, task->threads);
    TRY(points_hold(to, n));
    for (int64_t i = 0; i < n; i++) {
        double f = (array_get(x, type, 3 * i) - w->low) / w->edge;
        to->s[0][i] = f >= 0 ? fmin(f, 1 - 0x1p-53) : 0;
    }
    return FARSUM_OK;
}

/* Fractions of the given points, and memory to count them. */
static farsum_status move_given(struct move *w, const struct verify_sum *s)
{
    const struct task *task = &w->plan->task;
    struct cell cell;
    w->planes = PLANES_EACH * (int64_t)w->comm->size;
    w->planes = w->planes > PLANES ? w->planes : PLANES;
    TRY(MEM_NEW(w->count, w->planes));
    TRY(MEM_NEW(w->begin, w->comm->size + 1));
    TRY(MEM_NEW(w->own_of, w->comm->size));
    TRY(route_create(&w->sources, w->comm, 6 * sizeof(double), task->threads));
    TRY(route_create(&w->targets, w->comm, 3 * sizeof(double), task->threads));
    TRY(ghosts_create(&w->ghosts, w->comm, 3 * sizeof(double), task->threads));
    TRY(task_cell(task, &cell));
    TRY(move_fractions(w, &cell, s->n, s->given_x, "source", &w->source));
    return move_fractions(w, &cell, s->m, s->given_y, "target", &w->target);
}

/* Cuts the cell between planes, so that each rank gets as many of the n sources
 * as possible without exceeding its share.  The halo is as wide as half the
 * mean distance of sources. */
static farsum_status move_cut(struct move *w, int64_t n)
{
    int64_t below = 0, plane = 0, planes = w->planes;
    int size = w->comm->size;
    double distance = (double)planes / cbrt((double)(n > 0 ? n : 1));
    for (int r = 0; r < size; r++) {
        w->begin[r] = plane;
        double share = (double)n / size * (r + 1);
        while (plane < planes && (double)below + 0.5 * (double)w->count[plane]
                                     <= share)
            below += w->count[plane++];
    }
    w->begin[0] = 0;
    w->begin[size] = planes;
    TRY(domain_create(&w->domain, w->comm->rank, size, planes,
                      1 + (int64_t)(distance / 2), w->begin));
    w->domain.open = !w->plan->task.problem.periodic[0];
    return FARSUM_OK;
}

/* Brings sources and targets to their slabs, and finds the sources around. */
static farsum_status move_route(struct move *w, const struct verify_sum *s)
{
    struct comm *comm = w->comm;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t plane = (int64_t)(w->source.s[0][i] * (double)w->planes);
        w->count[plane < w->planes ? plane : w->planes - 1]++;
    }
    TRY(comm_agree(comm, comm_sum_counts(comm, w->count, (int)w->planes)));
    TRY(comm_agree(comm, move_cut(w, s->all_n)));
    TRY(route_set(&w->sources, comm, &w->domain, s->n, w->source.s));
    if (s->all_m > 0)
        TRY(route_set(&w->targets, comm, &w->domain, s->m, w->target.s));
    TRY(comm_agree(comm, MEM_RAW(w->own, w->sources.n_own)));
    TRY(comm_agree(comm, route_there(&w->sources, comm, w->source.s[0],
                                     sizeof(double), w->own)));
    double *const own[3] = {w->own, w->own, w->own}; /* only s0 is used */
    return ghosts_set(&w->ghosts, comm, &w->domain, w->sources.n_own, own);
}

static farsum_status move_reserve(struct move *w, const struct verify_sum *s)
{
    struct verify_slab *to = w->slab;
    const struct task *task = &w->plan->task;
    size_t real = (size_t)array_size(task->problem.arrays);
    int64_t n = w->sources.n_own, m = w->targets.n_own;
    TRY(mem_alloc(&to->x, 3 * (n + w->ghosts.n), real, 0));
    TRY(mem_alloc(&to->q, n * task->pair.strengths, real, 0));
    TRY(mem_alloc(&to->y, 3 * m, real, 0));
    int64_t results = s->results ? (s->all_m > 0 ? m : n) * s->width : 0;
    return mem_alloc(&to->results, results, real, 0);
}

/* Moves positions, strengths and results. */
static farsum_status move_values(struct move *w, const struct verify_sum *s)
{
    farsum_status status = FARSUM_OK;
    const struct task *task = &w->plan->task;
    struct verify_slab *to = w->slab;
    struct route *at = s->all_m > 0 ? &w->targets : &w->sources;
    int64_t real = array_size(task->problem.arrays), n = w->sources.n_own;
    char *around = (char *)to->x + 3 * n * real;
    KEEP_ON(route_there(&w->sources, w->comm, s->given_x, 3 * real, to->x));
    KEEP_ON(route_there(&w->sources, w->comm, s->given_q,
                        task->pair.strengths * real, to->q));
    if (s->all_m > 0)
        KEEP_ON(route_there(&w->targets, w->comm, s->given_y, 3 * real, to->y));
    if (s->results)
        KEEP_ON(route_there(at, w->comm, s->results, s->width * real,
                            to->results));
    KEEP_ON(ghosts_send(&w->ghosts, w->comm, to->x, 3 * real, around));
    return comm_agree(w->comm, status);
}

/* The pairs of separate targets and sources, sources first. */
static farsum_status pairs_turned(const struct exclusions *e, int apart,
                                  struct exclusions *to)
{
    TRY(exclusions_set(to, e->count, e->pair, e->factor));
    for (int64_t k = 0; apart && k < to->count; k++) {
        to->pair[2 * k] = e->pair[2 * k + 1];
        to->pair[2 * k + 1] = e->pair[2 * k];
    }
    return FARSUM_OK;
}

/* Brings the excluded pairs to the slabs of their sources. */
static farsum_status move_pairs(struct move *w, const struct verify_sum *s)
{
    farsum_status status = FARSUM_OK;
    int apart = s->all_m > 0;
    struct route *targets = apart ? &w->targets : &w->sources;
    struct exclusions turned = {0};
    struct partners partners = {0};
    if (w->plan->report.info.n_exclusions == 0) /* of all ranks */
        return FARSUM_OK;
    GO(comm_agree(w->comm, pairs_turned(&w->plan->task.exclusions, apart,
                                        &turned)));
    GO(partners_set(&partners, w->comm, &turned, w->sources.given,
                    targets->given));
    GO(partners_travel(&partners, w->comm, &w->sources, targets,
                       sizeof(int64_t), &w->slab->pairs));
done:
    exclusions_clear(&turned);
    partners_clear(&partners);
    return status;
}

/* Removes the rank's own images from the sources around it: positions are
 * wrapped later.  Returns how many remain. */
static int64_t move_others(struct move *w)
{
    int64_t real = array_size(w->plan->task.problem.arrays), first = 0;
    const int64_t *from = w->ghosts.sends.from;
    int rank = w->comm->rank;
    for (int r = 0; r < rank; r++)
        first += from[r];
    int64_t last = first + from[rank], left = w->ghosts.n - last;
    char *x = (char *)w->slab->x + 3 * w->sources.n_own * real;
    memmove(x + 3 * first * real, x + 3 * last * real,
            (size_t)(3 * left * real));
    return first + left;
}

/* Sets the numbers of points of all ranks. */
static farsum_status move_counts(const struct farsum_plan *plan,
                                 struct verify_sum *s)
{
    int64_t all[2] = {s->n, s->m};
    if (plan->task.comm)
        TRY(comm_agree(plan->task.comm,
                       comm_sum_counts(plan->task.comm, all, 2)));
    s->all_n = all[0];
    s->all_m = all[1];
    s->around = s->n;
    return FARSUM_OK;
}

/* Makes the slab's points those of the sum. */
static farsum_status move_end(struct move *w, struct verify_sum *s)
{
    struct comm *comm = w->comm;
    const struct verify_slab *slab = w->slab;
    s->n = w->sources.n_own;
    s->m = w->targets.n_own;
    s->around = s->n + move_others(w);
    s->given_x = slab->x;
    s->given_q = slab->q;
    s->given_y = slab->y;
    s->results = s->results ? slab->results : NULL;
    const int64_t own[2] = {s->n, s->m};
    int64_t(*all)[2] = w->own_of;
    TRY(comm_agree(comm, comm_gather(comm, own, all, sizeof own)));
    for (int r = 0; r < comm->rank; r++) {
        s->first += all[r][s->all_m > 0];
        s->place += all[r][0] + all[r][1];
    }
    return FARSUM_OK;
}

farsum_status verify_slabs(const struct farsum_plan *plan, struct verify_sum *s)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = plan->task.comm;
    struct move w = {.plan = plan, .comm = comm};
    TRY(move_counts(plan, s));
    if (!comm)
        return FARSUM_OK;
    KEEP_ON(MEM_NEW(s->slab, 1));
    w.slab = s->slab;
    if (!plan->task.problem.periodic[0])
        move_extent(&w, s);
    KEEP_ON(move_given(&w, s));
    GO(comm_agree(comm, status));
    GO(move_route(&w, s));
    GO(comm_agree(comm, move_reserve(&w, s)));
    GO(move_values(&w, s));
    GO(move_pairs(&w, s));
    GO(move_end(&w, s));
done:
    move_clear(&w);
    return status;
}

farsum_status verify_seconds(const struct farsum_plan *plan, double start,
                             double *seconds)
{
    *seconds = clock_seconds() - start;
    return task_agree(&plan->task, task_max(&plan->task, seconds, 1));
}
