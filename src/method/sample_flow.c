/* SPDX-License-Identifier: Apache-2.0 */
/* sample_flow.c: what the error model sees of a flow's strengths, and of forces
 * other than those of 1/r. */
#include "method/sample_flow.h"

#include <math.h>

#include "base/mem.h"
#include "method/error_inside.h"

enum { MOST = 4 };

/* Mean square over square() of a pair at r, nothing cut. */
static double flow_pair(const struct pair *pair, double r)
{
    const double whole[3] = {1, 0, 0};
    return pair->kind->mean(pair, whole, r);
}

/* (9.14): of pairs that fall off fast, sources near by; of the stokeslet, whose
 * square does not, the modes of the cell. */
static double flow_velocity(const struct sample *s, const struct pair *pair,
                            const struct cell *cell)
{
    double volume = cell->volume, sum = 0, outer = 0;
    if (pair->kind->power == 1) {
        double lowest = error_lowest(cell);
        double front = 8 * M_PI / volume;
        return sqrt(s->q2 * 2 / 3 * front * front * volume
                    / (2 * M_PI * M_PI * lowest));
    }
    double most[MOST] = {0}; /* the least of them first */
    for (int64_t i = 0; i < s->n_targets; i++) {
        double inner = 0, here = 0;
        for (int k = 0; k < SAMPLE_SHELLS; inner = s->radius[k++])
            if (k >= s->target[i].first)
                here += s->target[i].square[k] / (double)s->n_targets
                        * flow_pair(pair, (inner + s->radius[k]) / 2);
        sum += here;
        for (int k = 0; k < MOST && here > most[k]; k++) {
            if (k > 0)
                most[k - 1] = most[k];
            most[k] = here;
        }
    }
    /* a few pairs that lie close make most of it: those of the sample are no
     * promise of as many among all */
    for (int k = 0; k < MOST && MOST * 16 < s->n_targets; k++)
        sum -= most[k];
    outer = s->n_targets > 0 ? s->radius[SAMPLE_SHELLS - 1]
                             : 0.55 * cbrt(volume / (double)s->n);
    /* as r^-4 from there on */
    sum += s->q2 / volume * 4 * M_PI * pow(outer, 3) * flow_pair(pair, outer);
    return sqrt(sum);
}

farsum_status sample_take_flow(struct sample *sample, const struct pair *pair,
                               const struct cell *cell,
                               const farsum_problem *p,
                              const struct exclusions *exclusions,
                              int threads)
{
    farsum_status status = FARSUM_OK;
    int64_t n = p->n_sources;
    double *q = NULL;
    const double *given = p->sample_q;
    if (pair->kind->gradient)
        return sample_take(sample, cell, n, p->n_targets, p->sample_x,
                           given, p->arrays, exclusions, pair, threads);
    if (given)
        GO(MEM_RAW(q, n));
    for (int64_t i = 0; given && i < n; i++)
        q[i] = sqrt(pair->kind->square(given + i * pair->strengths));
    GO(sample_take(sample, cell, n, p->n_targets, p->sample_x, q, p->arrays,
                   exclusions, NULL, threads));
    sample->q1 = 0;
    sample->crystal = 0;
    sample->force = sample->whole = flow_velocity(sample, pair, cell);
done:
    mem_free(q);
    return status;
}
