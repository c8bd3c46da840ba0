/* SPDX-License-Identifier: Apache-2.0 */
/* search.c: search for cutoff, bandwidth, mesh, support and shape, from the
 * tolerance, by the error model and the costs of all stages.
 *
 * For each of several cutoffs and upsamplings, the search finds a candidate and
 * its cost.  The candidate has the smallest bandwidth whose truncation error is
 * half the goal, and the smallest support whose aliases are the other half.
 * Each search starts from the result of the previous cutoff.  A candidate that
 * cannot be cheaper than the best so far is skipped before its error is
 * estimated.  The cheapest is then refined: the shape with the smallest aliases
 * and, with mesh and support kept, the smallest cutoff that meets the goal. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "tune/designs.h"
#include "tune/error_shared.h"
#include "tune/tuner.h"

static const double sigmas[] = {1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0};

/* Estimates the error of `t` in the tolerance's norm, with fresh parts. */
double tune_total(const struct tuner *u, struct parameters *t)
{
    parameters_error(t, u->task);
    return t->error;
}

/* The fraction of the tolerance that is the target, where the mean is over many
 * particles. */
static double tune_part(const struct tuner *u)
{
    const struct sample *s = &u->task->sample;
    const struct pair_kind *kind = u->task->pair.kind;
    /* sites of a crystal have equal errors, of any size relative to the mean */
    if (s->crystal && u->task->problem.error == FARSUM_ERROR_POTENTIAL)
        return 0.15;
    /* charges of a kernel that falls faster than 1/r are in phase with a
     * lattice's waves if they lie on the lattice and have one sign, or are
     * ordered.  The B-spline's aliases, which no shape balances, are largest
     * where such a wave is at the edge of the band. */
    if (s->regular && kind->gradient && !kind->charged
        && (s->crystal || s->q1 * s->q1 > 9 * s->q2))
        return strcmp(u->window, "bspline") == 0 ? 0.12 : 0.25;
    /* strengths in all directions have only their positions on the mesh in
     * common; where the mesh is a multiple of the lattice, all sites have equal
     * positions and equal errors */
    return s->regular && (!kind->gradient || kind->moments) ? 0.2 : 0.6;
}

/* The target of the estimate: a fraction of the tolerance.  Estimates are
 * accurate to some ten per cent for uncorrelated charges and to a factor of 1.5
 * for correlated ones.  Few particles, or few modes around most particles, give
 * no average.  math.md (6.14). */
double tune_goal(const struct tuner *u, const struct parameters *t)
{
    const struct sample *s = &u->task->sample;
    double c = t->split.c, around = sample_around(s, &u->cell, t->rc);
    double volume = 4 * M_PI / 3 * (double)s->n / fmax(around, 1);
    volume = fmin(volume, t->cell.volume * t->fill);
    double modes = volume * c * c * c / (6 * M_PI * M_PI);
    return u->task->problem.tolerance * tune_part(u)
           / (1 + sqrt(9 / (double)s->n + 2 / modes));
}

/* The least number of mesh points along open axis d. */
static double tune_clearing(const struct tuner *u, const struct parameters *t,
                            int d)
{
    const struct sample *s = &u->task->sample;
    double edge = row_length(t->cell.a + 3 * d);
    double gap = t->radius > 0 ? edge / 2 - s->across[d] / t->rc
                               : edge - s->extent / t->rc;
    return t->window.support * edge / gap;
}

int tune_clears(const struct tuner *u, const struct parameters *t)
{
    for (int d = 0; d < 3; d++)
        if (!u->task->problem.periodic[d]) {
            double least = tune_clearing(u, t, d);
            if (!(least >= 0 && least <= (double)t->mesh[d]))
                return 0;
        }
    return 1;
}

int tune_holds(const struct tuner *u, struct parameters *t)
{
    double error = tune_total(u, t);
    return error <= tune_goal(u, t) && tune_clears(u, t);
}

farsum_status tune_split(const struct tuner *u, struct parameters *t, double c)
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

farsum_status tune_split_whole(const struct tuner *u, struct parameters *t)
{
    TRY(split_set(&t->split, u->split, t->split.c));
    band_set(&t->band, &t->split, &t->pair);
    return FARSUM_OK;
}

/* The estimated truncation error at bandwidth c. */
static double tune_cut(const struct tuner *u, struct parameters *t, double c)
{
    int potential = parameters_of_values(u->task);
    struct error_parts *parts = potential ? &t->potential : &t->field;
    t->mesh[0] = 0;
    if (tune_split(u, t, c) != FARSUM_OK)
        return INFINITY;
    error_set_cut(parts, &t->band, t->cell.volume * t->fill, potential);
    return tune_total(u, t);
}

