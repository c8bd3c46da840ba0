/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c: selection of targets, their sums by the reference, comparison. */
#include "verify.h"

#include "kernel.h"
#include "outcome.h"
#include "rng.h"
#include "say.h"
#include "words.h"

#include "base/c_locale.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns 1 if the error is measured from potentials instead of vectors. */
static int of_potentials(const struct verify_request *r)
{
    int error = r->settings->error;
    return error == FARSUM_ERROR_POTENTIAL || error == FARSUM_ERROR_ENERGY
           || error == FARSUM_ERROR_PRESSURE;
}

static int is_open(const struct system *sys)
{
    return !sys->periodic[0] && !sys->periodic[1] && !sys->periodic[2];
}

int verify_exponent(double size)
{
    return size > 0 && isfinite(size) ? ilogb(size) : 0;
}

static double size_of(const struct verify_request *r, int64_t i)
{
    if (of_potentials(r))
        return fabs(r->potential[i]);
    const double *v = r->vector + 3 * i; /* squares may overflow */
    double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))), sum = 0;
    if (!(most > 0) || !isfinite(most))
        return most;
    for (int c = 0; c < 3; c++)
        sum += (v[c] / most) * (v[c] / most);
    return most * sqrt(sum);
}

/* Sets s->index to the targets with the k largest vectors or potentials.  NaN
 * counts as the largest. */
static void pick_largest(const struct verify_request *r, int64_t targets,
                         struct verify_sample *s)
{
    int64_t found = 0;
    for (int64_t i = 0; i < targets; i++) {
        double v = size_of(r, i);
        int64_t at = found;
        while (at > 0 && !(v <= size_of(r, s->index[at - 1])))
            at--;
        if (at == s->largest)
            continue;
        int64_t last = found < s->largest ? found++ : s->largest - 1;
        memmove(s->index + at + 1, s->index + at,
                (size_t)(last - at) * sizeof *s->index);
        s->index[at] = i;
    }
}

/* Adds other targets at random, by selection sampling (Knuth, 3.4.2, algorithm
 * S). */
static int pick_others(int64_t targets, uint64_t seed, struct verify_sample *s)
{
    char *taken = calloc((size_t)targets, 1);
    if (!taken)
        return -1;
    for (int64_t k = 0; k < s->largest; k++)
        taken[s->index[k]] = 1;
    struct rng r = rng_seed(seed);
    int64_t left = targets - s->largest, at = s->largest;
    for (int64_t i = 0; i < targets && at < s->count; i++) {
        if (taken[i])
            continue;
        if (rng_uniform(&r) * (double)left < (double)(s->count - at))
            s->index[at++] = i;
        left--;
    }
    free(taken);
    return 0;
}

static int sample_make(const struct verify_request *r, struct verify_sample *s)
{
    int64_t targets = system_targets(r->system);
    int64_t wanted = r->settings->check_targets;
    if (!wanted) /* a percentile needs more than a mean */
        wanted = r->settings->error == FARSUM_ERROR_EACH ? 4000 : 1000;
    s->largest = (wanted + 9) / 10;
    s->count = wanted + s->largest;
    s->weight = 1;
    if (s->count >= targets) {
        s->count = targets;
        s->largest = 0;
    }
    s->index = malloc((size_t)s->count * sizeof *s->index);
    if (!s->index)
        return -1;
    if (s->count == targets) {
        for (int64_t i = 0; i < targets; i++)
            s->index[i] = i;
        return 0;
    }
    s->weight = (double)(targets - s->largest) / (double)wanted;
    pick_largest(r, targets, s);
    return pick_others(targets, r->settings->seed, s);
}

/* The squared strength of source j.  Vector: squared length; stresslet: product
 * of its two squared lengths; a dipole p acts at the mean distance a as a
 * charge sqrt(2) p/a, a quadrupole as sqrt(6) |Q|/a^2. */
static double strength_square(const struct system *sys, double a, int64_t j)
{
    const double *q = sys->q + sys->strengths * j;
    double square = 1;
    if (sys->moments) {
        square = q[0] * q[0];
        for (int c = 1; c < 4 && a > 0; c++)
            square += 2 * (q[c] / a) * (q[c] / a);
        for (int c = 4; c < sys->strengths && a > 0; c++) {
            double of = q[c] / a / a;
            square += (c == 4 || c == 7 || c == 9 ? 6 : 12) * of * of;
        }
        return square;
    }
    for (int k = 0; k < sys->strengths; k += 3) {
        double sum = 0;
        for (int c = k; c < k + 3 && c < sys->strengths; c++)
            sum += q[c] * q[c];
        square *= sum;
    }
    return square;
}

