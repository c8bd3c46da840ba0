/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  (10.9) and (10.10), one thread, one particle at a
 * time.  Never the fastest. */
#include "stage/expansions/host_kern.h"

static double plain_cost(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_plain_cost(14.0 * multipole_size(a->p)
                            * (double)a->n_targets);
}

static void plain_point(const struct boxes_args *a, const struct boxes_io *io,
                        int64_t i, double unit,
                        double expansion[4][MULTIPOLE_SIZE])
{
    const struct tree_points *targets = tree_targets(io->tree);
    double x[3], r[MULTIPOLE_SIZE];
    boxes_point(a, targets, i, x);
    multipole_regular(a->p, x, r);
    if (io->potential)
        boxes_set(a, io->potential, i,
                  boxes_number(a, io->potential, i)
                      + unit * multipole_dot(a->p, expansion[0], r));
    for (int d = 0; d < 3 && io->field; d++) {
        int64_t at = d * targets->n + i;
        boxes_set(a, io->field, at,
                  boxes_number(a, io->field, at)
                      - unit * unit
                            * multipole_dot(a->p, expansion[1 + d], r));
    }
}

static farsum_status plain_run(void *state, const void *data)
{
    const struct boxes_args *a = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    const int64_t *begin = tree_targets(tree)->begin;
    double expansion[4][MULTIPOLE_SIZE]; /* of the potential and its slopes */
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t box = tree_leaf_box(tree, leaf);
        double unit = 1 / tree_h(tree, tree_level(tree, box));
        if (begin[leaf] == begin[leaf + 1])
            continue;
        boxes_get(a, io->local, io->stride, box, expansion[0]);
        for (int d = 0; d < 3; d++)
            multipole_slope(a->p, expansion[0], d, expansion[1 + d]);
        for (int64_t i = begin[leaf]; i < begin[leaf + 1]; i++)
            plain_point(a, io, i, unit, expansion);
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
