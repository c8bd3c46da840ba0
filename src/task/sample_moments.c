/* SPDX-License-Identifier: Apache-2.0 */
/* sample_moments.c: mean products of the shell sums of the sample's targets.
 * With them, an estimate costs the same for any number of targets. */
#include "base/mem.h"
#include "task/sample.h"

enum { N = SAMPLE_SHELLS };

/* Adds w v v^T; v is 0 before index `first`. */
static void moments_add(double to[N][N], const double v[N], int first, double w)
{
    for (int k = first; k < N; k++) {
        double factor = w * v[k];
        for (int l = 0; l < N && factor != 0; l++)
            to[k][l] += factor * v[l];
    }
}

static void moments_target(struct sample_moments *m,
                           const struct sample_target *at, int values, double n)
{
    double weight = (values ? 1 : at->q * at->q) / n;
    int first = at->first < N ? at->first : N;
    moments_add(m->charge, at->charge, first, weight);
    for (int d = 0; d < 3 && !values; d++) {
        double dipole[N];
        for (int k = 0; k < N; k++)
            dipole[k] = at->dipole[k][d];
        moments_add(m->dipole, dipole, first, weight);
    }
    for (int k = first; k < N; k++) {
        m->own[k] += weight * at->q * at->charge[k];
        m->square[k] += weight * at->square[k];
    }
    m->q2 += weight * at->q * at->q;
}

farsum_status sample_moments_set(struct sample *sample, int values)
{
    if (sample->n_targets == 0)
        return FARSUM_OK;
    TRY(MEM_NEW(sample->moments, 1));
    for (int64_t i = 0; i < sample->n_targets; i++)
        moments_target(sample->moments, &sample->target[i], values,
                       (double)sample->n_targets);
    return FARSUM_OK;
}
