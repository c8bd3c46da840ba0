/* SPDX-License-Identifier: Apache-2.0 */
/* sample_local.c: neighbours of some targets, found by a hash of cells. */
#include "task/sample_local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "math/pair.h"
#include "task/sample_bins.h"
#include "task/sample_grid.h"
#include "task/sample_near.h"
#include "task/sample_order.h"
#include "task/sample_pair.h"

enum { NEIGHBOURS = 400, SCREEN = 60, FORCES = 4096, TARGETS = 128, REACH = 4 };
enum { LEFT_OUT = 3, FORCES_LEAST = 256 /* forces per thread, at least */ };
/* Number of nearest distances tested: the count of pairs grows as r^AT_RANDOM
 * at most if the points are random. */
enum { NEAREST = 32 };
#define AT_RANDOM 5.0
/* -log 0.5: one set of points in two has a nearer pair. */
#define RARE 0.69

/* Sums at one target. */
struct grid_sums {
    double field[3];
    double whole[3]; /* field including excluded pairs */
    double close[2]; /* sums of squares, see sample->close */
    double near;     /* the largest square, see sample->near */
    double value[3]; /* a flow's velocity */
    double nearest;  /* distance of the nearest source */
};

/* Bins at least half a screening radius wide. */
struct grid {
    struct sample_grid at;
    struct sample *sample;
    const double *q;     /* or the root of square() */
    const double *given; /* [n][strengths]: strengths of the sources */
    const struct exclusions *exclusions;
    const struct pair *pair;   /* of the forces; NULL: 1/r */
    const struct pair *kernel; /* of the values */
    int row, flow; /* the kernel's row; 1: all velocities are summed */
    double much;   /* distances below it are much below the mean */
    double radius, screen; /* of the shells; of the screened force */
    int plain; /* 1: apart, 1/r, no exclusions: vector code */
    const struct sample_kern *near;
    struct sample_bins bins; /* of the shells */
};

/* Field divided by d of a unit source at r, u = (r/screen)^2.  For 1/r it is
 * screened: (1 - u)^2/r^3 falls smoothly to 0 at u = 1.  Other potentials fall
 * off without screening. */
static double grid_slope(const struct grid *g, double r, double u)
{
    double v[2];
    if (!g->pair)
        return (1 - u) * (1 - u) / (r * r * r);
    g->pair->kind->bare(g->pair, r, v);
    return v[0] / r;
}

/* Adds a source at x, r2 > 0, to the target's shells. */
static void grid_shell(const struct grid *g, const double x[3], double r2,
                       double qj, double stays, struct sample_target *target)
{
    int shell = sample_bins_of(&g->bins, r2);
    double part = stays * qj / sqrt(r2);
    target->first = shell < target->first ? shell : target->first;
    target->count[shell]++;
    target->charge[shell] += qj;
    target->square[shell] += qj * qj;
    for (int k = 0; k < 3; k++)
        target->dipole[shell][k] += part * x[k];
}

/* Adds the value at the target due to source e, at x from it. */
static void grid_value(const struct grid *g, int64_t e, const double x[3],
                       double r2, double stays, struct grid_sums *sums)
{
    double v[PAIR_VALUES], square = 0;
    sample_pair_value(g->row, g->kernel->kappa, x, r2,
                      g->given + g->at.by.i[e] * g->kernel->strengths, v);
    for (int k = 0; k < 3; k++) {
        sums->value[k] += stays * v[k];
        square += stays * stays * v[k] * v[k];
    }
    if (r2 < g->much * g->much)
        sums->near = fmax(sums->near, square);
}

/* A target, and its radius. */
struct grid_aim {
    int64_t i;
    double q;
    struct sample_look look;
    struct sample_target *shells; /* NULL: none */
    struct grid_sums *sums;       /* NULL: shells only, no exclusions */
};

