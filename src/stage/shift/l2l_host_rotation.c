/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation: translates axis by axis (math.md 10.32): split along z,
 * exchange x and z, split, and so on; SIMD over boxes.  14/3 p^3 multiply-adds
 * per box with children; wins except for p below 2. */
#include "stage/shift/rotation.h"

static farsum_status rotation_create(const void *args, void **state)
{
    return axes_create(args, 0, state);
}

static farsum_status rotation_run(void *state, const void *data)
{
    const struct boxes_io *io = data;
    for (int level = 0; level < io->tree->depth; level++)
        axes_level(state, io, level, io->local);
    return FARSUM_OK;
}

const struct variant l2l_host_rotation = {
    .fits = boxes_host_fits,
    .cost = axes_cost,
    .bytes = axes_bytes,
    .create = rotation_create,
    .run = rotation_run,
    .destroy = axes_destroy,
    .deterministic = 1,
    .needs = "",
    .work = axes_ops,
};
