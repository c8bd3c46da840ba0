/* SPDX-License-Identifier: Apache-2.0 */
/* units.c: conversion between the caller's units and units of the cutoff. */
#include <math.h>
#include <string.h>

#include "base/par.h"
#include "base/arrays.h"
#include "method/open_axis/open_axis.h"
#include "method/spectral/each/each.h"

int spectral_unwraps(const struct task *task)
{
    return task->problem.surface == FARSUM_VACUUM || task->pair.kind->flux
           || task_axes(task) < 3;
}

/* Strengths of source i, in the task's units. */
static void in_strengths(const struct task *task, const void *q, int64_t i,
                         double *v)
{
    int width = task->pair.strengths;
    for (int a = 0; a < width; a++)
        v[a] = task->units.per[units_part(&task->pair, a)]
               * array_get(q, task->problem.arrays, i * width + a);
}

/* Computes the spread channels from scaled strengths. */
static void in_channels(const struct task *task, struct spectral *s)
{
    const struct pair *pair = &task->pair;
    farsum_precision type = task->problem.precision;
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < s->n; i++) {
        double v[PAIR_STRENGTHS], channel[PAIR_CHANNELS];
        for (int a = 0; a < pair->strengths; a++)
            v[a] = array_get(s->q, type, i * pair->strengths + a);
        pair->kind->spread(v, channel);
        for (int a = 0; a < pair->channels; a++)
            array_put(s->channel, type, i * pair->channels + a, channel[a]);
    }
}

/* Sums over sources are computed in blocks, whose sums are added in order.  The
 * result does not depend on the number of threads. */
enum { BLOCK = 4096, SUMS = 4 };

/* Sums over the sources begin to end of right-hand side r. */
typedef void block_sums(const struct task *task, const struct spectral *s,
                        int r, const void *q, int64_t begin, int64_t end,
                        double sum[SUMS]);

static farsum_status in_blocks(const struct task *task,
                               const struct spectral *s, int r, const void *q,
                               block_sums *add, double all[SUMS])
{
    enum { AT_ONCE = 256 };
    int64_t blocks = (s->n + BLOCK - 1) / BLOCK;
    memset(all, 0, SUMS * sizeof *all);
    if (blocks == 1) { /* one block: no threads */
        add(task, s, r, q, 0, s->n, all);
        return task_sum(task, all, SUMS);
    }
    for (int64_t first = 0; first < blocks; first += AT_ONCE) {
        double part[AT_ONCE][SUMS] = {{0}};
        int64_t some = blocks - first < AT_ONCE ? blocks - first : AT_ONCE;
        PAR_FOR(task->threads, schedule(static))
        for (int64_t b = 0; b < some; b++) {
            int64_t begin = (first + b) * BLOCK, end = begin + BLOCK;
            add(task, s, r, q, begin, end < s->n ? end : s->n, part[b]);
        }
        for (int64_t b = 0; b < some; b++)
            for (int a = 0; a < SUMS; a++)
                all[a] += part[b][a];
    }
    return task_sum(task, all, SUMS);
}

/* Net strength (a number or a vector), and squares. */
static void net_sums(const struct task *task, const struct spectral *s, int r,
                     const void *q, int64_t begin, int64_t end,
                     double sum[SUMS])
{
    const struct pair_kind *kind = task->pair.kind;
    for (int64_t i = begin; i < end; i++) {
        double v[PAIR_STRENGTHS] = {0}, own[3] = {0};
        in_strengths(task, q, r * s->n + i, v);
        sum[3] += pair_square(&task->pair, v);
        if (kind->net)
            kind->net(v, own);
        else
            own[0] = v[0];
        for (int a = 0; a < 3; a++)
            sum[a] += own[a];
    }
}

