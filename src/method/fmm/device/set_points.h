/* SPDX-License-Identifier: Apache-2.0 */
/* set_points.h: device part of the fast multipole method. */
#ifndef FARSUM_METHOD_FMM_DEVICE_SET_POINTS_H
#define FARSUM_METHOD_FMM_DEVICE_SET_POINTS_H

#include "device/second_stream.h"
#include "device/graph.h"
#include "method/fmm/fmm.h"
#include "method/staging/device_arrays.h"
#include "method/staging/device_exclusions.h"
#include "points/tree/tree_device_set.h"

/* Words that kernels write about a sum; must equal those in
 * method/staging/sums.kh and method/fmm/device/sums.k. */
enum fmm_fact {
    FMM_FACT_Q,
    FMM_FACT_Q2,
    FMM_FACT_UNIT,
    FMM_FACT_DIPOLE = 3,
    FMM_FACT_FORCE = 6,
    FMM_FACT_PHI,
    FMM_FACT_BAD,
    FMM_FACT_BAD_AT,
    FMM_FACT_TWIN,
    FMM_FACT_MOMENT = 12,
    FMM_FACT_CLUSTERING = 17, /* four words */
    FMM_FACT_NEAR = 21,       /* over ranks */
    FMM_FACT_RANGE = 23,
    FMM_FACTS
};
/* The maximum number of records per kernel, and their sizes in words. */
enum { FMM_RECORDS = 1024, FMM_RECORD = 20, FMM_KNOWN = 4 };
enum { FMM_GROUP = 256, FMM_TEAM = 8 };
/* Stopwatch of all stages together, after those of the stages. */
enum { FMM_ALL = FMM_STAGES, FMM_WATCHES };

/* How results are written in the caller's order; must equal the values in
 * method/fmm/device/sums.k. */
enum fmm_gathered {
    FMM_GIVEN,     /* scattered writes of each number */
    FMM_SCATTERED, /* scattered writes of 4 interleaved numbers, then contiguous
                      copies */
    FMM_GATHERED,  /* scattered reads of 4; requires the inverse order (`at`) */
};

/* Exclusions on the device. */
struct fmm_gpu_exclude {
    struct jit jit;
    struct kernel find, run;
    int ready;   /* 1: the kernels exist */
    int ordered; /* 1: at and at_target are set for the current points */
    struct gpu_excluded excluded;
    struct buf at, at_target; /* index in the order of leaves for each of the
                                 caller's points, u32 */
};

/* Clustering statistics of a dense tree's boxes when last computed:
 * clustering->far and uneven over clustering->random. */
struct fmm_held {
    int depth, ws; /* ws 0: unknown */
    int64_t root[3], n;
    double far[FMM_KNOTS][2], uneven[FMM_KNOTS][2];
};

/* The region of fractional positions; must equal the struct in
 * method/fmm/device/sums.k. */
struct fmm_region {
    double corner[3], edge[3], per;
    int64_t n;
    int32_t wide, fractions; /* fractions: x contains fractions [3][n], f64 */
};
_Static_assert(sizeof(struct fmm_region) == 72, "as the kernel has it");

/* Sampled targets; must equal the struct in method/fmm/device/points.kh. */
struct fmm_some {
    double per;
    int64_t n, m, some;
    int32_t wide, spare;
};
_Static_assert(sizeof(struct fmm_some) == 40, "as the kernel has it");

struct fmm_gpu {
    struct device *device; /* borrowed */
    struct jit jit, facts_jit;
    struct kernel place, cells, apart, fold, leaves, count, clustering,
        coincident, in, out;
    struct kernel totals, at_kernel, give, range;
    struct kernel strengths, dipole, dipole_fold, coincident_end;
    struct buf q, potential, field; /* in the order of leaves */
    struct buf near_potential, near_field;
    struct buf multipole, local;
    struct buf x, y;         /* input positions; the caller's arrays, borrowed,
                                if only set_points reads them */
    struct buf boxes;        /* number of sources in each box, u32 */
    struct buf target_boxes; /* number of separate targets in each box, if
                                required */
    struct buf leaf, target_leaf; /* of each point, sparse trees only, u32 */
    struct buf fact, record;
    struct buf known; /* records of the strengths */
    /* Results larger than the device's cache are interleaved in the order of
     * leaves and copied from there to the caller's order. */
    int gathers;                /* 1: always, -1: never, 0: if larger than the
                                   cache */
    enum fmm_gathered gathered; /* for the current points */
    struct buf at; /* [targets] u32: index in the order of leaves of each
                      target */
    int summed;    /* 1: and a sum has run since the points were set */
    /* for callers on the host: arrays of one right-hand side */
    struct gpu_arrays given;
    struct fmm_gpu_exclude exclude;
    struct fmm_gpu_ranks *ranks;  /* owned; NULL: one process */
    struct clustering_gpu *lists; /* owned; clustering of a sparse tree */
    struct clustering_gpu *dense; /* owned; clustering of a dense tree */
    struct fmm_held held;
    double low[3], high[3];      /* bounding box of open points, in the task's
                                    units */
    int beside;              /* 1: near pairs have a queue of their own */
    struct second_stream aside;
    struct graph recording; /* graph of a sum */
    struct stopwatch watch[FMM_WATCHES];
    int has_watches, timed;
    int64_t rhs;
    int pending;             /* 1: an execute that was not waited for */
    int folds;               /* 1: the records of its results are not yet
                                facts */
    int ranged;              /* 1: the results' range is already known */
    int had_field, had_potential;
};

