/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle_warp: 32 threads per target read rows of the mesh together; in
 * the caller's order, without set-up.  For few targets, and where positions
 * change with every sum. */
#include "base/mem.h"
#include "stage/interp/device.h"

#include <math.h>

enum { GROUP = 256, TEAM = 32 }; /* as in gpu_particle_warp.k */

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    int p = args->window->support;
    /* weights, slopes and indices along x and y of each team, the window's
     * table, and one word per thread if there are no shuffles */
    int64_t reals =
        GROUP / TEAM * 4 * p + (args->window->degree + 1) * p + GROUP;
    TRY(interp_gpu_fits(args));
    return gpu_local_fits(args->device, reals * gpu_real(args->precision)
                                            + GROUP / TEAM * 8 * p);
}

/* A row of the window is one or two cache lines for any number of threads.  A
 * team's shuffles cost as much as one multiply-add per thread. */
static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct gpu_rates rates = interp_gpu_rates(args);
    double p = args->window->support, values = interp_gpu_values(args);
    double sums = args->outputs & FARSUM_FIELD ? 2 : 1;
    double steps = ceil(p * p / floor(TEAM / p)), n = (double)args->n;
    int f32 = args->precision == FARSUM_F32;
    struct gpu_rate each = {(f32 ? 23e9 : 20e9) * rates.share,
                            (f32 ? 10.4e9 : 8.2e9) * rates.share};
    double bytes = interp_gpu_bytes(args);
    if (!f32)
        bytes /= pow(interp_clustering(args), 0.4);
    double own = f32 ? 3.2e-10 : 4.5e-10;
    return 8e-6
           + n * (steps * pow(values, 0.46) * sums
                      * gpu_seconds(&rates, each, bytes)
                  + own / rates.share);
}

static int64_t bytes(const void *a)
{
    (void)a;
    return (int64_t)sizeof(struct interp_gpu);
}

static void destroy(void *state)
{
    if (state)
        interp_gpu_clear(state);
    mem_free(state);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct interp_gpu *s = NULL;
    TRY(MEM_NEW(s, 1));
    interp_gpu_begin(s, args, "stage/interp/gpu_particle_warp.k");
    GO(interp_gpu_build(s, "interp_particle_warp", GROUP, 0));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    enum { TARGETS = GROUP / TEAM };
    struct interp_gpu *s = state;
    TRY(interp_gpu_set(s, sources, targets));
    s->groups = (s->points->n + TARGETS - 1) / TARGETS;
    int64_t most = 16 * (int64_t)s->args.device->properties.units;
    if (s->groups > most) /* each thread block copies the window's table */
        s->groups = most;
    return FARSUM_OK;
}

static farsum_status run(void *state, const void *a)
{
    const struct interp_gpu *s = state;
    const struct interp_io *io = a;
    struct interp_gpu_args args;
    const struct buf *results[2];
    if (s->points->n == 0)
        return FARSUM_OK;
    TRY(interp_gpu_io(s, io, &args, results));
    return LAUNCH(&s->kernel, s->groups, ARG_BUF(&s->points->gpu->s),
                  ARG_BUF(io->mesh), ARG_BUF(results[0]), ARG_BUF(results[1]),
                  ARG_STRUCT(args));
}

const struct variant interp_gpu_particle_warp = {.fits = fits,
                                                 .cost = cost,
                                                 .bytes = bytes,
                                                 .create = create,
                                                 .set = set,
                                                 .run = run,
                                                 .destroy = destroy,
                                                 .deterministic = 1,
                                                 .needs = "a device"};
