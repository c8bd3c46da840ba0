/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_balance.c: the work of ranks by the tuner's costs, and better cuts. */
#include "method/spectral/ranks_balance.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ranks/best_cuts.h"

static double cost_of(const struct task *task, const struct parameters *t,
                      int stage, const void *args)
{
    return t->choice[stage].row->variant->cost(args)
           * task->machine.factor[stage];
}

/* Seconds of the whole sum: all, of which `mesh` remain without points. */
struct both {
    double all, mesh;
};

/* Costs of points, planes and pairs, as parts of those of the whole sum.  Two
 * thirds of a transform are in the planes. */
static struct load_costs costs_of(const struct task *task,
                                  const struct parameters *t, int64_t halo)
{
    union stage_args args[STAGE_COUNT];
    const struct pair *pair = &task->pair;
    struct both spread, interp;
    parameters_args(t, task, args);
    struct near_args *near = &args[STAGE_NEAR].near;
    double sources = (double)args[STAGE_SPREAD].spread.n;
    double targets = (double)args[STAGE_INTERP].interp.n;
    double pairs = fmax(near->neighbours, 1) * fmax(targets, 1);
    double near_all = cost_of(task, t, STAGE_NEAR, near);
    double fft = cost_of(task, t, STAGE_FFT, &args[STAGE_FFT])
                 * (pair->channels + pair->values) * 2 / 3;
    spread.all = cost_of(task, t, STAGE_SPREAD, &args[STAGE_SPREAD]);
    interp.all = cost_of(task, t, STAGE_INTERP, &args[STAGE_INTERP]);
    args[STAGE_SPREAD].spread.n = args[STAGE_INTERP].interp.n = 1;
    spread.mesh = cost_of(task, t, STAGE_SPREAD, &args[STAGE_SPREAD]);
    interp.mesh = cost_of(task, t, STAGE_INTERP, &args[STAGE_INTERP]);
    double plane = (spread.mesh + interp.mesh) / (double)t->mesh[0];
    return (struct load_costs){
        .plane = plane + fft / (double)t->mesh[0],
        .slab = 2 * (double)halo * plane,
        .source = fmax(spread.all - spread.mesh, 0) / fmax(sources, 1),
        .target = fmax(interp.all - interp.mesh, 0) / fmax(targets, 1),
        .pair = near_all / pairs};
}

static int64_t longest_slab(const struct domain *domain)
{
    int64_t most = 0;
    for (int r = 0; r < domain->size; r++) {
        int64_t planes = domain->begin[r + 1] - domain->begin[r];
        most = planes > most ? planes : most;
    }
    return most;
}

farsum_status ranks_balance_create(struct ranks_balance *balance,
                                   const struct task *task,
                                   const struct parameters *t,
                                   const struct ranks_cut *cut,
                                   struct comm *comm)
{
    farsum_status status = FARSUM_OK;
    double all[5];
    KEEP_ON(load_create(&balance->load, &cut->domain, &t->cell, t->mesh,
                        task->problem.n_targets > 0));
    KEEP_ON(MEM_RAW(balance->begin, comm->size + 1));
    KEEP_ON(MEM_RAW(balance->work, t->mesh[0]));
    KEEP_ON(MEM_NEW(balance->own, longest_slab(&cut->domain)));
    KEEP_ON(MEM_RAW(balance->gathered,
                    comm->size * longest_slab(&cut->domain)));
    KEEP_ON(MEM_RAW(balance->all, t->mesh[0]));
    struct load_costs costs = costs_of(task, t, cut->domain.halo);
    /* the same on all ranks, whose machines may have other factors */
    memcpy(all, &costs, sizeof all);
    KEEP_ON(comm_max(comm, all, 5));
    memcpy(&balance->costs, all, sizeof all);
    return comm_agree(comm, status);
}
_Static_assert(sizeof(struct load_costs) == 5 * sizeof(double),
               "the costs are five numbers");

void ranks_balance_clear(struct ranks_balance *balance)
{
    load_clear(&balance->load);
    mem_free(balance->begin);
    mem_free(balance->work);
    mem_free(balance->own);
    mem_free(balance->gathered);
    mem_free(balance->all);
}

static int many_moved(const struct route_share *share, int64_t all, int size)
{
    return (double)share->moved * size > RANKS_MOVED * (double)all;
}

int ranks_balance_due(const struct task *task, const int64_t all[2],
                      const struct route_share *sources,
                      const struct route_share *targets)
{
    int size = task->comm->size;
    return many_moved(sources, all[0], size)
           || (task->problem.n_targets > 0
               && many_moved(targets, all[1], size));
}

/* Sets the work in all planes, the same on all ranks. */
static farsum_status work_set(struct ranks_balance *balance,
                              const struct domain *domain, struct comm *comm,
                              int apart)
{
    int64_t most = longest_slab(domain);
    load_planes(&balance->load, apart, balance->own);
    TRY(comm_gather(comm, balance->own, balance->gathered,
                    most * (int64_t)sizeof *balance->own));
    for (int r = 0; r < domain->size; r++)
        for (int64_t k = domain->begin[r]; k < domain->begin[r + 1]; k++)
            balance->all[k] =
                balance->gathered[r * most + k - domain->begin[r]];
    load_seconds(&balance->load, &balance->costs, balance->all, balance->work);
    return comm_agree(comm, FARSUM_OK); /* before the work decides (comm.h) */
}

farsum_status ranks_balance_set(struct ranks_balance *balance,
                                const struct ranks_cut *cut, struct comm *comm,
                                int apart, struct ranks_found *found)
{
    const struct domain *domain = &cut->domain;
    const struct cuts_work work = {domain->mesh0, balance->work,
                                   balance->costs.slab};
    int64_t even = (domain->mesh0 + domain->size - 1) / domain->size;
    int64_t halos = 2 * domain->halo;
    TRY(work_set(balance, domain, comm, apart));
    double most = cuts_most(&work, domain->size, domain->begin);
    double mean = work.slab * (domain->size < domain->mesh0
                                   ? 1
                                   : (double)domain->mesh0 / domain->size);
    for (int64_t k = 0; k < work.mesh0; k++)
        mean += work.plane[k] / domain->size;
    *found = (struct ranks_found){most / mean, most / mean, 0};
    if (most <= RANKS_RECUT * mean) /* no cuts have less than the mean */
        return FARSUM_OK;
    TRY(comm_agree(comm,
                   cuts_best(&work, domain->size,
                             RANKS_MESH_MOST * (even + halos) - halos,
                             balance->begin)));
    double least = cuts_most(&work, domain->size, balance->begin);
    found->best = least / mean;
    found->better = most > RANKS_RECUT * least && !balance->refused;
    return FARSUM_OK;
}

farsum_status ranks_balance_end(const struct task *task, farsum_status status,
                                struct ranks_found *found)
{
    struct ranks_report *report = &task->report->ranks;
    if (found->better && status == FARSUM_ERR_MEMORY) {
        task_log(task, "the slabs of the ranks stay as they are, although the "
                       "points are clustered: %s", farsum_message());
        found->better = 0;
        status = FARSUM_OK;
    }
    TRY(status);
    if (found->best > RANKS_UNEVEN && !(report->work > RANKS_UNEVEN))
        task_log(task,
                 "with the best cuts of the cell, the slowest rank has %.2f "
                 "times the mean work",
                 found->best);
    report->work = found->better ? found->best : found->now;
    report->recuts += found->better;
    return FARSUM_OK;
}
