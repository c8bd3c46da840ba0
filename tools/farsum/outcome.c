/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.c: text output of a frame's result. */
#include "outcome.h"

#include "kernel.h"
#include "units.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int force_beyond(int64_t particle, char *error, size_t size)
{
    snprintf(error, size,
             "the force on particle %lld is beyond 1.8e308: give charges and "
             "positions in larger units",
             (long long)particle);
    return -1;
}

int outcome_forces(int64_t n, int64_t first, const double *q,
                   const double *field, double *forces, char *error,
                   size_t size)
{
    for (int64_t i = 0; i < 3 * n; i++) {
        forces[i] = q[i / 3] * field[i];
        if (isfinite(forces[i]))
            continue;
        return force_beyond(first + i / 3 + 1, error, size);
    }
    return 0;
}

/* Number a, b of a symmetric tensor xx xy xz yy yz zz. */
static const int six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/* Number a, b, c of xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz. */
static int ten(int a, int b, int c)
{
    int row = (a > 0) + (b > 0) + (c > 0), z = (a > 1) + (b > 1) + (c > 1);
    return row * (row + 1) / 2 + z;
}

void outcome_force(const double *q, const double field[3],
                   const double gradient[6], const double *third,
                   double force[3])
{
    for (int d = 0; d < 3; d++) {
        force[d] = q[0] * field[d] - gradient[six[d][0]] * q[1]
                   - gradient[six[d][1]] * q[2] - gradient[six[d][2]] * q[3];
        for (int k = 0; third && k < 9; k++)
            force[d] -=
                0.5 * third[ten(d, k / 3, k % 3)] * q[4 + six[k / 3][k % 3]];
    }
}

/* p x E, with a quadrupole less eps:(Q G). */
static void outcome_torque(const double *q, const double field[3],
                           const double gradient[6], int quadrupole,
                           double torque[3])
{
    for (int d = 0; d < 3; d++) {
        int b = (d + 1) % 3, c = (d + 2) % 3;
        torque[d] = q[1 + b] * field[c] - q[1 + c] * field[b];
        for (int k = 0; quadrupole && k < 3; k++)
            torque[d] -= q[4 + six[b][k]] * gradient[six[k][c]]
                         - q[4 + six[c][k]] * gradient[six[k][b]];
    }
}

double outcome_energy(const double *q, double potential, const double *field,
                      const double *gradient, int unit)
{
    double sum = q[0] * ldexp(potential, -unit);
    for (int d = 0; field && d < 3; d++)
        sum -= q[1 + d] * ldexp(field[d], -unit);
    for (int k = 0; gradient && k < 9; k++)
        sum += 0.5 * q[4 + six[k / 3][k % 3]]
               * ldexp(gradient[six[k / 3][k % 3]], -unit);
    return sum;
}

int outcome_particles(const struct system *sys, int64_t first,
                      struct outcome *o, char *error, size_t size)
{
    if (!sys->moments)
        return outcome_forces(sys->n, first, sys->q, o->vector, o->vector,
                              error, size);
    o->torque = malloc(3 * (size_t)sys->n * sizeof *o->torque + 1);
    if (!o->torque) {
        snprintf(error, size, "no memory for the result");
        return -1;
    }
    for (int64_t i = 0; i < sys->n; i++) {
        const double *q = sys->q + sys->strengths * i;
        double *e = o->vector + 3 * i, force[3];
        outcome_force(q, e, o->gradient + 6 * i,
                      o->third ? o->third + 10 * i : NULL, force);
        outcome_torque(q, e, o->gradient + 6 * i, o->third != NULL,
                       o->torque + 3 * i);
        for (int d = 0; d < 3; d++) {
            if (!isfinite(force[d]) || !isfinite(o->torque[3 * i + d]))
                return force_beyond(first + i + 1, error, size);
        }
        memcpy(e, force, sizeof force);
    }
    return 0;
}

