/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_any_tune.c: cutoff and wave vectors from accuracy and cost.
 *
 * The kernel's random() and aligned() give the truncation error (math.md 7.3).
 * s is chosen so that the truncation error, if all of it were coherent, is at
 * most accuracy/MARGIN of strength/a^power, a = (V/N)^(1/3).  The error of
 * random strengths is then far smaller.  Velocities smaller than those due to
 * neighbours remain accurate. */
#include "reference/ewald/ewald_any_part.h"

#include <math.h>

enum { MARGIN = 16 };

/* Seconds, measured on one core of a 2.4 GHz Zen 3 with AVX2. */
static const double price_pair = 9e-8;      /* a pair within rc */
static const double price_box = 4e-9;       /* a check of a box for a target */
static const double price_gather = 1.6e-10; /* source, channel and mode */
static const double price_eval = 1.2e-10;   /* target, value and mode */
static const double price_table = 1e-8;     /* a point and one factor */

static double left_out(const void *data, double s2, double u)
{
    const struct reference_kind *kind = data;
    double s = sqrt(s2);
    return kind->random(s, u) + kind->aligned(s, u);
}

static void price(const void *data, const struct ewald_count *c,
                  const struct ewald_work *work, struct ewald_info *info)
{
    const struct reference_kind *kind = data;
    info->seconds =
        (work->pairs * price_pair + work->looks * price_box +
         work->modes * (c->n * price_gather * kind->channels +
                        c->m * price_eval * kind->values) +
         (c->n + c->m) * work->tables * price_table) / c->threads;
    info->bytes = (uint64_t)fmin(
        1e18, work->points * (kind->mean ? 132 : 108) +
                  c->n * 8 * kind->channels +
                  8 * (work->entries * (8 * kind->channels + 4 * kind->values) +
                       work->tables * c->threads * 2 * EWALD_SOURCES));
    info->estimate =
        ewald_any_cut(kind, info, cbrt(c->volume / c->n)) + EWALD_ANY_ROUNDING;
}

double ewald_any_cut(const struct reference_kind *kind,
                     const struct ewald_info *info, double a)
{
    double s = info->xi * info->cutoff;
    return exp(-s * s) * kind->random(s, info->cutoff / a);
}

/* Screened potentials fall as e^-u, u = kappa a.  With c = kappa/(2 xi), the
 * modes and a charge's own part fall as e^(-c^2); the truncation error falls as
 * e^(-s^2 - c^2) while c <= s.  Where c^2 is far below u, results are smaller
 * than the rounding of the terms.  So c^2 >= u is required.  For u above
 * log(1/accuracy), s grows with c: s^2 = c^2 = (u + log(1/accuracy))/2. */
static void screened(double u, double *accuracy, double *xi_most)
{
    const double free = 2; /* exponents that cost less than a digit */
    double digits = -log(*accuracy);
    double c2 = fmin(u, (u + digits) / 2) - free;
    *xi_most = c2 > 0 ? 0.5 * u / sqrt(c2) : INFINITY;
    *accuracy *= exp(-fmax(0, (u - digits) / 2));
}

farsum_status ewald_any_tune(const struct reference_kind *kind, double screen,
                             const struct ewald_lattice *lattice,
                             const struct ewald_setup *setup,
                             struct ewald_info *info)
{
    struct ewald_oracle oracle = {MARGIN, INFINITY, left_out, price, kind};
    struct ewald_count count;
    TRY(ewald_count(lattice, setup, &count));
    struct ewald_setup finer = *setup;
    screened(screen * cbrt(count.volume / count.n), &finer.accuracy,
             &oracle.xi_most);
    ewald_search(&oracle, &finer, &count, EWALD_F64, info);
    return FARSUM_OK;
}
