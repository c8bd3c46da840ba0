/* sample_local.c: neighbours of a subset, by a hash of cells. */
#include "method/sample_local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "math/pair.h"

enum { NEIGHBOURS = 400, SCREEN = 60, FORCES = 4096, TARGETS = 128, REACH = 4 };
enum { LEFT_OUT = 3 };
/* Of so many nearest distances it is seen how the number of pairs grows, as
 * r^AT_RANDOM at most if they are at random. */
enum { NEAREST = 32 };
#define AT_RANDOM 5.0
/* -log of 0.5: one set of points in two has a pair that is nearer. */
#define RARE 0.69

/* Bins of at least the screen's edge; those of one hash share a bucket. */
struct grid {
    struct sample *sample;
    const struct points *points;
    const struct cell *cell;
    const double *q;
    const struct exclusions *exclusions;
    const struct pair *pair; /* NULL: 1/r */
    int64_t dim[3], buckets;
    double radius, screen;   /* of the shells, and of the force */
    double close;            /* sum of the squares of the force's changes */
    double nearest;          /* of a target's sources, its distance */
    double whole[3];         /* the field with excluded pairs */
    uint64_t *key;           /* owned, [n]: bin of each source */
    int64_t *start, *source; /* owned, [buckets + 1], [n] by bucket */
};

static uint64_t grid_key(const struct grid *g, int64_t b0, int64_t b1,
                         int64_t b2)
{
    return (uint64_t)((b0 * g->dim[1] + b1) * g->dim[2] + b2);
}

static int64_t grid_bin(const struct grid *g, int d, int64_t i)
{
    int64_t b = (int64_t)(g->points->s[d][i] * (double)g->dim[d]);
    return b < g->dim[d] ? b : g->dim[d] - 1;
}

static int64_t grid_bucket(const struct grid *g, uint64_t key)
{
    return (int64_t)(key % (uint64_t)g->buckets);
}

/* Counting sort by bucket. */
static farsum_status grid_build(struct grid *g)
{
    int64_t n = g->points->n;
    for (int d = 0; d < 3; d++) {
        double dim = floor(g->cell->height[d] / g->screen);
        g->dim[d] = dim < 1 ? 1 : dim > 1e6 ? 1000000 : (int64_t)dim;
    }
    g->buckets = n | 1;
    TRY(MEM_RAW(g->key, n));
    TRY(MEM_RAW(g->source, n));
    TRY(MEM_NEW(g->start, g->buckets + 1));
    for (int64_t i = 0; i < n; i++) {
        g->key[i] = grid_key(g, grid_bin(g, 0, i), grid_bin(g, 1, i),
                             grid_bin(g, 2, i));
        g->start[grid_bucket(g, g->key[i]) + 1]++;
    }
    for (int64_t b = 0; b < g->buckets; b++)
        g->start[b + 1] += g->start[b];
    for (int64_t i = n - 1; i >= 0; i--)
        g->source[--g->start[grid_bucket(g, g->key[i]) + 1]] = i;
    /* each start now stands one slot late */
    for (int64_t b = 0; b < g->buckets; b++)
        g->start[b] = g->start[b + 1];
    g->start[g->buckets] = n;
    return FARSUM_OK;
}

/* Field over d of a unit source at r, u = (r/screen)^2, and its change with a
 * move: of 1/r screened, (1 - u)^2/r^3 falls smoothly to 0 at u = 1; other
 * potentials fall off by themselves. */
static void grid_slope(const struct grid *g, double r, double u,
                       double slope[2])
{
    double v[2], nearer[2], cube = 1 / (r * r * r);
    slope[0] = (1 - u) * (1 - u) * cube;
    slope[1] = cube;
    if (!g->pair)
        return;
    g->pair->kind->bare(g->pair, r, v);
    g->pair->kind->bare(g->pair, 0.99 * r, nearer);
    slope[0] = v[0] / r;
    slope[1] = (nearer[0] - v[0]) / (0.01 * r);
}

/* Adds the sources of one bin to the field at target i, and to the target's
 * shells, if it has any. */
