/* SPDX-License-Identifier: Apache-2.0 */
/* same.h: checks of arguments that all ranks pass. */
#ifndef FARSUM_MESH_RANKS_SAME_H
#define FARSUM_MESH_RANKS_SAME_H

#include "comm/comm.h"
#include "mesh/mesh.h"

/* Each replaces n_points by the sum over the ranks, checks this rank's problem
 * and options, and compares with the other ranks.  On success
 * *to and *how are copies.  Collective; they return the same status on all
 * ranks. */
farsum_status mesh_ranks_same(struct comm *comm,
                              const farsum_mesh_problem *problem,
                              const farsum_mesh_options *options,
                              const char *transport, farsum_mesh_problem *to,
                              farsum_mesh_options *how);
farsum_status nufft_ranks_same(struct comm *comm,
                               const farsum_nufft_problem *problem,
                               const farsum_mesh_options *options,
                               const char *transport, farsum_nufft_problem *to,
                               farsum_mesh_options *how);
#endif
