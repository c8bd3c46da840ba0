/* SPDX-License-Identifier: Apache-2.0 */
/* sample_order.c: whether the sample's targets have like surroundings. */
#include "task/sample_order.h"

#include <math.h>

/* Outer shells first, which hold most and differ most. */
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

/* Targets of a perfect crystal err alike: no average over places is left. */
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

/* Most targets have their nearest source in one shell, also of a lattice with
 * sites that are empty. */
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
