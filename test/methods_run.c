/* SPDX-License-Identifier: Apache-2.0 */
/* methods_run.c: runs one cell of the tolerance sweep and measures its
 * errors. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "check.h"
#include "methods.h"

int ladder_is_default(const struct ladder_cell *cell)
{
    return strcmp(cell->split, farsum_list_names("split", 0)) == 0
           && strcmp(cell->window, farsum_list_names("window", 0)) == 0;
}

int ladder_may_refuse(const struct ladder_cell *cell)
{
    return !ladder_is_default(cell)
           || (cell->precision != FARSUM_F64 && cell->tolerance < 2e-6);
}

static void measure_flow(struct ladder_cell *cell, const double *velocity)
{
    cell->velocity_error = system_velocity_error(cell->system, velocity);
    cell->measured = cell->velocity_error;
    if (cell->error == FARSUM_ERROR_ABSOLUTE)
        cell->measured *= system_velocity_norm(cell->system);
}

static void measure(struct ladder_cell *cell, const double *potential,
                    const double *field, double energy, const double virial[9])
{
    const struct system *s = cell->system;
    double e2 = 0, v2 = 0;
    cell->force_error = system_force_error(s, field);
    cell->potential_error = system_potential_error(s, potential);
    cell->energy_error = fabs(energy - s->energy) / fabs(s->energy);
    for (int i = 0; i < 9; i++) {
        e2 += (virial[i] - s->virial[i]) * (virial[i] - s->virial[i]);
        v2 += s->virial[i] * s->virial[i];
    }
    cell->virial_error = sqrt(e2 / v2);
    cell->measured = cell->force_error;
    if (cell->error == FARSUM_ERROR_POTENTIAL)
        cell->measured = cell->potential_error;
    if (cell->error == FARSUM_ERROR_ABSOLUTE)
        cell->measured *= system_force_norm(s);
}

void ladder_run(struct ladder_cell *cell, int threads)
{
    const struct system *s = cell->system;
    double *potential = check_memory((size_t)s->p.n, sizeof *potential);
    double *field = check_memory(3 * (size_t)s->p.n, sizeof *field);
    double energy = 0, virial[9] = {0}, start = clock_seconds();
    farsum_problem problem = system_problem(s);
    farsum_options options = cases_options();
    farsum_result result = FARSUM_RESULT_INIT;
    problem.precision = cell->precision;
    problem.tolerance = cell->tolerance;
    problem.error = cell->error;
    options.method = "spectral";
    options.spectral.split = cell->split;
    options.spectral.window = cell->window;
    options.cutoff = cell->cutoff;
    options.spectral.support = cell->support;
    options.threads = threads;
    memcpy(options.spectral.mesh, cell->mesh, sizeof options.spectral.mesh);
    if (s->flow) {
        result.velocity = field;
    } else {
        result.potential = potential;
        result.field = field;
        result.energy = &energy;
        result.virial = virial;
    }
    cell->status = sum_once(&problem, &options, s->p.n, s->p.x, 0, NULL,
                            s->p.q, &result, &cell->info);
    cell->seconds = clock_seconds() - start;
    if (cell->status == FARSUM_OK) {
        cell->estimate = cell->info.estimated_error;
        if (s->flow)
            measure_flow(cell, field);
        else
            measure(cell, potential, field, energy, virial);
    } else {
        snprintf(cell->message, sizeof cell->message, "%s", farsum_message());
    }
    free(potential);
    free(field);
}
