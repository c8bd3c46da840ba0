/* SPDX-License-Identifier: Apache-2.0 */
/* level.c: splits by bandwidth, their errors, and the choice for a system. */
#include <math.h>

#include "base/mem.h"
#include "batch/device.h"
#include "tune/error_shared.h"

/* Seconds, measured on one core of a Xeon with AVX-512: a pair of an image per
 * term of the polynomials, in f64 and f32; a particle in an entry of waves; a
 * system. */
#define PAIR_F64 1.6e-10
#define PAIR_F32 1e-10
#define WAVE 2e-9
#define SYSTEM 3e-6
/* The same of a plan: a sum, and a particle over the square of the digits. */
#define PLAN 3e-5
#define PLAN_DIGITS 2.5e-8

/* The error data only, by which levels are chosen. */
static farsum_status level_make(double c, struct batch_level **to)
{
    const struct pair *pair = pair_find("laplace");
    struct batch_level *l = NULL;
    TRY(MEM_NEW(l, 1));
    l->c = c;
    if (!band_table(&l->band, c, pair)) {
        farsum_status status = split_set(&l->split, "prolate", c);
        if (status != FARSUM_OK) {
            mem_free(l);
            return status;
        }
        band_set(&l->band, &l->split, pair);
    }
    *to = l;
    return FARSUM_OK;
}

farsum_status batch_level(struct farsum_batch *b, int index,
                          const struct batch_level **level)
{
    if (!b->level[index])
        TRY(level_make(BATCH_FIRST + 0.5 * index, &b->level[index]));
    *level = b->level[index];
    return FARSUM_OK;
}

/* The tables of a level that a system uses. */
static farsum_status level_complete(struct batch_level *l)
{
    double step = l->c / BATCH_TABLE;
    /* a pair's error stays below those of truncation, as in (6.9) */
    double most = 0.1 * sqrt(l->band.cut_far[0] * 3 / (4 * M_PI));
    if (l->complete)
        return FARSUM_OK;
    TRY(split_set(&l->split, "prolate", l->c));
    TRY(pair_near_poly(pair_find("laplace"), &l->split, fmax(most, 4e-14),
                       &l->poly));
    l->curvature = split_curvature(&l->split);
    if (!l->gamma)
        TRY(MEM_RAW(l->gamma, BATCH_TABLE + 1));
    for (int i = 0; i <= BATCH_TABLE; i++) {
        l->gamma[i][0] = split_hat(&l->split, step * i);
        l->gamma[i][1] = step * split_dhat(&l->split, step * i);
    }
    l->complete = 1;
    return FARSUM_OK;
}

/* Cubic interpolation by values and slopes. */
double batch_gamma(const struct batch_level *level, double k, double *slope)
{
    double x = k / level->c * BATCH_TABLE;
    int i = x < BATCH_TABLE - 1 ? (int)x : BATCH_TABLE - 1;
    const double *a = level->gamma[i], *e = level->gamma[i + 1];
    double t = x - i, rise = e[0] - a[0];
    double c2 = 3 * rise - 2 * a[1] - e[1], c3 = a[1] + e[1] - 2 * rise;
    *slope = (a[1] + t * (2 * c2 + t * 3 * c3)) * BATCH_TABLE / level->c;
    return a[0] + t * (a[1] + t * (c2 + t * c3));
}

/* (6.1) with (6.3): Q K for forces, times the charge, and for potentials. */
void batch_errors(const struct batch_level *level, double rc, double volume,
                  int64_t n, double q2, double error[2])
{
    const struct band *band = &level->band;
    double mean = q2 / (double)n, own = band->self / rc;
    error[0] = sqrt(mean * q2 * band->cut_far[0] / (volume * rc));
    error[1] = sqrt(q2 * band->cut_far[1] * rc / volume + mean * own * own);
}

int batch_level_index(const struct batch_level *level)
{
    return (int)(2 * (level->c - BATCH_FIRST) + 0.5);
}

double batch_plan_seconds(const struct farsum_batch *b, int64_t n)
{
    double digits = fmax(2 - log10(b->problem.tolerance), 3);
    if (b->gpu)
        return batch_gpu_plan_seconds(b, n, digits);
    return PLAN + (double)n * digits * digits * PLAN_DIGITS;
}

