/* SPDX-License-Identifier: Apache-2.0 */
/* host_simd: one thread per leaf, SIMD over its points. */
#include "stage/expansions/host_kern.h"

static double simd_cost(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_leaves_cost(a, a->n_sources, a->moments ? 4.2e-9 : 1.4e-9);
}

static void simd_leaf(const struct boxes_leaves *s, const struct boxes_io *io,
                      int64_t leaf, char *workspace)
{
    const struct tree_points *points = &io->tree->source;
    const struct boxes_args *a = &s->args;
    size_t real = (size_t)boxes_real(a);
    int64_t first = points->begin[leaf], n = points->begin[leaf + 1] - first;
    int64_t box = tree_leaf_box(io->tree, leaf);
    int size = multipole_size(a->p), sums = a->moments ? 4 : 1;
    double sum[4 * MULTIPOLE_SIZE];
    const void *x[3];
    for (int d = 0; d < 3; d++)
        x[d] = (const char *)points->x[d] + real * (size_t)first;
    for (int c = 0; c < sums; c++)
        s->kern->multipole(a->p, s->table, x,
                           (const char *)io->q
                               + real * (size_t)(c * points->n + first),
                           n, workspace + c * size * boxes_real(a));
    for (int k = 0; k < sums * size; k++)
        sum[k] = boxes_number(a, workspace, k);
    boxes_moments(a, tree_h(io->tree, tree_level(io->tree, box)), sum);
    boxes_put(a, io->multipole, io->stride, box, sum);
}

static farsum_status simd_run(void *state, const void *data)
{
    boxes_leaves_run(state, data, simd_leaf);
    return FARSUM_OK;
}

const struct variant p2m_host_simd = {
    .fits = boxes_host_fits,
    .cost = simd_cost,
    .bytes = boxes_leaves_bytes,
    .create = boxes_leaves_create,
    .run = simd_run,
    .destroy = boxes_leaves_destroy,
    .deterministic = 1,
    .needs = "",
};
