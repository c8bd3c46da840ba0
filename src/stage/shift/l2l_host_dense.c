/* SPDX-License-Identifier: Apache-2.0 */
/* host_dense: one dense operator per octant times tiles of boxes, SIMD over the
 * boxes, one thread per tile. */
#include "stage/expansions/host_kern.h"

static farsum_status dense_create(const void *args, void **state)
{
    return boxes_tiles_create(args, multipole_l2l, state);
}

/* Parents `first` .. `first` + n - 1 to their children. */
static void dense_tile(const struct boxes_tiles *s, const struct boxes_io *io,
                       int level, int64_t first, int64_t n,
                       struct boxes_tile *t)
{
    int tile = s->kern->tile;
    for (int b = 0; b < tile; b++)
        t->box[b] = b < n ? first + b : -1;
    boxes_load(&s->args, io->local, io->stride, t->box, tile, t->from);
    for (int octant = 0; octant < 8; octant++) {
        if (!boxes_tile_children(s, io, level, first, n, octant, t))
            continue;
        boxes_tile_clear(s, t);
        boxes_tile_shift(s, octant, t);
        boxes_store(&s->args, io->local, io->stride, t->other, tile, t->to, 1);
    }
}

static farsum_status dense_run(void *state, const void *data)
{
    const struct boxes_io *io = data;
    for (int level = 0; level < io->tree->depth; level++)
        boxes_tiles_level(state, io, level, dense_tile);
    return FARSUM_OK;
}

const struct variant l2l_host_dense = {
    .fits = boxes_host_fits,
    .cost = boxes_tiles_cost,
    .bytes = boxes_tiles_bytes,
    .create = dense_create,
    .run = dense_run,
    .destroy = boxes_tiles_destroy,
    .deterministic = 1,
    .needs = "",
};
