/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_grid: gpu_fft with its own transforms, and operators read as windows that
 * slide along degrees: five passes over the modes in all. */
#include <math.h>

#include "base/mem.h"
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/lattice/gpu_grid.h"

static farsum_status grid_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    struct grid_cut cut;
    TRY(boxes_gpu_fits(a, GRID_ORDER_MOST));
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    for (int c = 0; c < 3; c++)
        if (a->root[c] < 2)
            FAIL(ERR_UNSUPPORTED,
                 "%lld root boxes along axis %d; the variant needs at least "
                 "two",
                 (long long)a->root[c], c);
    if (!grid_cut(a, 0, 0, &cut))
        FAIL(ERR_UNSUPPORTED,
             "%lld x %lld x %lld root boxes; an edge is not a product of two "
             "supported lengths",
             (long long)a->root[0], (long long)a->root[1],
             (long long)a->root[2]);
    return grid_cut_fits(a, &cut);
}

static int64_t grid_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct grid_cut cut;
    if (!grid_cut(a, 0, 0, &cut))
        return 0;
    int64_t real = gpu_real(a->precision), axes = 0;
    for (int c = 0; c < 3; c++)
        axes += 2 * real * cut.mesh[c] + 4 * (int64_t)cut.half[c];
    return real
               * (grid_field_reals(a, &cut)
                  + (cut.parts > 1 ? 2 : 1) * grid_reals(&cut))
           + cut.meshes * (8 + 4 * real) + axes
           + 16 * (int64_t)cut.teams * cut.parts;
}

static double grid_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct grid_cut cut;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    if (!grid_cut(a, 0, 0, &cut))
        return INFINITY;
    double real = gpu_real(a->precision), size = multipole_size(a->p);
    double bytes = real * (double)grid_reals(&cut);
    double field = real * (double)grid_field_reals(a, &cut);
    double modes = (double)cut.modes * size * size * 8 / rates.flops;
    /* an H200, f32 and f64, 40 to 120 boxes along each edge: the product takes
     * the time of 3.5 times its multiply-adds; passes over planes of which few
     * fit on a multiprocessor are slower than memory by this factor */
    double planes = cut.blocks > 2 ? 1.4 : cut.blocks > 1 ? 1.8 : 2.5;
    double moves = (4 * planes + 5 + cut.parts) * bytes + cut.parts * field;
    return 3.5 * modes + 1.05 * moves / rates.bytes + 5 * (rates.launch + 1e-6);
}

static void grid_destroy(void *state)
{
    if (state)
        grid_clear(state);
    mem_free(state);
}

static farsum_status grid_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct grid_state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    if (!grid_cut(a, 0, 0, &s->cut))
        GO_FAIL(ERR_STATE, "gpu_grid: does not support this grid of root "
                           "boxes");
    GO(grid_make(s, 0));
    *state = s;
    s = NULL;
done:
    grid_destroy(s);
    return status;
}

static farsum_status grid_run_all(void *state, const void *data)
{
    struct grid_state *s = state;
    const struct boxes_io *io = data;
    struct buf *back = grid_products(s);
    int64_t planes = s->cut.root[2], pitch = s->cut.mesh[2];
    TRY(boxes_gpu_same(&s->args, io));
    TRY(grid_in(s, io->multipole, io->stride, planes, pitch, &s->data));
    TRY(grid_there(s, &s->data, NULL));
    TRY(grid_modes(s));
    TRY(grid_back(s, back, NULL));
    return grid_out(s, back, planes, pitch, io->local, io->stride);
}

const struct variant lattice_gpu_grid = {
    .fits = grid_fits,
    .cost = grid_cost,
    .bytes = grid_bytes,
    .create = grid_create,
    .run = grid_run_all,
    .destroy = grid_destroy,
    .deterministic = 1,
    .needs = "a device",
};
