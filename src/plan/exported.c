/* SPDX-License-Identifier: Apache-2.0 */
/* exported.c: plans over ranks, which libfarsum exports. */
#include "plan/exported.h"

#include <string.h>

#include "base/fpenv.h"
#include "plan/ranks.h"
#include "plan/ranks/device.h"
#include "plan/ranks/shape.h"

farsum_status
farsum_ranks_plan_create(struct comm *comm, const farsum_problem *problem,
                         const farsum_options *options, const char *transport,
                         const struct ranks_shape *shape, farsum_plan **plan)
{
    FP_GUARD;
    farsum_plan *made = NULL;
    TRY(plan_over_ranks_as(comm, problem, options, transport, shape, &made));
    made->comm = comm;
    *plan = made;
    return FARSUM_OK;
}

static farsum_status over_ranks(const farsum_plan *plan, int complete)
{
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    if (!plan->task.comm)
        FAIL(ERR_ARGUMENT, "the plan is one of a single process, not made by "
                           "farsum_mpi_plan_create");
    if (!complete)
        FAIL(ERR_ARGUMENT, "an argument is NULL");
    return FARSUM_OK;
}

farsum_status farsum_ranks_domain(const farsum_plan *plan, double cell[9],
                                  double low[3], double high[3])
{
    TRY(over_ranks(plan, low && high));
    const struct ranks_report *r = &plan->report.ranks;
    if (cell)
        memcpy(cell, r->cell, sizeof r->cell);
    for (int d = 0; d < 3; d++) {
        low[d] = r->low[d];
        high[d] = r->high[d];
    }
    return FARSUM_OK;
}

farsum_status farsum_ranks_get_info(const farsum_plan *plan,
                                    struct ranks_info *info)
{
    TRY(over_ranks(plan, info != NULL));
    const struct ranks_report *r = &plan->report.ranks;
    const struct comm *comm = plan->task.comm;
    *info = (struct ranks_info){.ranks = comm->size,
                                .rank = comm->rank,
                                .across = r->across,
                                .own = r->own,
                                .ghosts = r->ghosts,
                                .imbalance = r->imbalance,
                                .work_imbalance = r->work,
                                .recuts = r->recuts,
                                .transport = r->transport ? r->transport : ""};
    memcpy(info->spent, comm->spent, sizeof info->spent);
    return FARSUM_OK;
}

farsum_status farsum_ranks_links(const farsum_options *options, int ranks,
                                 int nodes, struct links *links)
{
    if (!options || !links || nodes < 1 || ranks < nodes)
        FAIL(ERR_ARGUMENT, "options, links, and a node or more with a rank or "
                           "more each are needed");
    *links = ranks_links(options, NULL, ranks, nodes);
    return FARSUM_OK;
}

farsum_status farsum_ranks_tune(const farsum_problem *problem,
                                const farsum_options *options,
                                const struct links *links,
                                const struct ranks_shape *shape,
                                farsum_plan **plan)
{
    FP_GUARD;
    struct plan_aim aim = {.links = *links};
    TRY(ranks_shape_take(shape, options, links->ranks, &aim.shape));
    return plan_make_advised(problem, options, PLAN_DRY, aim, plan);
}

farsum_status farsum_ranks_model(const farsum_plan *plan,
                                 const struct links *links,
                                 struct ranks_model *model)
{
    FP_GUARD;
    if (!plan || !model || !links || links->ranks < 1)
        FAIL(ERR_ARGUMENT, "a plan, links of ranks and a model are needed");
    if (!plan->method->model || plan->task.comm)
        FAIL(ERR_UNSUPPORTED, "method %s does not sum over ranks",
             plan->report.info.method);
    return plan->method->model(&plan->task, plan->state, links, model);
}