/* Adds source e at x to the target's field and shells. */
static void grid_add(const struct grid *g, const struct grid_aim *aim,
                     int64_t e, const double x[3], double r2)
{
    struct grid_sums *sums = aim->sums;
    double qi = aim->q, qj = g->at.by.q[e], stays = 1;
    double r = fmax(sqrt(r2), g->sample->soft);
    double u = r2 / (g->screen * g->screen), slope = 0, steep[2] = {0, 0};
    if (u < 1) {
        slope = grid_slope(g, r, u);
        sample_pair_steep(g->kernel, r, steep);
    }
    if (g->exclusions->rows > 0)
        stays -= exclusions_lost(g->exclusions, aim->i, g->at.by.i[e]);
    for (int k = 0; k < 3; k++) {
        sums->whole[k] += qj * slope * x[k];
        sums->field[k] += stays * qj * slope * x[k];
    }
    sums->close[0] += qi * qi * qj * qj * steep[0];
    sums->close[1] += qj * qj * steep[1];
    if (r < g->much || (u < 1 && g->flow))
        grid_value(g, e, x, r * r, stays, sums);
    sums->nearest = fmin(sqrt(r2), sums->nearest);
    if (aim->shells)
        grid_shell(g, x, r2, qj, stays, aim->shells);
}

/* Visits sources begin to end, of bins with adjacent buckets; skips sources
 * with another key where bins share buckets. */
static void grid_visit(const struct grid *g, const struct grid_aim *aim,
                       uint64_t key, int64_t begin, int64_t end)
{
    struct sample_list list;
    for (; begin < end; begin += SAMPLE_CHUNK) {
        int64_t last = end - begin < SAMPLE_CHUNK ? end : begin + SAMPLE_CHUNK;
        int n = g->near->list(&aim->look, begin, last, &list);
        for (int i = 0; i < n; i++) {
            int k = list.at[i];
            const double x[3] = {list.x[0][k], list.x[1][k], list.x[2][k]};
            if (!g->at.apart && g->at.by.key[begin + k] != key)
                continue;
            if (aim->sums)
                grid_add(g, aim, begin + k, x, list.r2[k]);
            else
                grid_shell(g, x, list.r2[k], g->at.by.q[begin + k], 1,
                           aim->shells);
        }
    }
}

/* Visits bins low to high of the last, periodic axis. */
static void grid_row(const struct grid *g, const struct grid_aim *aim,
                     int64_t a, int64_t b, int64_t low, int64_t high)
{
    for (; low <= high; low++) {
        uint64_t key =
            sample_grid_key(&g->at, a, b, sample_grid_turn(low, g->at.dim[2]));
        int64_t bucket = sample_grid_bucket(&g->at, key);
        grid_visit(g, aim, key, g->at.start[bucket], g->at.start[bucket + 1]);
    }
}

/* Visits the sources of all bins within the radius. */
static void grid_target(const struct grid *g, int64_t i,
                        struct sample_target *target, struct grid_sums *sums,
                        struct sample_ranges *ranges)
{
    double radius = target ? g->radius : g->screen;
    const double *const *s = (const double *const *)g->at.points->s;
    double *const *by = g->at.by.s;
    struct grid_aim aim = {.i = i,
                           .q = g->q[i],
                           .look = {.s = {by[0], by[1], by[2]},
                                    .a = g->at.cell->a,
                                    .p = {s[0][i], s[1][i], s[2][i]},
                                    .limit = radius * radius},
                           .shells = target,
                           .sums = sums};
    int64_t low[3], high[3];
    if (sums)
        *sums = (struct grid_sums){.nearest = INFINITY};
    sample_grid_reach(&g->at, i, radius, low, high);
    sample_grid_list(&g->at, low, high, ranges);
    for (int k = 0; k < ranges->n; k++)
        grid_visit(g, &aim, 0, ranges->range[k].begin, ranges->range[k].end);
    if (ranges->n > 0)
        return;
    for (int64_t a = low[0]; a <= high[0]; a++)
        for (int64_t b = low[1]; b <= high[1]; b++)
            grid_row(g, &aim, sample_grid_turn(a, g->at.dim[0]),
                     sample_grid_turn(b, g->at.dim[1]), low[2], high[2]);
}

/* Ranges of sources for the shells of one target, and for forces. */
struct grid_work {
    struct sample_ranges shells, force;
};

