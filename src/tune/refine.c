/* SPDX-License-Identifier: Apache-2.0 */
/* refine.c: choice of shape, bandwidth, fits, and a smaller cutoff or mesh,
 * after cutoff, mesh and support are chosen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/designs.h"
#include "tune/tuner.h"

struct search {
    const struct tuner *u;
    struct parameters *t;
};

static double try_bandwidth(double c, void *data)
{
    struct search *s = data;
    if (tune_split(s->u, s->t, c) != FARSUM_OK)
        return INFINITY;
    return log(tune_total(s->u, s->t));
}

/* Minimises f over [low, high] near x: brackets the minimum by three points,
 * then takes vertices of parabolas until the predicted gain is below GAIN.  The
 * last call of f is at the returned point. */
static double tune_valley(double (*f)(double, void *), void *data, double low,
                          double high, double x, double step)
{
    enum { STEPS = 24 };
    const double gain = 0.003;
    double a = fmax(x - step, low), b = fmin(fmax(x, low), high);
    double c = fmin(x + step, high), last = b;
    double fb = f(b, data), fa, fc;
    if (a >= b)
        a = low, b = low + step / 2;
    if (c <= b)
        c = high, b = high - step / 2;
    if (b != last)
        fb = f(b, data);
    fa = f(a, data);
    fc = f(last = c, data);
    for (int k = 0; k < STEPS; k++) {
        double at;
        if (fa <= fb || fc < fb) { /* continue downhill */
            int left = fa < fc;
            if ((left && a <= low) || (!left && c >= high)) {
                /* at the end of the interval: the minimum may lie between */
                double edge = left ? a : c, fe = left ? fa : fc;
                at = (edge + b) / 2;
                if (fabs(fb - fe) < gain || fabs(edge - b) < step / 8) {
                    b = edge;
                    break;
                }
                double here = f(last = at, data);
                if (left)
                    c = b, fc = fb;
                else
                    a = b, fa = fb;
                b = at, fb = here;
                continue;
            }
            step *= 1.6;
            if (left) {
                c = b, fc = fb, b = a, fb = fa;
                a = fmax(a - step, low);
                fa = f(last = a, data);
            } else {
                a = b, fa = fb, b = c, fb = fc;
                c = fmin(c + step, high);
                fc = f(last = c, data);
            }
            continue;
        }
        double p = (fb - fa) / (b - a), q = (fc - fb) / (c - b);
        double bend = (q - p) / (c - a); /* > 0 */
        at = (a + b) / 2 - p / (2 * bend);
        double won = bend * (at - b) * (at - b);
        if (!(won > gain) || !isfinite(at))
            break;
        double here = f(last = at, data);
        if (here < fb) {
            if (at < b)
                c = b, fc = fb;
            else
                a = b, fa = fb;
            b = at, fb = here;
        } else if (at < b) {
            a = at, fa = here;
        } else {
            c = at, fc = here;
        }
    }
    if (last != b)
        f(b, data);
    return b;
}

/* Sets the bandwidth with the smallest error on the current mesh. */
void tune_best_bandwidth(const struct tuner *u, struct parameters *t)
{
    double fixed = u->task->options.spectral.bandwidth, most = INFINITY;
    struct search s = {u, t};
    if (fixed > 0) {
        try_bandwidth(fixed, &s);
        return;
    }
    for (int d = 0; d < 3; d++)
        most = fmin(most, (double)t->mesh[d] * M_PI
                              / row_length(t->cell.a + 3 * d));
    most = fmin(fmax(most, 2), 90);
    double c = t->split.c > 0 ? t->split.c : most / 1.4;
    tune_valley(try_bandwidth, &s, fmax(most / 2.6, 1), most, c, 0.06 * c);
}

/* Shapes to try: steps of 2 % from the usual one, so that other plans find
 * their windows in the cache. */
#define SHAPE_STEP 1.02
enum { SHAPES = 20 };

static double try_shape(const struct tuner *u, struct parameters *t,
                        double usual, int step)
{
    double shape = usual * pow(SHAPE_STEP, step);
    if (abs(step) > SHAPES
        || tune_window(u, t, t->window.support, shape, 1) != FARSUM_OK)
        return INFINITY;
    return tune_total(u, t);
}

/* Descends by steps of 6, 3 and 1. */
static void tune_best_shape(const struct tuner *u, struct parameters *t)
{
    static const int steps[] = {6, 3, 1};
    double usual = t->window.shape, least;
    int at = 0;
    if (u->task->options.spectral.shape > 0 || usual == 0)
        return;
    least = tune_total(u, t);
    for (int k = 0; k < 3; k++)
        for (int side = 1, moved = 0; side >= -1; side -= 2) {
            while (!(moved && side < 0)) {
                struct parameters trial = *t;
                int next = at + side * steps[k];
                double here = try_shape(u, &trial, usual, next);
                if (here >= least)
                    break;
                least = here;
                at = next;
                moved = 1;
                *t = trial;
            }
        }
}

/* Log of the error over the goal, for a cutoff `part` times as large and the
 * bandwidth with the smallest error there. */
static double shrink_excess(const struct tuner *u,
                            const struct parameters *from, double part,
                            struct parameters *to)
{
    *to = *from;
    tune_cutoff(u, to, from->rc * part);
    to->split.c = fmax(from->split.c * part, 1);
    tune_best_bandwidth(u, to);
    double excess = log(tune_total(u, to) / tune_goal(u, to));
    return tune_clears(u, to) ? excess : fmax(excess, 0.1);
}