/* The force of a unit source at distance a; flows: its velocity. */
static double unit_vector(const struct settings *s, double a)
{
    const char *kernel = kernel_name(s);
    if (strcmp(kernel, "stokeslet") == 0)
        return 1 / a;
    if (strncmp(kernel, "yukawa", 6) == 0)
        return exp(-s->kappa * a) * (1 + s->kappa * a) / (a * a);
    if (strcmp(kernel, "r6") == 0)
        return 6 / pow(a, 7);
    return 1 / (a * a);
}

static double strength_rms(const struct system *sys)
{
    double sum = 0, a = cbrt(system_volume(sys) / (double)sys->n);
    for (int64_t j = 0; j < sys->n; j++)
        sum += strength_square(sys, a, j);
    return sqrt(sum / (double)sys->n);
}

/* The factor of vectors in an absolute error.  Separate targets have no charge,
 * so that their field is multiplied by the sources' RMS charge. */
static double absolute_factor(const struct verify_request *r)
{
    const struct system *sys = r->system;
    return sys->all_m && !sys->flow ? strength_rms(sys) : 1;
}

/* The smallest norm of forces, fields or velocities, so that a perfect crystal
 * has one.  It is C q_rms^2 for forces, C q_rms for fields and velocities,
 * times the force or velocity of a unit source at the mean distance of two, or
 * at the radius of softening.  Open space has no crystals. */
static double least_norm(const struct verify_request *r, double coulomb)
{
    const struct system *sys = r->system;
    double rms = strength_rms(sys), volume = system_volume(sys);
    if (is_open(sys) || of_potentials(r))
        return 0;
    double a = fmax(cbrt(volume / (double)sys->n), r->settings->softening);
    return coulomb * (sys->all_m || sys->flow ? rms : rms * rms)
           * unit_vector(r->settings, a);
}

/* RMS of the vectors as passed in.  An absolute tolerance over this is the
 * relative one, which sets how many digits the reference needs. */
static double rms_given(const struct verify_request *r)
{
    int64_t targets = system_targets(r->system);
    double sum = 0, most = 0;
    for (int64_t i = 0; i < 3 * targets; i++)
        most = fmax(most, fabs(r->vector[i]));
    int unit = verify_exponent(most);
    for (int64_t i = 0; i < 3 * targets; i++)
        sum += pow(ldexp(r->vector[i], -unit), 2);
    return ldexp(sqrt(sum / (double)targets), unit);
}

/* The reference's tolerance: at least three digits more than requested, and
 * twice as many where f64 allows. */
static double reference_tolerance(const struct verify_request *r,
                                  double tolerance, double coulomb)
{
    double relative = tolerance;
    if (r->settings->error == FARSUM_ERROR_ABSOLUTE) {
        double norm = fmax(rms_given(r), least_norm(r, coulomb))
                      * absolute_factor(r);
        relative = norm > 0 && isfinite(norm) ? tolerance / norm : 1e-6;
        relative = fmin(relative, 0.1);
    }
    return fmax(1e-14, fmin(relative * relative, 1e-3 * relative));
}

/* The reference's results at the targets. */
struct wanted {
    double *potential, *vector; /* owned; vector: fields or velocities */
    double *gradient;           /* owned; NULL unless sources have dipoles */
    double *third;              /* owned; NULL unless they have quadrupoles */
};

static void wanted_clear(struct wanted *w)
{
    free(w->potential);
    free(w->vector);
    free(w->gradient);
    free(w->third);
}

static int wanted_make(const struct system *sys, size_t targets,
                       struct wanted *w)
{
    w->potential = malloc(targets * sizeof *w->potential);
    w->vector = malloc(targets * 3 * sizeof *w->vector);
    if (sys->moments)
        w->gradient = malloc(targets * 6 * sizeof *w->gradient);
    if (sys->moments > 1)
        w->third = malloc(targets * 10 * sizeof *w->third);
    return w->potential && w->vector && (w->gradient || !sys->moments)
                   && (w->third || sys->moments < 2)
               ? 0
               : -1;
}