/* The force on source i, with or without shells. */
static void grid_force(const struct grid *g, int64_t i,
                       struct sample_target *target, struct grid_sums *sums,
                       struct grid_work *work)
{
    double *const *x = g->at.by.x;
    double q2 = g->q[i] * g->q[i];
    struct sample_look look = {.x = {x[0], x[1], x[2]},
                               .q = g->at.by.q,
                               .limit = g->screen * g->screen,
                               .inverse = 1 / (g->screen * g->screen),
                               .much = g->much * g->much,
                               .least = g->sample->soft * g->sample->soft};
    struct sample_force force;
    if (g->plain)
        sample_grid_images(&g->at, i, g->screen, &work->force);
    if (!g->plain || work->force.n == 0) {
        grid_target(g, i, target, sums, &work->shells);
        return;
    }
    if (target)
        grid_target(g, i, target, NULL, &work->shells);
    sample_grid_position(&g->at, i, look.p);
    g->near->force(&look, work->force.range, work->force.n, &force);
    *sums = (struct grid_sums){.close = {q2 * force.close[0],
                                         force.close[1] / 6},
                               .near = force.near,
                               .nearest = sqrt(force.nearest)};
    memcpy(sums->field, force.field, sizeof force.field);
    memcpy(sums->whole, force.field, sizeof force.field);
}

/* Radius with `wanted` neighbours of a particle, at most half the cell. */
static double grid_radius(const struct sample *s, double wanted)
{
    double r = s->radius0;
    for (int k = 0; k < SAMPLE_RADII - 1 && s->around[k] < wanted; k++)
        r *= s->step;
    return r;
}

/* Inserts v into the largest so far (descending); returns what drops out. */
static double keep_largest(double most[LEFT_OUT], double v)
{
    for (int k = 0; k < LEFT_OUT; k++)
        if (v > most[k]) {
            double less = most[k];
            most[k] = v;
            v = less;
        }
    return v;
}

