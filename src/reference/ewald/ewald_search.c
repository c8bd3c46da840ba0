/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_search.c: search for the cheapest cutoff at a given accuracy, for both
 * periodic references.
 *
 * With xi rc = s and kmax = 2 s xi, the truncation error of both sums is
 * exp(-s^2) times left(), a function of each reference. */
#include "base/mem.h"
#include "base/par.h"
#include "reference/ewald/ewald_open.h"

#include <math.h>

farsum_status ewald_count(const struct ewald_lattice *lattice,
                          const struct ewald_setup *setup,
                          struct ewald_count *count)
{
    if (!(setup->accuracy >= EWALD_BEST))
        FAIL(ERR_TOLERANCE, "ewald: reaches an accuracy of %g, not %g",
             EWALD_BEST, setup->accuracy);
    if (setup->accuracy >= 1 || !(setup->cutoff >= 0))
        FAIL(ERR_ARGUMENT, "ewald: accuracy %g, cutoff %g", setup->accuracy,
             setup->cutoff);
    int64_t m = setup->m > 0 ? setup->m : setup->n;
    int64_t n = setup->share_of > 0 ? setup->share_of : setup->n;
    *count = (struct ewald_count){
        .lattice = lattice,
        .volume = (double)lattice->filled,
        .n = (double)(n > 0 ? n : 1),
        .m = (double)(m > 0 ? m : 1),
        .length = (double)(lattice->length[0] + lattice->length[1] +
                           lattice->length[2]),
        .threads = par_threads(setup->threads),
        .vacuum = setup->vacuum,
        .same = setup->m <= 0,
    };
    return FARSUM_OK;
}

/* s of exp(-s^2) left() margin = accuracy. */
static double solve(const struct ewald_oracle *oracle, double accuracy,
                    double u)
{
    double s2 = log(oracle->margin / accuracy);
    for (int i = 0; i < 20; i++) {
        double left = oracle->left(oracle->data, s2, u);
        s2 = fmax(4, log(oracle->margin * left / accuracy));
    }
    return sqrt(s2);
}

static void estimate(const struct ewald_oracle *oracle,
                     const struct ewald_setup *setup,
                     const struct ewald_count *c, double s,
                     struct ewald_info *info)
{
    double rc = info->cutoff, kmax = 2 * s * s / rc;
    double tables = kmax * c->length / (2 * (double)EWALD_PI) + 3;
    struct ewald_work work = {
        .modes =
            c->volume * pow(kmax, 3) / (12 * (double)(EWALD_PI * EWALD_PI)),
        .tables = tables,
        .pairs = c->n * c->m / c->volume * 4.19 * pow(rc, 3),
        .looks = c->m * 1700,
        .points = c->same ? c->n : c->n + c->m,
    };
    if (c->lattice->axes < 3) {
        double kappas = (double)c->lattice->period
                        * (c->lattice->axes == 2
                               ? kmax * kmax / (4 * (double)EWALD_PI)
                               : kmax / (double)EWALD_PI);
        work.tables = 2 * ewald_open_count(c->lattice, kmax) + 2 * tables;
        work.modes = (kappas / 2 + 1) * ewald_open_count(c->lattice, kmax);
    }
    work.entries = work.modes / 2 * 1.3 + tables * tables;
    info->xi = s / rc;
    info->kmax = kmax;
    info->modes = (int64_t)fmin(work.modes, 1e18);
    oracle->price(oracle->data, c, &work, info);
    if (setup->price)
        setup->price(setup->price_data, c, &work, info);
}

void ewald_search(const struct ewald_oracle *oracle,
                  const struct ewald_setup *setup,
                  const struct ewald_count *count, enum ewald_level level,
                  struct ewald_info *info)
{
    double a = cbrt(count->volume / count->n), least = INFINITY;
    double capacity = (double)mem_machine() / 4;
    if (setup->memory > 0 && setup->memory < capacity)
        capacity = setup->memory;
    struct ewald_info try = {.level = level};
    for (double f = 0.25; f < 2000; f *= 1.04) {
        try.cutoff =
            setup->cutoff > 0 ? setup->cutoff : fmax(f * a, setup->soft);
        double s = solve(oracle, setup->accuracy, try.cutoff / a);
        if (s * a > oracle->xi_most * try.cutoff && !(setup->cutoff > 0))
            continue;
        estimate(oracle, setup, count, s, &try);
        /* Where memory lacks, the fewest modes. */
        double cost = try.seconds;
        if ((double)try.bytes > capacity)
            cost = 1e30 * (double)try.bytes;
        if (cost < least) {
            least = cost;
            *info = try;
        }
    }
}
