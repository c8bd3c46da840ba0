/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c: tolerance -> cutoff, bandwidth, mesh, support and shape, by the
 * error model and the rooms' costs together.
 *
 * For a ladder of cutoffs and of upsamplings: the smallest bandwidth whose cut
 * is half the goal, the smallest support whose aliases are the other half, and
 * what it costs.  The cheapest is then refined: the shape that aliases least,
 * and with mesh and support kept the smallest cutoff that still holds. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "method/designs.h"
#include "method/error_inside.h"
#include "method/tune_inside.h"

static const double sigmas[] = {1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0};

/* Estimate of `t` in the tolerance's norm, with fresh parts. */
double tune_total(const struct tuner *u, struct tuned *t)
{
    tuned_error(t, u->plan);
    return t->error;
}

/* The part of the tolerance that is aimed at where many are averaged over. */
static double tune_part(const struct tuner *u)
{
    const struct sample *s = &u->plan->sample;
    const struct pair_kind *kind = u->plan->pair.kind;
    /* sites of a crystal share one error, which may be any part of the mean */
    if (s->crystal && u->plan->problem.error == FARSUM_ERROR_POTENTIAL)
        return 0.15;
    /* charges of a kernel that falls faster than 1/r, if they lie on a lattice
     * and have one sign, or an order of their own, are in phase with the
     * lattice's waves.  The B-spline's aliases, which no shape levels, are most
     * where such a wave is at the edge of the band. */
    if (s->regular && kind->gradient && !kind->charged
        && (s->crystal || s->q1 * s->q1 > 9 * s->q2))
        return strcmp(u->window, "bspline") == 0 ? 0.12 : 0.25;
    /* strengths of all directions have no more than the places on the mesh in
     * common; where the mesh is a multiple of the lattice all sites lie alike
     * on it and err alike */
    return s->regular && !kind->gradient ? 0.2 : 0.6;
}

/* The estimate that is aimed at: a part of the tolerance.  Estimates are right
 * within some ten per cent where charges have no order and within a factor of
 * 1.5 where they do; few particles, or few modes where most particles are, are
 * no average.  math.md (6.14). */
double tune_goal(const struct tuner *u, const struct tuned *t)
{
    const struct sample *s = &u->plan->sample;
    double c = t->split.c, around = sample_around(s, &u->cell, t->rc);
    double volume = 4 * M_PI / 3 * (double)s->n / fmax(around, 1);
    double modes = fmin(volume, t->cell.volume) * c * c * c / (6 * M_PI * M_PI);
    return u->plan->problem.tolerance * tune_part(u)
           / (1 + sqrt(9 / (double)s->n + 2 / modes));
}

int tune_holds(const struct tuner *u, struct tuned *t)
{
    double error = tune_total(u, t);
    return error <= tune_goal(u, t);
}

farsum_status tune_split(const struct tuner *u, struct tuned *t, double c)
{
    if (u->tables && band_table(&t->band, c, &t->pair)) {
        t->split = u->plain;
        t->split.c = c;
        return FARSUM_OK;
    }
    TRY(split_set(&t->split, u->split, c));
    band_set(&t->band, &t->split, &t->pair);
    return FARSUM_OK;
}

farsum_status tune_split_whole(const struct tuner *u, struct tuned *t)
{
    TRY(split_set(&t->split, u->split, t->split.c));
    band_set(&t->band, &t->split, &t->pair);
    return FARSUM_OK;
}