static void grid_visit(struct grid *g, int64_t i, uint64_t key,
                       double field[3], struct sample_target *target)
{
    double inner = log(g->sample->radius[0]);
    double inverse = (SAMPLE_SHELLS - 1) / (log(g->radius) - inner);
    double qi = g->q[i];
    double limit = target ? g->radius * g->radius : g->screen * g->screen;
    int64_t bucket = grid_bucket(g, key);
    for (int64_t e = g->start[bucket]; e < g->start[bucket + 1]; e++) {
        int64_t j = g->source[e];
        double f[3], x[3], r2 = 0;
        if (g->key[j] != key)
            continue;
        for (int d = 0; d < 3; d++)
            f[d] = sample_nearest(g->points->s[d][i] - g->points->s[d][j]);
        for (int k = 0; k < 3; k++) {
            x[k] = f[0] * g->cell->a[k] + f[1] * g->cell->a[3 + k]
                   + f[2] * g->cell->a[6 + k];
            r2 += x[k] * x[k];
        }
        if (!(r2 > 0) || r2 >= limit)
            continue;
        double qj = g->q[j], r = sqrt(r2);
        double u = r2 / (g->screen * g->screen);
        double slope[2] = {0, 0};
        if (u < 1)
            grid_slope(g, r, u, slope);
        double stays = 1 - exclusions_lost(g->exclusions, i, j);
        for (int k = 0; k < 3; k++) {
            g->whole[k] += qj * slope[0] * x[k];
            field[k] += stays * qj * slope[0] * x[k];
        }
        g->close += qi * qi * qj * qj * slope[1] * slope[1];
        g->nearest = r < g->nearest ? r : g->nearest;
        if (!target)
            continue;
        double at = (log(r) - inner) * inverse;
        int shell = at <= 0 ? 0 : at > SAMPLE_SHELLS - 2 ? SAMPLE_SHELLS - 1
                                                         : (int)ceil(at);
        target->first = shell < target->first ? shell : target->first;
        target->count[shell]++;
        target->charge[shell] += qj;
        target->square[shell] += qj * qj;
        for (int k = 0; k < 3; k++)
            target->dipole[shell][k] += stays * qj * x[k] / r;
    }
}

/* Square of the field at target i, and of that with excluded pairs. */
static void grid_target(struct grid *g, int64_t i,
                        struct sample_target *target, double square[2])
{
    double field[3] = {0};
    int64_t low[3], high[3];
    memset(g->whole, 0, sizeof g->whole);
    g->nearest = INFINITY;
    for (int d = 0; d < 3; d++) {
        int64_t at = grid_bin(g, d, i), reach = 1;
        if (target)
            reach = (int64_t)ceil(g->radius * (double)g->dim[d]
                                  / g->cell->height[d]);
        /* all bins once, where there are few */
        low[d] = g->dim[d] < 2 * reach + 1 ? 0 : at - reach;
        high[d] = g->dim[d] < 2 * reach + 1 ? g->dim[d] - 1 : at + reach;
    }
    for (int64_t a = low[0]; a <= high[0]; a++)
        for (int64_t b = low[1]; b <= high[1]; b++)
            for (int64_t c = low[2]; c <= high[2]; c++)
                grid_visit(g, i,
                           grid_key(g, (a + g->dim[0]) % g->dim[0],
                                    (b + g->dim[1]) % g->dim[1],
                                    (c + g->dim[2]) % g->dim[2]),
                           field, target);
    square[0] = square[1] = 0;
    for (int d = 0; d < 3; d++) {
        square[0] += field[d] * field[d];
        square[1] += g->whole[d] * g->whole[d];
    }
}

/* Radius where a particle has `wanted` neighbours, or half the cell. */
static double grid_radius(const struct sample *s, double wanted)
{
    double r = s->radius0;
    for (int k = 0; k < SAMPLE_RADII - 1 && s->around[k] < wanted; k++)
        r *= s->step;
    return r;
}

static int target_same(const struct sample_target *a,
                       const struct sample_target *b)
{
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        if (fabs(a->square[k] - b->square[k]) > 1e-9 * fabs(a->square[k])
            || fabs(a->charge[k] - b->charge[k]) > 1e-9 * a->square[k])
            return 0;
    return a->q == b->q;
}

static int target_regular(const struct sample_target *a,
                          const struct sample_target *b)
{
    return memcmp(a->count, b->count, sizeof a->count) == 0;
}

/* Targets of a perfect crystal err alike: no average over places is left. */
static int targets_alike(const struct sample *sample,
                         int (*same_as)(const struct sample_target *,
                                        const struct sample_target *))
{
    int64_t same = 0, n = sample->n_targets;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (j != i && same_as(&sample->target[i], &sample->target[j])) {
                same++;
                break;
            }
    return n >= 4 && 2 * same > n;
}

