/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks_exclude.c: excluded pairs over ranks with a device each. */
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "method/spectral/device_ranks.h"
#include "method/spectral/exclude.h"

enum { POSITION = 24 }; /* bytes of a position */

static void needs_clear(struct gpu_needs *needs)
{
    gpu_excluded_clear(&needs->rows);
    gpu_sends_clear(&needs->sends);
    buf_clear(&needs->s);
    buf_clear(&needs->q);
}

void gpu_ranks_exclude_clear(struct gpu_ranks_exclude *x)
{
    partners_clear(&x->partners);
    needs_clear(&x->now);
    needs_clear(&x->next);
}

/* Brings the list from the givers of points to their owners. */
static farsum_status exclude_travel(struct spectral *s,
                                    struct partners_own *own)
{
    farsum_status status = FARSUM_OK;
    struct gpu_ranks *r = s->gpu->ranks;
    struct route sources = {.n = 0}, targets = {.n = 0};
    int apart = spectral_apart(s);
    KEEP_ON(gpu_route_host(&r->route, r->comm, &sources));
    if (apart)
        KEEP_ON(gpu_route_host(&r->target_route, r->comm, &targets));
    GO(comm_agree(r->comm, status));
    /* values are fetched between the devices */
    GO(partners_travel(&r->exclude.partners, r->comm,
                       apart ? &targets : &sources, &sources, 0, own));
done:
    route_destroy(&sources);
    route_destroy(&targets);
    return status;
}

/* The exchange between devices that `from` is on the host. */
static farsum_status needs_sends(struct gpu_sends *to, const struct sends *from)
{
    farsum_status status = FARSUM_OK;
    size_t bytes = (size_t)to->size * sizeof *to->to;
    uint32_t *index = NULL;
    GO(MEM_RAW(index, from->n_sent));
    for (int64_t k = 0; k < from->n_sent; k++)
        index[k] = (uint32_t)from->index[k];
    memcpy(to->to, from->to, bytes);
    memcpy(to->from, from->from, bytes);
    to->n_sent = from->n_sent;
    to->n_got = from->n_got;
    GO(gpu_sends_reserve(to, POSITION));
    if (to->n_sent > 0)
        GO(buf_upload(&to->index, 0, index, 4 * to->n_sent));
done:
    mem_free(index);
    return status;
}

/* What a rank makes without the others. */
static farsum_status needs_hold(const struct task *task, struct spectral *s,
                                const struct partners_own *own,
                                struct gpu_needs *needs)
{
    struct gpu_ranks *r = s->gpu->ranks;
    struct gpu_sends *sends = &needs->sends;
    int64_t real = array_size(task->problem.precision);
    int strengths = task->pair.strengths;
    if (sends->size == 0)
        TRY(gpu_sends_create(sends, task->device, r->transport, COMM_GHOSTS,
                             r->comm->size, strengths,
                             task->problem.precision));
    TRY(gpu_exclude_kernels(task, s->gpu));
    TRY(needs_sends(sends, &own->needed.sends));
    TRY(buf_reserve(&needs->s, task->device, POSITION * sends->n_got));
    TRY(buf_reserve(&needs->q, task->device, strengths * real * sends->n_got));
    return gpu_excluded_send(&needs->rows, task->device, &own->rows);
}

/* Fetches the positions of the sources that other ranks own.  A rank that
 * failed takes part in the exchange. */
static farsum_status needs_places(struct gpu_ranks *r, struct gpu_needs *needs)
{
    struct gpu_sends *sends = &needs->sends;
    farsum_status status = FARSUM_OK;
    if (sends->n_sent > 0)
        KEEP_ON(LAUNCH(&r->places, kernel_groups(&r->places, sends->n_sent),
                       ARG_BUF(&sends->index), ARG_BUF(&r->arrived),
                       ARG_BUF(&sends->packed), ARG_I64(sends->n_sent)));
    KEEP_ON(gpu_sends_packed(sends, POSITION, &needs->s, 0));
    return status;
}

farsum_status gpu_ranks_exclusions(struct task *task, struct spectral *s)
{
    farsum_status status = FARSUM_OK;
    struct gpu_ranks *r = s->gpu->ranks;
    struct gpu_ranks_exclude *x = &r->exclude;
    const struct gpu_route *targets =
        spectral_apart(s) ? &r->target_route : &r->route;
    struct partners_own own = {.rows = {0}};
    struct gpu_needs made;
    graph_forget(&s->gpu->recording); /* as in gpu_ranks_points */
    GO(partners_set(&x->partners, r->comm, &task->exclusions, targets->given,
                    r->route.given));
    if (x->partners.all > 0) {
        GO(exclude_travel(s, &own));
        GO(comm_agree(r->comm, needs_hold(task, s, &own, &x->next)));
        GO(comm_agree(r->comm, needs_places(r, &x->next)));
        made = x->next;
        x->next = x->now;
        x->now = made;
    }
    x->named = x->partners.all > 0;
    exclusions_take_rows(&task->exclusions, &own.rows);
done:
    if (status != FARSUM_OK) /* this list's version may come again */
        x->partners.version = 0;
    partners_own_clear(&own);
    return status;
}

farsum_status gpu_ranks_exclude_in(const struct task *task,
                                   struct spectral_gpu *g,
                                   const struct gpu_values *own)
{
    struct gpu_ranks_exclude *x = &g->ranks->exclude;
    if (!x->named)
        return FARSUM_OK;
    return gpu_sends_there(&x->now.sends, task->pair.strengths, own, &x->now.q,
                           0);
}

farsum_status gpu_ranks_exclude_run(const struct task *task, struct spectral *s,
                                    const struct spectral_units *u)
{
    const struct gpu_ranks *r = s->gpu->ranks;
    const struct gpu_needs *needs = &r->exclude.now;
    struct gpu_exclude_sides sides = {
        .excluded = &needs->rows,
        .cell = exclude_cell(task, &s->parameters.cell),
        .sources = s->n,
        .targets = spectral_targets(s),
        .by_point = 1,
        .x = &r->arrived,
        .far_x = &needs->s,
        .y = spectral_apart(s) ? &r->target_arrived : &r->arrived,
        .q = &r->q,
        .far_q = &needs->q,
        .potential = &r->potential,
        .field = &r->field};
    if (!r->exclude.named)
        return FARSUM_OK;
    /* pairs closer than this are missing in the rank's near sums */
    sides.cell.skip = exclude_cell(task, &r->mesh.cut.own).skip;
    return gpu_exclude_sides(s, u, &sides);
}
