/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  (10.5), one thread, one particle at a time.  Never
 * the fastest. */
#include <string.h>

#include "stage/expansions/host_kern.h"

static double plain_cost(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_plain_cost((a->moments ? 16.0 : 10.0) * multipole_size(a->p)
                            * (double)a->n_sources);
}

static farsum_status plain_run(void *state, const void *data)
{
    const struct boxes_args *a = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    double sum[4 * MULTIPOLE_SIZE], r[MULTIPOLE_SIZE], x[3];
    int size = multipole_size(a->p), sums = a->moments ? 4 : 1;
    int64_t n = tree->source.n;
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t box = tree_leaf_box(tree, leaf);
        memset(sum, 0, sizeof sum);
        for (int64_t i = tree->source.begin[leaf];
             i < tree->source.begin[leaf + 1]; i++) {
            boxes_point(a, &tree->source, i, x);
            multipole_regular(a->p, x, r);
            for (int k = 0; k < sums * size; k++)
                sum[k] +=
                    boxes_number(a, io->q, k / size * n + i) * r[k % size];
        }
        boxes_moments(a, tree_h(tree, tree_level(tree, box)), sum);
        boxes_put(a, io->multipole, io->stride, box, sum);
    }
    return FARSUM_OK;
}

const struct variant p2m_plain = {
    .fits = boxes_host_fits,
    .cost = plain_cost,
    .bytes = boxes_args_bytes,
    .create = boxes_args_create,
    .run = plain_run,
    .destroy = boxes_args_destroy,
    .deterministic = 1,
    .needs = "",
};
