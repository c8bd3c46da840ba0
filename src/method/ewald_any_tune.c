/* ewald_any_tune.c: cutoff and wave vectors from the accuracy and the price.
 *
 * With xi rc = s and kmax = 2 s xi both sums are cut at exp(-s^2) times what
 * the kernel's random() and aligned() say (math.md 7.3).  s is such that the
 * truncation, were all that is left out to work together, is within accuracy
 * over MARGIN of strength/a^power, a = (V/N)^(1/3): random strengths then end
 * far below, and velocities smaller than those of neighbours still well. */
#include "base/mem.h"
#include "base/par.h"
#include "method/ewald_any_part.h"

#include <math.h>

enum { MARGIN = 16 };

/* Seconds, measured on one core of a 2.4 GHz Zen 3 with AVX2. */
static const double price_pair = 9e-8;      /* a pair within rc */
static const double price_box = 4e-9;       /* a target's look into a box */
static const double price_gather = 1.6e-10; /* source, channel and mode */
static const double price_eval = 1.2e-10;   /* target, value and mode */
static const double price_table = 1e-8;     /* a point and one factor */

static double left_out(const struct exact_kind *kind, double s, double u)
{
    return kind->random(s, u) + kind->aligned(s, u);
}

/* s of exp(-s^2) left_out MARGIN = accuracy. */
static double solve(const struct exact_kind *kind, double accuracy, double u)
{
    double s2 = log(MARGIN / accuracy);
    for (int i = 0; i < 20; i++)
        s2 = fmax(4, log(MARGIN * left_out(kind, sqrt(s2), u) / accuracy));
    return sqrt(s2);
}

struct count {
    double volume, n, m, length; /* the last: sum of the basis vectors' */
    int threads, same;
};

static void estimate(const struct exact_kind *kind, const struct count *c,
                     double s, struct ewald_info *info)
{
    double rc = info->cutoff, kmax = 2 * s * s / rc;
    double modes =
        c->volume * pow(kmax, 3) / (12 * (double)(EWALD_PI * EWALD_PI));
    double tables = kmax * c->length / (2 * (double)EWALD_PI) + 3;
    double pairs = c->n * c->m / c->volume * 4.19 * pow(rc, 3);
    info->xi = s / rc;
    info->kmax = kmax;
    info->modes = (int64_t)fmin(modes, 1e18);
    info->seconds =
        (pairs * price_pair + c->m * 1700 * price_box +
         modes * (c->n * price_gather * kind->channels +
                  c->m * price_eval * kind->values) +
         (c->n + c->m) * tables * price_table) / c->threads;
    double entries = modes / 2 * 1.3 + tables * tables;
    double points = c->same ? c->n : c->n + c->m;
    info->bytes = (uint64_t)fmin(
        1e18, points * (kind->mean ? 132 : 108) + c->n * 8 * kind->channels +
                  8 * (entries * (8 * kind->channels + 4 * kind->values) +
                       tables * c->threads * 2 * EWALD_SOURCES));
}

double ewald_any_cut(const struct exact_kind *kind,
                     const struct ewald_info *info, double a)
{
    double s = info->xi * info->cutoff;
    return exp(-s * s) * kind->random(s, info->cutoff / a);
}

farsum_status ewald_any_tune(const struct exact_kind *kind,
                             const struct ewald_lattice *lattice,
                             const struct ewald_setup *setup,
                             struct ewald_info *info)
{
    if (!(setup->accuracy >= EWALD_BEST))
        FAIL(ERR_TOLERANCE, "ewald: reaches an accuracy of %g, not %g",
             EWALD_BEST, setup->accuracy);
    if (setup->accuracy >= 1 || !(setup->cutoff >= 0))
        FAIL(ERR_ARGUMENT, "ewald: accuracy %g, cutoff %g", setup->accuracy,
             setup->cutoff);
    int64_t m = setup->m > 0 ? setup->m : setup->n;
    struct count c = {
        .volume = (double)lattice->volume,
        .n = (double)(setup->n > 0 ? setup->n : 1),
        .m = (double)(m > 0 ? m : 1),
        .length = (double)(lattice->length[0] + lattice->length[1] +
                           lattice->length[2]),
        .threads = par_threads(setup->threads),
        .same = setup->m <= 0,
    };
    double a = cbrt(c.volume / c.n), least = INFINITY;
    double room = (double)mem_machine() / 4;
    struct ewald_info try = {.level = EWALD_F64};
    for (double f = 0.25; f < 2000; f *= 1.04) {
        try.cutoff = setup->cutoff > 0 ? setup->cutoff : f * a;
        double u = try.cutoff / a, s = solve(kind, setup->accuracy, u);
        estimate(kind, &c, s, &try);
        try.estimate = ewald_any_cut(kind, &try, a) + EWALD_ANY_ROUNDING;
        /* Where memory lacks, the fewest modes. */
        double cost = try.seconds;
        if ((double)try.bytes > room)
            cost = 1e30 * (double)try.bytes;
        if (cost < least) {
            least = cost;
            *info = try;
        }
    }
    return FARSUM_OK;
}