farsum_status spectral_in(struct task *task, struct spectral *s, int r,
                          const void *q, double *q1, double *q2)
{
    farsum_status status = FARSUM_OK;
    farsum_precision from = task->problem.arrays, to = task->problem.precision;
    const struct pair_kind *kind = task->pair.kind;
    double most[UNITS_PARTS] = {0}, net[SUMS];
    int width = task->pair.strengths;
    int64_t n = s->n, first = r * n * width;
    PAR_FOR(task->threads, reduction(max : most[:UNITS_PARTS]))
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < width; a++) {
            double v = fabs(array_get(q, from, first + i * width + a));
            int part = units_part(&task->pair, a);
            most[part] = fmax(most[part], v);
        }
    KEEP_ON(task_max(task, most, UNITS_PARTS));
    units_strength(task, most);
    /* powers of two, hence exact; moments are in units of the cutoff */
    double per[UNITS_PARTS], rc = s->parameters.rc;
    memcpy(per, task->units.per, sizeof per);
    if (kind->moments) {
        per[1] /= rc;
        per[2] /= rc * rc;
    }
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < width; a++)
            array_put(s->q, to, i * width + a,
                      per[units_part(&task->pair, a)]
                          * array_get(q, from, first + i * width + a));
    if (kind->moments)
        spectral_moments_slopes(task, s);
    else if (kind->apart)
        in_channels(task, s);
    KEEP_ON(in_blocks(task, s, r, q, net_sums, net));
    *q1 = task->pair.strengths == 1 || kind->flux || kind->moments
              ? net[0]
              : sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]);
    *q2 = net[3];
    return status;
}

static void flux_sums(const struct task *task, const struct spectral *s, int r,
                      const void *q, int64_t begin, int64_t end,
                      double sum[SUMS])
{
    for (int64_t i = begin; i < end; i++) {
        double v[PAIR_STRENGTHS], given[3];
        in_strengths(task, q, r * s->n + i, v);
        task->pair.kind->net(v, given);
        sum[3] += given[0];
        for (int a = 0; a < 3; a++)
            sum[a] += given[0] * s->x[3 * i + a];
    }
}

/* (9.8): mean flow of sources whose fluxes are separated.  Its value at x is
 * mean - net x. */
static farsum_status out_flux(const struct task *task, const struct spectral *s,
                              int r, const void *q, double mean[3], double *net)
{
    double rc = s->parameters.rc, sum[SUMS] = {0};
    double front = 8 * M_PI / (s->parameters.cell.volume * rc * rc * rc);
    if (task->pair.kind->flux && task_axes(task) == 3
        && task->part != FARSUM_NEAR)
        TRY(in_blocks(task, s, r, q, flux_sums, sum));
    for (int a = 0; a < 3; a++)
        mean[a] = front * sum[a];
    *net = front * sum[3];
    return FARSUM_OK;
}

/* The larger one; a number that is not finite counts as infinite. */
static double out_most(double most, double v)
{
    return fabs(v) <= most ? most : isfinite(v) ? fabs(v) : INFINITY;
}

/* 1: every one of the n results so far is in range, whatever is still added. */
static int out_sure(const struct task *task, const void *v, int64_t n,
                    int exponent)
{
    double most = units_largest(v, task->problem.precision, n, task->threads);
    return units_sure(most, exponent, task->problem.arrays);
}

/* Mean flow of sources whose fluxes are separated. */
struct out_flow {
    double mean[3], net;
};

/* Velocities of row r, and the sum of their squares.  out = 0: writes nothing,
 * and fails if they are not in the range of their type. */
static farsum_status out_velocities(const struct task *task,
                                    const struct spectral *s, int r,
                                    const struct out_flow *flow,
                                    const farsum_result *result, int out,
                                    double *squares)
{
    farsum_precision to = task->problem.arrays, from = task->problem.precision;
    const double *at = spectral_apart(s) ? s->y : s->x;
    const struct pair_kind *kind = task->pair.kind;
    const struct scale scale = scale_of(task_exponent(task));
    double c = task_constant(task), square = 0, most = 0;
    double unit = c / pow(s->parameters.rc, kind->power);
    int64_t n = spectral_targets(s), first = r * n;
    PAR_FOR(task->threads, reduction(+ : square) reduction(max : most))
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            double u = unit * array_get(s->potential, from, a * n + i);
            if (kind->flux)
                u += c * (flow->mean[a] - flow->net * at[3 * i + a]);
            if (out)
                array_put(result->velocity, to, 3 * (first + i) + a,
                          scale_by(scale, u));
            else
                most = out_most(most, u);
            square += u * u;
        }
    *squares = square;
    return out ? FARSUM_OK
               : units_range(task, most, task_exponent(task), to, "velocity");
}