void tune_cutoff(const struct tuner *u, struct parameters *t, double rc)
{
    t->rc = rc;
    t->pair = u->task->pair;
    t->pair.kappa *= rc;
    t->pair.dipole /= rc;
    t->pair.reach /= rc;
    t->pair.quadrupole /= rc * rc;
    struct cell cell = u->cell;
    task_stretch(u->task, rc, &cell);
    cell_scale(&t->cell, &cell, 1 / rc);
    t->radius = task_radius(u->task, rc);
    t->fill = t->radius > 0 ? u->cell.volume / cell.volume : 1;
}

/* Log of the truncation error at bandwidth c over its part of the goal. */
static double tune_excess(const struct tuner *u, struct parameters *t, double c)
{
    double error = tune_cut(u, t, c);
    t->split.c = c;
    return log(error / (M_SQRT1_2 * tune_goal(u, t)));
}

/* Sets the smallest bandwidth whose truncation error leaves a margin for the
 * aliases.  Its logarithm falls nearly linearly in c, by 1 per unit of c.
 * Takes such steps from the start of the search, then secants that bracket the
 * root. */
static farsum_status tune_bandwidth(struct tuner *u, struct parameters *t)
{
    const double first = CUT_FIRST, last = CUT_LAST;
    double low = 0, high = 0, above = 0, below = 0, step = 0; /* 0: unknown */
    double usual = 2 + log(1 / u->task->problem.tolerance);
    double c = fmin(fmax(u->bandwidth > 0 ? u->bandwidth : usual, first), last);
    for (int k = 0; k < 24; k++) {
        double here = tune_excess(u, t, c);
        if (here > 0)
            low = c, above = here;
        else
            high = c, below = here;
        if (low == last || high == first || (high == c && below >= -0.1))
            break;
        if (low > 0 && high > 0) {
            double part = above / (above - below) + 0.03;
            if (high - low < 0.02)
                break;
            c = low + fmin(fmax(part, 0.05), 0.95) * (high - low);
        } else if (low > 0) {
            step = fmax(2 * step, above + 0.1);
            c = fmin(low + step, last);
        } else {
            step = fmax(2 * step, -below - 0.02);
            c = fmax(high - step, first);
        }
    }
    t->error *= M_SQRT2; /* the aliases may have as large an error, if it met
                            the goal */
    if (high == 0)
        FAIL(ERR_TOLERANCE, "the %s split at cutoff %g reaches %.2g", u->split,
             task_length(u->task, t->rc), task_error(u->task, t->error));
    if (c != high)
        tune_excess(u, t, high);
    u->bandwidth = high;
    return FARSUM_OK;
}

/* A good size of at least `need` points. */
static int64_t tune_size(const struct task *task, double need)
{
    int64_t least = (int64_t)fmin(ceil(need - 1e-9), 1e6);
    return task->device ? fft_good_size_device(least, task->problem.precision)
                        : fft_good_size(least);
}

/* The smallest mesh for bandwidth c and upsampling sigma: mode numbers reach c
 * |a_d| / 2 pi. */
static void tune_mesh(struct parameters *t, double sigma,
                      const struct task *task)
{
    for (int d = 0; d < 3; d++)
        t->mesh[d] = tune_size(task, sigma * t->split.c
                                         * row_length(t->cell.a + 3 * d)
                                         / M_PI);
    t->ldz = 2 * (t->mesh[2] / 2 + 1);
}

/* Widens the mesh along open axes until the window clears.  Where near pairs
 * dominate the norm, the bandwidth may be too small for that. */
static void tune_widen(const struct tuner *u, struct parameters *t)
{
    for (int d = 0; d < 3; d++) {
        double least = tune_clearing(u, t, d);
        if (!u->task->problem.periodic[d] && least > (double)t->mesh[d])
            t->mesh[d] = tune_size(u->task, least);
    }
    t->ldz = 2 * (t->mesh[2] / 2 + 1);
}

void tune_sigma(struct parameters *t)
{
    t->sigma = INFINITY;
    for (int d = 0; d < 3; d++)
        t->sigma = fmin(t->sigma,
                        (double)t->mesh[d] * M_PI
                            / (t->split.c * row_length(t->cell.a + 3 * d)));
}

farsum_status tune_window(const struct tuner *u, struct parameters *t,
                          int support, double shape, double sigma)
{
    return design_window(&t->window, &t->alias, u->window, support, shape,
                         sigma, 0);
}

