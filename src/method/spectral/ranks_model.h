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
    int64_t mesh0;          /* planes of the whole mesh */
    int64_t planes, halo;   /* of the rank; on each side of its slab */
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

/* s: of a plan of one process.  rank: one of links->ranks. */
farsum_status spectral_ranks_model(const struct task *task,
                                   const struct spectral *s,
                                   const struct links *links, int rank,
                                   struct ranks_model *model);
#endif
