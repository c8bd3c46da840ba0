/* SPDX-License-Identifier: Apache-2.0 */
/* tile_layers.c: assigns layers to memory slots, and planes to the slab that
 * completes them. */
#include "stage/spread/tile_layers.h"

#include "base/mem.h"

/* The slab after which all layers that cover plane m are complete. */
static int32_t waves_of(const struct waves *waves,
                        const struct tiles_cover *cover, int64_t m)
{
    return cover->tile[cover->start[m + 1] - 1] / waves->thick;
}

static void waves_planes(struct waves *waves, const struct tiles_cover *cover,
                         int64_t mesh)
{
    int64_t n = 0;
    waves->plane_start[0] = 0;
    for (int32_t w = 0; w < waves->n; w++) {
        for (int64_t m = 0; m < mesh; m++)
            if (waves_of(waves, cover, m) == w)
                waves->plane[n++] = m;
        waves->plane_start[w + 1] = n;
    }
}

farsum_status waves_set(struct waves *waves, const struct tiles *tiles,
                        const struct tiles_cover *cover, int32_t thick)
{
    farsum_status status = FARSUM_OK;
    int32_t layers = tiles->count[0], *last = NULL, *busy = NULL;
    int64_t mesh = tiles->mesh[0];
    waves->thick = thick;
    waves->n = (layers + thick - 1) / thick;
    waves->n_slots = 0;
    GO(MEM_RAW(waves->slot, layers));
    GO(MEM_RAW(waves->plane_start, waves->n + 1));
    GO(MEM_RAW(waves->plane, mesh));
    GO(MEM_NEW(last, layers)); /* last slab that reads a layer */
    GO(MEM_RAW(busy, layers)); /* slab up to which a slot is in use */
    waves_planes(waves, cover, mesh);
    for (int64_t m = 0; m < mesh; m++)
        for (int64_t k = cover->start[m]; k < cover->start[m + 1]; k++)
            if (last[cover->tile[k]] < waves_of(waves, cover, m))
                last[cover->tile[k]] = waves_of(waves, cover, m);
    for (int32_t x = 0; x < layers; x++) {
        int32_t i = 0;
        while (i < waves->n_slots && busy[i] >= x / thick)
            i++;
        waves->n_slots += i == waves->n_slots;
        waves->slot[x] = i;
        busy[i] = last[x];
    }
done:
    mem_free(last);
    mem_free(busy);
    if (status != FARSUM_OK)
        waves_clear(waves);
    return status;
}

void waves_clear(struct waves *waves)
{
    mem_free(waves->slot);
    mem_free(waves->plane_start);
    mem_free(waves->plane);
    *waves = (struct waves){0};
}
