/* SPDX-License-Identifier: Apache-2.0 */
/* verlet.h: parameters of gpu_verlet that follow from its arguments. */
#ifndef FARSUM_STAGE_NEAR_DEVICE_VERLET_H
#define FARSUM_STAGE_NEAR_DEVICE_VERLET_H

#include "stage/near/device/device.h"

enum {
    VERLET_GROUP = 128,
    VERLET_MOST = 32, /* threads per list */
    VERLET_BITS = 27, /* bits for the source in an entry of one word */
    VERLET_ALIGN = 8, /* entries */
};
/* Rounding error of a distance in f32, in cutoffs: lists reach so much
 * farther. */
#define VERLET_MARGIN 1e-5

/* Threads per list. */
int verlet_share(const struct near_args *args);
/* Cells per cutoff. */
void verlet_density(const struct near_args *args, double a_cutoff[3]);
/* Reach of lists in cutoffs. */
double verlet_range(const struct near_args *args);
/* 1: an entry takes two words, for n sources.  spare: above 1, for somewhat
 * more sources and also narrower cells. */
int verlet_apart(const struct near_args *args, int64_t n, double spare);
#define VERLET_SPARE 1.25
/* Entries per list. */
double verlet_entries(const struct near_args *args);
/* Upper bounds of the parts of lists of uniform points, with `entries` on
 * average and the share `outer` in the second part; multiples of
 * VERLET_ALIGN. */
void verlet_capacity(double entries, double outer, int32_t capacity[2]);
/* Bytes per source for the f32 pairs of an f64 plan. */
int64_t verlet_words(const struct near_args *args);

/* Cost of the variant. */
double verlet_cost(const void *args);
int64_t verlet_bytes(const void *args);
void verlet_ops(const void *args, struct work *work);
#endif