double outcome_energy_part(struct ranks *ranks, const struct system *sys,
                           const double *potential, const double *field,
                           const double *gradient, double energy)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < sys->n; i++)
        most = fmax(most, fabs(potential[i]));
    for (int64_t i = 0; sys->moments && i < 3 * sys->n; i++)
        most = fmax(most, fabs(field[i]));
    for (int64_t i = 0; sys->moments > 1 && i < 6 * sys->n; i++)
        most = fmax(most, fabs(gradient[i]));
    ranks_max(ranks, &most, 1);
    int unit = verify_exponent(most);
    for (int64_t i = 0; i < sys->n; i++) {
        const double *q = sys->q + sys->strengths * i;
        sum += 0.5
               * fabs(outcome_energy(
                   q, potential[i], sys->moments ? field + 3 * i : NULL,
                   sys->moments > 1 ? gradient + 6 * i : NULL, unit));
    }
    ranks_sum(ranks, &sum, 1);
    return sum > 0 ? fabs(ldexp(energy, -unit)) / sum : 0;
}

void outcome_flow(struct outcome *o, struct ranks *ranks, int64_t n,
                  int64_t all)
{
    double sums[4] = {0}, most = 0; /* mean, and mean square */
    for (int64_t i = 0; i < 3 * n; i++)
        most = fmax(most, fabs(o->vector[i]));
    ranks_max(ranks, &most, 1);
    int unit = most > 0 ? ilogb(most) : 0; /* avoids overflow of the squares */
    for (int64_t i = 0; i < 3 * n; i++) {
        double v = ldexp(o->vector[i], -unit);
        sums[i % 3] += o->vector[i] / (double)all;
        sums[3] += v * v / (double)all;
    }
    ranks_sum(ranks, sums, 4);
    memcpy(o->flow_mean, sums, sizeof o->flow_mean);
    o->flow_rms = ldexp(sqrt(sums[3]), unit);
}

double outcome_imbalance(const struct outcome *o)
{
    double most = 0, sum = 0;
    for (int r = 0; r < o->ranks; r++) {
        most = fmax(most, (double)o->work[r].own);
        sum += (double)o->work[r].own;
    }
    return sum > 0 ? most * o->ranks / sum : 1;
}

double outcome_of_itself(double error, double part)
{
    return error >= 0 && part > 0 ? error / part : NAN;
}

void outcome_free(struct outcome *o)
{
    free(o->potential);
    free(o->vector);
    free(o->gradient);
    free(o->third);
    free(o->share);
    free(o->torque);
    free(o->acceleration);
    free(o->work);
    memset(o, 0, sizeof *o);
}

static const char *kind_text(const struct settings *s, int targets)
{
    if (s->error == FARSUM_ERROR_ENERGY)
        return "of the energy, over half the sum of |q phi|";
    if (s->error == FARSUM_ERROR_PRESSURE)
        return strcmp(kernel_name(s), "r6") == 0
                   ? "of the virial's trace, over 3 times the sum of |q phi|"
                   : "of the virial's trace, over half the sum of |q phi|";
    if (s->error == FARSUM_ERROR_EACH)
        return kernel_flow(s) ? "of 99 of 100 velocities"
               : targets      ? "of 99 of 100 fields"
                              : "of 99 of 100 forces";
    if (s->error == FARSUM_ERROR_VELOCITY)
        return "relative RMS of the velocity";
    if (kernel_flow(s))
        return "RMS of the velocity";
    if (s->error == FARSUM_ERROR_POTENTIAL)
        return "relative RMS of the potential";
    if (s->error == FARSUM_ERROR_ABSOLUTE)
        return targets ? "RMS of the field times the RMS charge"
                       : "RMS of the force";
    return targets ? "relative RMS of the field" : "relative RMS of the force";
}

/* "energy 1e-08 (2e-08 of itself), virial 3e-06". */
static void print_energies(const char *what, double energy, double virial,
                           double part, FILE *out)
{
    if (!(energy >= 0) && !(virial >= 0))
        return;
    fprintf(out, "          %s", what);
    if (energy >= 0)
        c_locale_write(out, " energy %.3g", energy);
    if (energy >= 0 && part > 0)
        c_locale_write(out, " (%.3g of itself)", energy / part);
    if (virial >= 0)
        c_locale_write(out, "%s virial %.3g", energy >= 0 ? "," : "", virial);
    fputs("\n", out);
}