/* The number of queues that the stages will use; 0: on the host. */
int fmm_gpu_queues(const struct task *task);
/* Creates the kernels; the memory for boxes is allocated with the points. */
farsum_status fmm_gpu_create(const struct task *task, struct fmm *s);
void fmm_gpu_destroy(struct fmm_gpu *gpu); /* NULL is legal */
/* Drops the captured graph.  Required before a stage that it may use is
 * destroyed. */
void fmm_gpu_forget(struct fmm_gpu *gpu); /* NULL is legal */
farsum_status fmm_gpu_set_points(struct task *task, struct fmm *s, int64_t n,
                                 const void *x, int64_t m, const void *y);
/* Sets the n caller's positions on the device, in `x`. */
farsum_status fmm_gpu_take(const struct task *task, struct fmm *s,
                           struct points *points, struct buf *x, int64_t n,
                           const void *given, const char *what);
/* Finds coincident sources; the result goes to facts. */
farsum_status fmm_gpu_coincident(struct fmm *s);
/* Allocates arrays for the tree, and for so many points of a caller on the
 * host. */
farsum_status fmm_gpu_reserve(const struct task *task, struct fmm *s,
                              int64_t given, int64_t given_targets);
/* method/fmm/device/choose_tree.c.  Sets s->shape: that of a sparse tree if
 * points are far from uniform and it is faster. */
farsum_status fmm_gpu_shape(const struct task *task, struct fmm *s, int64_t n,
                            int64_t m);
/* Builds a sparse tree of the current points and computes its clustering
 * statistics; the second one only for s->shape. */
farsum_status fmm_gpu_sparse(const struct task *task, struct fmm *s, int64_t m);
farsum_status fmm_gpu_sparse_tree(const struct task *task, struct fmm *s,
                                  int64_t m);
/* method/fmm/device/clustering.c: fmm_clustering of a sparse tree on a device,
 * equal up to rounding.  *workspace: kernels and memory, NULL initially. */
struct clustering_gpu;
/* Starts to compile the kernels that points will require, see
 * points_gpu_ahead. */
farsum_status fmm_gpu_ahead(const struct task *task, struct fmm *s);
farsum_status clustering_gpu(const struct tree *tree, int first,
                             struct clustering_gpu **workspace,
                             struct fmm_clustering *clustering);
/* NULL is legal. */
void fmm_gpu_clustering_destroy(struct clustering_gpu *workspace);
/* The region of a tree of open points; for method/fmm/device/set_points.c
 * only. */
farsum_status fmm_gpu_tree_args(const struct task *task, const struct fmm *s,
                                struct tree_args *args);
/* method/fmm/device/open.c: sets gpu->low and high and the plan's unit of
 * length; sets facts from the sums at separate targets. */
farsum_status fmm_gpu_bounds(struct task *task, struct fmm *s, int64_t m);
farsum_status fmm_gpu_apart(const struct task *task, struct fmm *s, int64_t m);
/* Replaces fractions of a wide cell by fractions of a region. */
farsum_status fmm_gpu_fractions(const struct task *task, struct fmm *s,
                                int64_t m, const double corner[3],
                                const double edge[3]);
/* method/fmm/device/clustering_dense.c.  fmm_clustering of a dense tree, except
 * h, random, together and sparse, which must be set.  count: sources and
 * targets in all boxes, u32; the second only if targets are separate. */
