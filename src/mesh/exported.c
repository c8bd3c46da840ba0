/* SPDX-License-Identifier: Apache-2.0 */
/* exported.c: meshes and NUFFTs over ranks, which libfarsum exports. */
#include "mesh/exported.h"

#include "base/fpenv.h"
#include "mesh/ranks/model.h"
#include "mesh/ranks/nufft.h"

farsum_status farsum_ranks_mesh_create(struct comm *comm,
                                       const farsum_mesh_problem *problem,
                                       const farsum_mesh_options *options,
                                       const char *transport,
                                       farsum_mesh **mesh)
{
    FP_GUARD;
    farsum_mesh *made = NULL;
    TRY(mesh_over_ranks(comm, problem, options, transport, &made));
    made->ranks->owns_comm = 1;
    *mesh = made;
    return FARSUM_OK;
}

farsum_status farsum_ranks_nufft_create(struct comm *comm,
                                        const farsum_nufft_problem *problem,
                                        const farsum_mesh_options *options,
                                        const char *transport,
                                        farsum_nufft **nufft)
{
    FP_GUARD;
    farsum_nufft *made = NULL;
    TRY(nufft_ranks_create(comm, problem, options, transport, &made));
    made->mesh->ranks->owns_comm = 1;
    *nufft = made;
    return FARSUM_OK;
}

static farsum_status mesh_is_over_ranks(const farsum_mesh *mesh, int complete)
{
    if (!mesh)
        FAIL(ERR_ARGUMENT, "mesh is NULL");
    if (!mesh->ranks)
        FAIL(ERR_ARGUMENT, "the mesh is one of a single process, not made by "
                           "farsum_mpi_mesh_create");
    if (!complete)
        FAIL(ERR_ARGUMENT, "an argument is NULL");
    return FARSUM_OK;
}

static farsum_status nufft_is_over_ranks(const farsum_nufft *nufft,
                                         int complete)
{
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    if (!nufft->ranks)
        FAIL(ERR_ARGUMENT, "the NUFFT is one of a single process, not made by "
                           "farsum_mpi_nufft_create");
    if (!complete)
        FAIL(ERR_ARGUMENT, "an argument is NULL");
    return FARSUM_OK;
}

farsum_status farsum_ranks_mesh_planes(const farsum_mesh *mesh, int64_t *first,
                                       int64_t *count)
{
    TRY(mesh_is_over_ranks(mesh, first && count));
    const struct mesh_ranks *k = mesh->ranks;
    *first = k->domain.begin[k->comm->rank];
    *count = mesh_ranks_own(k);
    return FARSUM_OK;
}

farsum_status farsum_ranks_nufft_modes(const farsum_nufft *nufft,
                                       int64_t *first, int64_t *count)
{
    TRY(nufft_is_over_ranks(nufft, first && count));
    *first = nufft->ranks->first;
    *count = nufft->ranks->own;
    return FARSUM_OK;
}

farsum_status farsum_ranks_mesh_info(const farsum_mesh *mesh,
                                     struct ranks_info *info)
{
    TRY(mesh_is_over_ranks(mesh, info != NULL));
    mesh_ranks_info(mesh->ranks, info);
    return FARSUM_OK;
}

farsum_status farsum_ranks_nufft_info(const farsum_nufft *nufft,
                                      struct ranks_info *info)
{
    TRY(nufft_is_over_ranks(nufft, info != NULL));
    mesh_ranks_info(nufft->mesh->ranks, info);
    return FARSUM_OK;
}

/* The device of the model; *last: the last rank, which has the most planes. */
static farsum_status model_begin(const farsum_mesh_options *given,
                                 const struct links *links,
                                 farsum_mesh_options *options,
                                 struct device **device, int *owned, int *last)
{
    if (!links || links->ranks < 1)
        FAIL(ERR_ARGUMENT, "links of ranks are needed");
    *last = links->ranks - 1;
    TRY(mesh_options_check(given, options));
    return mesh_device(options, device, owned);
}

farsum_status farsum_ranks_mesh_model(const farsum_mesh_problem *problem,
                                      const farsum_mesh_options *options,
                                      const struct links *links,
                                      struct ranks_model model[2])
{
    FP_GUARD;
    farsum_mesh_options how;
    struct device *device = NULL;
    int owned = 0, last = 0;
    TRY(model_begin(options, links, &how, &device, &owned, &last));
    farsum_status status =
        mesh_ranks_model(problem, &how, device, links, last, model);
    if (owned)
        device_close(device);
    return status;
}

farsum_status farsum_ranks_nufft_model(const farsum_nufft_problem *problem,
                                       const farsum_mesh_options *options,
                                       const struct links *links,
                                       struct ranks_model *model)
{
    FP_GUARD;
    farsum_mesh_options how;
    struct device *device = NULL;
    int owned = 0, last = 0;
    TRY(model_begin(options, links, &how, &device, &owned, &last));
    farsum_status status =
        nufft_ranks_model(problem, &how, device, links, last, model);
    if (owned)
        device_close(device);
    return status;
}