/* Window and aliases of upsampling s, from the cache if possible. */
static farsum_status tune_cached(struct tuner *u, struct parameters *t, int s,
                                 int support)
{
    double shape = u->task->options.spectral.shape;
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

/* The support to start with: aliases fall by about e^-fall per point. */
static int tune_usual_support(const struct tuner *u, double sigma)
{
    double fall = M_PI * (1 - 1 / (2 * sigma));
    double support = log(1 / u->task->problem.tolerance) / fall;
    return (int)fmin(fmax(support, WINDOW_MIN), WINDOW_MAX);
}

/* Finds the smallest support that meets the goal.  Starts from the last support
 * of this upsampling, or of the next larger one.  The truncation error is known
 * to leave a margin. */
static farsum_status tune_support(struct tuner *u, struct parameters *t, int s,
                                  int least)
{
    int fixed = u->task->options.spectral.support, holds, enough = 0;
    int support = fixed                   ? fixed
                  : least > u->support[s] ? least
                                          : u->support[s];
    TRY(tune_cached(u, t, s, support));
    holds = tune_holds(u, t);
    if (!fixed && holds)
        while (support > WINDOW_MIN) {
            TRY(tune_cached(u, t, s, support - 1));
            if (!tune_holds(u, t))
                break;
            support--;
        }
    while (!fixed && !holds && support < WINDOW_MAX) {
        if (!enough && tune_total(u, t) <= tune_goal(u, t))
            enough = support;
        TRY(tune_cached(u, t, s, ++support));
        holds = tune_holds(u, t);
    }
    if (!holds && enough) {
        support = enough;
        TRY(tune_cached(u, t, s, support));
        tune_widen(u, t);
        holds = tune_holds(u, t);
    }
    u->support[s] = support;
    if (t->window.support != support)
        TRY(tune_cached(u, t, s, support));
    /* user-specified values must only meet the tolerance itself */
    if (!holds && !(fixed && tune_total(u, t) <= u->task->problem.tolerance))
        FAIL(ERR_TOLERANCE,
             "%s window of support %d at upsampling %.3g reaches %.2g",
             u->window, support, sigmas[s], task_error(u->task, t->error));
    return FARSUM_OK;
}

/* The approximate number of near-field coefficients, for the costs. */
static int tune_terms(const struct parameters *t)
{
    return 3 + (int)(0.7 * t->split.c);
}

/* 1: even the smallest support that may suffice would cost more than
 * `least`. */
static int tune_hopeless(const struct tuner *u, struct parameters *t,
                         int support, double least)
{
    t->window.support = support;
    t->poly.n = tune_terms(t);
    return isfinite(least) && parameters_cost(t, u->task) == FARSUM_OK
           && t->seconds > least;
}

/* Begins the candidates of cutoff rc: sets their common bandwidth, unless the
 * mesh is fixed. */
static farsum_status tune_begin(struct tuner *u, struct parameters *t,
                                double rc)
{
    const farsum_spectral_options *o = &u->task->options.spectral;
    tune_cutoff(u, t, rc);
    if (t->pair.kappa > PAIR_KAPPA_MAX)
        FAIL(ERR_TOLERANCE,
             "kernel %s: kappa is %.3g over the cutoff %.3g; up "
             "to %d can be reached",
             t->pair.name, t->pair.kappa, task_length(u->task, t->rc),
             PAIR_KAPPA_MAX);
    if (o->mesh[0] != 0)
        return FARSUM_OK;
    return o->bandwidth > 0 ? tune_split(u, t, o->bandwidth)
                            : tune_bandwidth(u, t);
}

/* Tries one candidate: a cutoff's t with upsampling s (or the fixed mesh).
 * Supports below `support` are known not to suffice.  Gives up with seconds =
 * infinity once it cannot be cheaper than `least`. */
static farsum_status tune_candidate(struct tuner *u, struct parameters *t,
                                    int s, int support, double least)
{
    const farsum_spectral_options *o = &u->task->options.spectral;
    int parameters_mesh = o->mesh[0] == 0;
    if (parameters_mesh) {
        tune_mesh(t, o->upsampling > 0 ? o->upsampling : sigmas[s], u->task);
        int hopeless = tune_hopeless(u, t, support, least);
        t->seconds = INFINITY;
        if (hopeless)
            return FARSUM_OK;
        TRY(tune_support(u, t, s, support));
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
            if (p == high && t->error <= u->task->problem.tolerance)
                break;
            if (p == high)
                FAIL(ERR_TOLERANCE,
                     "mesh %lld x %lld x %lld with cutoff %g and"
                     " a %s window of support %d reaches %.2g",
                     (long long)t->mesh[0], (long long)t->mesh[1],
                     (long long)t->mesh[2], task_length(u->task, t->rc),
                     u->window, p, task_error(u->task, t->error));
        }
    }
    tune_sigma(t);
    t->poly.n = tune_terms(t);
    return parameters_cost(t, u->task);
}

/* The cutoffs to try, by the number of neighbours within them.  All softened
 * pairs must be near. */
