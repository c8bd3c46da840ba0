/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_families.h: what rows of m2l that work on families have in common:
 * gpu_walsh_families.k but for its products. */
#ifndef FARSUM_STAGE_M2L_WALSH_GPU_FAMILIES_H
#define FARSUM_STAGE_M2L_WALSH_GPU_FAMILIES_H

#include "stage/expansions/device.h"

enum { FAMILY_BLOCK = 128, FAMILY_CELLS = 360, FAMILY_STEPS = 26 };

/* The host's twin of stage/m2l/walsh/families.kh's struct. */
struct families {
    int32_t root[3], periodic[3];
    int32_t begin, blocks;
};
_Static_assert(sizeof(struct families) == 32,
               "must match stage/m2l/walsh/families.kh");

/* How the products are cut. */
struct walsh_shape {
    int k, rows, tiles; /* coefficients and rows of a tile, padded */
    int chunk;          /* coefficients at a time */
    /* Rows of a thread, one after another, in a tile of `pitch` numbers for a
     * coefficient; 0: operators lie as lanes of tensor cores read them. */
    int each, pitch;
};

struct walsh_families {
    struct boxes_gpu gpu; /* owned; its jit: take and give */
    struct walsh_shape shape;
    struct kernel take, give;
    struct kernel products;      /* the row's */
    struct buf blocks, class_of; /* owned */
    struct buf families, sums;   /* owned, of a batch */
    int64_t n_blocks, batch;
};

/* Padded size of an array of numbers for the kernels' cells. */
int64_t walsh_families_pitch(const struct boxes_args *a);
/* Blocks of all levels that have children. */
int64_t walsh_families_blocks(const struct boxes_args *a);
/* Groups that a multiprocessor does one after another. */
double walsh_families_rounds(const struct boxes_args *a, int tiles);
farsum_status walsh_families_fits(const struct boxes_args *a,
                                  const struct walsh_shape *shape);
int64_t walsh_families_bytes(const struct boxes_args *a,
                             const struct walsh_shape *shape);
/* Seconds: the products do `faster` times the units' multiply-adds, but for
 * `step` seconds a step of a group, by an H200's clock. */
double walsh_families_cost(const struct boxes_args *a,
                           const struct walsh_shape *shape, double faster,
                           double step);
void walsh_families_work(const struct boxes_args *a,
                         const struct walsh_shape *shape, struct work *work);
/* Makes all but `products`; the text's own are compiled if asked for. */
farsum_status walsh_families_begin(struct walsh_families *s,
                                   const struct boxes_args *a,
                                   const struct walsh_shape *shape,
                                   int products);
farsum_status walsh_families_run(struct walsh_families *s,
                                 const struct boxes_io *io);
void walsh_families_clear(struct walsh_families *s);
#endif
