/* SPDX-License-Identifier: Apache-2.0 */
/* rotation.h: common definitions of the variants that translate between boxes
 * and their children axis by axis (math.md 10.32): a translation along z,
 * exchange of x and z, and so on.
 *
 * Boxes are processed in tiles, with SIMD over them: arrays are
 * [coefficient][tile]. */
#ifndef FARSUM_STAGE_SHIFT_ROTATION_H
#define FARSUM_STAGE_SHIFT_ROTATION_H

#include "stage/expansions/expansions.h"

enum {
    AXES_VECTORS = 2,
    AXES_TILE_MOST = 64,
    AXES_PARENT = 8, /* index of the parent among a family's boxes, after the
                        octants */
    AXES_CAPACITY = 5,   /* expansions in the workspace of a tile */
};

/* The boxes of a tile of parents, or their children of one octant. */
struct axes_boxes {
    int64_t first;                 /* a box; -1: there are none */
    int run;                       /* 1: they are first .. first + tile - 1 */
    int count;                     /* number of existing boxes */
    int32_t at[AXES_TILE_MOST];    /* box minus first, or 0 */
    int32_t is[AXES_TILE_MOST];    /* -1: the box exists; 0: it does not */
    int32_t which[AXES_TILE_MOST]; /* existing boxes: [count] */
};
struct axes_family {
    void *array; /* multipoles or locals of all boxes */
    int64_t stride;
    struct axes_boxes boxes[AXES_PARENT + 1];
};

/* Tables in the variant's precision. */
struct axes_tables {
    int p;
    /* For each degree, the elements of (10.11) that are not zero by symmetry,
     * row after row: real parts of rows 0, 2, .., of rows 1, 3, ..; imaginary
     * ones of rows 1, 3, .., of rows 2, 4, .. */
    const void *swap;
    /* For each axis and order m, rows n of (10.32): m2m k = m .. n, l2l k = n
     * .. p. */
    const void *shift[3];
};

struct axes_kern {
    int tile;
    /* workspace: AXES_CAPACITY expansions of a tile. */
    void (*up)(const struct axes_tables *tables, const struct axes_family *f,
               void *workspace);
    void (*down)(const struct axes_tables *tables, const struct axes_family *f,
                 void *workspace);
};

/* Index of degree n, order m and side (0: real, 1: imaginary), and its sign, if
 * x and y are exchanged: (10.31). */
static inline int axes_exchanged(int n, int m, int side, int *sign)
{
    int quarter = m & 3;
    if (m % 2) {
        *sign = quarter == 1 ? 1 : -1;
        side = 1 - side;
    } else {
        *sign = (quarter == 0) == (side == 0) ? 1 : -1;
    }
    return multipole_at(n, side ? -m : m);
}

/* The host variants: up: m2m; else l2l. */
double axes_cost(const void *args);
int64_t axes_bytes(const void *args);
farsum_status axes_create(const void *args, int up, void **state);
void axes_destroy(void *state);
/* Translates between the boxes of a level and their children, in `array`. */
void axes_level(void *state, const struct boxes_io *io, int level, void *array);

/* Number of elements of (10.32) in the tables of one axis, for real or
 * imaginary parts. */
int64_t axes_shifts(int p);
/* Multiply-adds per parent. */
double axes_work(int p);
void axes_ops(const void *args, struct work *work);
/* The element of (10.32) between degrees n (of the result) and k along an
 * axis. */
double axes_shift(const struct boxes_args *args, int up, int axis, int n, int m,
                  int k);

/* The device variants, stage/shift/rotation_device.c. */
farsum_status axes_gpu_fits(const void *args, int up);
double axes_gpu_cost(const void *args, int up);
int64_t axes_gpu_bytes(const void *args);
farsum_status axes_gpu_create(const void *args, int up, void **state);
void axes_gpu_destroy(void *state);
farsum_status axes_gpu_same(const void *state, const struct boxes_io *io);
farsum_status axes_gpu_level(const void *state, const struct boxes_io *io,
                             int level, const void *array);
#endif
