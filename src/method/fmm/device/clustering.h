/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.h: the inside of method/fmm/device/clustering.c and
 * method/fmm/device/clustering_dense.c: what a tree on a device says of the
 * errors. */
#ifndef FARSUM_METHOD_FMM_DEVICE_CLUSTERING_H
#define FARSUM_METHOD_FMM_DEVICE_CLUSTERING_H

#include "method/fmm/boxes/clustering.h"
#include "method/fmm/device/set_points.h"
#include "points/device/scan.h"

enum {
    CROWD_GROUP = 128,
    CROWD_TEAM = 8,
    CROWD_LEVELS = TREE_GPU_LEVELS,
    CROWD_SUMS = 2 * K,           /* of a point, at a level */
    CROWD_LIST = 1 + 2 * K,       /* words of a list, as struct crowd_sums */
    CROWD_OWN = 5 + CROWD_LEVELS, /* words of the targets' own boxes */
    CROWD_FACTS = CROWD_OWN + CROWD_LIST * CROWD_LEVELS,
};
_Static_assert(sizeof(struct crowd_sums) == CROWD_LIST * sizeof(double),
               "as the kernel has them");

/* As method/fmm/boxes/clustering.kh has it. */
struct crowd_args {
    int64_t samples[2], step[2], leaf[2], some;
    int32_t lowest, deepest, few[2], begin[CROWD_LEVELS + 1];
};
_Static_assert(sizeof(struct crowd_args) == 160, "as the kernels have it");

struct fmm_gpu_crowd {
    farsum_precision precision;
    double box[3], half; /* what was sent is of; struct crowd's */
    int ws;              /* 0: nothing was sent */
    struct jit jit;
    struct kernel octants, samples, lists, fold;
    struct buf table, known, squares, record, fact;
    struct buf upper[2]; /* of dense trees: boxes above the leaves */
    /* of sparse trees: */
    struct kernel own;
    struct gpu_scan *scan; /* u64 */
    struct buf sums[2];
};

/* Its kernels, of a file of them, and what is known before the points: if they
 * are not there. */
farsum_status fmm_gpu_crowd_ready(const struct tree *tree, const char *file,
                                  struct fmm_gpu_crowd **room);
/* Boxes that are looked at, by level: into args.  How many. */
int64_t fmm_gpu_crowd_boxes(const struct tree *tree, struct crowd_args *args);
/* Points that are, every step-th of a side's. */
void fmm_gpu_crowd_points(const struct tree_gpu_points *points, int side,
                          int64_t step, struct crowd_args *args);
/* The lists' records into facts, those of each level from CROWD_OWN on. */
farsum_status fmm_gpu_crowd_fold(struct fmm_gpu_crowd *room,
                                 const struct crowd_args *args);
/* Those facts of a level, with `here` targets in its boxes, added. */
void fmm_gpu_crowd_take(const struct tree *tree, int level, const double *fact,
                        double here, struct fmm_crowd *crowd);
#endif