static int tune_cutoffs(const struct tuner *u, double rc[CUTOFFS])
{
    const struct sample *s = &u->task->sample;
    if (u->task->options.cutoff > 0) {
        rc[0] = u->task->options.cutoff;
        return 1;
    }
    double most = cbrt(u->cell.volume) * 1.2;
    double soft = u->task->problem.softening, r = fmax(s->radius0, soft);
    int n = 0;
    double want = 8;
    for (; r < most && n < CUTOFFS; r *= 1.02)
        if (sample_around(s, &u->cell, r) >= want) {
            rc[n++] = r;
            want = fmax(want * 1.6,
                        sample_around(s, &u->cell, r * 1.02) * 1.2);
        }
    if (n == 0 || (n < CUTOFFS && rc[n - 1] < 0.5 * most))
        rc[n++] = fmax(most / 2, soft);
    return n;
}

/* The cheapest candidate so far, and the error reached where the tolerance was
 * not met. */
struct tune_found {
    struct parameters *best;
    double least, reached;
    farsum_status last;
};

/* Tries the candidates of a cutoff, the largest upsampling first: smaller ones
 * require at least its support. */
static farsum_status tune_search_cutoff(struct tuner *u, double rc,
                                        struct tune_found *found)
{
    const farsum_spectral_options *o = &u->task->options.spectral;
    int only = o->upsampling > 0 || o->mesh[0] > 0;
    int support = o->support ? o->support : WINDOW_MIN;
    struct parameters begin = {.rc = 0}, t;
    farsum_status began = tune_begin(u, &begin, rc);
    for (int s = only ? SIGMAS / 2 : SIGMAS - 1; s >= 0; s--) {
        t = begin;
        farsum_status status =
            began == FARSUM_OK ? tune_candidate(u, &t, s, support, found->least)
                               : began;
        if (status == FARSUM_OK && t.seconds < found->least) {
            found->least = t.seconds;
            *found->best = t;
        }
        if (status == FARSUM_OK && isfinite(t.seconds))
            support = t.window.support;
        if (status == FARSUM_ERR_TOLERANCE && t.error > 0)
            found->reached =
                fmin(found->reached,
                     t.error * u->task->problem.tolerance / tune_goal(u, &t));
        if (status != FARSUM_OK && status != FARSUM_ERR_TOLERANCE)
            return status;
        if (status != FARSUM_OK)
            found->last = status;
        if (only || status != FARSUM_OK)
            break;
    }
    return FARSUM_OK;
}

/* Tries all cutoffs, from the middle of their range outwards. */
static farsum_status tune_search(struct tuner *u, struct parameters *parameters)
{
    const struct task *task = u->task;
    struct tune_found found = {parameters, INFINITY, INFINITY, FARSUM_OK};
    double rc[CUTOFFS];
    int cutoffs = tune_cutoffs(u, rc), middle = cutoffs / 2;
    for (int s = 0; s < SIGMAS; s++)
        u->support[s] = tune_usual_support(u, sigmas[s]);
    for (int i = 0; i < cutoffs; i++) {
        int at = i < cutoffs - middle ? middle + i : cutoffs - 1 - i;
        TRY(progress_step(i, cutoffs, "tuning spectral"));
        TRY(tune_search_cutoff(u, rc[at], &found));
    }
    double least = found.least, reached = found.reached;
    farsum_status last = found.last;
    if (isfinite(least))
        return FARSUM_OK;
    if (isfinite(reached))
        return status_prefix(last,
                             "tolerance %.3g cannot be reached: the "
                             "estimate is %.2g at best",
                             task->given.tolerance, task_error(task, reached));
    return last;
}

farsum_status tune(const struct task *task, struct parameters *parameters)
{
    farsum_status status = FARSUM_OK;
    struct tuner *u = NULL; /* large, so on the heap */
    double cutoff = task->options.cutoff, soft = task->problem.softening;
    if (cutoff > 0 && cutoff < soft)
        FAIL(ERR_ARGUMENT, "cutoff %g is shorter than the softening, %g",
             task_length(task, cutoff), task_length(task, soft));
    GO(MEM_NEW(u, 1));
    u->task = task;
    const farsum_spectral_options *o = &task->options.spectral;
    u->split = o->split ? o->split : split_names[0];
    u->window = o->window ? o->window : window_names[0];
    u->tables = strcmp(u->split, "prolate") == 0;
    GO(task_cell(task, &u->cell));
    task_stretch(task, 0, &u->cell);
    GO(split_set(&u->plain, u->split, CUT_FIRST));
    GO(tune_search(u, parameters));
    GO(tune_refine(u, parameters));
    GO(parameters_measured(parameters, task));
done:
    mem_free(u);
    return status;
}
