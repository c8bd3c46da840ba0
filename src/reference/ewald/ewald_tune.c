/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_tune.c: cutoff and wave vectors from accuracy and cost.
 *
 * Truncation errors are exp(-s^2) times (Kolafa and Perram, Mol. Simul. 9:351,
 * 1992, for random charges; a = (V/N)^(1/3), relative to q^2/a^2 and q/a)
 *     force 2 sqrt(a/rc),   potential sqrt(rc/a)/s^2,
 * for the near and the far sum.  MARGIN covers correlated charges, errors above
 * the RMS, and the far virial, whose last terms weigh 2 s^2 times the
 * energy's. */
#include "reference/ewald/ewald_part.h"

#include <math.h>

enum { MARGIN = 128 };

/* Seconds, measured on one core of a 2.4 GHz Zen 3 with AVX2. */
struct price {
    double pair;   /* near: a pair within rc */
    double box;    /* near: a check of a box for a target */
    double gather; /* far: a source and a mode */
    double eval;   /* far: a target and a mode */
    double table;  /* far: a factor exp(2 pi i n s) of a point */
    double real_size;
};
static const struct price price_of[] = {
    [EWALD_F64] = {9e-8, 4e-9, 1.6e-10, 3e-10, 1e-8, 8},
    [EWALD_LONG] = {5e-7, 4e-9, 8e-9, 1.5e-8, 1e-7, 16},
};

/* Work in long double that EWALD_AUTO accepts, in core seconds. */
static const double long_work = 4;

static double left_out(const void *data, double s2, double u)
{
    (void)data;
    return fmax(2 / sqrt(u), sqrt(u) / s2);
}

static void price(const void *data, const struct ewald_count *c,
                  const struct ewald_work *work, struct ewald_info *info)
{
    const struct ewald_setup *setup = data;
    const struct price *p = &price_of[info->level];
    info->seconds = (work->pairs * p->pair + work->looks * p->box +
                     work->modes * (c->n * p->gather + c->m * p->eval) +
                     (c->n + c->m) * work->tables * p->table) /
                    c->threads;
    info->bytes = (uint64_t)fmin(
        1e18,
        work->points * (108 + 24 * c->vacuum) + c->n * 8 + c->m / 32 * 160 +
            p->real_size * (work->entries * (8. * c->threads + 6) +
                            work->tables * c->threads * 2 * EWALD_SOURCES));
    info->estimate = setup->accuracy * sqrt(2) / MARGIN;
}

farsum_status ewald_tune(const struct ewald_lattice *lattice,
                         const struct ewald_setup *setup,
                         struct ewald_info *info)
{
    const struct ewald_oracle oracle = {MARGIN, INFINITY, left_out, price,
                                        setup};
    enum ewald_level level = setup->level;
    struct ewald_count count;
    TRY(ewald_count(lattice, setup, &count));
    if (level == EWALD_AUTO) {
        level = EWALD_F64;
        if (setup->accuracy < 1e-12) {
            ewald_search(&oracle, setup, &count, EWALD_LONG, info);
            if (info->seconds * count.threads <= long_work)
                level = EWALD_LONG;
        }
    }
    ewald_search(&oracle, setup, &count, level, info);
    return FARSUM_OK;
}