farsum_status spectral_out_flow(const struct task *task, struct spectral *s,
                                int r, const void *q,
                                const struct spectral_sums *sums,
                                farsum_result *result)
{
    farsum_status status = FARSUM_OK;
    struct out_flow flow;
    double square;
    TRY(out_flux(task, s, r, q, flow.mean, &flow.net));
    if (!out_sure(task, s->potential, 3 * spectral_targets(s),
                  task_exponent(task)))
        status = out_velocities(task, s, r, &flow, result, 0, &square);
    TRY(task_agree(task, status));
    TRY(out_velocities(task, s, r, &flow, result, 1, &square));
    TRY(task_sum(task, &square, 1));
    spectral_estimate_flow(task, s, sums, square);
    return FARSUM_OK;
}

static double per_strength(double size, double strength)
{
    return strength > 0 ? size / strength : 0;
}

void spectral_estimate_flow(const struct task *task, const struct spectral *s,
                            const struct spectral_sums *sums, double square)
{
    int64_t all = s->all_n, n = spectral_apart(s) ? s->all_m : all;
    double velocity = sqrt(square / (double)n);
    int whole = task->part == FARSUM_WHOLE;
    double norm = task->problem.error == FARSUM_ERROR_ABSOLUTE
                      ? 1
                      : fmax(whole ? velocity : task->sample.force,
                             parameters_velocity(task, sums->q2, all));
    task->report->info.net_strength = sums->q1;
    task->report->net_size = sqrt((double)all * sums->q2);
    task->report->info.norm = norm;
    task->report->size[0] =
        whole ? per_strength(velocity, sqrt(sums->q2 / (double)all)) : 0;
    task->report->size[1] = 0;
    task->report->disorder = s->parameters.disorder;
    task->report->info.estimated_error =
        norm > 0
            ? parameters_estimate(&s->parameters, task, sums->q2, all, 1, 0)
                  / norm
            : 0;
}

double spectral_background(const struct spectral *s, double q1)
{
    const struct pair *pair = &s->parameters.pair;
    double kappa = pair->kappa;
    /* a kernel that is cut has its mode 0 on the mesh, and no background */
    if ((!pair->kind->charged && !pair->kind->limit)
        || s->parameters.radius > 0)
        return 0;
    double bare = s->open_axis ? open_axis_bare(s->open_axis)
                  : kappa > 0  ? 1 / (kappa * kappa)
                               : 0;
    return pair->kind->front * (s->zero + bare) / s->parameters.cell.volume
           * q1;
}

static void dipole_sums(const struct task *task, const struct spectral *s,
                        int r, const void *q, int64_t begin, int64_t end,
                        double sum[SUMS])
{
    for (int64_t i = begin; i < end; i++) {
        double v[PAIR_STRENGTHS] = {0};
        in_strengths(task, q, r * s->n + i, v);
        for (int a = 0; a < 3; a++)
            sum[a] += v[0] * s->x[3 * i + a]
                      + (task->pair.kind->moments ? v[1 + a] : 0);
    }
}

/* (5.6), vacuum surroundings: phi += 4 pi/(3V) M.x.  *front: 4 pi/(3V). */
static farsum_status spectral_dipole(const struct task *task,
                                     const struct spectral *s, int r,
                                     const void *q, double dipole[3],
                                     double *front)
{
    double rc = s->parameters.rc, sum[SUMS];
    TRY(in_blocks(task, s, r, q, dipole_sums, sum));
    memcpy(dipole, sum, 3 * sizeof *dipole);
    *front = 4 * M_PI / (3 * s->parameters.cell.volume * rc * rc * rc);
    return FARSUM_OK;
}

