/* SPDX-License-Identifier: Apache-2.0 */
/* ordering.c: the points' list of orderings. */
#include "points/device/ordering.h"

#include <string.h>

#include "base/mem.h"

struct cells_args gpu_ordering_cells_args(const int64_t mesh[3],
                                          const int32_t nb[3])
{
    struct cells_args args = {.nb = {nb[0], nb[1], nb[2]}};
    for (int d = 0; d < 3; d++)
        args.edge[d] = (double)mesh[d] / nb[d];
    return args;
}

static int ordering_is(const struct gpu_ordering *o, const int32_t nb[3],
                       int32_t pad)
{
    return memcmp(o->nb, nb, sizeof o->nb) == 0 && o->pad == pad;
}

static struct gpu_ordering *ordering_find(const struct points_gpu *points,
                                          const int32_t nb[3], int32_t pad,
                                          int stable)
{
    for (struct gpu_ordering *o = points->orderings; o; o = o->next)
        if (o->version == points->version && ordering_is(o, nb, pad)
            && o->stable >= stable)
            return o;
    return NULL;
}

farsum_status gpu_ordering_hold(struct points_gpu *points, const int32_t nb[3],
                                int32_t pad, int stable,
                                gpu_ordering_make *make,
                                struct gpu_ordering **held)
{
    gpu_ordering_release(held);
    if (points->version == 0)
        FAIL(ERR_STATE, "no positions were set");
    struct gpu_ordering *found = ordering_find(points, nb, pad, stable);
    if (!found) {
        TRY(make(points, nb, pad, stable, &found));
        memcpy(found->nb, nb, sizeof found->nb);
        found->pad = pad;
        found->n = points->n;
        found->version = points->version;
    }
    found->holders++;
    *held = found;
    return FARSUM_OK;
}

const struct gpu_ordering *gpu_ordering_current(const struct points_gpu *points,
                                                int stable)
{
    for (const struct gpu_ordering *o = points->orderings; o; o = o->next)
        if (o->version == points->version && points->version > 0 && o->pad == 0
            && o->stable >= stable)
            return o;
    return NULL;
}

farsum_status gpu_ordering_free(struct points_gpu *points, const int32_t nb[3],
                                int32_t pad, const struct gpu_ordering *but,
                                struct gpu_ordering **found)
{
    struct gpu_ordering *best = NULL;
    int most = -1;
    for (struct gpu_ordering *o = points->orderings; o; o = o->next) {
        int fit = 2 * ordering_is(o, nb, pad) + (o->version != points->version);
        if (o->holders == 0 && o != but && fit > most) {
            best = o;
            most = fit;
        }
    }
    if (!best) {
        TRY(MEM_NEW(best, 1));
        best->kept = 1;
        best->next = points->orderings;
        points->orderings = best;
    }
    *found = best;
    return FARSUM_OK;
}

static void ordering_destroy(struct gpu_ordering *o)
{
    buf_clear(&o->s);
    buf_clear(&o->item);
    buf_clear(&o->start);
    mem_free(o);
}

void gpu_ordering_release(struct gpu_ordering **held)
{
    struct gpu_ordering *o = *held;
    *held = NULL;
    if (o && --o->holders == 0 && !o->kept)
        ordering_destroy(o);
}

void gpu_orderings_clear(struct points_gpu *points)
{
    while (points->orderings) {
        struct gpu_ordering *o = points->orderings;
        points->orderings = o->next;
        o->next = NULL;
        o->kept = 0;
        if (o->holders == 0)
            ordering_destroy(o);
    }
}

int64_t gpu_ordering_bytes(int64_t n, int64_t n_bins, int32_t pad)
{
    int64_t most = n < n_bins ? n : n_bins;
    if (pad == 0)
        return 28 * n + 4 * (n_bins + 1);
    return 4 * (n + most * (pad - 1)) + 4 * (n_bins + 1);
}

void gpu_ordering_tiles(const int64_t mesh[3], int edge, int32_t nb[3])
{
    for (int d = 0; d < 3; d++)
        nb[d] = mesh[d] > edge ? (int32_t)(mesh[d] / edge) : 1;
}
