/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_families.h: common code of the m2l variants that process the eight
 * children of a parent (a family) together: gpu_walsh_families.k except its
 * products. */
#ifndef FARSUM_STAGE_M2L_WALSH_GPU_FAMILIES_H
#define FARSUM_STAGE_M2L_WALSH_GPU_FAMILIES_H

#include "stage/expansions/device.h"

enum { FAMILY_BLOCK = 128, FAMILY_CELLS = 360, FAMILY_STEPS = 26 };

/* Host counterpart of the struct in stage/m2l/walsh/families.kh. */
struct families {
    int32_t root[3], periodic[3];
    int32_t begin, blocks;
};
_Static_assert(sizeof(struct families) == 32,
               "must match stage/m2l/walsh/families.kh");

/* Parameters of the products. */
struct walsh_shape {
    int k, rows, tiles; /* coefficients, and rows per tile, padded */
    int chunk;          /* coefficients at a time */
    /* Rows per thread, one after another, in a tile with `pitch` elements per
     * coefficient; 0: operators are stored as lanes of tensor cores read
     * them. */
    int each, pitch;
};

struct walsh_families {
    struct boxes_gpu gpu; /* owned; its jit: the kernels take and give */
    struct walsh_shape shape;
    struct kernel take, give;
    struct kernel products;      /* the variant's */
    struct buf blocks, class_of; /* owned */
    struct buf families, sums;   /* owned, for one batch */
    int64_t n_blocks, batch;
};

/* Padded size of an array of coefficients for the kernels' cells. */
int64_t walsh_families_pitch(const struct boxes_args *a);
/* Number of blocks of all levels that have children. */
int64_t walsh_families_blocks(const struct boxes_args *a);
/* Thread blocks that a multiprocessor runs one after another. */
double walsh_families_rounds(const struct boxes_args *a, int tiles);
farsum_status walsh_families_fits(const struct boxes_args *a,
                                  const struct walsh_shape *shape);
int64_t walsh_families_bytes(const struct boxes_args *a,
                             const struct walsh_shape *shape);
/* Seconds: the products run at `faster` times the units' multiply-add rate, and
 * `step` seconds per step of a thread block, at an H200's clock. */
double walsh_families_cost(const struct boxes_args *a,
                           const struct walsh_shape *shape, double faster,
                           double step);
void walsh_families_work(const struct boxes_args *a,
                         const struct walsh_shape *shape, struct work *work);
/* Makes everything except `products`; the text's own products are compiled on
 * request. */
farsum_status walsh_families_begin(struct walsh_families *s,
                                   const struct boxes_args *a,
                                   const struct walsh_shape *shape,
                                   int products);
farsum_status walsh_families_run(struct walsh_families *s,
                                 const struct boxes_io *io);
void walsh_families_clear(struct walsh_families *s);
#endif