static int nearer(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* (6.18): estimates the nearest distance among all points.  Pairs of random
 * points within r grow as r^3, so the nearest pair of all is nearer than any of
 * `count` targets, and dominates the effect of rounded positions.  Other points
 * keep a minimum distance, and a few targets suffice. */
static void nearest_of_all(const struct grid *g, int64_t count,
                           double *distance)
{
    struct sample *s = g->sample;
    double n = (double)s->n, q2 = s->q2 / n, logs = 0, steep[2];
    double power = g->pair ? g->pair->kind->power : 1;
    if (count <= NEAREST || count >= s->n)
        return;
    qsort(distance, (size_t)count, sizeof *distance, nearer);
    double last = distance[NEAREST];
    for (int k = 0; k < NEAREST; k++)
        logs += log(last / distance[k]);
    if (!isfinite(last) || !(NEAREST < AT_RANDOM * logs))
        return;
    double within = 2 * RARE / n; /* mean number of sources per target */
    double r = fmax(last * cbrt(within * (double)count / NEAREST), s->soft);
    sample_pair_steep(g->kernel, r, steep);
    s->close[0] = fmax(s->close[0], q2 * sqrt(2 / n * steep[0]));
    s->pair = q2 * grid_slope(g, r, 0) * r
              * sqrt(within * 3 / (2 * power - 1));
}

/* The source that force t acts on; these are spread over all sources. */
static int64_t force_at(int64_t t, int64_t forces, int64_t n)
{
    return (int64_t)((double)n * ((double)t + 0.5) / (double)forces);
}

farsum_status sample_local(struct sample *sample, const struct cell *cell,
                           const struct points *points, const double *q,
                           const double *given,
                           const struct exclusions *exclusions,
                           const struct pair *pair, enum isa isa, int threads)
{
    struct grid g = {.sample = sample,
                     .q = q,
                     .given = given,
                     .exclusions = exclusions,
                     .pair = pair && pair->kind->gradient ? pair : NULL,
                     .kernel = pair ? pair : pair_rows,
                     .near = sample_near(isa),
                     .row = sample_pair_row(pair ? pair : pair_rows),
                     .much = 0.25 * cbrt(cell->volume / (double)points->n)};
    int64_t n = points->n, forces = n < FORCES ? n : FORCES;
    int64_t targets = n < TARGETS ? n : TARGETS;
    double sum[2] = {0}, close[2] = {0}, near = 0, most[LEFT_OUT] = {0};
    double flow = 0, *distance = NULL;
    struct grid_sums *sums = NULL;
    struct grid_work *work = NULL;
    farsum_status status = FARSUM_OK;
    /* separate targets are never as near to a source as sources may be */
    g.flow = forces == n && sample->m == 0 && !g.kernel->kind->gradient;
    g.screen = grid_radius(sample, SCREEN);
    g.radius = fmin(grid_radius(sample, NEIGHBOURS), REACH * g.screen);
    GO(MEM_NEW(sample->target, targets));
    GO(MEM_RAW(distance, forces));
    GO(MEM_RAW(sums, forces));
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        sample->radius[k] = g.radius
                            * pow(sample->radius0 / g.radius,
                                  1 - (double)k / (SAMPLE_SHELLS - 1));
    double inner = log(sample->radius[0]);
    sample_bins_set(&g.bins, inner,
                    (SAMPLE_SHELLS - 1) / (log(g.radius) - inner),
                    SAMPLE_SHELLS - 1);
    GO(sample_grid_build(&g.at, points, cell, q, g.screen / 2));
    g.plain = g.at.apart && !g.pair && g.kernel->kind->charged
              && exclusions->rows == 0;
    threads = forces < threads * FORCES_LEAST
                  ? (int)(forces / FORCES_LEAST) + 1
                  : threads;
    GO(MEM_NEW(work, threads));
    PAR_FOR(threads, schedule(dynamic, 64))
    for (int64_t k = 0; k < forces; k++) {
        /* all sources: in the order of the bins, which share ranges */
        int64_t t = forces == n ? g.at.by.i[k] : k;
        /* the first force of each few has shells */
        int64_t i = force_at(t, forces, n), own = t * targets / forces;
        int first = t == 0 || (t - 1) * targets / forces != own;
        if (first) {
            sample->target[own].q = q[i];
            sample->target[own].first = SAMPLE_SHELLS;
        }
        grid_force(&g, i, first ? &sample->target[own] : NULL, &sums[t],
                   &work[omp_get_thread_num()]);
    }
    for (int64_t t = 0; t < forces; t++) {
        double qi = q[force_at(t, forces, n)], square[2] = {0};
        for (int d = 0; d < 3; d++) {
            square[0] += sums[t].field[d] * sums[t].field[d];
            square[1] += sums[t].whole[d] * sums[t].whole[d];
        }
        sum[0] += keep_largest(most, qi * qi * square[0]);
        sum[1] += qi * qi * square[1];
        close[0] += sums[t].close[0];
        close[1] += sums[t].close[1];
        near += sums[t].near;
        for (int d = 0; d < 3; d++)
            flow += sums[t].value[d] * sums[t].value[d];
        distance[t] = sums[t].nearest;
        sample->nearest = fmin(sample->nearest, distance[t]);
    }
    /* For random points close pairs dominate the mean force, and its square has
     * no variance.  A sample that contains one by chance would predict too
     * large forces: for 1e6 points by a factor of 1.3 or more in 8 of 100
     * samples; without the three largest in fewer than one of 2000. */
    for (int k = 0; k < LEFT_OUT && forces == n; k++)
        sum[0] += most[k];
    sample->n_targets = targets;
    sample_order(sample);
    sample->force = sqrt(sum[0] / (double)forces);
    sample->whole = sqrt(sum[1] / (double)forces);
    for (int k = 0; k < 2; k++)
        sample->close[k] = sqrt(close[k] / (double)forces);
    sample->near = sqrt(near / (double)forces);
    if (g.flow) {
        sample->flow = sqrt(flow / (double)forces);
        sample->within = g.screen;
    }
    nearest_of_all(&g, forces, distance);
done:
    mem_free(distance);
    mem_free(sums);
    mem_free(work);
    sample_grid_clear(&g.at);
    return status;
}
