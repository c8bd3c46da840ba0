/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_balance.c: the work of ranks by the tuner's costs, and better cuts. */
#include "method/staging/ranks_balance.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* Layers of the longest slab. */
static int64_t longest_slab(const struct load *load,
                            const struct domain *domain)
{
    int64_t most = 0;
    for (int r = 0; r < domain->size; r++) {
        int64_t planes = domain->begin[r + 1] - domain->begin[r];
        most = planes > most ? planes : most;
    }
    return most * load->split;
}

farsum_status ranks_balance_create(struct ranks_balance *balance,
                                   const struct domain *domain,
                                   struct comm *comm, farsum_status status)
{
    int64_t mesh0 = domain->mesh0, most = longest_slab(&balance->load, domain);
    double all[5];
    KEEP_ON(MEM_RAW(balance->begin, comm->size + 1));
    KEEP_ON(MEM_RAW(balance->work, mesh0 * balance->load.split));
    KEEP_ON(MEM_NEW(balance->own, most));
    KEEP_ON(MEM_RAW(balance->gathered, comm->size * most));
    KEEP_ON(MEM_RAW(balance->all, mesh0 * balance->load.split));
    /* the same on all ranks, whose machines may have other factors */
    memcpy(all, &balance->costs, sizeof all);
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
    int64_t most = longest_slab(&balance->load, domain);
    int split = balance->load.split;
    load_planes(&balance->load, apart, balance->own);
    TRY(comm_gather(comm, balance->own, balance->gathered,
                    most * (int64_t)sizeof *balance->own));
    for (int r = 0; r < domain->size; r++)
        for (int64_t k = split * domain->begin[r];
             k < split * domain->begin[r + 1]; k++)
            balance->all[k] =
                balance->gathered[r * most + k - split * domain->begin[r]];
    load_seconds(&balance->load, &balance->costs, balance->all, balance->work);
    for (int64_t k = 0; k < domain->mesh0; k++) {
        double sum = 0;
        for (int i = 0; i < split; i++)
            sum += balance->work[split * k + i];
        balance->work[k] = sum;
    }
    return comm_agree(comm, FARSUM_OK); /* before the work decides (comm.h) */
}

farsum_status ranks_cuts_find(const struct cuts_work *work, int size,
                              int64_t halo, const int64_t *begin, int64_t *best,
                              struct ranks_found *found)
{
    int64_t even = (work->mesh0 + size - 1) / size, halos = 2 * halo;
    double most = cuts_most(work, size, begin);
    double mean =
        work->slab * (size < work->mesh0 ? 1 : (double)work->mesh0 / size);
    for (int64_t k = 0; k < work->mesh0; k++)
        mean += work->plane[k] / size;
    *found = (struct ranks_found){most / mean, most / mean, mean, 0};
    if (most <= RANKS_RECUT * mean) /* no cuts have less than the mean */
        return FARSUM_OK;
    TRY(cuts_best(work, size, RANKS_MESH_MOST * (even + halos) - halos, best));
    double least = cuts_most(work, size, best);
    found->best = least / mean;
    found->better = most > RANKS_RECUT * least;
    return FARSUM_OK;
}

farsum_status ranks_balance_set(struct ranks_balance *balance,
                                const struct domain *domain, struct comm *comm,
                                int apart, struct ranks_found *found)
{
    const struct cuts_work work = {domain->mesh0, balance->work,
                                   balance->costs.slab};
    struct ranks_found own;
    TRY(work_set(balance, domain, comm, apart));
    TRY(comm_agree(comm, ranks_cuts_find(&work, domain->size, domain->halo,
                                         domain->begin, balance->begin, &own)));
    *found = own; /* once no rank has failed */
    found->better = found->better && !balance->refused;
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