static farsum_status spectral_energy(const struct task *task,
                                     const struct spectral *s,
                                     const struct spectral_sums *sums,
                                     const struct spectral_terms *terms, int r,
                                     const farsum_result *result, int out)
{
    const double *dipole = terms->dipole;
    double background = terms->background, surface = terms->surface;
    double c = task_constant(task), rc = s->parameters.rc, energy, virial[9];
    double unit = 1 / pow(rc, task->pair.kind->power);
    int exponent = task_exponent_energy(task);
    const struct scale scale = scale_of(exponent);
    double back = 0.5 * unit * background * sums->q1;
    double m2 = dipole[0] * dipole[0] + dipole[1] * dipole[1]
                + dipole[2] * dipole[2];
    energy = c * (unit * sums->energy + back + 0.5 * surface * m2);
    /* both constant terms scale as 1/V */
    for (int a = 0; a < 9; a++)
        virial[a] =
            c
            * (unit * sums->virial[a]
               + (a % 4 == 0 ? back + 0.5 * surface * m2 : 0)
               - surface * dipole[a / 3] * dipole[a % 3] - terms->turn[a]);
    if (result->energy)
        TRY(units_range(task, fabs(energy), exponent, FARSUM_F64, "energy"));
    if (result->virial)
        TRY(units_range(task, units_largest(virial, FARSUM_F64, 9, 1), exponent,
                        FARSUM_F64, "virial"));
    if (result->energy && out)
        result->energy[r] = scale_by(scale, energy);
    for (int a = 0; result->virial && out && a < 9; a++)
        result->virial[9 * r + a] = scale_by(scale, virial[a]);
    return FARSUM_OK;
}

void spectral_estimate(const struct task *task, const struct spectral *s,
                       const struct spectral_sums *sums, double square,
                       double square_phi, int field, int potential)
{
    int64_t all = s->all_n, n = spectral_apart(s) ? s->all_m : all;
    double c = task->problem.coulomb;
    double q_rms = sqrt(sums->q2 / (double)all), norm = parameters_norm(task);
    int of_potential = parameters_of_values(task);
    if (task->part != FARSUM_WHOLE) /* not the size of the whole's results */
        field = potential = 0;
    double force = sqrt(square / (double)n) * (spectral_apart(s) ? q_rms : 1);
    if (task->problem.error == FARSUM_ERROR_FORCE && field)
        norm = c * parameters_force_norm(task, force / c, sums->q2, all);
    if (of_potential && potential)
        norm = sqrt(square_phi / (double)n);
    task->report->info.net_strength = sums->q1;
    task->report->net_size = sqrt((double)all * sums->q2);
    task->report->info.norm = norm;
    task->report->size[0] = field ? per_strength(force, q_rms * q_rms) : 0;
    task->report->size[1] =
        potential ? per_strength(sqrt(square_phi / (double)n), q_rms) : 0;
    task->report->disorder = s->parameters.disorder;
    task->report->info.estimated_error =
        norm > 0 ? parameters_estimate(
                       &s->parameters, task, sums->q2, all, of_potential,
                       field && !of_potential && !spectral_apart(s)
                           ? force / c
                           : 0)
                       / norm
                 : 0;
}

/* True if potentials and fields are in range, whatever is still added. */
static int out_safe(const struct task *task, const struct spectral *s,
                    const farsum_result *result)
{
    int64_t n = spectral_targets(s);
    return !result->particle_virial
           && (!result->potential
               || out_sure(task, s->potential, n, task_exponent(task)))
           && (!result->field
               || out_sure(task, s->field, 3 * n, task_exponent_field(task)))
           && (!result->gradient
               || out_sure(task, s->gradient, 6 * n,
                           task_exponent_gradient(task)))
           && (!result->third
               || out_sure(task, s->third, 10 * n, task_exponent_third(task)));
}

/* Potentials and fields of row r, and the sums of q^2 E^2 and phi^2.  out = 0:
 * writes nothing, and fails if they are not in the range of their types. */