static void print_errors(const struct outcome *o, const struct settings *s,
                         FILE *out)
{
    c_locale_write(out, "error     tolerance %.3g, estimated %.3g",
                   o->info.tolerance, o->info.estimated_error);
    if (o->info.checked_error >= 0)
        fprintf(out, " by a second sum of %lld targets",
                (long long)o->info.checked_targets);
    if (o->info.bound > 0)
        c_locale_write(out, ", bound %.3g", o->info.bound);
    fputs(outcome_warning(s, &o->info), out);
    if (o->has_check)
        c_locale_write(out, ", measured %.3g%s", o->check.measured,
                       verify_exceeds(&o->check) ? " (ABOVE the tolerance)"
                                                 : "");
    fprintf(out, "  (%s)\n", kind_text(s, o->m != 0));
    print_energies("estimated", o->info.estimated_energy_error,
                   o->info.estimated_virial_error, o->energy_part, out);
    if (o->has_check)
        print_energies("measured", o->check.energy_error,
                       o->check.virial_error, o->energy_part, out);
    if (o->has_check)
        c_locale_write(out,
                       "          measured on %lld of %lld targets against %s "
                       "at %.3g in %.3g s\n",
                       (long long)o->check.count,
                       (long long)(o->m ? o->m : o->n), o->check.method,
                       o->check.reference, o->check.seconds);
}

static void print_times(const struct outcome *o, FILE *out)
{
    const farsum_plan_info *info = &o->info;
    c_locale_write(
        out, "time      plan %.3g s, set_points %.3g s, execute %.3g s",
        info->seconds_create, info->seconds_set_points, info->seconds_execute);
    if (info->checked_error >= 0)
        c_locale_write(out, ", second sum %.3g s", info->seconds_verify);
    if (info->seconds_execute > 0)
        c_locale_write(out, " (%.3g particles/s)",
                       (double)o->n / info->seconds_execute);
    fputs("\n", out);
    for (int k = 0; k < info->n_stages; k++)
        c_locale_write(out, "%s%s %s %.3g s", k ? ", " : "          ",
                       info->stages[k].stage, info->stages[k].variant,
                       info->stages[k].seconds);
    if (info->queues > 1 && info->seconds_stages > 0)
        c_locale_write(out, ", concurrent in %d queues, all of them %.3g s",
                       info->queues, info->seconds_stages);
    if (info->n_stages)
        fputs("\n", out);
}

/* "2047 to 2049" of a number of each rank. */
static void print_range(int64_t least, int64_t most, const char *what,
                        FILE *out)
{
    if (least == most)
        fprintf(out, "%lld %s", (long long)most, what);
    else
        fprintf(out, "%lld to %lld %s", (long long)least, (long long)most,
                what);
}

/* Prints the names of the ranks' devices, each once. */
static void print_devices(const struct outcome *o, FILE *out)
{
    if (!*o->work[0].transport)
        return;
    for (int r = 0; r < o->ranks; r++) {
        const char *name = o->work[r].device;
        int k = 0;
        while (k < r && strcmp(o->work[k].device, name) != 0)
            k++;
        if (k == r)
            fprintf(out, "%s%s", r == 0 ? "          devices " : ", ", name);
    }
    fprintf(out, "; exchanges by %s\n", o->work[0].transport);
}

/* A line of the exchanges: bytes of all ranks and the most of one, seconds of
 * the rank that took least and of the one that took most.  part COMM_PARTS: all
 * parts together. */
static void print_exchange(const struct outcome *o, int part, FILE *out)
{
    int first = part < COMM_PARTS ? part : 0;
    int last = part < COMM_PARTS ? part : COMM_PARTS - 1;
    double all = 0, most = 0, least_s = INFINITY, most_s = 0;
    for (int r = 0; r < o->ranks; r++) {
        double bytes = 0, seconds = 0;
        for (int k = first; k <= last; k++) {
            bytes += (double)o->work[r].spent[k].bytes;
            seconds += o->work[r].spent[k].seconds;
        }
        all += bytes;
        most = fmax(most, bytes);
        least_s = fmin(least_s, seconds);
        most_s = fmax(most_s, seconds);
    }
    fprintf(out, "%-11s",
            part < COMM_PARTS ? ranks_work_names[part] : "together");
    c_locale_write(out, " %12.4g %13.4g %12.4g %12.4g\n", all, most, least_s,
                   most_s);
}

