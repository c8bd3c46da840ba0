/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: what rows of the far field's rooms that work on a device have
 * in common: trees there, and who is near whom in them.
 *
 * Multipoles and locals of a sparse tree are in the order of
 * points/tree/tree_device_set.h; who is near whom lies with the tree, and what
 * groups do is known when it is there: a row that takes sparse trees has a
 * `set`. */
#ifndef FARSUM_STAGE_EXPANSIONS_DEVICE_H
#define FARSUM_STAGE_EXPANSIONS_DEVICE_H

#include "device/buf.h"
#include "device/compile/jit.h"
#include "stage/expansions/expansions.h"

enum { BOXES_LEVELS = 10, BOXES_LANES = 32 };

/* The host's twin of stage/m2l/boxes.kh's struct. */
struct boxes_levels {
    int64_t stride;
    int64_t first[BOXES_LEVELS + 1];
    int64_t near[BOXES_LEVELS + 1];
    int32_t parents[BOXES_LEVELS + 1];
    int32_t begin[BOXES_LEVELS + 2];
    int32_t depth, list, sparse;
    int64_t slots, child, above;
};
_Static_assert(sizeof(struct boxes_levels) == 312,
               "must match stage/m2l/boxes.kh");

struct boxes_gpu {
    struct boxes_args args;
    struct jit jit;        /* of the row's own kernels */
    struct boxes_levels levels;
    int64_t groups;        /* of a launch over all levels */
    struct buf near;       /* i32: stage/m2l/boxes.kh; of a dense tree */
    struct buf runs;       /* i32: stage/m2l/boxes.kh; of a sparse one */
    int width, parts;
    struct buf list;       /* i32, the row's */
    struct buf operators;  /* real, the row's */
};

/* OK if the rows may do it: a device, a dense tree of fewer than 2^31 boxes, no
 * more than BOXES_LEVELS levels below the root, order 0 .. most. */
farsum_status boxes_gpu_fits(const struct boxes_args *args, int most);
/* The same, and sparse trees too. */
farsum_status boxes_gpu_fits_any(const struct boxes_args *args, int most);
/* OK if the device has memory for so many bytes of a row's own. */
farsum_status boxes_gpu_room(const struct boxes_args *args, int64_t bytes);
/* Boxes of a level of a dense tree. */
int64_t boxes_gpu_level(const struct boxes_args *args, int level);
/* All, and leaves; of a sparse tree as they are expected. */
int64_t boxes_gpu_boxes(const struct boxes_args *args);
int64_t boxes_gpu_leaves(const struct boxes_args *args);
/* Those that have far lists, and those that have children. */
static inline int64_t boxes_gpu_below(const struct boxes_args *args)
{
    return boxes_gpu_boxes(args)
           - (args->dense ? boxes_gpu_level(args, 0) : 1);
}
static inline int64_t boxes_gpu_above(const struct boxes_args *args)
{
    int64_t n = boxes_gpu_boxes(args) - boxes_gpu_leaves(args);
    return n > 0 ? n : 0;
}
/* Bytes of near and list. */
int64_t boxes_gpu_list_bytes(const struct boxes_args *args);
/* Fills all but the row's own: groups of `width` boxes and `parts` of them. */
farsum_status boxes_gpu_begin(struct boxes_gpu *g,
                              const struct boxes_args *args, int width,
                              int parts);
/* Of a sparse tree: what groups do, of the width and parts of begin.  Nothing
 * to do for a dense one. */
farsum_status boxes_gpu_set(struct boxes_gpu *g, const struct tree *tree);
/* What a kernel is given to find boxes by: of a dense tree g->near. */
const struct buf *boxes_gpu_near(const struct boxes_gpu *g,
                                 const struct tree *tree);
/* Boxes of a level that have children, as kernels find them: in a dense tree
 * the level's first box, the next one's; in a sparse one its first slot, where
 * lists have children. */
