/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks_exclude.c: excluded pairs over ranks with a device each. */
#include "method/spectral/device_ranks.h"
#include "method/spectral/exclude.h"

farsum_status gpu_ranks_exclusions(struct task *task, struct spectral *s)
{
    struct gpu_ranks *r = s->gpu->ranks;
    const struct gpu_ranks_points points = {
        .comm = r->comm,
        .transport = r->transport,
        .targets = spectral_apart(s) ? &r->target_route : &r->route,
        .sources = &r->route,
        .own = &r->arrived};
    int64_t pairs = task->exclusions.count;
    graph_forget(&s->gpu->recording); /* as in gpu_ranks_points */
    farsum_status status = comm_sum_counts(r->comm, &pairs, 1);
    if (pairs > 0)
        KEEP_ON(gpu_exclude_kernels(task, s->gpu));
    TRY(comm_agree(r->comm, status));
    return ranks_exclusions_set(task, &points, &r->exclude);
}

farsum_status gpu_ranks_exclude_run(const struct task *task, struct spectral *s,
                                    const struct spectral_units *u)
{
    const struct gpu_ranks *r = s->gpu->ranks;
    const struct gpu_needs *needs = &r->exclude.now;
    struct gpu_exclude_sides sides = {
        .excluded = &needs->rows,
        .cell = exclude_cell(task, &s->parameters.cell),
        .soft = task->problem.softening / s->parameters.rc,
        .sources = s->n,
        .targets = spectral_targets(s),
        .by_point = 1,
        .x = &r->arrived,
        .far_x = &needs->s,
        .y = spectral_apart(s) ? &r->target_arrived : &r->arrived,
        .q = &r->q,
        .far_q = &needs->q,
        .potential = &r->potential,
        .field = &r->field,
        .gradient = &r->gradient};
    if (!r->exclude.named)
        return FARSUM_OK;
    /* pairs closer than this are missing in the rank's near sums */
    sides.cell.skip = exclude_cell(task, &r->mesh.cut.own).skip;
    return gpu_exclude_sides(s, u, &sides);
}
