/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclusions.c: excluded pairs over ranks with a device each. */
#include "method/staging/ranks_exclusions.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"

enum { POSITION = 24 }; /* bytes of a position */

static void needs_clear(struct gpu_needs *needs)
{
    gpu_excluded_clear(&needs->rows);
    gpu_sends_clear(&needs->sends);
    buf_clear(&needs->s);
    buf_clear(&needs->q);
}

void ranks_exclusions_clear(struct gpu_ranks_exclude *x)
{
    partners_clear(&x->partners);
    needs_clear(&x->now);
    needs_clear(&x->next);
}

/* Brings the list from the givers of points to their owners. */
static farsum_status exclude_travel(const struct gpu_ranks_points *p,
                                    struct partners *partners,
                                    struct partners_own *own)
{
    farsum_status status = FARSUM_OK;
    struct route sources = {.n = 0}, targets = {.n = 0};
    int apart = p->targets != p->sources;
    KEEP_ON(gpu_route_host(p->sources, p->comm, &sources));
    if (apart)
        KEEP_ON(gpu_route_host(p->targets, p->comm, &targets));
    GO(comm_agree(p->comm, status));
    /* values are fetched between the devices */
    GO(partners_travel(partners, p->comm, apart ? &targets : &sources, &sources,
                       0, own));
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
static farsum_status needs_hold(const struct task *task,
                                const struct gpu_ranks_points *p,
                                const struct partners_own *own,
                                struct gpu_needs *needs)
{
    struct gpu_sends *sends = &needs->sends;
    int64_t real = array_size(task->problem.precision);
    int strengths = task->pair.strengths;
    if (sends->size == 0)
        TRY(gpu_sends_create(sends, task->device, p->transport, COMM_GHOSTS,
                             p->comm->size, strengths,
                             task->problem.precision));
    TRY(needs_sends(sends, &own->needed.sends));
    TRY(buf_reserve(&needs->s, task->device, POSITION * sends->n_got));
    TRY(buf_reserve(&needs->q, task->device, strengths * real * sends->n_got));
    return gpu_excluded_send(&needs->rows, task->device, &own->rows);
}

farsum_status ranks_exclusions_set(struct task *task,
                                   const struct gpu_ranks_points *p,
                                   struct gpu_ranks_exclude *x)
{
    farsum_status status = FARSUM_OK;
    struct partners_own own = {.rows = {0}};
    struct gpu_needs made;
    GO(partners_set(&x->partners, p->comm, &task->exclusions, p->targets->given,
                    p->sources->given));
    if (x->partners.all > 0) {
        GO(exclude_travel(p, &x->partners, &own));
        GO(comm_agree(p->comm, needs_hold(task, p, &own, &x->next)));
        GO(comm_agree(p->comm, gpu_sends_positions(&x->next.sends, p->own,
                                                   &x->next.s)));
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

farsum_status ranks_exclusions_in(const struct task *task,
                                  struct gpu_ranks_exclude *x,
                                  const struct gpu_values *own)
{
    if (!x->named)
        return FARSUM_OK;
    return gpu_sends_there(&x->now.sends, task->pair.strengths, own, &x->now.q,
                           0);
}

farsum_status ranks_points_host(const struct buf *own, int64_t n,
                                struct points *to)
{
    farsum_status status = FARSUM_OK;
    double *x = NULL;
    GO(points_hold(to, n));
    GO(MEM_RAW(x, 3 * n));
    if (n > 0)
        GO(buf_download(own, 0, x, 24 * n));
    for (int64_t i = 0; i < 3 * n; i++)
        to->s[i % 3][i / 3] = x[i];
done:
    mem_free(x);
    return status;
}
