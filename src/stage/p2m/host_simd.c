/* SPDX-License-Identifier: Apache-2.0 */
/* host_simd: one thread per leaf, SIMD over its points. */
#include "stage/expansions/host_kern.h"

static double simd_cost(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_leaves_cost(a, a->n_sources, 1.4e-9);
}

static void simd_leaf(const struct boxes_leaves *s, const struct boxes_io *io,
                      int64_t leaf, char *workspace)
{
    const struct tree_points *points = &io->tree->source;
    const struct boxes_args *a = &s->args;
    size_t real = (size_t)boxes_real(a);
    int64_t first = points->begin[leaf], n = points->begin[leaf + 1] - first;
    int64_t box = tree_leaf_box(io->tree, leaf);
    const void *x[3];
    for (int d = 0; d < 3; d++)
        x[d] = (const char *)points->x[d] + real * (size_t)first;
    s->kern->multipole(a->p, s->table, x,
                       (const char *)io->q + real * (size_t)first, n,
                       workspace);
    for (int k = 0; k < multipole_size(a->p); k++)
        boxes_set(a, io->multipole, k * io->stride + box,
                  boxes_number(a, workspace, k));
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
