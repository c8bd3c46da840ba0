/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_sum.c: sums of `spectral` over ranks.
 *
 * A rank that fails takes part in all exchanges until the ranks agree, so that
 * no rank waits for it. */
#include "method/spectral/ranks.h"

#include <string.h>

#include "base/arrays.h"
#include "base/clock.h"
#include "method/open_axis/open_axis.h"
#include "method/spectral/each/each.h"
#include "method/spectral/part/part.h"
#include "ranks/asked.h"

/* Where a sum's results are added.  NULL: not wanted. */
struct ranks_out {
    void *potential, *field, *gradient;
    double *energy, *virial;
};

/* Adds half of q phi of the ghosts' potentials, and of -p.E of their fields. */
static void ranks_ghost_energy(const struct task *task,
                               const struct spectral *s, double *energy)
{
    const struct spectral_ranks *k = s->ranks;
    farsum_precision type = task->problem.precision;
    int width = task->pair.strengths, moments = task->pair.kind->moments;
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        sum += array_get(s->q, type, width * i)
               * array_get(k->ghost_values, type, i);
        for (int a = 0; moments && a < 3; a++)
            sum -= array_get(s->q, type, width * i + 1 + a)
                   * array_get(k->ghost_field, type, 3 * i + a);
    }
    *energy += 0.5 * sum;
}

/* Adds n numbers.  to = NULL: not wanted. */
static void ranks_add(farsum_precision type, void *to, const void *from,
                      int64_t n)
{
    for (int64_t i = 0; to && i < n; i++)
        array_put(to, type, i,
                  array_get(to, type, i) + array_get(from, type, i));
}

/* Adds what ghosts do to the own targets.  near_q: of the own sources. */
static farsum_status ranks_ghosts(const struct task *task, struct spectral *s,
                                  const void *near_q,
                                  const struct ranks_out *out)
{
    struct spectral_ranks *k = s->ranks;
    farsum_precision type = task->problem.precision;
    int64_t targets = spectral_targets(s), values = targets * task->pair.values;
    double start = clock_seconds();
    int potential = out->potential || out->energy;
    int apart = out->energy && task->pair.kind->moments;
    void *field = apart ? k->ghost_field : out->field;
    const struct near_io near = {.q = k->ghost_q,
                                 .potential =
                                     potential ? k->ghost_values : NULL,
                                 .field = field,
                                 .gradient = out->gradient};
    const struct near_io virial = {
        .q = k->ghost_q, .q_targets = near_q, .virial = out->virial};
    if (k->ghosts.n == 0 || values == 0)
        return FARSUM_OK;
    memset(k->ghost_values, 0, (size_t)(values * array_size(type)));
    if (apart)
        memset(field, 0, (size_t)(3 * targets * array_size(type)));
    TRY(ranks_variant(s, STAGE_NEAR)->run(k->near_ghosts, &near));
    if (out->energy)
        ranks_ghost_energy(task, s, out->energy);
    if (out->virial)
        TRY(k->virial.row->variant->run(k->near_virial, &virial));
    ranks_add(type, out->potential, k->ghost_values, values);
    if (apart)
        ranks_add(type, out->field, field, 3 * targets);
    s->seconds[STAGE_NEAR] += clock_seconds() - start;
    return FARSUM_OK;
}

/* Near pairs and own points to the mesh. */
static farsum_status ranks_own(const struct task *task, struct spectral *s,
                               const void *near_q, const struct ranks_out *out)
{
    const struct pair *pair = &task->pair;
    size_t real = (size_t)array_size(task->problem.precision);
    const struct spectral_ranks *k = s->ranks;
    int64_t channel = ranks_cut_channel(&k->cut, &s->parameters);
    const struct near_io near = {.q = near_q,
                                 .potential = out->potential,
                                 .field = out->field,
                                 .gradient = out->gradient,
                                 .energy = out->energy,
                                 .virial = out->virial};
    const struct spread_io spread = spectral_spread(task, s, channel);
    if (s->n > 0 && spectral_targets(s) > 0 && task->part != FARSUM_FAR)
        TRY(spectral_stage(s, STAGE_NEAR, &near));
    if (task->part != FARSUM_FAR)
        TRY(ranks_ghosts(task, s, near_q, out));
    if (task->part == FARSUM_NEAR)
        return FARSUM_OK;
    if (s->n > 0)
        return spectral_stage(s, STAGE_SPREAD, &spread);
    memset(s->mesh, 0, (size_t)(pair->channels * channel) * real);
    return FARSUM_OK;
}

/* Adds the halos to their owners, along axis 1 of pencils first. */
static farsum_status ranks_planes_add(struct spectral *s, int64_t channel,
                                      int channels)
{
    farsum_status status = FARSUM_OK;
    for (int d = 1; d >= 0; d--)
        if (s->ranks->planes[d])
            KEEP_ON(
                planes_add(s->ranks->planes[d], s->mesh, channel, channels));
    return status;
}

