/* SPDX-License-Identifier: Apache-2.0 */
/* verlet_cost.c: lengths and costs of gpu_verlet's lists. */
#include <math.h>

#include "cost/expected_rates.h"
#include "stage/near/device/verlet.h"

/* Threads per list. */
int verlet_share(const struct near_args *args)
{
    return near_gpu_share(args, args->precision == FARSUM_F32 ? 4 : 2,
                          VERLET_MOST);
}

/* Bytes per source for the f32 pairs of an f64 plan. */
int64_t verlet_words(const struct near_args *args)
{
    return args->precision == FARSUM_F32
               ? 0
               : 16 * (int64_t)((near_kernel(args)->strengths + 6) / 4);
}

/* Cells per cutoff. */
void verlet_density(const struct near_args *args, double a_cutoff[3])
{
    double s = args->neighbours / (4 * M_PI / 3);
    double wide = fmin(fmax(round(cbrt(s)), 2), 4);
    near_gpu_density(args, (double[3]){wide, wide, 2 * wide}, a_cutoff);
}

double verlet_range(const struct near_args *args)
{
    return 1 + args->skin + VERLET_MARGIN;
}

/* 0: one word holds an entry, as sources are few enough and no image is farther
 * than the nearest ones. */
int verlet_apart(const struct near_args *args, int64_t n, double spare)
{
    int apart = spare * (double)n > (double)((int64_t)1 << VERLET_BITS);
    for (int d = 0; d < 3; d++)
        apart |= args->cell->height[d] < spare * verlet_range(args);
    return apart;
}

/* Entries per list. */
double verlet_entries(const struct near_args *args)
{
    return args->neighbours * pow(verlet_range(args), 3) + 1;
}

/* Upper bounds of the lengths of lists of uniform points, with `entries` on
 * average and the share `outer` in the second part; multiples of
 * VERLET_ALIGN. */
void verlet_capacity(double entries, double outer, int32_t capacity[2])
{
    const double part[2] = {entries * (1 - outer), entries * outer};
    for (int p = 0; p < 2; p++) {
        double most = part[p] + 7 * sqrt(part[p]) + VERLET_ALIGN;
        capacity[p] =
            p == 1 && outer == 0
                ? 0
                : VERLET_ALIGN
                      * (int32_t)fmin(ceil(most / VERLET_ALIGN), 1 << 26);
    }
}

/* Fitted to times of an H200, to 15 percent: 3000 to 4e6 uniform points with 17
 * to 1070 neighbours and skins of 0 to 0.3 cutoffs, charges, stokeslets,
 * rotlets and stresslets in f32 and f64.  The terms are: per list, per entry by
 * the bytes read per source, and per pair. */
static double verlet_seconds(const struct near_args *a)
{
    const int f32 = a->precision == FARSUM_F32;
    const double entries = verlet_entries(a);
    const double parts = (double)near_side_bytes(a) / 16;
    double work = f32 ? 3300 + (55 + 35 * parts) * entries
                      : 1500 + (50 + 20 * parts) * entries;
    work += 0.33 * near_work(a) * a->neighbours;
    double steps = 180 + 8 * entries / verlet_share(a);
    return near_gpu_alone(a, 4)
           * (near_gpu_busy(a, work, 1)
              + steps * gpu_rates(a->device, a->precision).wait);
}

/* Cost of sorting, and of searching the cells around a target. */
static double verlet_making(const struct near_args *a)
{
    const int f32 = a->precision == FARSUM_F32;
    double work =
        f32 ? 18000 + 193 * a->neighbours : 12000 + 107 * a->neighbours;
    return near_gpu_alone(a, 4) * near_gpu_busy(a, work, 1) + 9e-5;
}

/* With a skin, one set in ten is assumed to make new lists. */
double verlet_cost(const void *args)
{
    const struct near_args *a = args;
    double runs = a->repeats > 1 ? a->repeats : 1;
    if (a->skin > 0)
        runs *= 10;
    return verlet_seconds(a) + verlet_making(a) / runs;
}

/* Counts the test of all list entries and the sum of the pairs. */
void verlet_ops(const void *args, struct work *work)
{
    const struct near_args *a = args;
    double targets = near_targets(a), entries = verlet_entries(a);
    near_ops_looked(a, targets * entries, work);
    near_ops_pairs(a, targets * a->neighbours, work);
    near_ops_arrays(a, work);
    work->launches++; /* the launch that packs strengths with coordinates */
    work->read += 4 * (1 + verlet_apart(a, a->n_sources, VERLET_SPARE))
                      * targets * entries
                  + 4 * (double)a->n_sources;
}

int64_t verlet_bytes(const void *args)
{
    const struct near_args *a = args;
    double a_cutoff[3], targets = near_targets(a);
    int32_t capacity[2];
    /* the number of f32 pairs is known only later; two halves need the most */
    verlet_capacity(verlet_entries(a), verlet_words(a) > 0 ? 0.5 : 0, capacity);
    double entries = ((double)capacity[0] + capacity[1]) * targets;
    verlet_density(a, a_cutoff);
    return near_gpu_bytes(a, a_cutoff, 1,
                          (int64_t)targets * verlet_share(a) / VERLET_GROUP + 1)
           + a->n_sources * (near_side_bytes(a) + verlet_words(a))
           + (int64_t)(4 * (1 + verlet_apart(a, a->n_sources, VERLET_SPARE))
                           * entries
                       + 20 * targets);
}
