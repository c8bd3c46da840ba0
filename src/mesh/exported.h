/* SPDX-License-Identifier: Apache-2.0 */
/* exported.h: meshes and NUFFTs over ranks, which libfarsum exports for
 * libfarsum_mpi and for the command.
 *
 * No installed header declares these functions.  Both libraries must have the
 * same version. */
#ifndef FARSUM_MESH_EXPORTED_H
#define FARSUM_MESH_EXPORTED_H

#include "comm/exported.h"
#include "farsum/mesh.h"
#include "task/ranks_model.h"

/* Collective.  The mesh or NUFFT owns comm: its destroy function frees it, and
 * is collective.  On failure the caller still owns comm, and the output is
 * unchanged.  transport: refused, unless NULL. */
FARSUM_API farsum_status
farsum_ranks_mesh_create(struct comm *comm, const farsum_mesh_problem *problem,
                         const farsum_mesh_options *options,
                         const char *transport, farsum_mesh **mesh);
FARSUM_API farsum_status farsum_ranks_nufft_create(
    struct comm *comm, const farsum_nufft_problem *problem,
    const farsum_mesh_options *options, const char *transport,
    farsum_nufft **nufft);

/* Gets this rank's planes, or modes along axis 0, and what it does.  Errors:
 * ERR_ARGUMENT, also for a mesh or NUFFT of one process. */
FARSUM_API farsum_status farsum_ranks_mesh_planes(const farsum_mesh *mesh,
                                                  int64_t *first,
                                                  int64_t *count);
FARSUM_API farsum_status farsum_ranks_nufft_modes(const farsum_nufft *nufft,
                                                  int64_t *first,
                                                  int64_t *count);
FARSUM_API farsum_status farsum_ranks_mesh_info(const farsum_mesh *mesh,
                                                struct ranks_info *info);
FARSUM_API farsum_status farsum_ranks_nufft_info(const farsum_nufft *nufft,
                                                 struct ranks_info *info);
/* What a rank with the most planes would do: in a spread and an interp of
 * values (stages 0: not of this mesh), and in an execute.  n_points: of all
 * ranks, which there need not be.  Errors: those of farsum_mesh_tune and
 * farsum_nufft_create. */
FARSUM_API farsum_status farsum_ranks_mesh_model(
    const farsum_mesh_problem *problem, const farsum_mesh_options *options,
    const struct links *links, struct ranks_model model[2]);
FARSUM_API farsum_status farsum_ranks_nufft_model(
    const farsum_nufft_problem *problem, const farsum_mesh_options *options,
    const struct links *links, struct ranks_model *model);
#endif
