/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: common code of the far-field variants on devices: trees on the
 * device, and their near boxes.
 *
 * Multipoles and locals of a sparse tree are in the order of
 * points/tree/tree_device_set.h.  Near boxes are stored with the tree.  The
 * work of thread blocks is known only when the tree exists: variants that
 * support sparse trees have a `set`. */
#ifndef FARSUM_STAGE_EXPANSIONS_DEVICE_H
#define FARSUM_STAGE_EXPANSIONS_DEVICE_H

#include "device/buf.h"
#include "device/compile/jit.h"
#include "stage/expansions/expansions.h"

enum { BOXES_LEVELS = 10, BOXES_LANES = 32 };

/* Host counterpart of the struct in stage/m2l/boxes.kh. */
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
    struct jit jit;        /* of the variant's own kernels */
    struct boxes_levels levels;
    int64_t groups;        /* thread blocks of a launch over all levels */
    struct buf near;       /* i32: see stage/m2l/boxes.kh; dense trees */
    struct buf runs;       /* i32: see stage/m2l/boxes.kh; sparse trees */
    int width, parts;
    struct buf list;       /* i32, the variant's */
    struct buf operators;  /* real, the variant's */
};

/* OK on a device, for a dense tree with fewer than 2^31 boxes and at most
 * BOXES_LEVELS levels below the root, and order 0 .. most. */
farsum_status boxes_gpu_fits(const struct boxes_args *args, int most);
/* The same, also for sparse trees. */
farsum_status boxes_gpu_fits_any(const struct boxes_args *args, int most);
/* Fails if the device has too little memory for so many bytes of the variant's
 * own. */
farsum_status boxes_gpu_fits_memory(const struct boxes_args *args,
                                    int64_t bytes);
/* Number of boxes in a level of a dense tree. */
int64_t boxes_gpu_level(const struct boxes_args *args, int level);
/* Number of all boxes, and of leaves; for a sparse tree the expected ones. */
int64_t boxes_gpu_boxes(const struct boxes_args *args);
int64_t boxes_gpu_leaves(const struct boxes_args *args);
/* Number of boxes with far lists, and of boxes with children. */
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
/* Fills all except the variant's own members: thread blocks of `width` boxes,
 * and `parts` of them. */
farsum_status boxes_gpu_begin(struct boxes_gpu *g,
                              const struct boxes_args *args, int width,
                              int parts);
/* Sparse trees: assigns work to thread blocks, with begin's width and parts.
 * Nothing to do for dense trees. */
farsum_status boxes_gpu_set(struct boxes_gpu *g, const struct tree *tree);
/* The buffer with which a kernel finds boxes: for a dense tree g->near. */
const struct buf *boxes_gpu_near(const struct boxes_gpu *g,
                                 const struct tree *tree);
/* Boxes of a level that have children, as kernels find them: in a dense tree
 * the first boxes of this level and the next; in a sparse tree the level's
 * first slot, and where lists have children. */
struct boxes_family {
    int64_t parent, child, parents, slots;
};
struct boxes_family boxes_gpu_family(const struct tree *tree, int level);
void boxes_gpu_clear(struct boxes_gpu *g);
/* OK if it is the tree that the variant was created for. */
farsum_status boxes_gpu_same(const struct boxes_args *args,
                             const struct boxes_io *io);
/* The same; then sets levels for io's arrays. */
farsum_status boxes_gpu_io(struct boxes_gpu *g, const struct boxes_io *io);

/* Bit a: coefficient (n, m) changes sign when axis a is mirrored. */
static inline int boxes_class(int n, int m)
{
    int sine = m < 0, odd = m % 2 != 0;
    return (odd != sine) | sine << 1 | ((n + m) % 2 != 0) << 2;
}
/* Boxes per thread, at most `most`; fewer if there are few thread blocks. */
int boxes_gpu_thread(const struct boxes_args *args, int most, int parts);

/* The far list of an octant, equal for all its boxes in dense trees.  An entry:
 * d = target's position minus source's, octant of the source, index of its
 * parent among those near the target's.  Returns the number of entries. */
struct boxes_far {
    int32_t d[3];
    int32_t octant, near;
};
int64_t boxes_gpu_far_most(int ws);
int64_t boxes_gpu_far(int ws, int octant, struct boxes_far *far);
/* Number of difference vectors in all lists: 316 for ws = 1. */
int64_t boxes_gpu_differences(int ws);
/* Makes g->list, [octant][far list][3]: difference, octant and near parent.
 * Returns the differences, which the caller frees. */
farsum_status boxes_gpu_lists(struct boxes_gpu *g, int32_t (**d)[3],
                              int64_t *n);

/* Zeroes the locals of all boxes with far lists, by a kernel (sums, boxes,
 * levels). */
farsum_status boxes_gpu_zero(const struct boxes_gpu *g,
                             const struct kernel *kernel,
                             const struct boxes_io *io);
/* The operator t[K][K] of a difference; field: workspace of (2p + 1)^2. */
void boxes_gpu_operator(const struct boxes_args *args, const int32_t d[3],
                        double *field, double *t);

/* Assignment of tiles of an operator's rows to teams of a thread block, and to
 * thread blocks. */
struct boxes_gpu_deal {
    int tiles, teams, parts;
};
struct boxes_gpu_deal boxes_gpu_deal(const struct boxes_args *args, int tiles,
                                     int most);

/* stage/shift/device_dense.c: state of the variants that translate between
 * boxes and their children by one dense operator, level by level. */
struct boxes_gpu_shifts {
    struct boxes_args args;
    struct boxes_gpu_deal deal;
    struct jit jit;
    struct kernel kernel;
    struct buf cut, operators; /* owned: as in the kernel */
};
/* Fails if memory is too small for the words of `cut` and the reals of
 * `operators`. */
farsum_status boxes_gpu_shifts_fits(const struct boxes_args *args,
                                    int64_t reals);
int64_t boxes_gpu_shifts_bytes(const struct boxes_args *args, int64_t numbers,
                               int64_t reals);
void boxes_gpu_shifts_destroy(void *state);
/* t[K][K] of octant 0 from multipole_m2m or multipole_l2l. */
void boxes_gpu_shifts_operator(const struct boxes_args *args,
                               void (*shift)(int p, const double d[3],
                                             double shrink, double *t),
                               double *t);
/* Copies the tables to the device and finds the kernel, (array, operators, cut,
 * args), with which s->jit was begun. */
farsum_status boxes_gpu_shifts_send(struct boxes_gpu_shifts *s,
                                    const int32_t *cut, int64_t numbers,
                                    const double *operators, int64_t reals);
farsum_status boxes_gpu_shifts_build(struct boxes_gpu_shifts *s,
                                     const char *name);
/* Translates between that level's boxes and their children. */
farsum_status boxes_gpu_shifts_level(const struct boxes_gpu_shifts *s,
                                     const struct boxes_io *io, int level,
                                     const struct buf *array);

/* Uploads numbers in the given precision. */
farsum_status boxes_gpu_upload(struct buf *buf, farsum_precision precision,
                               int64_t at, const double *values, int64_t n);
#endif