static farsum_status sum_reference(farsum_problem *problem,
                                   const farsum_options *how,
                                   const struct system *sys, const double *y,
                                   const struct exclude_list *exclude,
                                   const struct wanted *w)
{
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    out.potential = sys->flow ? NULL : w->potential;
    out.field = sys->flow ? NULL : w->vector;
    out.velocity = sys->flow ? w->vector : NULL;
    out.gradient = w->gradient;
    out.third = w->third;
    farsum_status status = farsum_plan_create(problem, how, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_exclusions(plan, exclude->count,
                                            exclude->pair, exclude->factor);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, sys->n, sys->x,
                                        problem->n_targets, y);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, sys->q, &out);
    farsum_plan_destroy(plan);
    return status;
}

/* Sets the values of the k-th target that are compared.  Returns their
 * number. */
static int compared(const struct verify_request *r,
                    const struct verify_sample *s, int64_t k,
                    const struct wanted *w, double given[3], double wanted[3])
{
    const struct system *sys = r->system;
    int64_t i = s->index[k];
    if (of_potentials(r)) {
        given[0] = r->potential[i];
        wanted[0] = w->potential[k];
        return 1;
    }
    for (int c = 0; c < 3; c++) {
        given[c] = r->vector[3 * i + c];
        wanted[c] = w->vector[3 * k + c];
        if (sys->all_m == 0 && !sys->flow)
            wanted[c] *= sys->q[sys->strengths * i];
    }
    if (sys->moments && sys->all_m == 0)
        outcome_force(sys->q + sys->strengths * i, w->vector + 3 * k,
                      w->gradient + 6 * k, w->third ? w->third + 10 * k : NULL,
                      wanted);
    return 3;
}

/* Computes the two sums of squares, over all targets by weight, in a common
 * power-of-two unit. */
static void compare(const struct verify_request *r,
                    const struct verify_sample *s, const struct wanted *w,
                    struct verify_result *result)
{
    double difference = 0, size = 0, most = 0, given[3], wanted[3];
    for (int64_t k = 0; k < s->count; k++)
        for (int c = compared(r, s, k, w, given, wanted) - 1; c >= 0; c--)
            most = fmax(most, fmax(fabs(given[c]), fabs(wanted[c])));
    int unit = verify_exponent(most);
    for (int64_t k = 0; k < s->count; k++) {
        double weight = k < s->largest ? 1 : s->weight;
        for (int c = compared(r, s, k, w, given, wanted) - 1; c >= 0; c--) {
            double d = ldexp(given[c], -unit) - ldexp(wanted[c], -unit);
            difference += weight * d * d;
            size += weight * pow(ldexp(wanted[c], -unit), 2);
        }
    }
    double targets = (double)system_targets(r->system);
    double norm = fmax(sqrt(size / targets), ldexp(result->norm, -unit));
    double measured = sqrt(difference / targets);
    if (r->settings->error == FARSUM_ERROR_ABSOLUTE)
        measured = ldexp(measured, unit) * absolute_factor(r);
    else if (!(measured == 0))
        measured /= norm;
    result->norm = ldexp(norm, unit);
    result->measured = measured;
}

/* A target's relative error, and its weight. */
struct each {
    double error, weight;
};

static int each_order(const void *a, const void *b)
{
    double one = ((const struct each *)a)->error;
    double other = ((const struct each *)b)->error;
    if (isnan(one) || isnan(other))
        return isnan(other) - isnan(one);
    return (one < other) - (one > other);
}

/* Computes the error that no more than one target of a hundred exceeds.  It is
 * relative to the target's own length or, if larger, to a tenth of the norm. */
static int compare_each(const struct verify_request *r,
                        const struct verify_sample *s, const struct wanted *w,
                        struct verify_result *result)
{
    double above = 0, given[3], wanted[3];
    struct each *e = malloc((size_t)s->count * sizeof *e);
    if (!e)
        return -1;
    int unit = verify_exponent(result->norm);
    for (int64_t k = 0; k < s->count; k++) {
        double difference = 0, size = 0;
        compared(r, s, k, w, given, wanted);
        for (int c = 0; c < 3; c++) {
            double right = ldexp(wanted[c], -unit);
            difference += pow(ldexp(given[c], -unit) - right, 2);
            size += right * right;
        }
        double length = fmax(sqrt(size), 0.1 * ldexp(result->norm, -unit));
        e[k].error = difference == 0 ? 0 : sqrt(difference) / length;
        e[k].weight = k < s->largest ? 1 : s->weight;
    }
    qsort(e, (size_t)s->count, sizeof *e, each_order);
    double allowed = 0.01 * (double)system_targets(r->system);
    for (int64_t k = 0; k < s->count && above <= allowed; k++) {
        result->measured = e[k].error;
        above += e[k].weight;
    }
    free(e);
    return 0;
}

