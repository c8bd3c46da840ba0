/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c: error estimate of a parameter set, math.md section 6. */
#include "tune/parameters.h"

#include "base/hypot.h"

#include <math.h>

int parameters_of_values(const struct task *task)
{
    return task->problem.error == FARSUM_ERROR_POTENTIAL
           || !task->pair.kind->gradient;
}

/* The force (potential = 0) or potential due to a unit source at the mean
 * distance between sources, or at the radius of softening, C = 1. */
static double parameters_neighbour(const struct task *task, double n,
                                   double volume, int potential)
{
    double v[2];
    double r = fmax(cbrt(volume / n), task->problem.softening);
    task->pair.kind->bare(&task->pair, r, v);
    return fabs(v[potential]);
}

double parameters_force_norm(const struct task *task, double force, double q2,
                             int64_t n)
{
    if (task_axes(task) == 0 && force > 0) /* no crystal's forces vanish */
        return force;
    return fmax(force, q2 / (double)n
                           * parameters_neighbour(task, (double)n,
                                                  task_volume(task), 0));
}

double parameters_velocity(const struct task *task, double q2, int64_t n)
{
    return task->problem.coulomb * sqrt(q2 / (double)n)
           * pow((double)n / task_volume(task), task->pair.kind->power / 3.0);
}

/* (6.17): the effect of a particle's nearest image, which the opposite image
 * all but cancels. */
