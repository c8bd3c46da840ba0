/* SPDX-License-Identifier: Apache-2.0 */
/* state.h: state of host_cluster. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_STATE_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_STATE_H

#include "stage/near/host_cluster/host_cluster.h"

/* Memory of one thread. */
struct worker {
    int64_t image_capacity, visit_capacity, spare_capacity;
    struct cluster_image *image; /* owned */
    struct cluster_visit *visit; /* owned */
    uint32_t *spare;             /* owned */
    int64_t begin, end;          /* target clusters of this thread */
    int64_t first, count, from;  /* clusters that its sums hold, and where they
                                    begin */
    double energy, virial[9];
    double image_virial[9];
};

struct host_cluster {
    struct near_args args;
    const struct pair *pair;
    int flow;    /* 1: vector kernel, without energy or virial */
    int moments; /* 1: charges with dipoles */
    double unit; /* unit of the sums in cutoffs: the grid's, or 1 */
    const struct cluster_list_kern *list;
    const struct cluster_keep_kern *keep;
    const struct cluster_kern *kern;
    const struct cluster_finish_kern *finish;
    int threads, newton;
    int ready;      /* points are set */
    int listed;     /* 1: lists are complete and valid for the points and cell
                       with which they were made */
    int close;      /* 1: some of these points may have coincided */
    double cell[9]; /* cell of the lists */
    int parts;      /* sums for which `out` has space */
    struct cluster_grid grid;
    struct cluster_sorter sorter;
    struct cluster_set sources, other; /* other: separate targets */
    struct cluster_pool pool, watched;
    int64_t start_capacity, weight_capacity, out_capacity;
    int64_t wide_capacity, clustering_capacity, held_capacity;
    int64_t *start;        /* owned, [groups] */
    int32_t *weight;       /* owned, [groups] */
    char *out;             /* owned: all threads' sums */
    double *wide;          /* owned: f64 sums, with wide */
    int32_t *clustering;   /* owned, [columns]: as in struct cluster_sum */
    int32_t *held;         /* owned, [threads][columns]: the same */
    struct worker *worker; /* owned, [threads] */
    struct cluster_sum *sum; /* owned, [threads] */
};

static inline const struct cluster_set *
host_cluster_targets(const struct host_cluster *h)
{
    return h->newton ? &h->sources : &h->other;
}

/* stage/near/host_cluster/set.c */
farsum_status host_cluster_set(void *state, const struct points *sources,
                               const struct points *targets);
#endif
