/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_shape.c: the shape of pencils, if they are asked for. */
#include "method/spectral/ranks_model.h"

#include <math.h>
#include <string.h>

#include "method/spectral/spectral.h"

farsum_status ranks_shape_best(const struct task *task,
                               const struct spectral *s,
                               const struct links *links, int shape[2])
{
    const struct ranks_shape *wanted = &task->shape;
    int size = links->ranks;
    int pencils = wanted->domain && strcmp(wanted->domain, "pencil") == 0;
    double least = INFINITY;
    shape[0] = size;
    shape[1] = 1;
    if (wanted->ranks[0] > 0) {
        memcpy(shape, wanted->ranks, sizeof wanted->ranks);
        return FARSUM_OK;
    }
    if (!pencils) /* slabs, which cuts by weight need, unless pencils are asked
                     for */
        return FARSUM_OK;
    /* a prime number of ranks has no pencils of two cuts */
    for (int p2 = 2; p2 < size; p2++) {
        const int trial[2] = {size / p2, p2};
        struct ranks_model m;
        if (size % p2 != 0)
            continue;
        int rank = ranks_model_fullest(s->parameters.mesh, trial);
        TRY(spectral_ranks_model(task, s, links, trial, rank, &m));
        double seconds = ranks_model_seconds(&m);
        if (seconds >= least)
            continue;
        least = seconds;
        memcpy(shape, trial, sizeof trial);
    }
    return FARSUM_OK;
}

farsum_status ranks_shape_choose(const struct task *task,
                                 const struct spectral *s, int shape[2])
{
    farsum_status status = FARSUM_OK;
    struct links links = task->links;
    if (links.ranks != task->comm->size) /* not known */
        links = links_expected(LINKS_HOST, task->comm->size, 1);
    if (task->comm->rank == 0)
        status = ranks_shape_best(task, s, &links, shape);
    TRY(comm_agree(task->comm, status));
    return comm_share(task->comm, shape, 2 * sizeof *shape);
}
