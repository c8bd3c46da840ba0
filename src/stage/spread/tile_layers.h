/* SPDX-License-Identifier: Apache-2.0 */
/* tile_layers.h: layers of tiles passing through memory, for spread.
 *
 * A layer is the tiles of one index along axis 0.  Layers are processed in
 * slabs (waves) of `thick` layers, so that they stay in the cache on a large
 * mesh.  A layer keeps its slot until the last mesh plane that it covers is
 * gathered. */
#ifndef FARSUM_STAGE_SPREAD_TILE_LAYERS_H
#define FARSUM_STAGE_SPREAD_TILE_LAYERS_H

#include "points/tiles.h"

struct waves {
    int32_t n, thick, n_slots;
    int32_t *slot;        /* owned, [layer] */
    int64_t *plane_start; /* owned, [n + 1] */
    int64_t *plane;       /* owned, [mesh0]: planes complete after slab w are
                             plane_start[w] .. plane_start[w + 1] - 1 */
};

/* cover: tiles along axis 0. */
farsum_status waves_set(struct waves *waves, const struct tiles *tiles,
                        const struct tiles_cover *cover, int32_t thick);
void waves_clear(struct waves *waves);
#endif
