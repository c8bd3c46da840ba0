/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.h: internal functions of method/fmm/device/clustering.c and
 * clustering_dense.c: clustering statistics of a tree on a device. */
#ifndef FARSUM_METHOD_FMM_DEVICE_CLUSTERING_H
#define FARSUM_METHOD_FMM_DEVICE_CLUSTERING_H

#include "method/fmm/boxes/clustering.h"
#include "method/fmm/device/set_points.h"
#include "points/device/scan.h"

enum {
    CLUSTERING_GROUP = 128,
    CLUSTERING_TEAM = 8,
    CLUSTERING_LEVELS = TREE_GPU_LEVELS,
    CLUSTERING_SUMS = 2 * K,     /* per point and level */
    CLUSTERING_LIST = 1 + 2 * K, /* words of a list's record, see struct
                                     clustering_sums */
    /* words for the targets' own boxes */
    CLUSTERING_OWN = 5 + CLUSTERING_LEVELS,
    CLUSTERING_FACTS = CLUSTERING_OWN + CLUSTERING_LIST * CLUSTERING_LEVELS,
};
_Static_assert(sizeof(struct clustering_sums)
                   == CLUSTERING_LIST * sizeof(double),
               "as the kernel has them");

/* Must equal the struct in method/fmm/boxes/clustering.kh. */
struct clustering_args {
    int64_t samples[2], step[2], leaf[2], some;
    int32_t lowest, deepest, few[2], begin[CLUSTERING_LEVELS + 1];
    int64_t skip[CLUSTERING_LEVELS], whole, low;
};
_Static_assert(sizeof(struct clustering_args) == 344, "as the kernels have it");

struct clustering_gpu {
    farsum_precision precision;
    double box[3], half; /* describe the uploaded tables; half as in struct
                            clustering */
    int ws;              /* 0: nothing is uploaded */
    struct jit jit;
    struct kernel octants, samples, lists, fold;
    struct kernel layers; /* dense trees over ranks */
    struct buf table, known, squares, record, fact;
    struct buf upper[2]; /* dense trees: boxes above the leaves */
    /* sparse trees: */
    struct kernel own;
    struct gpu_scan *scan; /* u64 */
    struct buf sums[2];
};

/* Creates the kernels of a file and uploads the tables, if they do not exist
 * yet. */
farsum_status fmm_gpu_clustering_ready(const struct tree *tree,
                                       const char *file,
                                       struct clustering_gpu **workspace);
/* Sets the sampled boxes of each level in args, with the strides that are not
 * 0.  Returns their number. */
int64_t fmm_gpu_clustering_boxes(const struct tree *tree,
                                 struct clustering_args *args);
/* Halves the stride of each level that its sampled boxes do not describe; fact:
 * the facts of the lists.  here: for each level, the targets in its boxes;
 * NULL: m on all levels.  Returns 1 if the lists must be summed again. */
int fmm_gpu_clustering_finer(struct clustering_args *args, const double *fact,
                             const double *here, int64_t m);
/* Sets the sampled points in args: every step-th of a side. */
void fmm_gpu_clustering_points(const struct tree_gpu_points *points, int side,
                               int64_t step, struct clustering_args *args);
/* Adds up the lists' records into facts; those of each level start at
 * CLUSTERING_OWN. */
farsum_status fmm_gpu_clustering_fold(struct clustering_gpu *workspace,
                                      const struct clustering_args *args);
/* Parts of method/fmm/device/clustering_dense.c, for a rank's tree.  side: sums
 * over a side's points, for boxes above the leaves.  lists: the facts of each
 * level.  means: adds the means over m targets from facts of the levels from
 * `first` on. */
farsum_status fmm_gpu_clustering_side(struct clustering_gpu *workspace,
                                      const struct tree *tree,
                                      const struct tree_gpu_region *region,
                                      int side, struct clustering_args *args);
farsum_status fmm_gpu_clustering_lists(struct clustering_gpu *workspace,
                                       const struct tree *tree,
                                       const struct buf *const count[2],
                                       struct clustering_args *args);
void fmm_gpu_clustering_means(const struct tree *tree, int first, int64_t m,
                              const double *fact,
                              struct fmm_clustering *clustering);
/* Adds these facts of a level, with `here` targets in its boxes, to
 * *clustering. */
void fmm_gpu_clustering_take(const struct tree *tree, int level,
                             const double *fact, double here,
                             struct fmm_clustering *clustering);
#endif
