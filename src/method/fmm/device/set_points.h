/* SPDX-License-Identifier: Apache-2.0 */
/* set_points.h: the part of the fast multipole method that lies on a device. */
#ifndef FARSUM_METHOD_FMM_DEVICE_SET_POINTS_H
#define FARSUM_METHOD_FMM_DEVICE_SET_POINTS_H

#include "device/second_stream.h"
#include "device/graph.h"
#include "method/fmm/fmm.h"
#include "method/staging/device_arrays.h"
#include "method/staging/device_exclusions.h"
#include "points/tree/tree_device_set.h"

/* What kernels leave about a sum; as method/staging/sums.kh and
 * method/fmm/device/sums.k have it. */
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
    FMM_FACT_CROWD = 17, /* four words */
    FMM_FACT_RANGE = 23,
    FMM_FACTS
};
/* Records that a kernel leaves, at most, and their words. */
enum { FMM_RECORDS = 1024, FMM_RECORD = 20, FMM_KNOWN = 4 };
enum { FMM_GROUP = 256, FMM_TEAM = 8 };
/* Beside the rooms: all of them. */
enum { FMM_ALL = FMM_ROOMS, FMM_WATCHES };

/* How results go to the caller's order, as method/fmm/device/sums.k has it. */
enum fmm_gathered {
    FMM_GIVEN,     /* by writes of each number at random */
    FMM_SCATTERED, /* of four side by side, to that order; then out of there */
    FMM_GATHERED,  /* by reads of four; wants to know where they are */
};

/* Exclusions on the device. */
struct fmm_gpu_exclude {
    struct jit jit;
    struct kernel find, run;
    int ready;   /* 1: the kernels are there */
    int ordered; /* 1: at and at_target are of the points that are there */
    struct gpu_excluded excluded;
    struct buf at, at_target; /* of a caller's point, in the order of leaves,
                                 u32 */
};

/* What a dense tree's boxes held when they were looked at, crowd->far and
 * uneven, over what as many in each would. */
struct fmm_held {
    int depth, ws; /* ws 0: nothing is known */
    int64_t root[3], n;
    double far[FMM_KNOTS][2], uneven[FMM_KNOTS][2];
};

/* As method/fmm/device/sums.k has it: what fractions of places are of. */
struct fmm_region {
    double corner[3], edge[3], per;
    int64_t n;
    int32_t wide, fractions; /* fractions: x is [3][n] of them, f64 */
};
_Static_assert(sizeof(struct fmm_region) == 72, "as the kernel has it");

struct fmm_gpu {
    struct device *device; /* borrowed */
    struct jit jit, facts_jit;
    struct kernel place, cells, apart, fold, leaves, count, crowd, twins, in,
        out;
    struct kernel totals, at_kernel, give, range;
    struct kernel strengths, dipole, dipole_fold, twins_end;
    struct buf q, potential, field; /* in the order of leaves */
    struct buf near_potential, near_field;
    struct buf multipole, local;
    struct buf x, y;         /* positions as they were given; the caller's,
                                borrowed, if set_points alone looks at them */
    struct buf boxes;        /* sources in each, u32 */
    struct buf target_boxes; /* targets of their own, where that is asked */
    struct buf leaf, target_leaf; /* of each point of a sparse tree, u32 */
    struct buf fact, record;
    struct buf known; /* records of the strengths */
    /* Results that a device's cache does not hold are put side by side in the
     * order of leaves, and read from there in the caller's. */
    int gathers;                /* 1: always, -1: never, 0: beyond the cache */
    enum fmm_gathered gathered; /* for the points that are there */
    struct buf at; /* [targets] u32: of a caller's, in the order of leaves */
    int summed;    /* 1: and something was summed since they were set */
    /* for a caller whose arrays are the host's: one right-hand side */
    struct gpu_arrays given;
    struct fmm_gpu_exclude exclude;
    struct fmm_gpu_crowd *lists; /* owned; of a sparse tree's errors */
    struct fmm_gpu_crowd *dense; /* owned; of a dense one's */
    struct fmm_held held;
    double low[3], high[3];      /* what holds open points, inside */
    int beside;              /* 1: near pairs on a queue of their own */
    struct aside aside;
    struct recording recording; /* of a sum */
    struct stopwatch watch[FMM_WATCHES];
    int has_watches, timed;
    int64_t rhs;
    int pending;             /* 1: an execute that nobody waited for */
    int folds;               /* 1: its results' records are not yet facts */
    int ranged;              /* 1: but for their range, which is known */
    int had_field, had_potential;
};

/* That the stages will be in; 0: on the host. */
int fmm_gpu_queues(const struct task *task);
/* Rooms apart: kernels; memory for the boxes comes with the points. */
farsum_status fmm_gpu_create(const struct task *task, struct fmm *s);
void fmm_gpu_destroy(struct fmm_gpu *gpu); /* NULL is legal */
/* Before a room goes that a kept sequence may use. */
void fmm_gpu_forget(struct fmm_gpu *gpu); /* NULL is legal */
farsum_status fmm_gpu_set_points(struct task *task, struct fmm *s, int64_t n,
                                 const void *x, int64_t m, const void *y);
