/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_walsh_families: dense operators between families, parents with their
 * eight children.  Mirrors of a family among its neighbours reduce all products
 * to 26 (p + 1)^4 multiply-adds per box, in one matrix product for 128 parents.
 * The portable counterpart of gpu_walsh_mma; plane waves are faster. */
#include "base/mem.h"
#include "stage/device.h"
#include "stage/m2l/walsh/gpu_families.h"

enum { CHUNK = 8, SIDE = 16, TEAM = 256 };

/* Rows per tile: as many as threads can hold, little padding, and enough tiles
 * for all multiprocessors. */
static struct walsh_shape families_shape(const struct boxes_args *a)
{
    int size = multipole_size(a->p), most = 11;
    struct walsh_shape s = {.k = (size + CHUNK - 1) / CHUNK * CHUNK,
                            .chunk = CHUNK};
    int word = 16 / (int)boxes_real(a);
    double least = 0;
    for (int each = 1; each <= most; each++) {
        int rows = SIDE * each, tiles = (size + rows - 1) / rows;
        double cost = walsh_families_rounds(a, tiles) * (rows + 48.0);
        if (s.rows == 0 || cost <= least) {
            least = cost;
            s.rows = rows;
            s.tiles = tiles;
            s.each = each;
            s.pitch = SIDE * ((each + word - 1) / word * word);
        }
    }
    return s;
}

static farsum_status families_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, MULTIPOLE_MOST));
    struct walsh_shape s = families_shape(a);
    if (a->device->properties.group_max < TEAM)
        FAIL(ERR_UNSUPPORTED, "needs thread blocks of %d threads; %s has %d",
             TEAM, a->device->name, a->device->properties.group_max);
    TRY(gpu_local_fits(a->device,
                       2 * CHUNK * boxes_real(a) * (FAMILY_BLOCK + s.pitch)));
    return walsh_families_fits(a, &s);
}

static int64_t families_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct walsh_shape s = families_shape(a);
    return walsh_families_bytes(a, &s);
}

/* As measured on an H200, orders 4 to 20, depths 3 to 6. */
static double families_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct walsh_shape s = families_shape(a);
    if (a->precision == FARSUM_F32)
        return walsh_families_cost(a, &s, 0.64, 3.3e-7);
    return walsh_families_cost(a, &s, 0.6, 8.5e-7);
}

static void families_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    struct walsh_shape s = families_shape(a);
    walsh_families_work(a, &s, work);
}

static void families_destroy(void *state)
{
    if (!state)
        return;
    walsh_families_clear(state);
    mem_free(state);
}

static farsum_status families_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    struct walsh_shape shape = families_shape(a);
    farsum_status status = FARSUM_OK;
    struct walsh_families *s = NULL;
    GO(MEM_NEW(s, 1));
    GO(walsh_families_begin(s, a, &shape, 1));
    GO(jit_kernel(&s->gpu.jit, "m2l_families", TEAM, 0, &s->products));
    *state = s;
    s = NULL;
done:
    families_destroy(s);
    return status;
}

static farsum_status families_run(void *state, const void *io)
{
    return walsh_families_run(state, io);
}

const struct variant m2l_gpu_walsh_families = {
    .fits = families_fits,
    .cost = families_cost,
    .bytes = families_bytes,
    .create = families_create,
    .run = families_run,
    .destroy = families_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = families_work,
};
