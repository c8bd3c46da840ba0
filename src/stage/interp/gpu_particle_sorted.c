/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle_sorted: gpu_particle over targets sorted by mesh tiles, so that
 * neighbouring threads read the same cache lines ("GM-sort" in cuFINUFFT).  For
 * meshes larger than the cache. */
#include "stage/interp/gpu_particle.h"

enum { EDGE = 8 }; /* mesh points along a tile */

static farsum_status fits(const void *a)
{
    return interp_gpu_bends_fit(a);
}

static double cost(const void *a)
{
    return interp_particle_cost(a, 1);
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    int32_t nb[3];
    gpu_ordering_tiles(args->mesh, EDGE, nb);
    return (int64_t)sizeof(struct interp_gpu)
           + gpu_ordering_bytes(args->n, (int64_t)nb[0] * nb[1] * nb[2], 0);
}

static farsum_status create(const void *a, void **state)
{
    return interp_particle_create(a, 1, state);
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct interp_gpu *s = state;
    int32_t nb[3];
    TRY(interp_gpu_set(s, sources, targets));
    s->groups = kernel_groups(&s->kernel, s->points->n);
    if (s->points->n == 0)
        return FARSUM_OK;
    gpu_ordering_tiles(s->args.mesh, EDGE, nb);
    return gpu_ordering_sort(s->points->gpu, nb, 0, &s->ordering);
}

const struct variant interp_gpu_particle_sorted = {.fits = fits,
                                                   .cost = cost,
                                                   .bytes = bytes,
                                                   .create = create,
                                                   .set = set,
                                                   .run = interp_particle_run,
                                                   .destroy =
                                                       interp_particle_destroy,
                                                   .deterministic = 1,
                                                   .needs = "a device"};
