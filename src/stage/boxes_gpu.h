/* boxes_gpu.h: what rows of the far field's rooms that work on a device have
 * in common: dense trees there, and who is near whom in them. */
#ifndef FARSUM_STAGE_BOXES_GPU_H
#define FARSUM_STAGE_BOXES_GPU_H

#include "device/buf.h"
#include "device/jit.h"
#include "stage/boxes.h"

enum { BOXES_LEVELS = 10, BOXES_LANES = 32 };

/* The host's twin of leaf/boxes.h's struct. */
struct boxes_levels {
    int64_t stride;
    int64_t first[BOXES_LEVELS + 1];
    int64_t near[BOXES_LEVELS + 1];
    int32_t parents[BOXES_LEVELS + 1];
    int32_t begin[BOXES_LEVELS + 2];
    int32_t depth, list, unused;
};
_Static_assert(sizeof(struct boxes_levels) == 288, "as leaf/boxes.h has it");

struct boxes_gpu {
    struct boxes_args args;
    struct jit jit;        /* of the row's own kernels */
    struct boxes_levels levels;
    int64_t groups;        /* of a launch over all levels */
    struct buf near;       /* i32: leaf/boxes.h */
    struct buf list;       /* i32, the row's */
    struct buf operators;  /* real, the row's */
};

/* OK if the rows may do it: a device, a dense tree of fewer than 2^31 boxes, no
 * more than BOXES_LEVELS levels below the root, order 0 .. most. */
farsum_status boxes_gpu_fits(const struct boxes_args *args, int most);
/* OK if the device has memory for so many bytes of a row's own. */
farsum_status boxes_gpu_room(const struct boxes_args *args, int64_t bytes);
/* Boxes of a level, of levels 0 .. depth, and of those that have children. */
int64_t boxes_gpu_level(const struct boxes_args *args, int level);
int64_t boxes_gpu_boxes(const struct boxes_args *args);
/* Bytes of near and list. */
int64_t boxes_gpu_list_bytes(const struct boxes_args *args);
/* Fills all but the row's own: groups of `width` boxes and `parts` of them. */
farsum_status boxes_gpu_begin(struct boxes_gpu *g,
                              const struct boxes_args *args, int width,
                              int parts);
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

/* Numbers of a precision. */
farsum_status boxes_gpu_upload(struct buf *buf, farsum_precision precision,
                               int64_t at, const double *values, int64_t n);
#endif
