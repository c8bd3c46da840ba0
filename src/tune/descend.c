/* SPDX-License-Identifier: Apache-2.0 */
/* descend.c: descent from the search's candidate to cheaper neighbours: the
 * next mesh and the next support, each with the smallest cutoff that meets the
 * goal.  The search tries cutoffs in steps of 17 % and upsamplings in steps of
 * 12 %, so that its candidate costs some per cent more than such neighbours. */
#include <math.h>

#include "tune/tuner.h"

/* Seconds of a sum from which the descent pays.  It takes 10 to 100 ms, but the
 * plan of a device takes longer anyway. */
#define DESCENT_HOST 2e-2
#define DESCENT_DEVICE 3e-3
/* A neighbour must be cheaper by this part. */
#define DESCENT_GAIN 3e-3

/* Sets the cutoff at which the error is the goal, or less by up to `margin` in
 * its logarithm; mesh and support are kept.  0: none was found near t's, and t
 * is as it was.  It also grows the cutoff, which the refinement never does. */
static int descend_meet(const struct tuner *u, struct parameters *t,
                        double margin)
{
    const struct parameters from = *t;
    struct parameters trial;
    double low = 0, high = 0, above = 0, below = 0; /* 0: unknown */
    double part = 1;
    for (int step = 0; step < 12; step++) {
        double here = tune_excess_at(u, &from, part, &trial);
        if (here <= 0) {
            high = part, below = here;
            *t = trial;
        } else {
            low = part, above = here;
        }
        if ((high == part && below >= -margin)
            || (low > 0 && high > 0 && high - low < 1e-3 * high))
            break;
        if (low > 0 && high > 0) {
            double at = (above + 0.3 * margin) / (above - below);
            part = low + fmin(fmax(at, 0.03), 0.97) * (high - low);
        } else { /* the error falls by about e^-c as the cutoff doubles */
            double slope = fmax(trial.split.c, 2);
            part *= exp(fmin(fmax((here + 0.3 * margin) / slope, -0.3), 0.3));
        }
        if (part > 1.6 || part < 0.5)
            break;
    }
    return high > 0;
}

/* The next mesh: of the smallest density of points above that of t along some
 * axis, or the largest below. */
static void descend_mesh(const struct tuner *u, struct parameters *t, int side)
{
    double density = side > 0 ? INFINITY : 0, length[3];
    for (int d = 0; d < 3; d++) {
        int64_t next = t->mesh[d];
        length[d] = row_length(t->cell.a + 3 * d);
        if (side > 0)
            next = tune_good_size(u->task, next + 1);
        else
            for (next--; next > 1 && tune_good_size(u->task, next) != next;)
                next--;
        double here = (double)next / length[d];
        density = side > 0 ? fmin(density, here) : fmax(density, here);
    }
    for (int d = 0; d < 3; d++)
        t->mesh[d] = tune_good_size(u->task, (int64_t)ceil(density * length[d]
                                                           - 1e-9));
    t->ldz = 2 * (t->mesh[2] / 2 + 1);
}

/* Sets the usual window of a support at an upsampling, in steps of 2 %, so that
 * other plans find their windows in the cache. */
static farsum_status descend_window(const struct tuner *u,
                                    struct parameters *t, int support,
                                    double sigma)
{
    double step = log(1.02), at = step * round(log(fmax(sigma, 1)) / step);
    return tune_window(u, t, support, u->task->options.spectral.shape,
                       exp(at));
}

/* The upsampling with which a support has the aliases of t: they fall by about
 * pi (1 - 1 / 2 sigma) per point. */
static double descend_sigma(const struct parameters *t, int support)
{
    double fall = (1 - 0.5 / t->sigma) * t->window.support / support;
    return fall < 0.75 ? 0.5 / (1 - fall) : 2;
}

/* Makes t meet the goal by its cutoff, with another support, and sets its cost;
 * infinite if it cannot.  Shape and cutoff are found in turn: a window with the
 * smallest error lets the cutoff shrink, and with it the upsampling. */
static farsum_status descend_try(struct tuner *u, struct parameters *t,
                                 int support)
{
    enum { TURNS = 3 };
    double sigma = descend_sigma(t, support);
    t->seconds = INFINITY;
    if (support < WINDOW_MIN || support > WINDOW_MAX)
        return FARSUM_OK;
    TRY(descend_window(u, t, support, sigma));
    for (int k = 0; k < TURNS; k++) {
        double before = t->rc;
        if (k > 0)
            tune_best_shape(u, t);
        if (!descend_meet(u, t, 0.03))
            return FARSUM_OK;
        if (k > 0 && t->rc > 0.99 * before)
            break;
    }
    tune_sigma(t);
    if (t->sigma < 1 - 1e-9)
        return FARSUM_OK;
    t->poly.n = tune_terms(t);
    farsum_status status = parameters_cost(t, u->task);
    if (status == FARSUM_ERR_TOLERANCE || status == FARSUM_ERR_UNSUPPORTED) {
        t->seconds = INFINITY;
        return FARSUM_OK;
    }
    return status;
}

/* Steps of mesh and support. */
static const struct move {
    int mesh, support;
} descend_moves[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}};

farsum_status tune_descend(struct tuner *u, struct parameters *t)
{
    enum { MOVES = sizeof descend_moves / sizeof *descend_moves, STEPS = 12 };
    const farsum_spectral_options *o = &u->task->options.spectral;
    int mesh = o->mesh[0] == 0 && o->upsampling == 0, support = !o->support;
    double pays = u->task->device ? DESCENT_DEVICE : DESCENT_HOST;
    if (t->seconds < pays || u->task->options.cutoff > 0
        || o->bandwidth > 0 || (!mesh && !support))
        return FARSUM_OK;
    struct parameters trial = *t;
    TRY(descend_try(u, &trial, t->window.support));
    if (!isfinite(trial.seconds))
        return FARSUM_OK;
    *t = trial;
    int failed = 0; /* moves in a row that did not help */
    for (int k = 0, step = 0; failed < MOVES && step < STEPS * MOVES; step++) {
        const struct move *move = &descend_moves[k];
        int can = (mesh || !move->mesh) && (support || !move->support);
        trial = *t;
        if (can && move->mesh)
            descend_mesh(u, &trial, move->mesh);
        if (can)
            TRY(descend_try(u, &trial, t->window.support + move->support));
        if (can && trial.seconds < (1 - DESCENT_GAIN) * t->seconds) {
            *t = trial;
            failed = 0;
        } else {
            failed++;
            k = (k + 1) % MOVES;
        }
    }
    return FARSUM_OK;
}