/* Prints what the ranks did. */
static void print_ranks(const struct outcome *o, FILE *out)
{
    int64_t own[2] = {INT64_MAX, 0}, ghosts[2] = {INT64_MAX, 0};
    for (int r = 0; r < o->ranks; r++) {
        const struct ranks_work *w = &o->work[r];
        own[0] = w->own < own[0] ? w->own : own[0];
        own[1] = w->own > own[1] ? w->own : own[1];
        ghosts[0] = w->ghosts < ghosts[0] ? w->ghosts : ghosts[0];
        ghosts[1] = w->ghosts > ghosts[1] ? w->ghosts : ghosts[1];
    }
    int across = o->work[0].across;
    fprintf(out, "ranks     %d, ", o->ranks);
    if (across > 1)
        fprintf(out, "%d x %d pencils, ", o->ranks / across, across);
    fprintf(out, "each with ");
    print_range(own[0], own[1], "particles and ", out);
    print_range(ghosts[0], ghosts[1], "ghosts", out);
    c_locale_write(out, "; imbalance %.3g\n", outcome_imbalance(o));
    print_devices(o, out);
    fprintf(out, "%-11s %12s %13s %12s %12s\n", "exchange", "sent bytes",
            "most per rank", "least s", "most s");
    for (int k = 0; k <= COMM_PARTS; k++)
        print_exchange(o, k, out);
}

/* Prints a flow's statistics, where other kernels have the energy. */
static void print_flow(const struct outcome *o, FILE *out)
{
    c_locale_write(out, "velocity  mean %.9g %.9g %.9g, RMS %.9g\n",
                   o->flow_mean[0], o->flow_mean[1], o->flow_mean[2],
                   o->flow_rms);
}

/* Prints later frames in one line each, so that a thousand of them can be
 * read. */
static void print_later(const struct outcome *o, const struct units *units,
                        FILE *out)
{
    if (o->new_plan)
        fprintf(out, "frame %lld needs a new plan: %s\n", (long long)o->frame,
                o->new_plan);
    fprintf(out, "frame %lld  ", (long long)o->frame);
    if (o->has_energy)
        c_locale_write(out, "energy %.15g%s%s, ", o->energy,
                       *units->energy ? " " : "", units->energy);
    c_locale_write(out, "estimated %.3g%s, ", o->info.estimated_error,
                   outcome_misses(&o->info) ? " (ABOVE the tolerance)" : "");
    if (o->has_check)
        c_locale_write(out, "measured %.3g%s, ", o->check.measured,
                       verify_exceeds(&o->check) ? " (ABOVE the tolerance)"
                                                 : "");
    c_locale_write(out, "%.3g s\n",
                   o->info.seconds_set_points + o->info.seconds_execute);
}

void outcome_print(const struct outcome *o, const struct settings *s,
                   const farsum_plan *plan, FILE *out)
{
    const struct units *units =
        units_find(s->units ? options_word("units", s->units) : "reduced");
    if (o->frame > 1) {
        print_later(o, units, out);
        if (o->new_plan)
            farsum_plan_print(plan, out);
        return;
    }
    fprintf(out, "particles %lld", (long long)o->n);
    if (o->m)
        fprintf(out, ", targets %lld", (long long)o->m);
    fprintf(out, "; %s by %s on %s, %s, %d thread%s\n", o->info.kernel,
            o->info.method, o->info.device,
            options_word("precision", (int)o->info.precision), o->info.threads,
            o->info.threads == 1 ? "" : "s");
    if (o->has_energy) {
        c_locale_write(out, "energy    %.15g%s%s\n", o->energy,
                       *units->energy ? " " : "", units->energy);
    }
    if (o->has_virial) {
        c_locale_write(out,
                       "virial    %.9g %.9g %.9g  %.9g %.9g %.9g  %.9g %.9g "
                       "%.9g\n",
                       o->virial[0], o->virial[1], o->virial[2], o->virial[3],
                       o->virial[4], o->virial[5], o->virial[6], o->virial[7],
                       o->virial[8]);
    }
    if (s->surface == FARSUM_VACUUM)
        fprintf(out, "surface   vacuum: the sums depend on the images that the "
                "particles are given by%s\n", o->info.net_strength != 0
                ? " and, with their net charge, on the origin" : "");
    if (o->flow)
        print_flow(o, out);
    print_errors(o, s, out);
    print_times(o, out);
    if (o->ranks > 0)
        print_ranks(o, out);
    farsum_plan_print(plan, out);
}