static double parameters_own_image(const struct parameters *t,
                                   const struct task *p)
{
    const struct pair_kind *kind = p->pair.kind;
    double least = INFINITY, v[2] = {0};
    for (int d = 0; d < 9; d += 3) {
        const double *a = t->cell.a + d;
        least = fmin(least, a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    }
    double r = sqrt(least) * t->rc, q2 = p->sample.q2 / (double)p->sample.n;
    if (!kind->gradient)
        return sqrt(q2) * pow(r, -kind->power);
    kind->bare(&p->pair, r, v);
    return q2 * fabs(v[0]);
}

/* Resolution of positions, h of (6.7), in the caller's length.  It is a
 * fraction of the cutoff for a near field in f32, and of the cell for wrapped
 * positions in f64. */
static double parameters_step(const struct parameters *t, const struct task *p)
{
    double longest = 2;
    if (p->pairs == FARSUM_F32)
        return 0x1p-26 * t->rc;
    for (int d = 0; d < 9; d += 3) {
        const double *a = t->cell.a + d;
        longest = fmax(longest,
                       sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
    }
    return 0x1p-53 * longest * t->rc;
}

/* Distance below which a pair is skipped, in the caller's length:
 * near_skip(). */
static double parameters_skip(const struct parameters *t, const struct task *p)
{
    const struct near_args near = {.precision = p->pairs, .cell = &t->cell,
                                   .pair = &t->pair};
    return near_skip(&near) * t->rc;
}

/* 1: a softened pair is so near that f32 may give both the same position.  Then
 * its potential is missing, which no estimate of forces sees. */
static int parameters_merge(const struct parameters *t, const struct task *p)
{
    return p->problem.softening > 0 && p->pairs == FARSUM_F32
           && p->sample.nearest < 0x1p-24 * t->rc;
}

/* (6.7) for potentials or velocities.  before: 1: relative to a norm that does
 * not include a pair much nearer than others, although the result's norm
 * does. */
static double parameters_rounding_values(const struct parameters *t,
                                         const struct task *p, int before)
{
    const struct sample *s = &p->sample;
    double sum = p->pairs == FARSUM_F32 ? 2.5e-7 : 1e-15, part = 1;
    double volume = task_volume(p), n = (double)s->n;
    double norm = s->force, most = hypot_of(norm, parameters_own_image(t, p));
    if (p->pair.kind->gradient) {
        norm = sqrt(s->q2 / n) * parameters_neighbour(p, n, volume, 1);
        most = fmax(norm, sqrt(s->q2 / n)
                              * parameters_neighbour(p, 1, pow(t->rc, 3), 1));
    }
    if (s->m > 0) /* the near sources of separate targets are unknown */
        return sum * most;
    if (before && p->problem.error != FARSUM_ERROR_ABSOLUTE)
        part = norm / fmax(norm, s->near);
    double close = parameters_step(t, p) * s->close[1];
    if (s->nearest < parameters_skip(t, p))
        close = fmax(close, s->near); /* not included at all */
    return hypot_of(sum * fmax(most, part * s->near), part * close);
}

/* (6.7), C = 1, caller's length: the rounding error of a potential or force,
 * from the sum and from the positions. */
static double parameters_rounding(const struct parameters *t,
                                  const struct task *p, int potential,
                                  int before)
{
    const struct sample *s = &p->sample;
    double sum = p->pairs == FARSUM_F32 ? 2.5e-7 : 1e-15;
    if (parameters_merge(t, p))
        return INFINITY;
    if (potential)
        return parameters_rounding_values(t, p, before);
    double norm = parameters_force_norm(p, s->whole, s->q2, s->n);
    double close = s->close[0];
    /* the pair with the largest error is in the norm too, (6.18) */
    if (p->problem.error == FARSUM_ERROR_FORCE && s->pair > 0)
        close *= norm / hypot_of(norm, s->pair);
    return hypot_of(sum * hypot_of(norm, parameters_own_image(t, p)),
                    parameters_step(t, p) * close);
}

double parameters_norm(const struct task *task)
{
    const struct sample *s = &task->sample;
    double n = (double)s->n, c = task->problem.coulomb;
    double volume = task_volume(task);
    if (task->problem.error == FARSUM_ERROR_ABSOLUTE)
        return 1;
    if (task->problem.error == FARSUM_ERROR_VELOCITY)
        return fmax(c * s->force, parameters_velocity(task, s->q2, s->n));
    if (task->problem.error == FARSUM_ERROR_POTENTIAL)
        return c * sqrt(s->q2 / n) * parameters_neighbour(task, n, volume, 1);
    /* separate targets: no statistics are available */
    return c
           * parameters_force_norm(task, s->m > 0 ? 0 : s->force, s->q2, s->n);
}

/* Shells of charges: those of the sample's targets, then wider ones with a
 * known mean number of charges. */
enum { WIDE = 16, SHELLS = SAMPLE_SHELLS + WIDE };

/* cut, gather, spread: fractions of a disordered system's squares that the
 * shells cover.  wide: contribution of the wider shells per q^2 of a charge in
 * them.  more_*: weight of the aliases relative to equal strength in all
 * directions. */
struct reach {
    double cut, gather, spread, wide, more_gather, more_spread;
};

/* edge[0] = 0, then the outer radii, in units of the cutoff. */
static void parameters_shells(const struct parameters *t,
                              const struct sample *s, double edge[SHELLS + 1])
{
    double *radius = edge + 1;
    edge[0] = 0;
    double inner = s->radius[SAMPLE_SHELLS - 1];
    double last = s->radius0 * pow(s->step, SAMPLE_RADII - 1);
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        radius[k] = s->radius[k] / t->rc;
    for (int k = 0; k < WIDE; k++)
        radius[SAMPLE_SHELLS + k] = inner / t->rc
                                    * pow(fmax(last / inner, 1),
                                          (k + 1.0) / WIDE);
}

static struct reach parameters_reach(const struct parameters *t,
                                     const struct sample *s,
                                     const double edge[SHELLS + 1],
                                     const struct error_pair *pair,
                                     int potential)
{
    const struct error_parts *p = potential ? &t->potential : &t->field;
    struct reach reach = {0, 0, 0, 0, 1, 1};
    struct cell cell; /* the sample's radii are in the caller's units */
    double last = 0, gather, spread, inside = 0, wide[3] = {0};
    cell_scale(&cell, &t->cell, t->rc);
    for (int k = 0; k < SHELLS; k++) {
        double outer = edge[k + 1];
        double shell = 4 * M_PI / 3 * (pow(outer, 3) - pow(last, 3))
                       / (t->cell.volume * t->fill);
        double square[3] = {pair[k].cut * pair[k].cut + pair[k].vary,
                            pair[k].gather * pair[k].gather,
                            pair[k].spread * pair[k].spread};
        reach.cut += shell * square[0];
        reach.gather += shell * square[1];
        reach.spread += shell * square[2];
        last = outer;
        if (k < SAMPLE_SHELLS - 1)
            continue;
        double around = sample_around(s, &cell, outer * t->rc);
        for (int a = 0; a < 3 && k >= SAMPLE_SHELLS; a++)
            wide[a] += (around - inside) * square[a];
        inside = around;
    }
    reach.wide = wide[0];
    if (t->mesh[0] == 0)
        return reach;
    error_pairs_whole(&t->band, &t->alias, &t->cell, t->mesh, potential,
                      &gather, &spread);
    gather /= t->fill;
    spread /= t->fill;
    reach.more_gather = gather > 0 ? fmax(p->gather / gather, 1) : 1;
    reach.more_spread = spread > 0 ? fmax(p->spread / spread, 1) : 1;
    reach.gather *= reach.more_gather;
    reach.spread *= reach.more_spread;
    reach.wide += reach.more_gather * wide[1] + reach.more_spread * wide[2];
    return reach;
}

/* v^T m v */
static double parameters_form(const double m[SAMPLE_SHELLS][SAMPLE_SHELLS],
                              const double v[SAMPLE_SHELLS])
{
    double row[SAMPLE_SHELLS] = {0}, sum = 0;
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        for (int l = 0; l < SAMPLE_SHELLS; l++)
            row[l] += v[k] * m[k][l];
    for (int l = 0; l < SAMPLE_SHELLS; l++)
        sum += row[l] * v[l];
    return sum;
}

/* v^T u */
static double parameters_dot(const double u[SAMPLE_SHELLS],
                             const double v[SAMPLE_SHELLS])
{
    double sum = 0;
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        sum += u[k] * v[k];
    return sum;
}

/* Mean square error over the targets due to the charges in their shells: the
 * first lines of (6.15). */
static double parameters_targets(const struct parameters *t,
                                 const struct sample_moments *m,
                                 const struct error_pair *pair,
                                 const struct error_pair *own,
                                 const struct reach *reach, int potential)
{
    double gather[SAMPLE_SHELLS], cut[SAMPLE_SHELLS], each[SAMPLE_SHELLS];
    /* its own aliases of spread and interp are coherent */
    double phase = own->gather + (potential ? own->spread : 0);
    double lost = potential ? t->band.self : 0;
    for (int k = 0; k < SAMPLE_SHELLS; k++) {
        gather[k] = pair[k].gather;
        cut[k] = pair[k].cut;
        each[k] = reach->more_spread * pair[k].spread * pair[k].spread
                  + pair[k].vary;
    }
    double meshed = parameters_form(m->charge, gather)
                    + 2 * phase * parameters_dot(m->own, gather)
                    + phase * phase * m->q2;
    double left = parameters_form(potential ? m->charge : m->dipole, cut)
                  + 2 * lost * parameters_dot(m->own, cut)
                  + lost * lost * m->q2;
    return reach->more_gather * fmax(meshed, 0) + fmax(left, 0)
           + parameters_dot(m->square, each);
}

/* Mean square error of a flow over the targets, from their shells.  Strengths
 * have no common direction. */
static double parameters_flow_targets(const struct sample_moments *m,
                                      const struct error_pair *pair,
                                      const struct reach *reach)
{
    double each[SAMPLE_SHELLS];
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        each[k] = pair[k].cut * pair[k].cut + pair[k].vary
                  + reach->more_gather * pair[k].gather * pair[k].gather
                  + reach->more_spread * pair[k].spread * pair[k].spread;
    return parameters_dot(m->square, each);
}

/* (6.16): images of one source have coherent errors if they lie in a shell of
 * half a wave of the band; matters where the cutoff is wider than two cells. */
#define THIN 0.5
static double parameters_in_step(const struct parameters *t)
{
    const double *h = t->cell.height;
    double shell = M_PI / t->split.c, most = 1;
    for (int d = 0; d < 3; d++) {
        double other = h[(d + 1) % 3];
        if (h[d] < THIN)
            most = fmax(most, 2 * shell / h[d]);
        if (h[d] < THIN && other < THIN)
            most = fmax(most, 2 * M_PI * shell / (h[d] * other));
    }
    return most;
}

/* Square of the RMS error of force or potential for the sample's charges, in
 * units of the cutoff.  *random: for charges in random order. */
static double parameters_square(const struct parameters *t,
                                const struct sample *s, int potential,
                                double *random)
{
    const struct error_parts *p = potential ? &t->potential : &t->field;
    double q2 = s->q2, mean = q2 / (double)s->n, w = potential ? 1 : mean;
    double cut = p->cut_near + p->cut_far, local = 0;
    double plain = w * (q2 * (cut + p->gather + p->spread) + mean * p->self);
    struct error_pair pair[SHELLS], own;
    double edge[SHELLS + 1];
    const double none[2] = {0, 0};
    *random = parameters_in_step(t) * plain;
    if (!s->moments)
        return *random;
    parameters_shells(t, s, edge);
    error_pairs(pair, edge, SHELLS, &t->band, &t->alias, &t->cell, t->mesh,
                potential);
    error_pairs(&own, none, 1, &t->band, &t->alias, &t->cell, t->mesh,
                potential);
    struct reach reach = parameters_reach(t, s, edge, pair, potential);
    local =
        t->pair.kind->gradient
            ? parameters_targets(t, s->moments, pair, &own, &reach, potential)
            : parameters_flow_targets(s->moments, pair, &reach)
                  + mean * p->self;
    /* charges beyond the targets' shells count as uncorrelated */
    local += w * mean * reach.wide;
    local += w * q2
             * (fmax(cut - reach.cut, 0) + fmax(p->gather - reach.gather, 0)
                + fmax(p->spread - reach.spread, 0));
    return parameters_in_step(t) * fmax(local, 0.1 * plain);
}

void parameters_error(struct parameters *t, const struct task *task)
{
    int potential = parameters_of_values(task);
    struct error_parts *p = potential ? &t->potential : &t->field;
    if (t->mesh[0]) {
        error_set(p, &t->band, &t->alias, &t->cell, t->mesh, potential);
        p->cut_near /= t->fill; /* pairs are as near as the points are dense */
        p->cut_far /= t->fill;
        p->gather /= t->fill;
        p->spread /= t->fill;
    }
    double random;
    t->square = parameters_square(t, &task->sample, potential, &random);
    t->disorder = t->square > 0 ? sqrt(fmax(random / t->square, 1)) : 1;
    t->error = parameters_estimate(t, task, task->sample.q2, task->sample.n,
                                   potential, -1)
               / parameters_norm(task);
}

/* (6.18), random charges: estimates the distance of the nearest pair from the
 * force that was found, as if that pair made half of the mean square. */
static double parameters_close_found(const struct parameters *t,
                                     const struct task *p, double q2, int64_t n,
                                     double found)
{
    double pair = M_SQRT1_2 * found, one = q2 / (double)n;
    if (!(pair > 0) || !(p->sample.pair > 0) || !p->pair.kind->charged)
        return 0;
    double r = sqrt(one / (pair * sqrt((double)n / 2)));
    return parameters_step(t, p) * pair / r;
}

double parameters_estimate(const struct parameters *t, const struct task *task,
                           double q2, int64_t n, int potential, double found)
{
    const int before = found < 0;
    const struct sample *s = &task->sample;
    double other = s->q2 > 0 ? q2 / s->q2 : 0, rc = t->rc;
    double error =
        sqrt(t->square) / pow(rc, task->pair.kind->power + (potential ? 0 : 1));
    /* a force has two charges, a potential one; the mean is over n */
    double to = potential ? sqrt(other * (double)s->n / (double)n)
                          : other * sqrt((double)s->n / (double)n);
    error = potential ? error * sqrt(other) : error * to;
    double rounding = fmax(parameters_rounding(t, task, potential, before) * to,
                           parameters_close_found(t, task, q2, n, found));
    return task->problem.coulomb * hypot_of(error, rounding);
}
