/* SPDX-License-Identifier: Apache-2.0 */
/* host_simd: one thread per leaf, SIMD over its points. */
#include "stage/expansions/host_kern.h"

static double simd_cost(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_leaves_cost(a, a->n_targets, a->gradient ? 9e-9 : 4.5e-9);
}

/* Converts an expansion for the sums of (10.9), in which orders m > 0 count
 * twice. */
static void simd_expansion(const struct boxes_leaves *s, double *l,
                           char *workspace, int which)
{
    int size = multipole_size(s->args.p);
    for (int n = 0, k = 0; n <= s->args.p; n++)
        for (int m = -n; m <= n; m++, k++)
            boxes_set(&s->args, workspace, (int64_t)which * size + k,
                      (m ? 2 : 1) * l[k]);
}

static void simd_leaf(const struct boxes_leaves *s, const struct boxes_io *io,
                      int64_t leaf, char *workspace)
{
    const struct tree *tree = io->tree;
    const struct tree_points *points = tree_targets(tree);
    const struct boxes_args *a = &s->args;
    int64_t first = points->begin[leaf],
            count = points->begin[leaf + 1] - first;
    int64_t box = tree_leaf_box(tree, leaf);
    double l[BOXES_OUTPUTS][MULTIPOLE_SIZE], unit[BOXES_OUTPUTS];
    const void *x[3];
    void *out[BOXES_OUTPUTS];
    int outputs = boxes_arrays(a, io, first, out);
    if (count == 0)
        return;
    boxes_get(a, io->local, io->stride, box, l[0]);
    boxes_outputs(a, tree_h(tree, tree_level(tree, box)), outputs, l, unit);
    for (int k = 0; k < outputs; k++)
        if (out[k])
            simd_expansion(s, l[k], workspace, k);
    for (int d = 0; d < 3; d++)
        x[d] = (const char *)points->x[d] + boxes_real(a) * first;
    s->kern->local(a->p, s->table, x, count, workspace, outputs, unit, out);
}

static farsum_status simd_run(void *state, const void *data)
{
    boxes_leaves_run(state, data, simd_leaf);
    return FARSUM_OK;
}

const struct variant l2p_host_simd = {
    .fits = boxes_host_fits,
    .cost = simd_cost,
    .bytes = boxes_leaves_bytes,
    .create = boxes_leaves_create,
    .run = simd_run,
    .destroy = boxes_leaves_destroy,
    .deterministic = 1,
    .needs = "",
};
