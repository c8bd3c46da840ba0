/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation: translates axis by axis (math.md 10.32): split along z,
 * exchange x and z, split, and so on, in shared memory.  14/3 p^3 multiply-adds
 * per box with children. */
#include "stage/shift/rotation.h"

static farsum_status rotation_fits(const void *args)
{
    return axes_gpu_fits(args, 0);
}

static double rotation_cost(const void *args)
{
    return axes_gpu_cost(args, 0);
}

static farsum_status rotation_create(const void *args, void **state)
{
    return axes_gpu_create(args, 0, state);
}

static farsum_status rotation_run(void *state, const void *data)
{
    const struct boxes_io *io = data;
    TRY(axes_gpu_same(state, io));
    for (int level = 0; level < io->tree->depth; level++)
        TRY(axes_gpu_level(state, io, level, io->local));
    return FARSUM_OK;
}

const struct variant l2l_gpu_rotation = {
    .fits = rotation_fits,
    .cost = rotation_cost,
    .bytes = axes_gpu_bytes,
    .create = rotation_create,
    .run = rotation_run,
    .destroy = axes_gpu_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = axes_ops,
};
