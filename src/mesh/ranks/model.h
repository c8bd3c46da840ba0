/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: what a rank of a mesh or NUFFT over ranks stores, sends and
 * computes, counted without the ranks. */
#ifndef FARSUM_MESH_RANKS_MODEL_H
#define FARSUM_MESH_RANKS_MODEL_H

#include "farsum/mesh.h"
#include "task/ranks_model.h"

struct device;

/* The model of a spread, and of an interp for values; stages 0: the mesh lacks
 * it.  problem->n_points: of all ranks.  device: borrowed; NULL: the host.
 * rank: one of links->ranks.  Not collective. */
farsum_status mesh_ranks_model(const farsum_mesh_problem *problem,
                               const farsum_mesh_options *options,
                               struct device *device, const struct links *links,
                               int rank, struct ranks_model model[2]);
/* The same of an execute of a NUFFT. */
farsum_status nufft_ranks_model(const farsum_nufft_problem *problem,
                                const farsum_mesh_options *options,
                                struct device *device,
                                const struct links *links, int rank,
                                struct ranks_model *model);
#endif
