/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation: translates axis by axis (math.md 10.32): merge along z,
 * exchange x and z, merge, and so on; SIMD over boxes.  14/3 p^3 multiply-adds
 * per box with children; wins except for p below 2. */
#include "stage/shift/rotation.h"

static farsum_status rotation_create(const void *args, void **state)
{
    return axes_create(args, 1, state);
}

static farsum_status rotation_run(void *state, const void *data)
{
    const struct boxes_io *io = data;
    for (int level = io->tree->depth - 1; level >= 0; level--)
        axes_level(state, io, level, io->multipole);
    return FARSUM_OK;
}

const struct variant m2m_host_rotation = {
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