/* Most targets have their nearest source in one shell, also of a lattice with
 * sites that are empty. */
static int targets_spaced(const struct sample *sample)
{
    int64_t count[SAMPLE_SHELLS + 1] = {0}, most = 0;
    for (int64_t i = 0; i < sample->n_targets; i++) {
        int64_t now = ++count[sample->target[i].first];
        most = now > most ? now : most;
    }
    return sample->n_targets >= 4 && 4 * most >= 3 * sample->n_targets;
}

/* most: the largest so far, falling.  What is not, or no more, among them. */
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

/* (6.18): of points at random, whose pairs within r grow as r^3, the nearest of
 * all lie nearer than those of `count` targets, and are most of what moves do.
 * Others keep a least distance, and a few targets tell of all. */
static void nearest_of_all(const struct grid *g, int64_t count,
                           double *distance)
{
    struct sample *s = g->sample;
    double n = (double)s->n, q2 = s->q2 / n, logs = 0, slope[2];
    double power = g->pair ? g->pair->kind->power : 1;
    if (count <= NEAREST || count >= s->n)
        return;
    qsort(distance, (size_t)count, sizeof *distance, nearer);
    double last = distance[NEAREST];
    for (int k = 0; k < NEAREST; k++)
        logs += log(last / distance[k]);
    if (!isfinite(last) || !(NEAREST < AT_RANDOM * logs))
        return;
    double within = 2 * RARE / n; /* sources, of a target, mean */
    double r = last * cbrt(within * (double)count / NEAREST);
    grid_slope(g, r, 0, slope);
    s->close = fmax(s->close, q2 * slope[1] * sqrt(2 / n));
    s->pair = q2 * slope[0] * r * sqrt(within * 3 / (2 * power - 1));
}

farsum_status sample_local(struct sample *sample, const struct cell *cell,
                           const struct points *points, const double *q,
                           const struct exclusions *exclusions,
                           const struct pair *pair)
{
    struct grid g = {.sample = sample, .points = points, .cell = cell, .q = q,
                     .exclusions = exclusions, .pair = pair};
    int64_t n = points->n, forces = n < FORCES ? n : FORCES;
    int64_t targets = n < TARGETS ? n : TARGETS;
    double sum[2] = {0}, most[LEFT_OUT] = {0}, *distance = NULL;
    farsum_status status = FARSUM_OK;
    g.screen = grid_radius(sample, SCREEN);
    g.radius = fmin(grid_radius(sample, NEIGHBOURS), REACH * g.screen);
    GO(MEM_NEW(sample->target, targets));
    GO(MEM_RAW(distance, forces));
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        sample->radius[k] = g.radius
                            * pow(sample->radius0 / g.radius,
                                  1 - (double)k / (SAMPLE_SHELLS - 1));
    GO(grid_build(&g));
    for (int64_t t = 0; t < forces; t++) {
        /* spread over the sources; the first of each few has shells */
        int64_t i = (int64_t)((double)n * ((double)t + 0.5) / (double)forces);
        int64_t own = t * targets / forces;
        int first = t == 0 || (t - 1) * targets / forces != own;
        double qi = q[i], square[2];
        if (first) {
            sample->target[own].q = qi;
            sample->target[own].first = SAMPLE_SHELLS;
        }
        grid_target(&g, i, first ? &sample->target[own] : NULL, square);
        sum[0] += keep_largest(most, qi * qi * square[0]);
        sum[1] += qi * qi * square[1];
        distance[t] = g.nearest;
    }
    /* A close pair's force is most of the mean of random points, whose square
     * has no variance: of a sample that has met one by chance it would promise
     * forces that are not there, of 1e6 points by a factor of 1.3 or more in 8
     * of 100 samples; without the three largest in less than one of 2000. */
    for (int k = 0; k < LEFT_OUT && forces == n; k++)
        sum[0] += most[k];
    sample->n_targets = targets;
    sample->crystal = targets_alike(sample, target_same);
    sample->lattice = targets_alike(sample, target_regular);
    sample->regular = sample->lattice || targets_spaced(sample);
    sample->force = sqrt(sum[0] / (double)forces);
    sample->whole = sqrt(sum[1] / (double)forces);
    sample->close = sqrt(g.close / (double)forces);
    nearest_of_all(&g, forces, distance);
done:
    mem_free(distance);
    mem_free(g.key);
    mem_free(g.start);
    mem_free(g.source);
    return status;
}