/* Measures the error in the norm of the tolerance. */
static int measure(const struct verify_request *r,
                   const struct verify_sample *s, const struct wanted *w,
                   struct verify_result *result, char *error, size_t size)
{
    int norm = r->settings->error;
    compare(r, s, w, result);
    if (verify_energies(r, s, w->potential, result, error, size) != 0)
        return -1;
    snprintf(error, size, "out of memory");
    if (norm == FARSUM_ERROR_EACH)
        return compare_each(r, s, w, result);
    if (norm == FARSUM_ERROR_ENERGY)
        result->measured = result->energy_error;
    if (norm == FARSUM_ERROR_PRESSURE)
        result->measured = result->virial_error;
    if (result->measured >= 0 || isnan(result->measured))
        return 0;
    snprintf(error, size,
             norm == FARSUM_ERROR_ENERGY
                 ? "found no energy to check, or more than 20000 particles "
                   "with dipoles"
                 : "found no virial to check, or more than 20000 particles, "
                   "whose potentials do not determine it");
    return -1;
}

int verify(const struct verify_request *request, struct verify_result *result,
           char *error, size_t size)
{
    const struct system *sys = request->system;
    const struct settings *s = request->settings;
    struct verify_sample sample = {0};
    struct exclude_list exclude = {0};
    struct wanted w = {0};
    double *y = NULL, start = clock_seconds();
    int failed = -1;
    farsum_problem problem = system_problem(s, sys);
    farsum_options how = FARSUM_OPTIONS_INIT;
    how.method = is_open(sys) ? "direct" : "ewald";
    how.threads = s->threads;
    if (say_listens())
        how.progress = say_step;
    struct verify_result out = {.method = how.method};
    out.tolerance = s->tolerance > 0 ? s->tolerance : 1e-5;
    out.reference =
        reference_tolerance(request, out.tolerance, fabs(problem.coulomb));
    out.norm = least_norm(request, fabs(problem.coulomb));
    snprintf(error, size, "out of memory");
    if (sample_make(request, &sample) != 0)
        goto done;
    if (exclude_targets(&sys->exclude, sys->m ? sys->m : sys->n, sys->m > 0,
                        sample.index, sample.count, &exclude) != 0)
        goto done;
    size_t count = (size_t)sample.count;
    y = malloc(count * 3 * sizeof *y);
    if (!y || wanted_make(sys, count, &w) != 0)
        goto done;
    for (int64_t k = 0; k < sample.count; k++)
        memcpy(y + 3 * k, (sys->m ? sys->y : sys->x) + 3 * sample.index[k],
               3 * sizeof *y);
    problem.precision = FARSUM_F64;
    problem.tolerance = out.reference;
    if (!of_potentials(request))
        problem.error = sys->flow ? FARSUM_ERROR_VELOCITY : FARSUM_ERROR_FORCE;
    else
        problem.error = FARSUM_ERROR_POTENTIAL;
    problem.outputs =
        sys->flow ? FARSUM_VELOCITY : FARSUM_POTENTIAL | FARSUM_FIELD;
    if (sys->moments)
        problem.outputs |= FARSUM_GRADIENT;
    if (sys->moments > 1)
        problem.outputs |= FARSUM_THIRD;
    problem.n_targets = sample.count;
    problem.n_exclusions = 0; /* set later for the targets only */
    if (sys->exclude.count > 0) /* excluded pairs may coincide */
        problem.exclude_coincident = 1;
    say_progress("checking %lld targets by %s", (long long)sample.count,
                 how.method);
    if (sum_reference(&problem, &how, sys, y, &exclude, &w) != FARSUM_OK) {
        c_locale_text(error, size, "the reference (%s, tolerance %.3g): %s",
                      how.method, out.reference, words_message());
        goto done;
    }
    if (measure(request, &sample, &w, &out, error, size) != 0)
        goto done;
    out.count = sample.count;
    out.seconds = clock_seconds() - start;
    *result = out;
    failed = 0;
done:
    say_progress("%s", "");
    exclude_clear(&exclude);
    free(sample.index);
    free(y);
    wanted_clear(&w);
    return failed;
}

int verify_exceeds(const struct verify_result *result)
{
    return !(result->measured <= result->tolerance);
}