/* Sets the smallest cutoff that meets the goal, keeping mesh and support:
 * secants in its logarithm that bracket the root. */
static void tune_shrink(const struct tuner *u, struct parameters *t)
{
    const struct parameters from = *t;
    struct parameters trial;
    double soft = u->task->problem.softening / t->rc;
    double low = fmax(0.6, soft), high = 1, above = 0; /* 0: unknown */
    double below = log(tune_total(u, t) / tune_goal(u, t));
    for (int step = 0; step < 10 && below < -0.005 && high - low > 1e-3;
         step++) {
        double at = above > 0 ? low + (high - low) * above / (above - below)
                              : high * exp(below / from.split.c);
        at = fmin(fmax(at, low + 0.03 * (high - low)),
                  high - 0.03 * (high - low));
        double here = shrink_excess(u, &from, at, &trial);
        if (here <= 0) {
            high = at;
            below = here;
            *t = trial;
        } else {
            low = at;
            above = here;
        }
    }
}

/* Sets the smallest mesh that meets the goal; the cutoff is fixed. */
static void tune_coarsen(const struct tuner *u, struct parameters *t)
{
    for (int step = 0; step < 12; step++) {
        struct parameters trial = *t;
        double shrink = INFINITY;
        for (int d = 0; d < 3; d++)
            shrink = fmin(shrink, (double)t->mesh[d]
                                      / row_length(t->cell.a + 3 * d));
        shrink *= 0.985;
        for (int d = 0; d < 3; d++)
            trial.mesh[d] = fft_good_size(
                (int64_t)ceil(shrink * row_length(t->cell.a + 3 * d)));
        trial.ldz = 2 * (trial.mesh[2] / 2 + 1);
        tune_best_bandwidth(u, &trial);
        if (!tune_holds(u, &trial))
            return;
        *t = trial;
    }
}

/* Polynomial error below which the variants compute 1/r to all of its
 * digits. */
#define FINE 5e-10

/* Fits the polynomials of near field and window, with an error too small to
 * matter: (6.9), (6.10). */
static farsum_status tune_fit(const struct tuner *u, struct parameters *t)
{
    const farsum_problem *p = &u->task->problem;
    error_set(&t->field, &t->band, &t->alias, &t->cell, t->mesh, 0);
    double sum = t->field.cut_near + t->field.cut_far
                 + t->field.gather + t->field.spread;
    double finest = u->task->pairs == FARSUM_F32 ? 3e-8 : 1e-13;
    double near = 0.1 * sqrt(sum * t->cell.volume * 3 / (4 * M_PI));
    /* the error at r = 0 affects the potential of every particle */
    double q_rms = sqrt(u->task->sample.q2 / (double)u->task->sample.n);
    if (p->error == FARSUM_ERROR_POTENTIAL)
        near = fmin(near, 0.1 * tune_goal(u, t) * parameters_norm(u->task)
                              * pow(t->rc, t->pair.kind->power)
                              / (p->coulomb * q_rms));
    /* the nearest pairs dominate the forces of such a kernel, so 1/r must be as
     * accurate as they require; variants with two accuracies of 1/r select by
     * the polynomial's error, the finer one below 1e-9 */
    if (t->pair.kind->gradient && !t->pair.kind->charged
        && p->error != FARSUM_ERROR_ABSOLUTE)
        near = fmin(near, fmax(0.1 * p->tolerance, FINE));
    /* the same applies if one pair is much nearer than others, for any kernel:
     * the coarser 1/r is accurate to 1e-10 */
    if (u->task->sample.near > 0 && p->error != FARSUM_ERROR_ABSOLUTE
        && p->tolerance < 2 * FINE)
        near = fmin(near, FINE);
    t->near_error = fmax(near, finest);
    TRY(pair_near_poly(&t->pair, &t->split, t->near_error, &t->poly));
    /* relative to the far field, whose square is 8/V int gamma^2 <= 8 c/V */
    double far = sqrt(t->field.gather * t->cell.volume / (2 * t->split.c));
    double fit = fmin(fmax(0.02 * far, p->precision == FARSUM_F32 ? 1e-8
                                                                  : 1e-15),
                      1e-3);
    /* in steps, so that other plans find these pieces in the cache */
    fit = exp2(floor(2 * log2(fit)) / 2);
    return design_window(&t->window, &t->alias, u->window, t->window.support,
                         t->window.shape, t->sigma, fit);
}

farsum_status tune_refine(struct tuner *u, struct parameters *t)
{
    const farsum_options *o = &u->task->options;
    tune_best_shape(u, t);
    if (o->spectral.mesh[0] == 0 || o->spectral.bandwidth == 0)
        tune_best_bandwidth(u, t);
    if (o->cutoff == 0)
        tune_shrink(u, t);
    else if (o->spectral.mesh[0] == 0 && o->spectral.upsampling == 0)
        tune_coarsen(u, t);
    TRY(tune_split_whole(u, t));
    tune_sigma(t);
    double error = tune_total(u, t);
    TRY(tune_fit(u, t));
    t->error = error;
    return parameters_choose(t, u->task);
}
