/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_model.h: what a rank of a sum over ranks stores, sends and computes,
 * counted without the ranks, from the parameters of a plan of one process. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_MODEL_H
#define FARSUM_METHOD_SPECTRAL_RANKS_MODEL_H

#include "comm/comm.h"
#include "cost/links.h"

struct task;
struct spectral;

enum { RANKS_NEAR, RANKS_SPREAD, RANKS_TRANSFORM, RANKS_SCALE, RANKS_INTERP,
       RANKS_STAGES };

/* Points are taken as uniform, and given by any rank.  One right-hand side. */
struct ranks_model {
    struct links links;
    int threads;            /* of a rank; 0: it has a device */
    int shape[2];           /* ranks along axes 0 and 1 */
    int64_t mesh0;          /* planes of the whole mesh */
    int64_t planes, halo;   /* of the rank; on each side of them */
    int64_t mesh1, rows, row_halo; /* the same along axis 1; slabs have all rows
                                      and no halo */
    double points, ghosts;  /* expected numbers */
    double mesh, spectrum, buffers; /* bytes stored; buffers: of the planes and
                                       the transform */
    double bytes[COMM_PARTS];    /* that an execute sends to other ranks */
    double exchanges[COMM_PARTS]; /* of an execute.  COMM_TALK: gathers */
    /* Seconds of an execute by the tuner's costs, on a machine as this one. */
    double seconds[RANKS_STAGES]; /* on this rank */
    double alone[RANKS_STAGES];   /* in one process with these threads */
    double exchange[COMM_PARTS];
    double hidden; /* of exchanges, concurrent with near pairs */
};

/* s: of a plan of one process.  shape: ranks along axes 0 and 1, whose product
 * is links->ranks.  rank: one of them. */
farsum_status spectral_ranks_model(const struct task *task,
                                   const struct spectral *s,
                                   const struct links *links,
                                   const int shape[2], int rank,
                                   struct ranks_model *model);
/* A rank with the most planes and rows of such a mesh. */
int ranks_model_fullest(const int64_t mesh[3], const int shape[2]);
/* Seconds of an execute on this rank. */
double ranks_model_seconds(const struct ranks_model *model);

/* ranks_shape.c: chooses slabs or pencils: as task->shape requests, else with
 * the fewest modelled seconds.  shape [2]: ranks along axes 0 and 1.  s: of the
 * plan, or of one process.  Not collective. */
farsum_status ranks_shape_best(const struct task *task,
                               const struct spectral *s,
                               const struct links *links, int shape[2]);
/* The same on rank 0, for all ranks.  Collective. */
farsum_status ranks_shape_choose(const struct task *task,
                                 const struct spectral *s, int shape[2]);
#endif
