/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle: one thread per target gathers its mesh points from global
 * memory; in the caller's order, without set-up.  For few targets, or when
 * positions change with every sum and a cache holds the mesh. */
#include "stage/interp/gpu_particle.h"

#include "base/hypot.h"
#include "base/mem.h"

#include <math.h>

enum { GROUP = 128 }; /* as in gpu_particle.k */

/* In the caller's order, sectors of the mesh are read from memory.  If sorted,
 * neighbours find them in the cache, and the number of loads bounds the kernel.
 * A thread reads P^3 points one after the other, however few threads there are.
 * A sort takes several launches. */
double interp_particle_cost(const struct interp_args *args, int sorted)
{
    struct gpu_rates rates = interp_gpu_rates(args);
    double p = args->window->support, values = interp_gpu_values(args);
    int f32 = args->precision == FARSUM_F32;
    double line = p * gpu_real(args->precision) / 32; /* sectors per row */
    line += f32 || sorted ? 0.8 : 1.17;
    double sums = 1, n = (double)args->n;
    if (interp_gpu_sums(args) > 1) /* reads bound it in the caller's order */
        sums = sorted ? interp_gpu_sums(args)
                      : 1 + 0.15 * (interp_gpu_sums(args) - 1);
    double bytes = interp_gpu_bytes(args)
                   / pow(interp_clustering(args), sorted ? 0.3 : 0.42);
    double read = p * p * line * values;
    /* a multiprocessor's own cache serves a small mesh */
    double near = f32 ? 1 + 0.65 / (1 + bytes / 1e6)
                      : 1.53 + 4.2 / (1 + bytes / 4.4e4);
    struct gpu_rate sectors = {near * rates.sectors.cached,
                               (f32 ? 1 : 1.28) * rates.sectors.far};
    double sort = 4e-5 + 6e-11 * n / rates.share;
    if (!sorted)
        return (f32 ? 4.4e-6 : 2.3e-6)
               + hypot_of(
                   n * sums * read * gpu_seconds(&rates, sectors, bytes),
                   p * p * sums
                       * (f32 ? 2.7e-7 * pow(values, 0.9) : 5.2e-7 * values));
    double loads = p * p * p * values * sums / (f32 ? 816e9 : 695e9);
    double met = fmin(bytes / 32 / fmax(n, 1), read);
    /* sectors read by other multiprocessors are in the cache if it holds the
     * mesh */
    double far = bytes > rates.cache ? 1 - rates.cache / bytes : 0;
    met *= f32 ? 2.35e-11 * (1 - 0.38 * far) : 6.6e-12 * (1 + 3.5 * far);
    return (f32 ? 5.4e-6 : 4e-7)
           + hypot_of(n * (loads + met) / rates.share,
                      p * p * sums
                          * (f32 ? 3.2e-7 * pow(values, 0.76)
                                 : 6.6e-7 * pow(values, 0.58)))
           + sort / interp_repeats(args);
}

farsum_status interp_particle_create(const struct interp_args *args, int sorted,
                                     void **state)
{
    farsum_status status = FARSUM_OK;
    struct interp_gpu *s = NULL;
    TRY(MEM_NEW(s, 1));
    interp_gpu_begin(s, args, "stage/interp/gpu_particle.k");
    jit_define(&s->jit, "SORTED", "%d", sorted);
    GO(interp_gpu_build(s, "interp_particle", GROUP, 0));
    *state = s;
done:
    if (status != FARSUM_OK)
        interp_particle_destroy(s);
    return status;
}

farsum_status interp_particle_run(void *state, const void *a)
{
    struct interp_gpu *s = state;
    const struct interp_io *io = a;
    struct interp_gpu_args args;
    const struct buf *results[2];
    const struct points_gpu *points = s->points->gpu;
    int sorted = s->ordering != NULL;
    if (s->points->n == 0)
        return FARSUM_OK;
    TRY(interp_gpu_io(s, io, &args, results));
    return LAUNCH(&s->kernel, s->groups,
                  ARG_BUF(sorted ? &s->ordering->s : &points->s),
                  ARG_BUF(sorted ? &s->ordering->item : &points->s),
                  ARG_BUF(io->mesh), ARG_BUF(results[0]), ARG_BUF(results[1]),
                  ARG_BUF(interp_gpu_gradient(io)), ARG_STRUCT(args));
}

void interp_particle_destroy(void *state)
{
    if (state)
        interp_gpu_clear(state);
    mem_free(state);
}

static farsum_status fits(const void *a)
{
    return interp_gpu_bends_fit(a);
}

static double cost(const void *a)
{
    return interp_particle_cost(a, 0);
}

static int64_t bytes(const void *a)
{
    (void)a;
    return (int64_t)sizeof(struct interp_gpu);
}

static farsum_status create(const void *a, void **state)
{
    return interp_particle_create(a, 0, state);
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct interp_gpu *s = state;
    TRY(interp_gpu_set(s, sources, targets));
    s->groups = kernel_groups(&s->kernel, s->points->n);
    return FARSUM_OK;
}

const struct variant interp_gpu_particle = {.fits = fits,
                                            .cost = cost,
                                            .bytes = bytes,
                                            .create = create,
                                            .set = set,
                                            .run = interp_particle_run,
                                            .destroy = interp_particle_destroy,
                                            .deterministic = 1,
                                            .needs = "a device"};
