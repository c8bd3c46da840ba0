/* SPDX-License-Identifier: Apache-2.0 */
/* sample_order.c: test for similar surroundings of the sample's targets. */
#include "task/sample_order.h"

#include <math.h>

/* Compares the outer shells first, which hold most sources and differ most. */
static int target_same(const struct sample_target *a,
                       const struct sample_target *b)
{
    for (int k = SAMPLE_SHELLS - 1; k >= 0; k--)
        if (fabs(a->square[k] - b->square[k]) > 1e-9 * fabs(a->square[k])
            || fabs(a->charge[k] - b->charge[k]) > 1e-9 * a->square[k])
            return 0;
    return a->q == b->q;
}

static int target_regular(const struct sample_target *a,
                          const struct sample_target *b)
{
    for (int k = SAMPLE_SHELLS - 1; k >= 0; k--)
        if (a->count[k] != b->count[k])
            return 0;
    return 1;
}

/* The targets of a perfect crystal have equal errors, so there is no average
 * over positions. */
static int targets_alike(const struct sample *sample,
                         int (*same_as)(const struct sample_target *,
                                        const struct sample_target *))
{
    int64_t same = 0, n = sample->n_targets;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (j != i && same_as(&sample->target[i], &sample->target[j])) {
                same++;
                break;
            }
    return n >= 4 && 2 * same > n;
}

/* True if most targets have their nearest source in one shell.  A lattice with
 * empty sites passes too. */
static int targets_spaced(const struct sample *sample)
{
    int64_t count[SAMPLE_SHELLS + 1] = {0}, most = 0;
    for (int64_t i = 0; i < sample->n_targets; i++) {
        int64_t now = ++count[sample->target[i].first];
        most = now > most ? now : most;
    }
    return sample->n_targets >= 4 && 4 * most >= 3 * sample->n_targets;
}

void sample_order(struct sample *sample)
{
    sample->crystal = targets_alike(sample, target_same);
    sample->lattice = targets_alike(sample, target_regular);
    sample->regular = sample->lattice || targets_spaced(sample);
}