/* The estimate of the cut alone at bandwidth c, by the table. */
static double tune_cut(const struct tuner *u, struct tuned *t, double c)
{
    const struct farsum_plan *plan = u->plan;
    int potential = tuned_of_values(plan);
    double at = c - CUT_FIRST;
    int i = at >= CUTS - 1 ? CUTS - 2 : at < 0 ? 0 : (int)at;
    double part = at - i, v[3];
    for (int k = 0; k < 3; k++)
        v[k] = exp(u->cut[i][k] + part * (u->cut[i + 1][k] - u->cut[i][k]));
    struct error_parts *parts = potential ? &t->potential : &t->field;
    *parts = (struct error_parts){.cut_near = v[0] / t->cell.volume,
                                  .cut_far = v[1] / t->cell.volume,
                                  .self = potential ? v[2] : 0};
    t->mesh[0] = 0;
    /* the table knows of no kappa, which goes as the cutoff */
    int fresh = plan->sample.n_targets > 0 || t->pair.kappa > 0;
    if (fresh && tune_split(u, t, c) != FARSUM_OK)
        return INFINITY;
    if (t->pair.kappa > 0) {
        parts->cut_near = t->band.cut_near[potential] / t->cell.volume;
        parts->cut_far = t->band.cut_far[potential] / t->cell.volume;
        parts->self = potential ? t->band.self * t->band.self : 0;
    }
    return tune_total(u, t);
}

static farsum_status tune_cuts(struct tuner *u)
{
    int potential = tuned_of_values(u->plan);
    for (int i = 0; i < CUTS; i++) {
        struct split split;
        struct band band;
        TRY(split_set(&split, u->split, CUT_FIRST + i));
        band_set(&band, &split, &u->plan->pair);
        u->cut[i][0] = log(band.cut_near[potential] + 1e-300);
        u->cut[i][1] = log(band.cut_far[potential] + 1e-300);
        u->cut[i][2] = log(band.self * band.self + 1e-300);
    }
    return FARSUM_OK;
}

void tune_cutoff(const struct tuner *u, struct tuned *t, double rc)
{
    t->rc = rc;
    t->pair = u->plan->pair;
    t->pair.kappa *= rc;
    cell_scale(&t->cell, &u->cell, 1 / rc);
}

/* Log of the cut's error at bandwidth c over its part of the goal. */
static double tune_excess(const struct tuner *u, struct tuned *t, double c)
{
    double error = tune_cut(u, t, c);
    t->split.c = c;
    return log(error / (M_SQRT1_2 * tune_goal(u, t)));
}

/* Smallest bandwidth whose cut leaves room for the aliases.  Its logarithm
 * falls nearly linearly in c: secants that keep the root between them. */
static farsum_status tune_bandwidth(const struct tuner *u, struct tuned *t)
{
    double low = CUT_FIRST, high, last = CUT_FIRST + CUTS - 1;
    double above = tune_excess(u, t, low), below;
    if (above <= 0)
        return tune_split(u, t, low);
    for (high = low + 16; high < last; high += 16)
        if (tune_excess(u, t, high) < 0)
            break;
    high = fmin(high, last);
    below = tune_excess(u, t, high);
    t->error *= M_SQRT2; /* the aliases may take as much, were it to hold */
    if (!(below <= 0))
        FAIL(ERR_TOLERANCE, "the %s split at cutoff %g reaches %.2g", u->split,
             plan_length(u->plan, t->rc), plan_error(u->plan, t->error));
    for (int step = 0; step < 8 && below < -0.1; step++) {
        double part = above / (above - below);
        double c = low + fmin(fmax(part, 0.05), 0.95) * (high - low);
        double here = tune_excess(u, t, c);
        if (here > 0)
            low = c, above = here;
        else
            high = c, below = here;
    }
    tune_excess(u, t, high);
    return tune_split(u, t, high);
}

/* The least mesh for bandwidth c and upsampling sigma: mode numbers reach
 * c |a_d| / 2 pi. */
static void tune_mesh(struct tuned *t, double sigma, int on_device)
{
    for (int d = 0; d < 3; d++) {
        double need = sigma * t->split.c * row_length(t->cell.a + 3 * d) / M_PI;
        int64_t least = (int64_t)fmin(ceil(need - 1e-9), 1e6);
        t->mesh[d] = on_device ? fft_good_size_device(least)
                               : fft_good_size(least);
    }
    t->ldz = 2 * (t->mesh[2] / 2 + 1);
}

void tune_sigma(struct tuned *t)
{
    t->sigma = INFINITY;
    for (int d = 0; d < 3; d++)
        t->sigma = fmin(t->sigma,
                        (double)t->mesh[d] * M_PI
                            / (t->split.c * row_length(t->cell.a + 3 * d)));
}

