/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  (10.6), one operator per octant, one box after
 * another.  Never the fastest. */
#include "stage/expansions/host_kern.h"

static farsum_status plain_create(const void *args, void **state)
{
    return boxes_shifts_create(args, multipole_m2m, state);
}

static void plain_box(const struct boxes_shifts *s, const struct boxes_io *io,
                      int level, int64_t box)
{
    const struct boxes_args *a = &s->args;
    double sum[MULTIPOLE_SIZE] = {0}, from[MULTIPOLE_SIZE];
    int children = 0;
    for (int octant = 0; octant < 8; octant++) {
        int64_t child = tree_child(io->tree, level, box, octant);
        if (child < 0)
            continue;
        children++;
        boxes_get(a, io->multipole, io->stride, child, from);
        boxes_shifts_add(s, octant, from, sum);
    }
    if (children > 0)
        boxes_put(a, io->multipole, io->stride, box, sum);
}

static farsum_status plain_run(void *state, const void *data)
{
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    for (int level = tree->depth - 1; level >= 0; level--)
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++)
            plain_box(state, io, level, b);
    return FARSUM_OK;
}

const struct variant m2m_plain = {
    .fits = boxes_host_fits,
    .cost = boxes_shifts_cost,
    .bytes = boxes_shifts_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = boxes_shifts_destroy,
    .deterministic = 1,
    .needs = "",
};
