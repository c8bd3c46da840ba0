/* SPDX-License-Identifier: Apache-2.0 */
/* verify_energy.c: the errors of energy and virial.  The reference sums all of
 * up to some thousand particles.  For more particles, the targets' potentials
 * give the error of the energy.  For a power of the distance, they also give
 * the error of the virial's trace. */
#include "verify.h"

#include "kernel.h"
#include "outcome.h"
#include "say.h"
#include "words.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* WHOLE: particles up to which all are summed.  MOST: the same if the requested
 * error cannot be estimated from targets. */
enum { WHOLE = 3000, MOST = 20000 };
/* The smallest tolerance of `ewald` without long double. */
#define LAST_F64 1.5e-12

/* p of a potential r^-p.  The virial of others has the norm of p = 1. */
static double power_of(const struct settings *s)
{
    return strcmp(kernel_name(s), "r6") == 0 ? 6 : 1;
}

/* Returns 1 if the virial's trace is p times the energy. */
static int is_power(const struct settings *s)
{
    return !strengths_of(kernel_name(s))->kappa && !kernel_moments(s)
           && !(s->softening > 0);
}

/* Sums all particles by the reference in f64.  field: NULL or [n][3]; gradient:
 * NULL or [n][6]. */
static int sum_whole(const struct verify_request *r, double *potential,
                     double *field, double *gradient, double *energy,
                     double virial[9], struct verify_result *result,
                     char *error, size_t size)
{
    const struct system *sys = r->system;
    farsum_problem p = system_problem(r->settings, sys);
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    p.precision = FARSUM_F64;
    p.error = FARSUM_ERROR_POTENTIAL;
    p.tolerance = fmax(result->reference, LAST_F64);
    p.outputs = FARSUM_POTENTIAL | FARSUM_ENERGY | FARSUM_VIRIAL
                | (field ? FARSUM_FIELD : 0) | (gradient ? FARSUM_GRADIENT : 0);
    how.method = result->method;
    how.threads = r->settings->threads;
    if (say_listens())
        how.progress = say_step;
    out.potential = potential;
    out.field = field;
    out.gradient = gradient;
    out.energy = energy;
    out.virial = virial;
    say_progress("checking the energy by %s", how.method);
    farsum_status status = farsum_plan_create(&p, &how, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, sys->n, sys->x, 0, NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, sys->q, &out);
    farsum_plan_destroy(plan);
    if (status == FARSUM_OK)
        return 0;
    c_locale_text(error, size, "the reference of the energy (%s): %s",
                  how.method, words_message());
    return -1;
}

/* Sets half the sums of q phi - p.E + Q:G/2 and of its magnitudes, in a common
 * power-of-two unit.  field: NULL without dipoles; gradient: NULL without
 * quadrupoles. */
static void add_up(const struct system *sys, const double *potential,
                   const double *field, const double *gradient, int unit,
                   double *energy, double *magnitude)
{
    *energy = *magnitude = 0;
    for (int64_t i = 0; i < sys->n; i++) {
        double v = 0.5
                   * outcome_energy(sys->q + sys->strengths * i, potential[i],
                                    field ? field + 3 * i : NULL,
                                    gradient ? gradient + 6 * i : NULL, unit);
        *energy += v;
        *magnitude += fabs(v);
    }
}

/* The energy's error, estimated from the targets' potentials. */
static double targets_error(const struct verify_request *r,
                            const struct verify_sample *s,
                            const double *potential, int unit)
{
    double sum = 0;
    for (int64_t k = 0; k < s->count; k++) {
        int64_t i = s->index[k];
        double d = ldexp(r->potential[i], -unit) - ldexp(potential[k], -unit);
        sum += (k < s->largest ? 1 : s->weight) * 0.5 * r->system->q[i] * d;
    }
    return sum;
}

static double over(double error, double magnitude)
{
    return error == 0 ? 0 : fabs(error) / magnitude;
}

static double trace_of(const double *virial, int unit)
{
    double sum = 0;
    for (int a = 0; a < 9; a += 4)
        sum += ldexp(virial[a], -unit);
    return sum;
}

int verify_energies(const struct verify_request *r,
                    const struct verify_sample *sample, const double *potential,
                    struct verify_result *result, char *error, size_t size)
{
    const struct system *sys = r->system;
    const struct settings *s = r->settings;
    double power = power_of(s), most = 0, energy, magnitude, was[9] = {0};
    double exact = 0, *all = NULL, *field = NULL, *gradient = NULL;
    int only = s->error == FARSUM_ERROR_ENERGY
               || (s->error == FARSUM_ERROR_PRESSURE && !is_power(s));
    only |= sys->moments; /* fields at the particles became forces */
    int whole = sys->n <= (only ? MOST : WHOLE);
    result->energy_error = result->virial_error = -1;
    if (!r->energy || sys->all_m > 0 || sys->flow
        || (sys->moments && !whole))
        return 0;
    for (int64_t i = 0; i < sys->n; i++)
        most = fmax(most, fabs(r->potential[i]));
    int unit = verify_exponent(most);
    add_up(sys, r->potential, NULL, NULL, unit, &energy, &magnitude);
    double of_energy = ldexp(*r->energy, -unit) - energy, of_virial = 0;
    double virial = r->virial ? trace_of(r->virial, unit) : 0;
    if (whole) {
        snprintf(error, size, "out of memory");
        int each = sys->moments == 0 ? 1 : sys->moments == 1 ? 4 : 10;
        all = malloc((size_t)sys->n * (size_t)each * sizeof *all);
        if (all && sys->moments)
            field = all + sys->n;
        if (all && sys->moments > 1)
            gradient = all + 4 * sys->n;
        if (!all
            || sum_whole(r, all, field, gradient, &exact, was, result, error,
                         size)
                   != 0) {
            free(all);
            return -1;
        }
        if (field)
            add_up(sys, all, field, gradient, unit, &energy, &magnitude);
        free(all);
        of_energy = ldexp(*r->energy, -unit) - ldexp(exact, -unit);
        of_virial = virial - trace_of(was, unit);
    } else {
        double part = targets_error(r, sample, potential, unit);
        of_energy += part;
        of_virial = virial - power * energy + power * part;
    }
    result->energy_error = over(of_energy, magnitude);
    if (r->virial && (whole || is_power(s)))
        result->virial_error = over(of_virial, power * magnitude);
    return 0;
}