farsum_status tune_window(const struct tuner *u, struct tuned *t,
                                 int support, double shape, double sigma)
{
    return design_window(&t->window, &t->alias, u->window, support, shape,
                         sigma);
}

/* Window and aliases for the s-th upsampling, kept. */
static farsum_status tune_cached(struct tuner *u, struct tuned *t, int s,
                                 int support)
{
    double shape = u->plan->options.shape;
    if (!u->cache[s][support].set) {
        TRY(tune_window(u, t, support, shape, sigmas[s]));
        u->cache[s][support].window = t->window;
        u->cache[s][support].alias = t->alias;
        u->cache[s][support].set = 1;
    }
    t->window = u->cache[s][support].window;
    t->alias = u->cache[s][support].alias;
    return FARSUM_OK;
}

/* Smallest support that meets the goal; the cut's error is known to leave
 * room. */
static farsum_status tune_support(struct tuner *u, struct tuned *t, int s)
{
    int fixed = u->plan->options.support;
    int low = fixed ? fixed : WINDOW_MIN, high = fixed ? fixed : WINDOW_MAX;
    while (low < high) {
        int mid = (low + high) / 2;
        TRY(tune_cached(u, t, s, mid));
        if (!tune_holds(u, t))
            low = mid + 1;
        else
            high = mid;
    }
    TRY(tune_cached(u, t, s, high));
    /* what the user fixed is held to the tolerance itself */
    if (tune_total(u, t) > (fixed ? u->plan->problem.tolerance
                                  : tune_goal(u, t)))
        FAIL(ERR_TOLERANCE,
             "%s window of support %d at upsampling %.3g reaches %.2g",
             u->window, high, sigmas[s], plan_error(u->plan, t->error));
    return FARSUM_OK;
}

/* About the coefficients of the near field, for the costs. */
static int tune_terms(const struct tuned *t)
{
    return 3 + (int)(0.7 * t->split.c);
}

/* 1: even with the smallest support it would cost more than `least`. */
static int tune_hopeless(const struct tuner *u, struct tuned *t, double least)
{
    struct tuned cheap = *t;
    cheap.window.support = u->plan->options.support ? u->plan->options.support
                                                    : WINDOW_MIN;
    cheap.poly.n = tune_terms(t);
    return tuned_choose(&cheap, u->plan) == FARSUM_OK && cheap.seconds > least;
}

/* Candidates of cutoff rc: with the bandwidth that all of them have, if the
 * mesh is not fixed. */
static farsum_status tune_begin(const struct tuner *u, struct tuned *t,
                                double rc)
{
    const farsum_options *o = &u->plan->options;
    tune_cutoff(u, t, rc);
    if (t->pair.kappa > PAIR_KAPPA_MAX)
        FAIL(ERR_TOLERANCE, "kernel %s: kappa is %.3g over the cutoff %.3g; up "
                            "to %d can be reached", t->pair.name,
             t->pair.kappa, plan_length(u->plan, t->rc), PAIR_KAPPA_MAX);
    if (o->mesh[0] != 0)
        return FARSUM_OK;
    return o->bandwidth > 0 ? tune_split(u, t, o->bandwidth)
                            : tune_bandwidth(u, t);
}

/* One candidate: a cutoff's t and upsampling s (or the fixed mesh).  Given up
 * with seconds = infinity once it cannot be cheaper than `least`. */
static farsum_status tune_candidate(struct tuner *u, struct tuned *t, int s,
                                    double least)
{
    const farsum_options *o = &u->plan->options;
    int tuned_mesh = o->mesh[0] == 0;
    if (tuned_mesh) {
        tune_mesh(t, o->upsampling > 0 ? o->upsampling : sigmas[s],
                  u->plan->device != NULL);
        t->seconds = INFINITY;
        if (tune_hopeless(u, t, least))
            return FARSUM_OK;
        TRY(tune_support(u, t, s));
    } else {
        memcpy(t->mesh, o->mesh, sizeof t->mesh);
        t->ldz = 2 * (t->mesh[2] / 2 + 1);
        int low = o->support ? o->support : WINDOW_MIN;
        int high = o->support ? o->support : WINDOW_MAX;
        for (int p = low;; p++) {
            TRY(tune_cached(u, t, s, p));
            tune_best_bandwidth(u, t);
            if (tune_holds(u, t))
                break;
            if (p == high && t->error <= u->plan->problem.tolerance)
                break;
            if (p == high)
                FAIL(ERR_TOLERANCE, "mesh %lld x %lld x %lld with cutoff %g and"
                                    " a %s window of support %d reaches %.2g",
                     (long long)t->mesh[0], (long long)t->mesh[1],
                     (long long)t->mesh[2], plan_length(u->plan, t->rc),
                     u->window, p, plan_error(u->plan, t->error));
        }
    }
    tune_sigma(t);
    t->poly.n = tune_terms(t);
    return tuned_choose(t, u->plan);
}

