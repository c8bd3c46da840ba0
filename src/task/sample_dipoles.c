/* SPDX-License-Identifier: Apache-2.0 */
/* sample_dipoles.c: sample statistics of sources with charge and dipole. */
#include <math.h>

#include "base/mem.h"
#include "base/random.h"
#include "task/sample_flow.h"

/* Sets the pair's reach and shares, and the sample's q1 and q2.  In a pair at
 * the mean distance a, a dipole p acts as a charge sqrt(2) p/a. */
static void dipoles_shares(struct pair *pair, struct sample *s, double volume,
                           const double *q)
{
    double charge = 0, dipole = 0, n = (double)s->n;
    pair->reach = M_SQRT1_2 * cbrt(volume / n);
    s->q1 = 0;
    for (int64_t i = 0; q && i < s->n; i++) {
        charge += q[4 * i] * q[4 * i];
        for (int a = 1; a < 4; a++)
            dipole += q[4 * i + a] * q[4 * i + a];
        s->q1 += q[4 * i];
    }
    if (!(charge + dipole > 0)) { /* unknown: as strong as each other */
        charge = n / 2;
        dipole = charge * pair->reach * pair->reach;
    }
    s->q2 = charge + dipole / (pair->reach * pair->reach);
    pair->charge = sqrt(charge / s->q2);
    pair->dipole = sqrt(dipole / s->q2);
}

farsum_status sample_take_dipoles(struct sample *sample, struct pair *pair,
                                  double volume, const struct cell *cell,
                                  const farsum_problem *p,
                                  const struct exclusions *exclusions,
                                  enum isa isa, int threads)
{
    double *size = NULL;
    struct pair charges = *pair_find("yukawa");
    charges.kappa = pair->kappa;
    int64_t n = p->n_sources;
    const double *q = p->sample_x ? p->sample_q : NULL;
    uint64_t state = 1;
    sample->n = n;
    dipoles_shares(pair, sample, volume, q);
    double q1 = sample->q1, q2 = sample->q2;
    /* directions are as random signs */
    TRY(MEM_NEW(size, q ? n : 0));
    for (int64_t i = 0; q && i < n; i++) {
        double v = sqrt(pair_square(pair, q + 4 * i));
        size[i] = random_next(&state) >> 63 ? v : -v;
    }
    farsum_status status = sample_take(
        sample, cell, n, p->n_targets, q ? p->sample_x : NULL, size, p->arrays,
        exclusions, pair->kind->screened ? &charges : NULL, isa, threads);
    mem_free(size);
    sample->q1 = q1;
    sample->q2 = q2;
    return status;
}
