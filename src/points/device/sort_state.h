/* SPDX-License-Identifier: Apache-2.0 */
/* sort_state.h: kernels and scratch of points on a device. */
#ifndef FARSUM_POINTS_DEVICE_SORT_STATE_H
#define FARSUM_POINTS_DEVICE_SORT_STATE_H

#include "points/device/set.h"
#include "points/device/scan.h"

enum {
    GPU_GROUP = 256,
    GPU_RADIX_BLOCKS = 3,    /* thread blocks per multiprocessor */
    GPU_RADIX_BITS = 8,      /* bits per digit, */
    GPU_RADIX_WIDE = 9,      /* and where that saves a pass over many points */
    GPU_RADIX_LOCAL = 30720, /* bytes of shared memory that the latter need */
    GPU_RECORD = 16,         /* doubles per record, points/device/set.k */
    GPU_RECORDS = 1024,      /* maximum number of blocks of a reduction */
};

/* As in points/device/bin_of.kh. */
struct gpu_tile_args {
    double scale[3];
    int64_t n;
    int32_t nb1, nb2;
};
_Static_assert(sizeof(struct gpu_tile_args) == 40, "as the kernels have it");

/* Kernels of sorts by digits of `bits` bits. */
struct gpu_radix {
    struct jit jit;
    struct kernel first, count, move, starts, fill, finish, finish_again;
    int bits, items; /* items: points per thread in a pass; 0: not compiled */
};

struct gpu_inside {
    struct jit set_jit, count_jit;
    struct kernel set;
    struct kernel keys, count, again, place, scatter, round, measure;
    struct kernel gather;
    struct gpu_radix radix[2]; /* for GPU_RADIX_BITS and GPU_RADIX_WIDE */
    struct gpu_scan *scan;     /* u32 */

    /* state of the last set */
    char what[32];
    int64_t groups;     /* number of its records */
    int looked;         /* 1: the points were checked, and bad ones set the
                           flag */
    int listed;         /* 1: and records exist */
    int boxed;          /* 1: and they contain the bounding box */
    int64_t checked;    /* version that was found valid */
    struct buf records; /* [groups][GPU_RECORD] f64 */
    struct buf flag;    /* i32: the serial of a set with bad points */
    double *record;     /* owned, [GPU_RECORDS][GPU_RECORD] */
    int64_t recorded;   /* version of the contents of record */

    /* scratch of the sorts */
    struct buf key[2], index[2], hist, other, packed, filling;
    struct buf stage; /* positions that were given on the host */
    int pack;           /* 1: always, -1: never, 0: if beyond the cache */
    int wide;           /* 1: wide digits also for few points */
    int64_t few_groups; /* maximum number of blocks of a pass that sum counters
                           without a scan */
    int64_t few;        /* maximum number of points sorted by atomics, if
                           allowed; more are sorted by digits */
};

/* Measured on an H200, in us, into tiles of some hundred points.
 *
 * points           by atomics   from an earlier order   by digits
 * 1e4                      19                      24          22
 * 1e5                      25                      25          26
 * 3e5                      41                      31          42
 * 1e6                     131                      62          81
 * 1e7                    1417                     693         722
 * 1e7, clustered         3434                                 624 */
#define GPU_FEW ((int64_t)1 << 17)
#define GPU_FEW_GROUPS ((int64_t)128)

static inline int32_t gpu_serial(const struct points_gpu *p)
{
    return (int32_t)(p->version & 0x7fffffff);
}
/* Checks nb and fills in the kernels' arguments. */
farsum_status gpu_tiles(const int32_t nb[3], int64_t n,
                        struct gpu_tile_args *args, int64_t *n_bins);
/* Compiles points/device/count.k, once. */
farsum_status gpu_count_ready(struct points_gpu *points);
/* Counts points.  start: points per tile, n_bins + 1 words, the last 0.
 * inside->key[0] and index[0]: tile and rank, in the caller's order. */
farsum_status gpu_count(struct points_gpu *points,
                        const struct gpu_tile_args *args, int64_t n_bins,
                        struct buf *start);
/* Returns 1 if random reads of coordinates should use inside->packed. */
int gpu_packs(const struct points_gpu *points, int64_t n);
/* Returns 1 if bins are so many more than points that points should not set the
 * bins before them; gpu_keys_starts does it then. */
static inline int gpu_starts_apart(int64_t n, int64_t n_bins)
{
    return n_bins > 4 * n + 65536;
}
/* gpu_keys_sort in two steps.  keys: the sorted keys, valid until the next
 * sort.  The buffer start must be allocated before. */
farsum_status gpu_keys_sorted(struct points_gpu *points, int64_t n,
                              int64_t n_bins, struct buf *order,
                              const struct buf **keys);
farsum_status gpu_keys_starts(struct points_gpu *points, int64_t n,
                              int64_t n_bins, const struct buf *keys,
                              struct buf *start);
/* Gathers the coordinates in the order of the sort. */
farsum_status gpu_gather(struct points_gpu *points, struct gpu_ordering *sort,
                         int64_t n);
/* The stable sort.  reserve compiles it and allocates memory for n points. */
farsum_status gpu_radix_reserve(struct points_gpu *points, int64_t n,
                                int64_t n_bins);
farsum_status gpu_radix(struct points_gpu *points, struct gpu_ordering *to,
                        const struct gpu_tile_args *args, int64_t n_bins);
/* The same from another order of these positions, so that neighbours are read
 * together.  Stable in that order. */
farsum_status gpu_radix_again(struct points_gpu *points,
                              const struct gpu_ordering *from,
                              struct gpu_ordering *to,
                              const struct gpu_tile_args *args, int64_t n_bins);
#endif