/* method/fmm/device/choose_tree.c.  s->shape: of a sparse tree where points are
 * far from uniform and it is the faster one. */
farsum_status fmm_gpu_shape(const struct task *task, struct fmm *s, int64_t n,
                            int64_t m);
/* A sparse tree of the points that are there, and what it says of the errors;
 * the same for s->shape alone. */
farsum_status fmm_gpu_sparse(const struct task *task, struct fmm *s, int64_t m);
farsum_status fmm_gpu_sparse_tree(const struct task *task, struct fmm *s,
                                  int64_t m);
/* method/fmm/device/clustering.c: fmm_crowd of a sparse tree on a device, to
 * rounding.  *room: kernels and memory, NULL at first. */
struct fmm_gpu_crowd;
/* The kernels that points will want, as points_gpu_ahead. */
farsum_status fmm_gpu_ahead(const struct task *task, struct fmm *s);
farsum_status fmm_gpu_crowd(const struct tree *tree, int first,
                            struct fmm_gpu_crowd **room,
                            struct fmm_crowd *crowd);
void fmm_gpu_crowd_destroy(struct fmm_gpu_crowd *room); /* NULL is legal */
/* The region of a tree of open points, and method/fmm/device/set_points.c's
 * own. */
farsum_status fmm_gpu_tree_args(const struct task *task, const struct fmm *s,
                                struct tree_args *args);
/* method/fmm/device/open.c: gpu->low and high, and the plan's unit of length
 * with them; what the sources leave at targets of their own, into facts. */
farsum_status fmm_gpu_bounds(struct task *task, struct fmm *s, int64_t m);
farsum_status fmm_gpu_apart(const struct task *task, struct fmm *s, int64_t m);
/* Fractions of a region in place of those of a wide cell. */
farsum_status fmm_gpu_fractions(const struct task *task, struct fmm *s,
                                int64_t m, const double corner[3],
                                const double edge[3]);
/* method/fmm/device/clustering_dense.c.  The same of a dense one, but for h,
 * random and together, which are there, and sparse.  count: sources and targets
 * in all boxes, u32, the second if these are separate. */
farsum_status fmm_gpu_crowd_dense(const struct tree *tree, int first,
                                  const struct buf *const count[2],
                                  struct fmm_gpu_crowd **room,
                                  struct fmm_crowd *crowd);
/* s->crowd of a dense tree, where points lie in its boxes; of many that are
 * spread evenly as they did when these boxes were first looked at. */
farsum_status fmm_gpu_dense(struct fmm *s);
/* method/fmm/device/set_points.c: where targets lie, once points are summed for
 * again: it takes as long as two sums gain. */
farsum_status fmm_gpu_gather(struct fmm *s, int rhs);
/* method/fmm/device/set_points.c: how many points of a side are in each box of
 * a dense tree. */
farsum_status fmm_gpu_count(struct fmm *s, const struct tree_gpu_points *points,
                            struct buf *count);
/* method/fmm/device/run.c */
farsum_status fmm_gpu_execute(struct task *task, struct fmm *s, int rhs,
                              const void *q, farsum_result *result);
/* What is left of a sum in records, to facts, before other points come. */
farsum_status fmm_gpu_fold(const struct task *task, const struct fmm *s);
/* Whether the results of the last execute's last right-hand side are in range,
 * if nobody looked yet. */
farsum_status fmm_gpu_range_last(const struct task *task, const struct fmm *s);
/* Waits; what went wrong, then the numbers of the last sum into plan->info. */
farsum_status fmm_gpu_finish(struct task *task, struct fmm *s);

/* method/fmm/device/exclude.c: the plan's exclusions to the device, for the
 * points that are there; whether they are; takes them from the sums of near
 * pairs. */
farsum_status fmm_gpu_exclude(const struct task *task, struct fmm *s);
farsum_status fmm_gpu_exclude_ready(const struct task *task,
                                    const struct fmm *s);
farsum_status fmm_gpu_exclude_run(struct fmm *s, const struct p2p_io *near);
void fmm_gpu_exclude_clear(struct fmm_gpu_exclude *exclude);

/* Where leaves are, for kernels that ask a sparse tree. */
static inline const struct buf *fmm_gpu_places(const struct fmm *s)
{
    return s->tree.dense ? &s->gpu->record : &s->tree.gpu->sparse.place;
}

/* Points of the targets. */
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

/* How many groups go through n things, `each` of them by a group. */
static inline int64_t fmm_groups(int64_t n, int64_t each)
{
    int64_t groups = n > 0 ? (n + each - 1) / each : 1;
    return groups < FMM_RECORDS ? groups : FMM_RECORDS;
}
/* method/fmm/device/tree.c */
farsum_status fmm_gpu_tree(const struct task *task, struct fmm *s, int64_t m);
farsum_status fmm_gpu_clustering(struct fmm *s);
#endif
