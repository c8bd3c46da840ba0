/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  (10.9) and (10.10), one thread, one particle at a
 * time.  Never the fastest. */
#include "stage/expansions/host_kern.h"

static double plain_cost(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_plain_cost((a->gradient ? 26.0 : 14.0) * multipole_size(a->p)
                            * (double)a->n_targets);
}

static void plain_point(const struct boxes_args *a, const struct boxes_io *io,
                        int64_t i, int outputs, const double *unit,
                        double (*expansion)[MULTIPOLE_SIZE])
{
    double x[3], r[MULTIPOLE_SIZE];
    void *to[BOXES_OUTPUTS];
    (void)boxes_arrays(a, io, i, to);
    boxes_point(a, tree_targets(io->tree), i, x);
    multipole_regular(a->p, x, r);
    for (int k = 0; k < outputs; k++)
        if (to[k])
            boxes_set(a, to[k], 0,
                      boxes_number(a, to[k], 0)
                          + unit[k] * multipole_dot(a->p, expansion[k], r));
}

static farsum_status plain_run(void *state, const void *data)
{
    const struct boxes_args *a = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    const int64_t *begin = tree_targets(tree)->begin;
    double expansion[BOXES_OUTPUTS][MULTIPOLE_SIZE], unit[BOXES_OUTPUTS];
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t box = tree_leaf_box(tree, leaf);
        if (begin[leaf] == begin[leaf + 1])
            continue;
        boxes_get(a, io->local, io->stride, box, expansion[0]);
        void *to[BOXES_OUTPUTS];
        int outputs = boxes_arrays(a, io, begin[leaf], to);
        boxes_outputs(a, tree_h(tree, tree_level(tree, box)), outputs,
                      expansion, unit);
        for (int64_t i = begin[leaf]; i < begin[leaf + 1]; i++)
            plain_point(a, io, i, outputs, unit, expansion);
    }
    return FARSUM_OK;
}

const struct variant l2p_plain = {
    .fits = boxes_host_fits,
    .cost = plain_cost,
    .bytes = boxes_args_bytes,
    .create = boxes_args_create,
    .run = plain_run,
    .destroy = boxes_args_destroy,
    .deterministic = 1,
    .needs = "",
};