/* Fills the halos, along axis 0 first, so that axis 1 brings corners. */
static farsum_status ranks_planes_fill(struct spectral *s, int64_t channel,
                                       int channels)
{
    farsum_status status = FARSUM_OK;
    for (int d = 0; d < 2; d++)
        if (s->ranks->planes[d])
            KEEP_ON(
                planes_fill(s->ranks->planes[d], s->mesh, channel, channels));
    return status;
}

/* From this rank's part of the spectrum to its planes of the mesh. */
static farsum_status ranks_back(struct spectral *s, struct slab_io *slab,
                                int channels)
{
    farsum_status status = FARSUM_OK;
    double start = clock_seconds();
    slab->channels = channels;
    KEEP_ON(pencil_backward(s->ranks->pencil, slab));
    KEEP_ON(ranks_planes_fill(s, slab->mesh_channel, channels));
    s->seconds[STAGE_FFT] += clock_seconds() - start;
    return status;
}

/* The modes' part of the virial of each particle. */
static farsum_status ranks_each(const struct task *task, struct spectral *s,
                                struct slab_io *slab)
{
    farsum_status status = FARSUM_OK;
    s->all += EACH_COMPONENTS;
    for (int c = 0; c < EACH_COMPONENTS; c++) {
        spectral_each_component(task, s, c, s->ranks->spectrum);
        KEEP_ON(ranks_back(s, slab, 1));
        KEEP_ON(spectral_each_interp(task, s, c, slab->mesh_channel));
    }
    return status;
}

/* Sums one right-hand side in the task's units.  result: on all ranks the same
 * pointers are NULL. */
static farsum_status ranks_sum(const struct task *task, struct spectral *s,
                               const farsum_result *result,
                               struct spectral_sums *sums)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    const struct parameters *t = &s->parameters;
    int channels = task->pair.channels, values = task->pair.values;
    int64_t real = array_size(task->problem.precision);
    int64_t channel = ranks_cut_channel(&k->cut, t);
    int64_t rows = ranks_cut_spectrum(&k->cut, t);
    int of_values = result->potential || result->velocity;
    const struct ranks_out out = {
        .potential = of_values ? s->potential : NULL,
        .field = result->field ? s->field : NULL,
        .gradient = result->gradient ? s->gradient : NULL,
        .energy = result->energy ? &sums->energy : NULL,
        .virial = result->virial ? sums->virial : NULL};
    int mixed = task_is_mixed(task);
    int back = of_values || result->field || result->gradient;
    int mesh = task->part != FARSUM_NEAR;
    const void *near_q = mixed ? spectral_mixed_in(task, s) : s->q;
    struct slab_io slab = {.mesh = (char *)s->mesh
                                   + ranks_cut_first(&k->cut, t) * real,
                           .mesh_channel = channel,
                           .spectrum = k->spectrum,
                           .spectrum_channel = rows,
                           .channels = channels};
    const struct scale_io scale = {.spectrum = k->spectrum,
                                   .keep = back,
                                   .energy = out.energy,
                                   .virial = out.virial,
                                   .mesh_channel = rows};
    const struct interp_io interp = {.mesh = s->mesh,
                                     .potential = out.potential,
                                     .field = out.field,
                                     .gradient = out.gradient,
                                     .mesh_channel = channel};
    KEEP_ON(ghosts_send(&k->ghosts, k->comm, near_q,
                        task->pair.strengths * array_size(task->pairs),
                        k->ghost_q));
    KEEP_ON(ranks_own(task, s, near_q, &out));
    if (result->particle_virial)
        KEEP_ON(spectral_each_near(task, s, near_q, k->ghost_q));
    if (task->part != FARSUM_WHOLE)
        spectral_part_self(task, s, result, sums);
    KEEP_ON(spectral_ranks_exclude(task, s, result, sums));
    double start = clock_seconds();
    if (mesh) {
        KEEP_ON(ranks_planes_add(s, channel, channels));
        KEEP_ON(pencil_forward(k->pencil, &slab));
        s->seconds[STAGE_FFT] += clock_seconds() - start;
    }
    if (mesh && result->particle_virial)
        spectral_each_keep(task, s, k->spectrum);
    if (mesh && k->cut.rows > 0)
        KEEP_ON(spectral_stage(s, STAGE_SCALE, &scale));
    if (out.energy)
        KEEP_ON(comm_sum(k->comm, out.energy, 1));
    if (out.virial)
        KEEP_ON(comm_sum(k->comm, out.virial, 9));
    if (back && mesh) {
        KEEP_ON(ranks_back(s, &slab, values));
        if (spectral_targets(s) > 0)
            KEEP_ON(spectral_stage(s, STAGE_INTERP, &interp));
    }
    if (mesh && result->particle_virial)
        KEEP_ON(ranks_each(task, s, &slab));
    return status;
}

