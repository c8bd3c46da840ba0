/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_model.h: what a rank of a sum over ranks stores, sends and computes, by
 * a method's own counts, without the ranks. */
#ifndef FARSUM_TASK_RANKS_MODEL_H
#define FARSUM_TASK_RANKS_MODEL_H

#include <math.h>

#include "comm/comm.h"
#include "cost/links.h"

enum { RANKS_STAGES = 8 }; /* most stages of a method */

/* Points are taken as uniform, and given by any rank.  One right-hand side.
 * Planes are those of a mesh, or layers of root boxes. */
struct ranks_model {
    struct links links;
    int threads;          /* of a rank; 0: it has a device */
    int shape[2];         /* ranks along axes 0 and 1 */
    int boxes;            /* 1: the method has boxes instead of a mesh */
    int64_t mesh0;        /* planes of the whole mesh */
    int64_t planes, halo; /* of the rank; on each side of them */
    int64_t mesh1, rows, row_halo; /* the same along axis 1; slabs have all rows
                                      and no halo */
    double points, ghosts;         /* expected numbers */
    double mesh, spectrum, buffers; /* bytes stored; mesh: or expansions;
                                       buffers: of the planes and the
                                       transform */
    double held;                    /* bytes of all that the rank stores */
    double bytes[COMM_PARTS];       /* that an execute sends to other ranks */
    double exchanges[COMM_PARTS];   /* of an execute.  COMM_TALK: gathers */
    /* Seconds of an execute by the tuner's costs, on a machine as this one. */
    int stages;
    const char *stage[RANKS_STAGES]; /* their names */
    double seconds[RANKS_STAGES];    /* on this rank */
    double alone[RANKS_STAGES];      /* in one process with these threads */
    double exchange[COMM_PARTS];
    double hidden; /* of exchanges, concurrent with near pairs */
};

/* Sets the seconds of all exchanges of planes that are cut along axis 0, from
 * their numbers and bytes. */
static inline void ranks_model_exchanges(struct ranks_model *m)
{
    const struct links *l = &m->links;
    double *seconds = m->exchange, *n = m->exchanges, *bytes = m->bytes;
    double reach = fmin(ceil((double)m->halo / fmax((double)m->planes, 1)),
                        fmax(l->ranks - 1, 1));
    seconds[COMM_TALK] = links_talk(l, n[COMM_TALK]);
    seconds[COMM_ROUTE] = links_all(l, n[COMM_ROUTE], bytes[COMM_ROUTE]);
    seconds[COMM_GHOSTS] =
        links_neighbours(l, n[COMM_GHOSTS], bytes[COMM_GHOSTS], reach);
    seconds[COMM_PLANES] =
        links_neighbours(l, n[COMM_PLANES], bytes[COMM_PLANES], reach);
    seconds[COMM_TRANSFORM] =
        links_all(l, n[COMM_TRANSFORM], bytes[COMM_TRANSFORM]);
}

struct device;
struct task;
/* Seconds in which a device copies values between the caller's order, messages,
 * the owner's order and that of the method.  bytes: of the values, once.  Hosts
 * (NULL): 0. */
double ranks_model_order(const struct device *device,
                         farsum_precision precision, double bytes);
/* Numbers of a sum's results per target, and of the arrays that travel. */
int ranks_model_results(const struct task *task, int *arrays);
/* ranks_model_order of the strengths and results of a sum's points. */
double ranks_model_ends(const struct task *task, double points);

/* Seconds of an execute on this rank. */
static inline double ranks_model_seconds(const struct ranks_model *m)
{
    double sum = -m->hidden;
    for (int k = 0; k < m->stages; k++)
        sum += m->seconds[k];
    for (int k = 0; k < COMM_PARTS; k++)
        sum += m->exchange[k];
    return sum;
}
#endif
