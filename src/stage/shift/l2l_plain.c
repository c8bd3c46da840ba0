/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  (10.8), one operator per octant, one box after
 * another.  Never the fastest. */
#include "stage/expansions/host_kern.h"

static farsum_status plain_create(const void *args, void **state)
{
    return boxes_shifts_create(args, multipole_l2l, state);
}

static void plain_box(const struct boxes_shifts *s, const struct boxes_io *io,
                      int level, int64_t box)
{
    const struct boxes_args *a = &s->args;
    double sum[MULTIPOLE_SIZE], from[MULTIPOLE_SIZE];
    boxes_get(a, io->local, io->stride, tree_parent(io->tree, level, box),
              from);
    boxes_get(a, io->local, io->stride, box, sum);
    boxes_shifts_add(s, tree_octant(io->tree, level, box), from, sum);
    boxes_put(a, io->local, io->stride, box, sum);
}

static farsum_status plain_run(void *state, const void *data)
{
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    for (int level = 1; level <= tree->depth; level++)
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++)
            plain_box(state, io, level, b);
    return FARSUM_OK;
}

const struct variant l2l_plain = {
    .fits = boxes_host_fits,
    .cost = boxes_shifts_cost,
    .bytes = boxes_shifts_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = boxes_shifts_destroy,
    .deterministic = 1,
    .needs = "",
};
