/* SPDX-License-Identifier: Apache-2.0 */
/* direct_sum.c: distribution of targets over threads, and the sums of energy
 * and virial. */
#include "reference/direct/direct_sum.h"
#include "base/par.h"
#include "base/progress.h"
#include "reference/direct/direct_kern.h"

#include <string.h>

ISA_TABLE(struct direct_kern, direct)

/* Parts of the work.  Their number, not the number of threads, fixes the order
 * in which energy and virial are added. */
enum { PARTS = 256 };

static void parts_add(const struct direct_part *part, int parts,
                      double *energy, double *virial)
{
    static const int at[9] = {1, 4, 5, 4, 2, 6, 5, 6, 3}; /* 3x3 from part */
    struct direct_part all = {0};
    for (int p = 0; p < parts; p++)
        for (int a = 0; a < DIRECT_SUMS; a++) {
            direct_add(&all.sum[a], &all.low[a], part[p].sum[a]);
            direct_add(&all.sum[a], &all.low[a], part[p].low[a]);
        }
    for (int a = 0; a < DIRECT_SUMS; a++)
        all.sum[a] += all.low[a];
    if (energy)
        *energy = all.sum[DIRECT_ENERGY];
    for (int a = 0; a < 9 && virial; a++)
        virial[a] = all.sum[at[a]];
}

farsum_status direct_sum(const struct direct_args *args, double *potential,
                         double *field, double *energy, double *virial)
{
    if ((energy || virial) && args->y)
        FAIL(ERR_ARGUMENT,
             "direct: energy and virial need targets that are the sources");
    const struct direct_kern *kern = isa_direct[args->isa][0];
    int64_t m = args->y ? args->m : args->n;
    int64_t tiles = (m + DIRECT_TILE - 1) / DIRECT_TILE;
    int threads = par_threads(args->threads), want = energy || virial;
    struct direct_part part[PARTS];
    memset(part, 0, sizeof part);
    direct_run *run = virial ? kern->virial
                      : field ? kern->field
                              : kern->potential;
    struct progress *listener = progress_phase(tiles, "summing all pairs");
    int64_t step = listener ? direct_step(args->n) : tiles;
    PAR_TEAM(threads)
    {
#pragma omp for schedule(dynamic) nowait
        for (int p = 0; p < PARTS; p++) {
            int64_t end = par_start(tiles, PARTS, p + 1), next;
            for (int64_t t = par_start(tiles, PARTS, p);
                 t < end && !progress_stopped(listener); t = next) {
                next = end - t > step ? t + step : end;
                run(args, t, next, potential, field, want ? &part[p] : NULL);
                progress_add(listener, next - t);
            }
        }
        progress_wait(listener);
    }
    TRY(progress_check(listener));
    if (want)
        parts_add(part, PARTS, energy, virial);
    return FARSUM_OK;
}
