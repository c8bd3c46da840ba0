/* gpu.h: points on a device.
 *
 * Nothing here waits for the device: sizes that only it knows are bounded by
 * what the host knows. */
#ifndef FARSUM_POINTS_GPU_H
#define FARSUM_POINTS_GPU_H

#include "device/buf.h"
#include "device/jit.h"

struct points;
struct cell;

enum { GPU_POINTS_MAX_BITS = 32 }; /* indices are u32 */

/* Points in the order of the mesh tiles that hold them, as bins.h. */
struct gpu_sort {
    int32_t nb[3];
    int64_t n, n_bins;
    int stable;       /* 1: within a tile in the caller's order */
    struct buf start; /* [n_bins + 1] u32; tile (bx*nb1 + by)*nb2 + bz */
    struct buf order; /* [n] u32: caller's index of the k-th sorted point */
    struct buf s;     /* [3][n] f64: fractional coordinates, sorted */
};

struct points_gpu {
    struct device *device; /* borrowed */
    int64_t n;
    struct buf s;          /* [3][n] f64 in [0, 1), caller's order */
    struct gpu_sort sort;  /* the last one that was asked for */
    struct gpu_inside *inside; /* owned: kernels and scratch */
};
#endif