struct boxes_family {
    int64_t parent, child, parents, slots;
};
struct boxes_family boxes_gpu_family(const struct tree *tree, int level);
void boxes_gpu_clear(struct boxes_gpu *g);
/* OK if it is the tree that the row was made for. */
farsum_status boxes_gpu_same(const struct boxes_args *args,
                             const struct boxes_io *io);
/* The same; then levels are set for io's arrays. */
farsum_status boxes_gpu_io(struct boxes_gpu *g, const struct boxes_io *io);

/* Bit a: number (n, m) changes sign when axis a is mirrored. */
static inline int boxes_class(int n, int m)
{
    int sine = m < 0, odd = m % 2 != 0;
    return (odd != sine) | sine << 1 | ((n + m) % 2 != 0) << 2;
}
/* Boxes that a thread takes, at most `most`: fewer, if there are few groups. */
int boxes_gpu_thread(const struct boxes_args *args, int most, int parts);

/* A far list of an octant, the same for all boxes of it in dense trees:
 * d = target's place minus source's, octant of the source, number of its parent
 * among those near the target's.  How many. */
struct boxes_far {
    int32_t d[3];
    int32_t octant, near;
};
int64_t boxes_gpu_far_most(int ws);
int64_t boxes_gpu_far(int ws, int octant, struct boxes_far *far);
/* Differences of places that there are in all lists: 316 of ws = 1. */
int64_t boxes_gpu_differences(int ws);
/* Makes g->list, [octant][far list][3]: which difference, octant and near; the
 * differences are given to the caller, to be freed. */
farsum_status boxes_gpu_lists(struct boxes_gpu *g, int32_t (**d)[3],
                              int64_t *n);

/* Zeros for the locals of all boxes that have far lists, by a kernel
 * (sums, boxes, levels). */
farsum_status boxes_gpu_zero(const struct boxes_gpu *g,
                             const struct kernel *kernel,
                             const struct boxes_io *io);
/* The operator t[K][K] of a difference; field: room for (2p + 1)^2. */
void boxes_gpu_operator(const struct boxes_args *args, const int32_t d[3],
                        double *field, double *t);

/* Tiles of an operator's rows dealt out to teams of a group, and groups. */
struct boxes_gpu_deal {
    int tiles, teams, parts;
};
struct boxes_gpu_deal boxes_gpu_deal(const struct boxes_args *args, int tiles,
                                     int most);

/* stage/shift/device_dense.c: the state of rows that go between boxes and their
 * children by one dense operator, level after level. */
struct boxes_gpu_shifts {
    struct boxes_args args;
    struct boxes_gpu_deal deal;
    struct jit jit;
    struct kernel kernel;
    struct buf cut, operators; /* owned: as the kernel has them */
};
/* Its memory: numbers of `cut`, reals of `operators`. */
farsum_status boxes_gpu_shifts_fits(const struct boxes_args *args,
                                    int64_t reals);
int64_t boxes_gpu_shifts_bytes(const struct boxes_args *args, int64_t numbers,
                               int64_t reals);
void boxes_gpu_shifts_destroy(void *state);
/* t[K][K] of octant 0 by multipole_m2m or multipole_l2l. */
void boxes_gpu_shifts_operator(const struct boxes_args *args,
                               void (*shift)(int p, const double d[3],
                                             double shrink, double *t),
                               double *t);
/* What was cut to the device, and the kernel, (array, operators, cut, args),
 * which s->jit was begun for. */
farsum_status boxes_gpu_shifts_send(struct boxes_gpu_shifts *s,
                                    const int32_t *cut, int64_t numbers,
                                    const double *operators, int64_t reals);
farsum_status boxes_gpu_shifts_build(struct boxes_gpu_shifts *s,
                                     const char *name);
/* Between that level's boxes and their children. */
farsum_status boxes_gpu_shifts_level(const struct boxes_gpu_shifts *s,
                                     const struct boxes_io *io, int level,
                                     const struct buf *array);

/* Numbers of a precision. */
farsum_status boxes_gpu_upload(struct buf *buf, farsum_precision precision,
                               int64_t at, const double *values, int64_t n);
#endif
