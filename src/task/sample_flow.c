/* SPDX-License-Identifier: Apache-2.0 */
/* sample_flow.c: sample statistics of flows and of potentials other than
 * 1/r. */
#include "task/sample_flow.h"

#include <math.h>

#include "points/cell.h"

enum { MOST = 4 };
/* The part of the mean square that is assumed where a lattice's sources
 * cancel. */
#define ALIKE 0.01

/* The mean square over square() of a pair at r, without cutoff. */
static double flow_pair(const struct pair *pair, double r)
{
    const double whole[3] = {1, 0, 0};
    return pair->kind->mean(pair, whole, r);
}

/* (9.46): the RMS velocity of stokeslets in a slab whose row `open` is open,
 * without the mode 0, from modes up to the sources' mean distance. */
static double flow_slab(const struct sample *s, const struct cell *cell,
                        int open)
{
    enum { REACH = 200 };
    double thick = cell->height[open], area = cell->volume / thick, sum = 0;
    double most = M_PI * sqrt((double)s->n / area);
    int reach[3] = {0};
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        if (d != open)
            reach[d] = (int)fmin(most * length / (2 * M_PI), REACH) + 1;
    }
    int p = (open + 1) % 3, q = (open + 2) % 3;
    for (int i = -reach[p]; i <= reach[p]; i++)
        for (int j = -reach[q]; j <= reach[q]; j++) {
            double k2 = 0;
            for (int d = 0; d < 3; d++) {
                const double *inv = cell->inv + 3 * d;
                double k = 2 * M_PI * (i * inv[p] + j * inv[q]);
                k2 += k * k;
            }
            if (k2 > 0)
                sum += 6 / (k2 * (1 + 0.75 * sqrt(k2) * thick));
        }
    return 2 * M_PI / area * sqrt(s->q2 / 3 * sum);
}

/* (9.14): for pairs that fall off fast, a sum over near sources; for the
 * stokeslet, whose square does not, a sum over the cell's modes. */
static double flow_velocity(const struct sample *s, const struct pair *pair,
                            const struct cell *cell, const int periodic[3])
{
    double volume = cell->volume, sum = 0, outer = 0;
    if (pair->kind->power == 1 && cell_axes(periodic) == 2)
        return flow_slab(s, cell, !periodic[0] ? 0 : !periodic[1] ? 1 : 2);
    if (pair->kind->power == 1) {
        double lowest = cell_lowest(cell);
        double front = 8 * M_PI / volume;
        return sqrt(s->q2 * 2 / 3 * front * front * volume
                    / (2 * M_PI * M_PI * lowest));
    }
    double most[MOST] = {0}; /* in ascending order */
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
    /* a few close pairs contribute most of the sum: those in the sample do not
     * guarantee as many among all points */
    for (int k = 0; k < MOST && MOST * 16 < s->n_targets; k++)
        sum -= most[k];
    outer = s->n_targets > 0 ? s->radius[SAMPLE_SHELLS - 1]
                             : 0.55 * cbrt(volume / (double)s->n);
    /* from there on it falls as r^-4 */
    double even = 4 * M_PI * s->q2 / volume;
    sum += even * pow(outer, 3) * flow_pair(pair, outer);
    if (s->within > 0) /* the actual directions and signs */
        sum = fmax(ALIKE * sum, s->flow * s->flow
                                    + even * pow(s->within, 3)
                                          * flow_pair(pair, s->within));
    return sqrt(sum);
}

farsum_status sample_take_flow(struct sample *sample, const struct pair *pair,
                               const struct cell *cell,
                               const farsum_problem *p,
                               const struct exclusions *exclusions,
                               enum isa isa, int threads)
{
    TRY(sample_take(sample, cell, p->n_sources, p->n_targets, p->sample_x,
                    p->sample_q, p->arrays, exclusions, pair, isa, threads));
    if (pair->kind->gradient)
        return FARSUM_OK;
    sample->q1 = 0;
    sample->crystal = 0;
    sample->force = sample->whole =
        flow_velocity(sample, pair, cell, p->periodic);
    return FARSUM_OK;
}
