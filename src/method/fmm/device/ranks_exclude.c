/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.c: excluded pairs of `fmm` over ranks with a device each.  The
 * owner of a target subtracts its pairs. */
#include "method/fmm/device/ranks.h"

#include <math.h>

#include "math/tied_images.kh"

farsum_status fmm_gpu_ranks_exclusions(struct task *task, struct fmm *s)
{
    struct fmm_gpu_ranks *r = s->gpu->ranks;
    const struct gpu_ranks_points points = {
        .comm = r->comm,
        .transport = r->transport,
        .targets = &fmm_gpu_ranks_targets(s)->route,
        .sources = &r->source.route,
        .own = &r->source.arrived};
    graph_forget(&s->gpu->recording); /* as in fmm_gpu_ranks_points */
    return ranks_exclusions_set(task, &points, &r->exclude);
}

/* Must equal the struct in method/fmm/device/ranks.k. */
struct ranks_excluded {
    struct {
        double a[9], sure, skip;
    } cell;
    double part, soft;
    int64_t rows, sources;
    int32_t potential, field, balls, spare;
};
_Static_assert(sizeof(struct ranks_excluded) == 136, "as the kernel has it");

/* The cell's vectors.  Open points get one twice as long, in which they are
 * nearer to each other than to images. */
static void excluded_cell(const struct fmm *s, struct ranks_excluded *x)
{
    const struct tree_args *whole = &s->ranks->tree;
    double edge = INFINITY;
    x->part = s->input.periodic ? 1 : 0.25;
    for (int i = 0; i < 9 && s->input.periodic; i++)
        x->cell.a[i] = s->cell.a[i];
    for (int d = 0; d < 3; d++) {
        if (!s->input.periodic)
            x->cell.a[4 * d] = whole->edge[d] / x->part;
        edge = fmin(edge, whole->edge[d]);
    }
    x->cell.sure = s->input.periodic ? TIED_SURE * edge * edge / 4 : INFINITY;
}

farsum_status fmm_gpu_ranks_exclude(const struct fmm_sum *sum)
{
    const struct fmm *s = sum->s;
    const struct fmm_units *u = &sum->units;
    const struct fmm_gpu_ranks *r = s->gpu->ranks;
    const struct kernel *kernel = &r->exclude_of;
    const struct gpu_needs *needs = &r->exclude.now;
    const struct gpu_excluded *e = &needs->rows;
    double h = tree_h(&s->tree, 0);
    struct ranks_excluded x = {.soft = s->pairs.softening * s->pairs.softening,
                               .rows = e->rows,
                               .sources = r->source.route.n_own,
                               .potential = u->potential || u->energy,
                               .field = u->field || u->virial,
                               .balls = s->pairs.balls};
    if (!r->exclude.named || e->rows == 0)
        return FARSUM_OK;
    excluded_cell(s, &x);
    x.cell.skip = p2p_skip(&s->pairs, h) * h * h;
    return LAUNCH(kernel, kernel_groups(kernel, e->rows), ARG_BUF(&e->target),
                  ARG_BUF(&e->start), ARG_BUF(&e->source), ARG_BUF(&e->lost),
                  ARG_BUF(&r->source.arrived), ARG_BUF(&needs->s),
                  ARG_BUF(&fmm_gpu_ranks_targets(s)->arrived), ARG_BUF(&r->q),
                  ARG_BUF(&needs->q), ARG_BUF(&r->sums), ARG_STRUCT(x));
}
