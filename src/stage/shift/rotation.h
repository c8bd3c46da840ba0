/* SPDX-License-Identifier: Apache-2.0 */
/* stage/m2l/rotation/counts.h: what rows share that go between boxes and their
 * children axis after axis (math.md 10.32): a shift along z, exchange of x and
 * z, and so on.
 *
 * Boxes go side by side in tiles, SIMD over them: arrays are [number][tile]. */
#ifndef FARSUM_STAGE_SHIFT_ROTATION_H
#define FARSUM_STAGE_SHIFT_ROTATION_H

#include "stage/expansions/expansions.h"

enum {
    AXES_VECTORS = 2,
    AXES_TILE_MOST = 64,
    AXES_PARENT = 8, /* among a family's boxes, behind the octants */
    AXES_ROOM = 5,   /* expansions that a tile's work needs */
};

/* The boxes of a tile of parents, or their children of one octant. */
struct axes_boxes {
    int64_t first;                 /* a box; -1: there is none */
    int run;                       /* 1: they are first .. first + tile - 1 */
    int count;                     /* of those that there are */
    int32_t at[AXES_TILE_MOST];    /* box less first, or 0 */
    int32_t is[AXES_TILE_MOST];    /* -1: there is a box; 0: none */
    int32_t which[AXES_TILE_MOST]; /* those that there are: [count] */
};
struct axes_family {
    void *array; /* multipoles or locals of all boxes */
    int64_t stride;
    struct axes_boxes boxes[AXES_PARENT + 1];
};

/* Tables in the row's precision. */
struct axes_tables {
    int p;
    /* Of each degree, what of (10.11) is not zero by symmetry, row after row:
     * real parts of rows 0, 2, .., of rows 1, 3, ..; imaginary ones of rows 1,
     * 3, .., of rows 2, 4, .. */
    const void *swap;
    /* Of each axis, of each order m, rows n of (10.32): m2m k = m .. n, l2l k =
     * n .. p. */
    const void *shift[3];
};

struct axes_kern {
    int tile;
    /* room: AXES_ROOM expansions of a tile. */
    void (*up)(const struct axes_tables *tables, const struct axes_family *f,
               void *room);
    void (*down)(const struct axes_tables *tables, const struct axes_family *f,
                 void *room);
};

/* Where degree n's number of order m and a side (0: real, 1: imaginary) is, and
 * its sign, if x and y are exchanged: (10.31). */
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

/* The rows of the host, but for what they are called: up, m2m; else l2l. */
double axes_cost(const void *args);
int64_t axes_bytes(const void *args);
farsum_status axes_create(const void *args, int up, void **state);
void axes_destroy(void *state);
/* Between the boxes of a level and their children, in `array`. */
void axes_level(void *state, const struct boxes_io *io, int level, void *array);

/* The numbers of (10.32) that tables have, of one axis, of real or imaginary
 * parts. */
int64_t axes_shifts(int p);
/* Multiply-adds of a parent. */
double axes_work(int p);
void axes_ops(const void *args, struct work *work);
/* What (10.32) has between degrees n (of the result) and k along an axis. */
double axes_shift(const struct boxes_args *args, int up, int axis, int n, int m,
                  int k);

/* Those on devices, stage/shift/rotation_device.c. */
farsum_status axes_gpu_fits(const void *args, int up);
double axes_gpu_cost(const void *args, int up);
int64_t axes_gpu_bytes(const void *args);
farsum_status axes_gpu_create(const void *args, int up, void **state);
void axes_gpu_destroy(void *state);
farsum_status axes_gpu_same(const void *state, const struct boxes_io *io);
farsum_status axes_gpu_level(const void *state, const struct boxes_io *io,
                             int level, const void *array);
#endif
