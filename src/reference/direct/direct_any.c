/* SPDX-License-Identifier: Apache-2.0 */
/* direct_any.c: distribution of targets over threads. */
#include "reference/direct/direct_any.h"
#include "base/par.h"
#include "base/progress.h"

ISA_TABLE(struct direct_any_kern, direct_any)

farsum_status direct_any_sum(const struct reference_kind *kind,
                             const struct direct_any *args, double *values)
{
    const struct direct_args *p = &args->pairs;
    direct_any_run *run =
        isa_direct_any[p->isa][0]->run[reference_kind_index(kind)];
    int64_t m = p->y ? p->m : p->n, tiles = (m + DIRECT_TILE - 1) / DIRECT_TILE;
    int threads = par_threads(p->threads);
    struct progress *listener = progress_phase(tiles, "summing all pairs");
    PAR_TEAM(threads)
    {
#pragma omp for schedule(dynamic) nowait
        for (int64_t t = 0; t < tiles; t++)
            if (!progress_stopped(listener)) {
                run(args, t, t + 1, values);
                progress_add(listener, 1);
            }
        progress_wait(listener);
    }
    return progress_check(listener);
}
