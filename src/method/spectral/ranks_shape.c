/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_shape.c: slabs or pencils. */
#include "method/spectral/ranks_model.h"

#include <math.h>
#include <string.h>

#include "method/spectral/spectral.h"
#include "stage/near/near.h"

/* Seconds that the slowest rank takes longer than the model's, which has
 * uniform points.  Slabs are cut by the work in their planes, pencils evenly.
 * So the densest pencil has about as many times the mean points as a point has
 * neighbours, compared with uniform points. */
static double uneven_seconds(const struct task *task, const struct spectral *s,
                             const struct ranks_model *m)
{
    union stage_args args[STAGE_COUNT];
    if (m->shape[1] == 1)
        return 0;
    parameters_args(&s->parameters, task, args);
    const struct near_args *near = &args[STAGE_NEAR].near;
    double even = 4 * M_PI / 3 * (double)near->n_sources / near->cell->volume;
    return fmax(near->neighbours / even - 1, 0)
           * (m->seconds[RANKS_NEAR] + m->seconds[RANKS_SPREAD]
              + m->seconds[RANKS_INTERP]);
}

farsum_status ranks_shape_best(const struct task *task,
                               const struct spectral *s,
                               const struct links *links, int shape[2])
{
    int trial[2] = {links->ranks, 1};
    double least = INFINITY;
    memcpy(shape, task->shape.ranks, 2 * sizeof *shape);
    if (shape[0] > 0)
        return FARSUM_OK;
    do {
        struct ranks_model m;
        int rank = ranks_model_fullest(s->parameters.mesh, trial);
        TRY(spectral_ranks_model(task, s, links, trial, rank, &m));
        double seconds = ranks_model_seconds(&m) + uneven_seconds(task, s, &m);
        if (seconds < least) {
            least = seconds;
            memcpy(shape, trial, sizeof trial);
        }
    } while (ranks_shape_next(trial));
    return FARSUM_OK;
}

farsum_status spectral_model(const struct task *task, const void *state,
                             const struct links *links,
                             struct ranks_model *model)
{
    const struct spectral *s = state;
    int shape[2];
    TRY(ranks_shape_best(task, s, links, shape));
    int rank = ranks_model_fullest(s->parameters.mesh, shape);
    return spectral_ranks_model(task, s, links, shape, rank, model);
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