farsum_status fmm_gpu_clustering_dense(const struct tree *tree, int first,
                                       const struct buf *const count[2],
                                       struct clustering_gpu **workspace,
                                       struct fmm_clustering *clustering);
/* Sets s->clustering of a dense tree from the points' positions in its boxes.
 * Many evenly spread points reuse the statistics that were computed first for
 * these boxes. */
farsum_status fmm_gpu_dense(struct fmm *s);
/* Its parts, for ranks.  known: sets far and uneven of s->clustering from the
 * last statistics, if these are for the same boxes and s->clustering.random is
 * even; else returns 0.  keep: stores the statistics, unless the points are
 * clustered; then returns 0. */
int fmm_gpu_dense_known(struct fmm *s);
int fmm_gpu_dense_keep(struct fmm *s);
/* method/fmm/device/clustering_part.c.
 * The sums of the root boxes of `layers` layers from `first` on of a rank's
 * tree, for its sources and separate targets, as struct ranks_boxes has them;
 * to: memory.  Waits. */
farsum_status fmm_gpu_clustering_layers(const struct fmm *s, int64_t first,
                                        int64_t layers,
                                        const struct buf *const count[2],
                                        struct buf *to, double *const sums[2]);
/* Sums of the lists of the levels from args->lowest on, over the targets of a
 * rank's tree: struct clustering_sums each.  args: with the strides that are
 * not 0; sets the others.  Waits. */
struct clustering_args;
farsum_status fmm_gpu_clustering_levels(const struct fmm *s,
                                        const struct buf *const count[2],
                                        struct clustering_args *args,
                                        double *fact);
/* method/fmm/device/set_points.c: computes `at` of the targets when the same
 * points are summed again.  It takes the time that two sums gain by it. */
farsum_status fmm_gpu_gather(struct fmm *s, int rhs);
/* method/fmm/device/set_points.c: counts a side's points in each box of a dense
 * tree. */
farsum_status fmm_gpu_count(struct fmm *s, const struct tree_gpu_points *points,
                            struct buf *count);
/* method/fmm/device/run.c */
farsum_status fmm_gpu_execute(struct task *task, struct fmm *s, int rhs,
                              const void *q, farsum_result *result);
/* Turns the records of the last sum into facts, before other points are set. */
farsum_status fmm_gpu_fold(const struct task *task, const struct fmm *s);
/* Checks the range of the last execute's last right-hand side, if not checked
 * yet. */
farsum_status fmm_gpu_range_last(const struct task *task, const struct fmm *s);
/* Waits; returns errors of the enqueued work, then stores the numbers of the
 * last sum in plan->info. */
farsum_status fmm_gpu_finish(struct task *task, struct fmm *s);

/* method/fmm/device/exclude.c: uploads the plan's exclusions for the current
 * points; tells whether they are uploaded; subtracts them from the sums of near
 * pairs. */
farsum_status fmm_gpu_exclude(const struct task *task, struct fmm *s);
farsum_status fmm_gpu_exclude_ready(const struct task *task,
                                    const struct fmm *s);
farsum_status fmm_gpu_exclude_run(struct fmm *s, const struct p2p_io *near);
void fmm_gpu_exclude_clear(struct fmm_gpu_exclude *exclude);

/* The indices of a sparse tree's leaves, for kernels that read them. */
static inline const struct buf *fmm_gpu_places(const struct fmm *s)
{
    return s->tree.dense ? &s->gpu->record : &s->tree.gpu->sparse.place;
}

/* The points of the targets. */
static inline struct points_gpu *fmm_gpu_aims(const struct fmm *s)
{
    return s->tree.separate ? s->target.gpu : s->source.gpu;
}
/* The leaf of each source, or of each target. */
static inline const struct buf *fmm_gpu_leaf(const struct fmm *s, int target)
{
    int apart = target && s->tree.separate;
    if (!s->tree.dense)
        return apart ? &s->gpu->target_leaf : &s->gpu->leaf;
    return apart ? &s->tree.gpu->target.leaf : &s->tree.gpu->source.leaf;
}

/* The number of thread blocks for n items, `each` per block. */
static inline int64_t fmm_groups(int64_t n, int64_t each)
{
    int64_t groups = n > 0 ? (n + each - 1) / each : 1;
    return groups < FMM_RECORDS ? groups : FMM_RECORDS;
}
/* method/fmm/device/tree.c */
farsum_status fmm_gpu_tree(const struct task *task, struct fmm *s, int64_t m);
farsum_status fmm_gpu_clustering(struct fmm *s);
#endif