/* Results of right-hand side r to the ranks that gave the points. */
static farsum_status ranks_home(const struct task *task, struct spectral *s,
                                int r, const farsum_result *asked,
                                farsum_result *result)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    struct route *route = spectral_apart(s) ? &k->target_route : &k->route;
    int64_t given = array_size(task->problem.arrays), n = route->n;
    int64_t values = task->pair.values;
    char *to = result->velocity ? result->velocity : result->potential;
    char *field = result->field, *gradient = result->gradient;
    char *each = result->particle_virial;
    if (asked->potential || asked->velocity)
        KEEP_ON(route_back(route, k->comm, k->potential, values * given,
                           n > 0 ? to + r * n * values * given : NULL));
    if (asked->field)
        KEEP_ON(route_back(route, k->comm, k->field, 3 * given,
                           n > 0 ? field + 3 * r * n * given : NULL));
    if (asked->gradient)
        KEEP_ON(route_back(route, k->comm, k->gradient, 6 * given,
                           n > 0 ? gradient + 6 * r * n * given : NULL));
    if (asked->particle_virial)
        KEEP_ON(route_back(route, k->comm, k->particle_virial, 9 * given,
                           n > 0 ? each + 9 * r * n * given : NULL));
    if (result->energy)
        result->energy[r] = *asked->energy;
    if (result->virial)
        memcpy(result->virial + 9 * r, asked->virial, 9 * sizeof(double));
    return status;
}

static farsum_status ranks_one(struct task *task, struct spectral *s, int r,
                               const void *q, farsum_result *asked)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    struct spectral_sums sums = {0};
    farsum_result wanted = spectral_moments_wanted(task, asked);
    int64_t each = task->pair.strengths * array_size(task->problem.arrays);
    const char *from =
        k->route.n > 0 ? (const char *)q + r * k->route.n * each : NULL;
    KEEP_ON(route_there(&k->route, k->comm, from, each, k->q));
    KEEP_ON(spectral_in(task, s, 0, k->q, &sums.q1, &sums.q2));
    if (s->open_axis)
        open_axis_wanted(&wanted);
    spectral_zero(task, s, &wanted);
    KEEP_ON(ranks_sum(task, s, &wanted, &sums));
    if (s->open_axis)
        KEEP_ON(open_axis_add(task, s, &wanted, &sums));
    TRY(comm_agree(k->comm, status));
    return asked->velocity ? spectral_out_flow(task, s, 0, k->q, &sums, asked)
                           : spectral_out(task, s, 0, k->q, &sums, asked);
}

/* Energy and virial of a sum, on all ranks. */
struct ranks_numbers {
    double energy, virial[9];
};

/* Sets to: arrays of own points for the outputs that any rank requests. */
static farsum_status ranks_arrays(const struct spectral *s, int rhs,
                                  const farsum_result *result,
                                  struct ranks_numbers *numbers,
                                  farsum_result *to)
{
    static char none; /* for a rank without own points */
    const struct spectral_ranks *k = s->ranks;
    int64_t given = spectral_apart(s) ? k->target_route.n : k->route.n;
    void *values = k->potential ? k->potential : &none;
    void *field = k->field ? k->field : &none;
    void *gradient = k->gradient ? k->gradient : &none;
    void *each = k->particle_virial ? k->particle_virial : &none;
    unsigned asked = 0;
    TRY(ranks_asked(k->comm, given, rhs, result, &asked));
    *to = (farsum_result)FARSUM_RESULT_INIT;
    to->potential = asked & FARSUM_POTENTIAL ? values : NULL;
    to->velocity = asked & FARSUM_VELOCITY ? values : NULL;
    to->field = asked & FARSUM_FIELD ? field : NULL;
    to->gradient = asked & FARSUM_GRADIENT ? gradient : NULL;
    to->particle_virial = asked & FARSUM_PARTICLE_VIRIAL ? each : NULL;
    to->energy = asked & FARSUM_ENERGY ? &numbers->energy : NULL;
    to->virial = asked & FARSUM_VIRIAL ? numbers->virial : NULL;
    return FARSUM_OK;
}

farsum_status spectral_ranks_execute(struct task *task, struct spectral *s,
                                     int rhs, const void *q,
                                     farsum_result *result)
{
    farsum_result asked;
    struct ranks_numbers numbers = {0};
    TRY(ranks_arrays(s, rhs, result, &numbers, &asked));
    s->all = 4 * (int64_t)rhs;
    for (int r = 0; r < rhs; r++) {
        TRY(ranks_one(task, s, r, q, &asked));
        TRY(ranks_home(task, s, r, &asked, result));
    }
    return FARSUM_OK;
}