/* Truncation error over the target, (6.14), for charges of the typical size. */
static double choice_excess(const struct farsum_batch *b,
                            const struct batch_system *s, double finer,
                            const struct batch_level *level, double rc)
{
    const farsum_problem *p = &b->problem;
    double n = (double)s->n, v = s->cell.volume, near = cbrt(n / v), error[2];
    double q = b->typical_q, u = level->c / rc;
    double waves = fmax(v * u * u * u / (6 * M_PI * M_PI), 1);
    double goal = 0.6 * p->tolerance / finer / (1 + sqrt(9 / n + 2 / waves));
    batch_errors(level, rc, v, s->n, n, error);
    if (p->error == FARSUM_ERROR_POTENTIAL)
        return error[1] / (near * goal);
    if (p->error == FARSUM_ERROR_ABSOLUTE)
        return ldexp(fabs(p->coulomb) * q * q * error[0], -2 * s->length)
               / goal;
    return error[0] / (near * near * goal);
}

/* The lowest level that meets the target, or the last; a search from the level
 * in *index. */
static farsum_status choice_level(struct farsum_batch *b,
                                  const struct batch_system *s, double finer,
                                  double rc, int *index)
{
    const struct batch_level *level;
    TRY(batch_level(b, *index, &level));
    if (choice_excess(b, s, finer, level, rc) > 1) {
        while (*index < BATCH_LEVELS - 1) {
            TRY(batch_level(b, ++*index, &level));
            if (choice_excess(b, s, finer, level, rc) <= 1)
                break;
        }
        return FARSUM_OK;
    }
    while (*index > 0) {
        TRY(batch_level(b, *index - 1, &level));
        if (choice_excess(b, s, finer, level, rc) > 1)
            break;
        --*index;
    }
    return FARSUM_OK;
}

void batch_reach(const struct cell *cell, double rc, int reach[3])
{
    for (int d = 0; d < 3; d++)
        reach[d] = (int)(rc / cell->height[d] + 0.5 - 1e-12);
}

/* The number of images of a pair within the cutoff, upper limit. */
static int choice_images(const struct cell *cell, double rc)
{
    int images = 1, reach[3];
    batch_reach(cell, rc, reach);
    for (int d = 0; d < 3; d++)
        images *= 2 * reach[d] + 1;
    return images;
}

/* Seconds of the pairs with a split of this bandwidth, and of a system. */
static double choice_pairs(const struct batch_system *s,
                           const struct batch_choice *c, double bandwidth)
{
    double terms = 0.8 * bandwidth + 2.5;
    return SYSTEM
           + (double)s->n * (double)s->padded * c->images * terms
                 * (c->f32 ? PAIR_F32 : PAIR_F64);
}

static void choice_cost(const struct batch_system *s, struct batch_choice *c)
{
    double u = c->level->c / c->rc, length[3];
    for (int d = 0; d < 3; d++) {
        const double *a = s->cell.a + 3 * d;
        length[d] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        c->most[d] = (int)(u * length[d] / (2 * M_PI));
    }
    c->rows = (int64_t)(c->most[0] + 1) * (2 * c->most[1] + 1);
    c->entries = c->rows * (c->most[2] + 1);
    /* a half of a ball, of which two share an entry */
    double entries = s->cell.volume * u * u * u / (6 * M_PI * M_PI) / 4 + 2;
    c->seconds =
        choice_pairs(s, c, c->level->c) + (double)s->padded * entries * WAVE;
}

farsum_status batch_choose(struct farsum_batch *b,
                           const struct batch_system *system, double finer,
                           struct batch_choice *choice)
{
    static const double reach[] = {1, 1.3, 1.7, 2, 2.5, 3, 4, 5};
    const double *h = system->cell.height;
    double half = fmin(h[0], fmin(h[1], h[2])) / 2;
    int index = (int)(2 * (-log(b->problem.tolerance / finer) - BATCH_FIRST));
    index = index < 0 ? 0 : index < BATCH_LEVELS ? index : BATCH_LEVELS - 1;
    struct batch_choice best = {0};
    int chosen = 0;
    for (size_t i = 0; i < sizeof reach / sizeof *reach; i++) {
        struct batch_choice c = {.rc = half * reach[i]};
        c.f32 = b->problem.precision == FARSUM_F32
                || b->problem.tolerance / finer >= BATCH_F32_FROM;
        c.images = choice_images(&system->cell, c.rc);
        if (c.images > WAVES_IMAGES)
            break;
        if (best.level && choice_pairs(system, &c, BATCH_FIRST) >= best.seconds)
            continue;
        TRY(choice_level(b, system, finer, c.rc, &index));
        c.level = b->level[index];
        choice_cost(system, &c);
        if (!best.level || c.seconds < best.seconds)
            best = c, chosen = index;
    }
    *choice = best;
    return best.level ? level_complete(b->level[chosen]) : FARSUM_OK;
}