static farsum_status out_values(const struct task *task,
                                const struct spectral *s, int r, const void *q,
                                const struct spectral_terms *terms,
                                const farsum_result *result, int out,
                                double squares[2])
{
    farsum_precision to = task->problem.arrays, from = task->problem.precision;
    const double *at = spectral_apart(s) ? s->y : s->x;
    double c = task_constant(task), rc = s->parameters.rc;
    const struct scale value = scale_of(task_exponent(task));
    const struct scale field = scale_of(task_exponent_field(task));
    double unit = c / pow(rc, task->pair.kind->power);
    double square = 0, square_phi = 0, most_phi = 0, most = 0;
    double per = task->units.per[0];
    int64_t n = spectral_targets(s), first = r * n;
    int width = task->pair.strengths;
    int vacuum = task->problem.surface == FARSUM_VACUUM;
    PAR_FOR(task->threads, reduction(+ : square, square_phi)
            reduction(max : most_phi, most))
    for (int64_t i = 0; i < n; i++) {
        double qi = spectral_apart(s)
                        ? 1
                        : per * array_get(q, to, width * (r * s->n + i));
        if (result->potential) {
            double phi = unit * array_get(s->potential, from, i)
                         + unit * terms->background;
            for (int k = 0; vacuum && k < 3; k++)
                phi += c * terms->surface * terms->dipole[k] * at[3 * i + k];
            if (out)
                array_put(result->potential, to, first + i,
                          scale_by(value, phi));
            else
                most_phi = out_most(most_phi, phi);
            square_phi += phi * phi;
        }
        for (int k = 0; result->field && k < 3; k++) {
            double e = unit / rc * array_get(s->field, from, 3 * i + k)
                       - c * terms->surface * terms->dipole[k];
            if (out)
                array_put(result->field, to, 3 * (first + i) + k,
                          scale_by(field, e));
            else
                most = out_most(most, e);
            square += qi * qi * e * e;
        }
    }
    squares[0] = square;
    squares[1] = square_phi;
    if (out)
        return FARSUM_OK;
    TRY(units_range(task, most_phi, task_exponent(task), to, "potential"));
    return units_range(task, most, task_exponent_field(task), to, "field");
}

farsum_status spectral_out(const struct task *task, struct spectral *s, int r,
                           const void *q, struct spectral_sums *sums,
                           farsum_result *result)
{
    farsum_status status = FARSUM_OK;
    struct spectral_terms terms = {.background = 0};
    double squares[2];
    if (task->part != FARSUM_NEAR) /* terms of the whole cell */
        terms.background = spectral_background(s, sums->q1);
    if (task->problem.surface == FARSUM_VACUUM && task->part != FARSUM_NEAR)
        TRY(spectral_dipole(task, s, r, q, terms.dipole, &terms.surface));
    if (task->pair.kind->moments && result->virial)
        TRY(spectral_moments_virial(task, s, &terms));
    if (!out_safe(task, s, result)) {
        status = spectral_energy(task, s, sums, &terms, r, result, 0);
        if (status == FARSUM_OK)
            status = out_values(task, s, r, q, &terms, result, 0, squares);
        if (status == FARSUM_OK && task->pair.kind->moments)
            status = spectral_moments_out(task, s, &terms, r, result, 0,
                                          &squares[0]);
        if (status == FARSUM_OK)
            status = spectral_each_out(task, s, &terms, r, result, 0);
    }
    TRY(task_agree(task, status));
    TRY(spectral_energy(task, s, sums, &terms, r, result, 1));
    TRY(out_values(task, s, r, q, &terms, result, 1, squares));
    if (task->pair.kind->moments)
        TRY(spectral_moments_out(task, s, &terms, r, result, 1, &squares[0]));
    TRY(spectral_each_out(task, s, &terms, r, result, 1));
    TRY(task_sum(task, squares, 2));
    spectral_estimate(task, s, sums, squares[0], squares[1],
                      result->field != NULL, result->potential != NULL);
    return FARSUM_OK;
}

void spectral_zero(const struct task *task, struct spectral *s,
                   const farsum_result *result)
{
    size_t size = (size_t)array_size(task->problem.precision);
    size_t targets = (size_t)spectral_targets(s);
    if (targets > 0 && (result->potential || result->velocity))
        memset(s->potential, 0, targets * (size_t)task->pair.values * size);
    if (targets > 0 && result->field)
        memset(s->field, 0, 3 * targets * size);
    if (targets > 0 && result->gradient)
        memset(s->gradient, 0, 6 * targets * size);
    if (targets > 0 && result->third)
        memset(s->third, 0, 10 * targets * size);
}