/* Cutoffs to try: by the neighbours they would see. */
static int tune_cutoffs(const struct tuner *u, double rc[CUTOFFS])
{
    const struct sample *s = &u->plan->sample;
    if (u->plan->options.cutoff > 0) {
        rc[0] = u->plan->options.cutoff;
        return 1;
    }
    double most = cbrt(u->cell.volume) * 1.2, r = s->radius0;
    int n = 0;
    double want = 8;
    for (; r < most && n < CUTOFFS; r *= 1.02)
        if (sample_around(s, &u->cell, r) >= want) {
            rc[n++] = r;
            want = fmax(want * 1.6,
                        sample_around(s, &u->cell, r * 1.02) * 1.2);
        }
    if (n == 0 || (n < CUTOFFS && rc[n - 1] < 0.5 * most))
        rc[n++] = most / 2;
    return n;
}

static farsum_status tune_search(struct tuner *u, struct tuned *tuned)
{
    const struct farsum_plan *plan = u->plan;
    const farsum_options *o = &plan->options;
    double rc[CUTOFFS], least = INFINITY, reached = INFINITY;
    double tolerance = plan->problem.tolerance;
    int cutoffs = tune_cutoffs(u, rc);
    int only = o->upsampling > 0 || o->mesh[0] > 0;
    farsum_status last = FARSUM_OK;
    for (int i = 0; i < cutoffs; i++) {
        struct tuned begin = {.rc = 0};
        TRY(progress_step(i, cutoffs, "tuning spectral"));
        farsum_status began = tune_begin(u, &begin, rc[i]);
        for (int s = only ? SIGMAS / 2 : 0; s < SIGMAS; s++) {
            struct tuned t = begin;
            farsum_status status = began == FARSUM_OK
                                       ? tune_candidate(u, &t, s, least)
                                       : began;
            if (status == FARSUM_OK && t.seconds < least) {
                least = t.seconds;
                *tuned = t;
            }
            if (status == FARSUM_ERR_TOLERANCE && t.error > 0)
                reached = fmin(reached, t.error * tolerance
                                            / tune_goal(u, &t));
            if (status != FARSUM_OK && status != FARSUM_ERR_TOLERANCE)
                return status;
            last = status != FARSUM_OK ? status : last;
            if (only || began != FARSUM_OK)
                break;
        }
    }
    if (isfinite(least))
        return FARSUM_OK;
    if (isfinite(reached))
        return status_prefix(last, "tolerance %.3g cannot be reached: the "
                                   "estimate is %.2g at best",
                             plan->given.tolerance,
                             plan_error(plan, reached));
    return last;
}

farsum_status tune(const struct farsum_plan *plan, struct tuned *tuned)
{
    farsum_status status = FARSUM_OK;
    struct tuner *u = NULL; /* large: on the heap */
    GO(MEM_NEW(u, 1));
    u->plan = plan;
    u->split = plan->options.split ? plan->options.split : split_names[0];
    u->window = plan->options.window ? plan->options.window : window_names[0];
    u->tables = strcmp(u->split, "prolate") == 0;
    GO(cell_set(&u->cell, plan->problem.cell, 1));
    GO(split_set(&u->plain, u->split, CUT_FIRST));
    GO(tune_cuts(u));
    GO(tune_search(u, tuned));
    GO(tune_refine(u, tuned));
    GO(tuned_measured(tuned, plan));
done:
    mem_free(u);
    return status;
}
