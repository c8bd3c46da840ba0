/* SPDX-License-Identifier: Apache-2.0 */
/* verlet.h: what of the row gpu_verlet follows from its args. */
#ifndef FARSUM_STAGE_NEAR_DEVICE_VERLET_H
#define FARSUM_STAGE_NEAR_DEVICE_VERLET_H

#include "stage/near/device/device.h"

enum {
    VERLET_GROUP = 128,
    VERLET_MOST = 32, /* threads that share a list */
    VERLET_BITS = 27, /* of an entry of one word, for the source */
    VERLET_ALIGN = 8, /* entries */
};
/* What rounding and f32 leave of a distance, cutoffs: lists reach so much
 * farther. */
#define VERLET_MARGIN 1e-5

/* Threads that share a list. */
int verlet_share(const struct near_args *args);
/* Cells a cutoff. */
void verlet_density(const struct near_args *args, double a_cutoff[3]);
/* How far lists reach, cutoffs. */
double verlet_range(const struct near_args *args);
/* 1: an entry is two words, for n sources; spare: above 1, for somewhat more of
 * them and narrower cells too. */
int verlet_apart(const struct near_args *args, int64_t n, double spare);
#define VERLET_SPARE 1.25
/* Entries of a list. */
double verlet_entries(const struct near_args *args);
/* What the parts of lists of uniform points do not exceed, of `entries` on
 * average, of which a share `outer` is in the second part; multiples of
 * VERLET_ALIGN. */
void verlet_room(double entries, double outer, int32_t room[2]);
/* Bytes of a source for the pairs in f32 of a plan in f64. */
int64_t verlet_words(const struct near_args *args);

/* Of the row. */
double verlet_cost(const void *args);
int64_t verlet_bytes(const void *args);
void verlet_ops(const void *args, struct work *work);
#endif
