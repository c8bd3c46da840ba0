/* ewald_tune.c: cutoff and wave vectors from the accuracy and the price.
 *
 * With xi rc = s and kmax = 2 s xi both truncation errors are exp(-s^2) times
 * (Kolafa and Perram, Mol. Simul. 9:351, 1992, for random charges; a =
 * (V/N)^(1/3), relative to q^2/a^2 and q/a)
 *     force 2 sqrt(a/rc),   potential sqrt(rc/a)/s^2,
 * near and far alike.  MARGIN covers order in the charges, what the RMS leaves
 * out, and the far virial, whose last terms weigh 2 s^2 times the energy's. */
#include "base/mem.h"
#include "base/par.h"
#include "method/ewald_part.h"

#include <math.h>

enum { MARGIN = 128 };

/* Seconds, measured on one core of a 2.4 GHz Zen 3 with AVX2. */
struct price {
    double pair;   /* near: a pair within rc */
    double box;    /* near: a target's look into a box */
    double gather; /* far: a source and a mode */
    double eval;   /* far: a target and a mode */
    double table;  /* far: a point and one factor exp(2 pi i n s) */
    double real_size;
};
static const struct price price_of[] = {
    [EWALD_F64] = {9e-8, 4e-9, 1.6e-10, 3e-10, 1e-8, 8},
    [EWALD_LONG] = {5e-7, 4e-9, 8e-9, 1.5e-8, 1e-7, 16},
};

/* Work in long double that EWALD_AUTO accepts: core seconds. */
static const double long_work = 4;

/* s of exp(-s^2) max(...) MARGIN = accuracy. */
static double solve(double accuracy, double rc_over_a)
{
    double s2 = log(MARGIN / accuracy);
    for (int i = 0; i < 20; i++) {
        double force = 2 / sqrt(rc_over_a), pot = sqrt(rc_over_a) / s2;
        s2 = fmax(4, log(MARGIN * fmax(force, pot) / accuracy));
    }
    return sqrt(s2);
}

struct count {
    double volume, n, m, length; /* the last: sum of the basis vectors' */
    int threads, vacuum, same;
};

static void estimate(const struct count *c, const struct price *p, double s,
                     struct ewald_info *info)
{
    double kmax = 2 * s * s / info->cutoff, rc = info->cutoff;
    double modes =
        c->volume * pow(kmax, 3) / (12 * (double)(EWALD_PI * EWALD_PI));
    double tables = kmax * c->length / (2 * (double)EWALD_PI) + 3;
    double pairs = c->n * c->m / c->volume * 4.19 * pow(rc, 3);
    info->xi = s / rc;
    info->kmax = kmax;
    info->modes = (int64_t)fmin(modes, 1e18);
    info->seconds = (pairs * p->pair + c->m * 1700 * p->box +
                     modes * (c->n * p->gather + c->m * p->eval) +
                     (c->n + c->m) * tables * p->table) /
                    c->threads;
    double entries = modes / 2 * 1.3 + tables * tables;
    double points = c->same ? c->n : c->n + c->m;
    info->bytes = (uint64_t)fmin(
        1e18, points * (108 + 24 * c->vacuum) + c->n * 8 + c->m / 32 * 160 +
                  p->real_size * (entries * (8. * c->threads + 6) +
                                  tables * c->threads * 2 * EWALD_SOURCES));
}

static void best(const struct ewald_setup *setup, const struct count *c,
                 enum ewald_level level, struct ewald_info *info)
{
    const struct price *p = &price_of[level];
    double a = cbrt(c->volume / c->n), least = INFINITY;
    double room = (double)mem_machine() / 4;
    struct ewald_info try = {.level = level};
    for (double f = 0.25; f < 2000; f *= 1.04) {
        try.cutoff = setup->cutoff > 0 ? setup->cutoff : f * a;
        double s = solve(setup->accuracy, try.cutoff / a);
        estimate(c, p, s, &try);
        try.estimate = setup->accuracy * sqrt(2) / MARGIN;
        /* Where memory lacks, the fewest modes. */
        double cost = try.seconds;
        if ((double)try.bytes > room)
            cost = 1e30 * (double)try.bytes;
        if (cost < least) {
            least = cost;
            *info = try;
        }
    }
}

farsum_status ewald_tune(const struct ewald_lattice *lattice,
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
        .vacuum = setup->vacuum,
        .same = setup->m <= 0,
    };
    enum ewald_level level = setup->level;
    if (level == EWALD_AUTO) {
        level = EWALD_F64;
        if (setup->accuracy < 1e-12) {
            best(setup, &c, EWALD_LONG, info);
            if (info->seconds * c.threads <= long_work)
                level = EWALD_LONG;
        }
    }
    best(setup, &c, level, info);
    return FARSUM_OK;
}
