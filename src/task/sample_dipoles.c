/* SPDX-License-Identifier: Apache-2.0 */
/* sample_dipoles.c: sample statistics of sources with charge and dipole,
 * and with a quadrupole. */
#include <math.h>

#include "base/mem.h"
#include "base/random.h"
#include "task/sample_flow.h"

/* Sets the pair's reach and shares, and the sample's q1 and q2.  In a pair at
 * the mean distance a, a dipole p acts as a charge sqrt(2) p/a, and a
 * quadrupole as about 2 Q/a^2. */
static void dipoles_shares(struct pair *pair, struct sample *s, double volume,
                           const double *q)
{
    double charge = 0, dipole = 0, quadrupole = 0, n = (double)s->n;
    int width = pair->strengths, more = pair->kind->moments > 1;
    pair->reach = M_SQRT1_2 * cbrt(volume / n);
    double r2 = pair->reach * pair->reach;
    s->q1 = 0;
    for (int64_t i = 0; q && i < s->n; i++) {
        const double *of = q + width * i;
        charge += of[0] * of[0];
        dipole += of[1] * of[1] + of[2] * of[2] + of[3] * of[3];
        quadrupole += more ? pair_quadrupole_square(of + 4) : 0;
        s->q1 += of[0];
    }
    if (!(charge + dipole + quadrupole > 0)) { /* unknown: equally strong */
        charge = n / (2 + more);
        dipole = charge * r2;
        quadrupole = more * dipole * r2;
    }
    s->q2 = charge + dipole / r2 + quadrupole / (r2 * r2);
    pair->charge = sqrt(charge / s->q2);
    pair->dipole = sqrt(dipole / s->q2);
    pair->quadrupole = sqrt(quadrupole / s->q2);
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
        double v = sqrt(pair_square(pair, q + pair->strengths * i));
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
